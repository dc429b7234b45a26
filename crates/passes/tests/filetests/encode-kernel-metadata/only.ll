; With `only`, all other kernels stop being entry points, and all other functions become internal.
; run: transfer-kernel-metadata,encode-kernel-metadata<kernel=k;only>
; label: define spir_kernel void @k() #$k
; label: define internal spir_kernel void @j() #$j
; module:
; check: define internal void @helper()
; module:
; check: attributes #$k = { *"mux-kernel"="entry-point"* }
; module:
; count: 1 "mux-kernel"
define spir_kernel void @k() {
  ret void
}
define spir_kernel void @j() {
  ret void
}
define void @helper() {
  ret void
}
