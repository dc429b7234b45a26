; A value that is uniform over the work-group is kept once for it.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %v = load double, ptr addrspace(1) %p
; next: %$s = getelementptr inbounds i8, ptr %live_group, i64 0
; next: store double %v, ptr %$s
; not: live_item
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: %$s = getelementptr inbounds i8, ptr %live_group, i64 0
; next: load double, ptr %$s
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %live.group = call spir_func ptr @__mux_alloc_work_group_memory(i64 8)
; check: call spir_func i32 @k.mux-barrier-region.0(ptr addrspace(1) %p, ptr null, ptr %live.group)
; module:
; check: "mux-live-mem-usage"="0,8"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %v = load double, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store double %v, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
