; In a module without marked kernels nothing is inlined, and nothing removed.
; run: prepare-barriers
; label: define spir_func void @f()
; next: call void @__mux_work_group_barrier(i32 7, i32 2, i32 264)
define spir_func void @f() {
  call void @__mux_work_group_barrier(i32 7, i32 2, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
