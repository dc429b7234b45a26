; A barrier whose ID is not a constant is refused.
; run: transfer-kernel-metadata,work-item-loops
; error: in function 'k': barriers need unique constant IDs; run prepare-barriers first
; error: call void @__mux_work_group_barrier(i32 %id, i32 2, i32 264)
define spir_kernel void @k(i32 %id) {
  call void @__mux_work_group_barrier(i32 %id, i32 2, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
