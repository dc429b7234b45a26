; The library's names inside of the specification mean the same: what is not replaced is a call of OpenCL C's function.
; run: optimal-builtin-replacement
; label: define spir_func void @f(
; next: %a = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
; check: %b = trunc i64
; next: %c = call float @llvm.maxnum.f32(float %y, float %y)
; next: %d = call spir_func i64 @_Z3clzl(i64 %z)
; next: ret void
define spir_func void @f(i32 %x, float %y, i64 %z) {
  %a = call spir_func i32 @_Z12__abacus_clzi(i32 %x)
  %b = call spir_func i32 @_Z15__abacus_mul_hiii(i32 %x, i32 %x)
  %c = call spir_func float @_Z13__abacus_fmaxff(float %y, float %y)
  %d = call spir_func i64 @_Z12__abacus_clzl(i64 %z)
  ret void
}
declare spir_func i32 @_Z12__abacus_clzi(i32)
declare spir_func i32 @_Z15__abacus_mul_hiii(i32, i32)
declare spir_func float @_Z13__abacus_fmaxff(float, float)
declare spir_func i64 @_Z12__abacus_clzl(i64)
