; Two calls of a function with a barrier: both are inlined and get IDs of their own; the function goes.
; run: transfer-kernel-metadata,prepare-barriers
; label: define spir_kernel void @k(
; check: store i32 1
; next: call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
; next: store i32 1
; next: call void @__mux_work_group_barrier(i32 1, i32 2, i32 264)
; next: ret void
; module:
; count: 0 @f(
define spir_func void @f(ptr addrspace(1) %p) noinline optnone {
  store i32 1, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 7, i32 2, i32 264)
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %p) {
  call spir_func void @f(ptr addrspace(1) %p)
  call spir_func void @f(ptr addrspace(1) %p)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
