; Mathematics for which a target has no instructions is done in bit operations, of a vector as of a scalar.
; run: add-scheduling-parameters,define-mux-builtins
; label: define internal spir_func float @__mux_exponent_f(float %$x) #$inline {
; check: lshr i32
; check: sitofp i32
; label: define internal spir_func <3 x double> @__mux_scale_Dv3_d(<3 x double> %$x, <3 x double> %$n) #$inline {
; check: shl <3 x i64>
; check: fmul <3 x double>
; check: fmul <3 x double>
; label: define internal spir_func float @__mux_rsqrt_estimate_f(float %$x) #$inline {
; check: call float @llvm.sqrt.f32
; check: fdiv float 1.000000e+00
; module:
; check: attributes #$inline = { *alwaysinline* }
define float @f(float %x, <3 x double> %v, ptr %p) {
  %e = call spir_func float @__mux_exponent_f(float %x)
  %s = call spir_func <3 x double> @__mux_scale_Dv3_d(<3 x double> %v, <3 x double> %v)
  store <3 x double> %s, ptr %p
  %r = call spir_func float @__mux_rsqrt_estimate_f(float %e)
  ret float %r
}
declare spir_func float @__mux_exponent_f(float)
declare spir_func <3 x double> @__mux_scale_Dv3_d(<3 x double>, <3 x double>)
declare spir_func float @__mux_rsqrt_estimate_f(float)
