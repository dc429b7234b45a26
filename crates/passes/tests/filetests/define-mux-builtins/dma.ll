; DMA is not defined by default; the error is at the call.
; run: define-mux-builtins
; error: define-mux-builtins: in function 'f': the target does not define '__mux_dma_read_1D'
; error: %e = call ptr @__mux_dma_read_1D(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 4, ptr null)
define spir_func void @f(ptr addrspace(3) %d, ptr addrspace(1) %s) {
  %e = call ptr @__mux_dma_read_1D(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 4, ptr null)
  ret void
}
declare ptr @__mux_dma_read_1D(ptr addrspace(3), ptr addrspace(1), i64, ptr)
