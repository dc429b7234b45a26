; Which lanes there are, and their IDs, is told again after a barrier: no scalable vector is in the live memory.
; run: work-item-loops
; module:
; check: define internal spir_func i32 @v.mux-barrier-region.1(
; check: call <vscale x 4 x i32> @llvm.experimental.stepvector.nxv4i32()
; check: call <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(
; check: call void @llvm.masked.store.nxv4i32.p1(
; check: "mux-live-mem-usage"="0,0"
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !1 {
  %id = call i64 @__mux_get_local_id(i32 0)
  %size = call i64 @__mux_get_local_size(i32 0)
  %within = call <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(i64 %id, i64 %size)
  %x = trunc i64 %id to i32
  %first = insertelement <vscale x 4 x i32> poison, i32 %x, i64 0
  %all = shufflevector <vscale x 4 x i32> %first, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %steps = call <vscale x 4 x i32> @llvm.experimental.stepvector.nxv4i32()
  %xs = add <vscale x 4 x i32> %all, %steps
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %id
  call void @llvm.masked.store.nxv4i32.p1(<vscale x 4 x i32> %xs, ptr addrspace(1) %at, i32 4, <vscale x 4 x i1> %within)
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !0 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(i64, i64)
declare <vscale x 4 x i32> @llvm.experimental.stepvector.nxv4i32()
declare void @llvm.masked.store.nxv4i32.p1(<vscale x 4 x i32>, ptr addrspace(1), i32, <vscale x 4 x i1>)
declare i64 @__mux_get_local_id(i32)
declare i64 @__mux_get_local_size(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 4, i32 0, i32 1, ptr @v, i32 1}
!1 = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
