; Minimum and maximum are intrinsics, which keep the flags of the call; a vector with a scalar and halves stay calls.
; run: optimal-builtin-replacement
; label: define spir_func void @f(
; next: %a = call nnan float @llvm.minnum.f32(float %x, float %x)
; next: %b = call <3 x double> @llvm.maxnum.v3f64(<3 x double> %y, <3 x double> %y)
; next: %c = call spir_func <2 x float> @_Z4fmaxDv2_ff(<2 x float> %z, float %x)
; next: %d = call spir_func half @_Z4fminDhDh(half %h, half %h)
; next: ret void
define spir_func void @f(float %x, <3 x double> %y, <2 x float> %z, half %h) {
  %a = call nnan spir_func float @_Z4fminff(float %x, float %x)
  %b = call spir_func <3 x double> @_Z4fmaxDv3_dS_(<3 x double> %y, <3 x double> %y)
  %c = call spir_func <2 x float> @_Z4fmaxDv2_ff(<2 x float> %z, float %x)
  %d = call spir_func half @_Z4fminDhDh(half %h, half %h)
  ret void
}
declare spir_func float @_Z4fminff(float, float)
declare spir_func <3 x double> @_Z4fmaxDv3_dS_(<3 x double>, <3 x double>)
declare spir_func <2 x float> @_Z4fmaxDv2_ff(<2 x float>, float)
declare spir_func half @_Z4fminDhDh(half, half)
