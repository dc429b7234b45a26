; The work-group is the one sub-group of a kernel that is marked so; functions that use sub-groups are inlined into it.
; run: transfer-kernel-metadata,prepare-sub-groups
; label: define spir_kernel void @k(
; not: sub_group
; check: call spir_func i32 @__mux_work_group_reduce_add_i32(i32 0, i32 %x)
; check: urem i64
; check: call spir_func i32 @__mux_work_group_broadcast_i32(i32 0, i32 %x, i64
; check: call spir_func i64 @__mux_get_local_linear_id()
; check: call spir_func void @__mux_work_group_barrier(i32 0, i32 3, i32 264)
; label: define spir_kernel void @plain()
; module:
; check: "mux-no-subgroups"
define spir_kernel void @k(i32 %x) #0 {
  call void @f(i32 %x)
  %one = call i32 @__mux_sub_group_broadcast_i32(i32 %x, i32 3)
  %id = call i32 @__mux_get_sub_group_local_id()
  call void @__mux_sub_group_barrier(i32 0, i32 3, i32 264)
  ret void
}
define spir_func void @f(i32 %x) {
  %sum = call i32 @__mux_sub_group_reduce_add_i32(i32 %x)
  ret void
}
define spir_kernel void @plain() {
  ret void
}
declare i32 @__mux_sub_group_broadcast_i32(i32, i32)
declare i32 @__mux_sub_group_reduce_add_i32(i32)
declare i32 @__mux_get_sub_group_local_id()
declare void @__mux_sub_group_barrier(i32, i32, i32)
attributes #0 = { "mux-degenerate-subgroups" }
