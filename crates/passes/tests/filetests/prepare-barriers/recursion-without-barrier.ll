; Recursion that has no barrier in it is no concern of this pass.
; run: transfer-kernel-metadata,prepare-barriers
; label: define spir_func void @f()
; check: call spir_func void @f()
; label: define spir_kernel void @k()
; check: call spir_func void @f()
; check: call void @__mux_work_group_barrier(i32 0,
define spir_func void @f() {
  call spir_func void @f()
  ret void
}
define spir_kernel void @k() {
  call spir_func void @f()
  call void @__mux_work_group_barrier(i32 3, i32 2, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
