; Vectors of 4 * vscale, without a tail: one that has a lane below the bound is run. From a first work-item on, the offset of the last lane
; counts, of which only vscale says how large it is.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper(
; check: %$bound = freeze i32 %n
; check: %$vscale = call i64 @llvm.vscale.i64()
; check: %$lanes = mul i64 %$vscale, 4
; check: %$last = add i64 %$lanes, -2
; check: sub i64 7, %$last
; check: loop.x:
; check: phi i64 [ %$from, %loop.y ]
; check: call spir_func void @v(
define spir_kernel void @v(ptr addrspace(1) %p, i32 %n) #0 !codeplay_ca_vecz.derived !1 {
  %id = call i64 @__mux_get_local_id(i32 0)
  %size = call i64 @__mux_get_local_size(i32 0)
  %within = call <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(i64 %id, i64 %size)
  %x = trunc i64 %id to i32
  %first = insertelement <vscale x 4 x i32> poison, i32 %x, i64 0
  %all = shufflevector <vscale x 4 x i32> %first, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %steps = call <vscale x 4 x i32> @llvm.experimental.stepvector.nxv4i32()
  %xs = add <vscale x 4 x i32> %all, %steps
  %one = insertelement <vscale x 4 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <vscale x 4 x i32> %one, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %below = icmp slt <vscale x 4 x i32> %xs, %ns
  %from = icmp sgt <vscale x 4 x i32> %xs, shufflevector (<vscale x 4 x i32> insertelement (<vscale x 4 x i32> poison, i32 7, i64 0), <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer)
  %both = and <vscale x 4 x i1> %below, %from
  %mask = select <vscale x 4 x i1> %within, <vscale x 4 x i1> %both, <vscale x 4 x i1> zeroinitializer
  %any = call i1 @llvm.vector.reduce.or.nxv4i1(<vscale x 4 x i1> %mask)
  br i1 %any, label %then, label %end
then:
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %id
  call void @llvm.masked.store.nxv4i8.p1(<vscale x 4 x i8> zeroinitializer, ptr addrspace(1) %at, i32 1, <vscale x 4 x i1> %mask)
  br label %end
end:
  ret void
}
declare i1 @llvm.vector.reduce.or.nxv4i1(<vscale x 4 x i1>)
declare <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(i64, i64)
declare <vscale x 4 x i32> @llvm.experimental.stepvector.nxv4i32()
declare void @llvm.masked.store.nxv4i8.p1(<vscale x 4 x i8>, ptr addrspace(1), i32, <vscale x 4 x i1>)
declare i64 @__mux_get_local_id(i32)
declare i64 @__mux_get_local_size(i32)
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) !codeplay_ca_vecz.base !0 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 4, i32 0, i32 1, ptr @v, i32 1}
!1 = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
