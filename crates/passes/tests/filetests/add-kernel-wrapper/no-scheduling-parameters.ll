; A kernel without scheduling parameters is refused.
; run: transfer-kernel-metadata,add-kernel-wrapper
; error: add-kernel-wrapper: in function 'k': the kernel has no scheduling parameters
define spir_kernel void @k() {
  ret void
}
