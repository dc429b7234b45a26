; A kernel that calls a kernel with a barrier gets its own copy of it.
; run: transfer-kernel-metadata,prepare-barriers
; label: define spir_kernel void @inner()
; check: @__mux_work_group_barrier(i32 0,
; not: call
; label: define spir_kernel void @outer()
; check: @__mux_work_group_barrier(i32 0,
; next: call void @__mux_work_group_barrier(i32 1,
; not: call
define spir_kernel void @inner() {
  call void @__mux_work_group_barrier(i32 9, i32 2, i32 264)
  ret void
}
define spir_kernel void @outer() {
  call void @__mux_work_group_barrier(i32 9, i32 2, i32 264)
  call spir_kernel void @inner()
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
