; Minimum and maximum stay calls on Arm.
; run: optimal-builtin-replacement
; label: define spir_func void @f(
; next: %a = call spir_func float @_Z4fminff(float %x, float %x)
; next: %b = call i32 @llvm.ctlz.i32(i32 %n, i1 false)
target triple = "aarch64-unknown-linux-gnu"
define spir_func void @f(float %x, i32 %n) {
  %a = call spir_func float @_Z4fminff(float %x, float %x)
  %b = call spir_func i32 @_Z3clzi(i32 %n)
  ret void
}
declare spir_func float @_Z4fminff(float, float)
declare spir_func i32 @_Z3clzi(i32)
