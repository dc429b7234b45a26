; A barrier that no work-item loops have removed cannot be defined.
; run: define-mux-builtins
; error: in function 'f': the target does not define '__mux_work_group_barrier'
; error: call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
define spir_func void @f() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
