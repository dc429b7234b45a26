; Several kernels in a module, with and without barriers.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: call spir_func i32 @k.mux-barrier-region.1(
; label: define spir_func void @j.mux-barrier-wrapper(
; check: call spir_func i32 @j.mux-barrier-region.1(
; label: define spir_func void @plain.mux-barrier-wrapper(
; check: call spir_func void @plain()
define spir_kernel void @k() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @j() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @plain() {
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
