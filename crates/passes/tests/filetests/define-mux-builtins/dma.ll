; DMA in software: the first work-item of a group copies, row by row; the event goes through, and waiting is nothing.
; run: add-scheduling-parameters,define-mux-builtins
; label: define internal ptr @__mux_dma_read_1D(
; check: call i64 @__mux_get_local_linear_id(
; check: icmp eq i64 %$id, 0
; check: call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 1 %0, ptr addrspace(1) align 1 %1, i64 %2, i1 false)
; check: ret ptr %3
; label: define internal ptr @__mux_dma_write_2D(
; check: ret ptr %6
; check: icmp ult i64 %i, %5
; check: mul i64 %i, %3
; check: mul i64 %i, %4
; check: call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 1 *, ptr addrspace(3) align 1 *, i64 %2, i1 false)
; label: define internal void @__mux_dma_wait(
; next: entry:
; next: ret void
define spir_func void @f(ptr addrspace(3) %d, ptr addrspace(1) %s, ptr %events) {
  %e = call ptr @__mux_dma_read_1D(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 4, ptr null)
  %g = call ptr @__mux_dma_write_2D(ptr addrspace(1) %s, ptr addrspace(3) %d, i64 4, i64 16, i64 4, i64 3, ptr %e)
  call void @__mux_dma_wait(i32 1, ptr %events)
  ret void
}
declare ptr @__mux_dma_read_1D(ptr addrspace(3), ptr addrspace(1), i64, ptr)
declare ptr @__mux_dma_write_2D(ptr addrspace(1), ptr addrspace(3), i64, i64, i64, i64, ptr)
declare void @__mux_dma_wait(i32, ptr)
