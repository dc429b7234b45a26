; The kernels that were vectorized and split stay as they were, as internal functions, until a target drops them; the regions are no versions of them.
; run: work-item-loops
; label: define internal spir_func i32 @v.mux-barrier-region.0(ptr addrspace(1) %p, ptr %live_item, ptr %live_group) #$a {
; module:
; count: 1 define internal spir_func void @k(ptr addrspace(1) %p)
; count: 1 define internal spir_func void @v(ptr addrspace(1) %p)
; count: 2 call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
; count: 0 .split
define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !0 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !1 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 0, i32 0, ptr @v}
!1 = !{i32 8, i32 0, i32 0, ptr @k}
