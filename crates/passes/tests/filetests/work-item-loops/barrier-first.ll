; A barrier as the first instruction: region 0 has nothing to do.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; next: br label %barrier.0
; next: barrier.0:
; next: ret i32 1
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: %id = call i64 @__mux_get_local_id(i32 0)
define spir_kernel void @k(ptr addrspace(1) %p) {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %id = call i64 @__mux_get_local_id(i32 0)
  store i64 %id, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
