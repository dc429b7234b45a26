; Flags that are not constant cannot reach the wrapper: the strongest fence stands for them.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: call spir_func void @__mux_mem_barrier(i32 2, i32 912)
; check: call spir_func void @__mux_mem_barrier(i32 0, i32 264)
define spir_kernel void @k(i32 %f) {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 %f)
  call void @__mux_work_group_barrier(i32 0, i32 %f, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
