; A barrier's schedule survives inlining; barriers of sub-groups are not numbered.
; run: transfer-kernel-metadata,prepare-barriers
; label: define spir_kernel void @k()
; check: call void @__mux_work_group_barrier(i32 0, i32 2, i32 264) #$once
; check: call void @__mux_sub_group_barrier(i32 5,
; module:
; check: attributes #$once = { "mux-barrier-schedule"="once" }
define spir_func void @f() {
  call void @__mux_work_group_barrier(i32 7, i32 2, i32 264) #0
  call void @__mux_sub_group_barrier(i32 5, i32 3, i32 264)
  ret void
}
define spir_kernel void @k() {
  call spir_func void @f()
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare void @__mux_sub_group_barrier(i32, i32, i32)
attributes #0 = { "mux-barrier-schedule"="once" }
