; Sizes are of the width of a pointer: 32 bits here.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %size.x = call spir_func i32 @__mux_get_local_size(i32 0)
; check: call spir_func void @__mux_set_local_id(i32 0, i32 0)
; check: call spir_func i32 @k.mux-barrier-region.1(
target datalayout = "e-p:32:32-i64:64"
define spir_kernel void @k(ptr addrspace(1) %p) {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264) "mux-barrier-schedule"="once"
  %v = load i32, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 %v, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
