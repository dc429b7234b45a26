; Without !opencl.kernels, every defined spir_kernel function is an entry point.
; run: transfer-kernel-metadata
; label: define spir_kernel void @k() #$k
; label: define spir_func void @f() {
; label: declare spir_kernel void @other()
; module:
; check: attributes #$k = { "mux-base-fn-name"="k" "mux-kernel"="entry-point" "mux-orig-fn"="k" "mux-work-item-order"="xyz" }
; count: 1 attributes
define spir_kernel void @k() {
  ret void
}
define spir_func void @f() {
  ret void
}
declare spir_kernel void @other()
