; A varying value that lives across the barrier: stored after its definition, loaded where the next region starts.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %v = load float, ptr addrspace(1) %at
; next: %$s = getelementptr inbounds i8, ptr %live_item, i64 0
; next: store float %v, ptr %$s, align 4
; check: ret i32 1
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; next: region:
; check: %$s = getelementptr inbounds i8, ptr %live_item, i64 0
; next: %$v = load float, ptr %$s, align 4
; check: store float %$v, ptr addrspace(1) %p
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %$xy = mul i64 %size.x, %size.y
; next: %items = mul i64 %$xy, %size.z
; next: %$b = mul i64 %items, 4
; check: %live.items = call spir_func ptr @__mux_alloc_work_group_memory(i64 %$n)
; check: %$o = mul nuw nsw i64 %item, 4
; next: %live.item = getelementptr inbounds i8, ptr %live.items, i64 %$o
; next: %next = call spir_func i32 @k.mux-barrier-region.0(ptr addrspace(1) %p, ptr %live.item, ptr null)
; module:
; check: "mux-live-mem-usage"="4,0"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %p, i64 %id
  %v = load float, ptr addrspace(1) %at
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store float %v, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
