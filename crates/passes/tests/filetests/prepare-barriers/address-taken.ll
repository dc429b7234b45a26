; A function with a barrier that is called through a pointer cannot be inlined.
; run: transfer-kernel-metadata,prepare-barriers
; error: in function 'k': the address of 'f', which has a barrier, is taken
; error: store ptr @f, ptr %p
define spir_func void @f() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @k() {
  %p = alloca ptr
  store ptr @f, ptr %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
