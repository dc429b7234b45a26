; Scalable vectors of integers that not all CPUs can store are in the live memory with wider elements.
; run: work-item-loops
; module:
; check: define internal spir_func i32 @v.mux-barrier-region.0(
; check: zext <vscale x 4 x i24> %* to <vscale x 4 x i32>
; check: store <vscale x 4 x i32>
; check: define internal spir_func i32 @v.mux-barrier-region.1(
; check: load <vscale x 4 x i32>, ptr
; check: trunc <vscale x 4 x i32> %* to <vscale x 4 x i24>
define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !0 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !1 {
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %w = load <vscale x 4 x i32>, ptr addrspace(1) %at, align 4
  %x = load <vscale x 4 x i32>, ptr addrspace(1) %p, align 4
  %y = add <vscale x 4 x i32> %w, %x
  %t = trunc <vscale x 4 x i32> %y to <vscale x 4 x i24>
  %u = udiv <vscale x 4 x i24> %t, shufflevector (<vscale x 4 x i24> insertelement (<vscale x 4 x i24> poison, i24 7, i64 0), <vscale x 4 x i24> poison, <vscale x 4 x i32> zeroinitializer)
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %z = zext <vscale x 4 x i24> %u to <vscale x 4 x i32>
  store <vscale x 4 x i32> %z, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 4, i32 0, i32 1, ptr @v, i32 1}
!1 = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
