; A barrier inside of a called function is refused.
; run: transfer-kernel-metadata,work-item-loops
; error: in function 'k': a barrier is inside of a called function; run prepare-barriers first
; error: call void @f()
define void @f() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @k() {
  call void @f()
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
