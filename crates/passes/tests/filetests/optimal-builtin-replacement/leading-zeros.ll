; Leading zeros are an intrinsic, but not of 64 bits.
; run: optimal-builtin-replacement
; label: define spir_func void @f(
; next: %a = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
; next: %b = call <4 x i8> @llvm.ctlz.v4i8(<4 x i8> %y, i1 false)
; next: %c = call spir_func i64 @_Z3clzm(i64 %z)
; next: ret void
define spir_func void @f(i32 %x, <4 x i8> %y, i64 %z) {
  %a = call spir_func i32 @_Z3clzi(i32 %x)
  %b = call spir_func <4 x i8> @_Z3clzDv4_h(<4 x i8> %y)
  %c = call spir_func i64 @_Z3clzm(i64 %z)
  ret void
}
declare spir_func i32 @_Z3clzi(i32)
declare spir_func <4 x i8> @_Z3clzDv4_h(<4 x i8>)
declare spir_func i64 @_Z3clzm(i64)
