; A region that never ends has no region after it.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.1:
; check: call spir_func i32 @k.mux-barrier-region.1(
; check: unreachable
define spir_kernel void @k() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  unreachable
}
declare void @__mux_work_group_barrier(i32, i32, i32)
