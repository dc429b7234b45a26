; The primitives of the library's mathematics have bodies for scalable vectors, too.
; run: define-mux-builtins
; module:
; check: call <vscale x 4 x float> @llvm.fabs.nxv4f32(<vscale x 4 x float> %0)
; check: bitcast <vscale x 4 x float> %$x to <vscale x 4 x i32>
define <vscale x 4 x float> @f(<vscale x 4 x float> %x) {
  %y = call spir_func <vscale x 4 x float> @__mux_exponent_u5nxv4f(<vscale x 4 x float> %x)
  ret <vscale x 4 x float> %y
}
declare spir_func <vscale x 4 x float> @__mux_exponent_u5nxv4f(<vscale x 4 x float>)
