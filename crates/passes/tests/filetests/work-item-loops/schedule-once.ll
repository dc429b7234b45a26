; After a barrier with the schedule "once", work-item 0 runs the region for all.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.1:
; next: call spir_func void @__mux_mem_barrier(i32 2, i32 264)
; next: call spir_func void @__mux_set_local_id(i32 0, i64 0)
; next: call spir_func void @__mux_set_local_id(i32 1, i64 0)
; next: call spir_func void @__mux_set_local_id(i32 2, i64 0)
; next: %$n = call spir_func i32 @k.mux-barrier-region.1(ptr addrspace(1) %p, ptr null, ptr null)
; next: br label %exit
define spir_kernel void @k(ptr addrspace(1) %p) {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264) "mux-barrier-schedule"="once"
  store i32 1, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
