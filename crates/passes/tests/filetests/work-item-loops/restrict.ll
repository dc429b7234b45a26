; A pointer that was made from a restrict parameter and comes out of the live memory may alias that parameter: only
; region 0, which reads nothing from there, may keep noalias.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: @k.mux-barrier-region.0(ptr addrspace(1) noalias %p, i1 %c, ptr
; label: @k.mux-barrier-region.1(ptr addrspace(1) %p, i1 %c, ptr
; check: %$q = load ptr addrspace(1)
; label: @k.mux-barrier-wrapper(ptr addrspace(1) *%p, i1 %c)
; label: @j.mux-barrier-region.1(ptr addrspace(1) noalias %p, i32 %c, ptr
define spir_kernel void @k(ptr addrspace(1) noalias nocapture %p, i1 %c) {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %q = select i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %a
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 1, ptr addrspace(1) %q
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %a
  ret void
}
define spir_kernel void @j(ptr addrspace(1) noalias %p, i32 %c) {
  %v = udiv i32 7, %c
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 %v, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
