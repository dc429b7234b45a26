; A barrier in a loop without an end: the wrapper never leaves region 1.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.1:
; check: br label %region.1
; check: exit:
; next: ret void
define spir_kernel void @k() {
entry:
  br label %body
body:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %body
}
declare void @__mux_work_group_barrier(i32, i32, i32)
