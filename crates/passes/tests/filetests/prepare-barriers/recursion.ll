; Recursion through a barrier cannot be inlined.
; run: transfer-kernel-metadata,prepare-barriers
; error: prepare-barriers: in function 'g': 'f' calls itself and has a barrier
; error: call spir_func void @f()
define spir_func void @f() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  call spir_func void @g()
  ret void
}
define spir_func void @g() {
  call spir_func void @f()
  ret void
}
define spir_kernel void @k() {
  call spir_func void @f()
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
