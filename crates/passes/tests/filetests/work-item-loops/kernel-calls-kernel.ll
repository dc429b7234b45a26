; A kernel that another kernel calls is an ordinary function for it, by the calling convention too.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func void @outer()
; check: call spir_func void @inner()
; label: define spir_func void @inner.mux-barrier-wrapper()
; check: call spir_func void @inner()
define spir_kernel void @inner() {
  ret void
}
define spir_kernel void @outer() {
  call spir_kernel void @inner()
  ret void
}
