; Barriers in a row, the last one before the return.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: ret i32 2
; label: define internal spir_func i32 @k.mux-barrier-region.2(
; check: ret i32 0
; label: define spir_func void @k.mux-barrier-wrapper(
; check: call spir_func void @__mux_mem_barrier(i32 2, i32 264)
; check: call spir_func void @__mux_mem_barrier(i32 2, i32 520)
define spir_kernel void @k() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 520)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
