; Barriers two calls deep, in both kernels; IDs count from 0 in each. Functions without barriers stay.
; run: transfer-kernel-metadata,prepare-barriers
; label: define spir_kernel void @k(
; check: call void @__mux_work_group_barrier(i32 0,
; check: call void @__mux_work_group_barrier(i32 1,
; check: call spir_func void @plain()
; label: define spir_kernel void @j(
; check: call void @__mux_work_group_barrier(i32 0,
; not: call
; module:
; count: 3 call void @__mux_work_group_barrier(
; count: 1 define spir_func void @plain()
; count: 0 @inner(
; count: 0 @outer(
define spir_func void @inner() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_func void @outer() {
  call spir_func void @inner()
  ret void
}
define spir_func void @plain() {
  ret void
}
define spir_kernel void @k() {
  call spir_func void @outer()
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  call spir_func void @plain()
  ret void
}
define spir_kernel void @j() {
  call spir_func void @inner()
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
