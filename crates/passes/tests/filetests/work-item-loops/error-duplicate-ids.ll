; Barriers without IDs of their own are refused.
; run: transfer-kernel-metadata,work-item-loops
; error: work-item-loops: in function 'k': barriers need unique constant IDs; run prepare-barriers first
; error: call void @__mux_work_group_barrier(i32 0, i32 2, i32 520)
define spir_kernel void @k() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 520)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
