; After a barrier with the schedule "linear", x is innermost whatever the kernel's order is.
; run: transfer-kernel-metadata<order=zyx>,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.0:
; next: br label %loop.x.0
; check: region.1:
; next: call spir_func void @__mux_mem_barrier(
; next: br label %loop.z.1
define spir_kernel void @k(ptr addrspace(1) %p) {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264) "mux-barrier-schedule"="linear"
  store i32 1, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
