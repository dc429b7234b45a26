; Vectors of eight: one that has a lane below the bound is run, and the last of them may be the only one. What its width leaves over
; has bounds of its own.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper(
; check: %$bound = freeze i32 %n
; check: strip:
; check: phi i64 [ %$from, %strip ]
; check: call spir_func void @v(
; check: phi i64 [ %*, %strip3 ]
; check: call spir_func void @k(
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) !codeplay_ca_vecz.base !0 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %x = trunc i64 %id to i32
  %some = icmp slt i32 %x, %n
  br i1 %some, label %then, label %end
then:
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %id
  store i8 1, ptr addrspace(1) %at
  br label %end
end:
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p, i32 %n) #0 !codeplay_ca_vecz.derived !1 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %x = trunc i64 %id to i32
  %first = insertelement <8 x i32> poison, i32 %x, i64 0
  %all = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
  %xs = add <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %one = insertelement <8 x i32> poison, i32 %n, i64 0
  %ns = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %mask = icmp slt <8 x i32> %xs, %ns
  %any = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1> %mask)
  br i1 %any, label %then, label %end
then:
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %id
  call void @llvm.masked.store.v8i8.p1(<8 x i8> zeroinitializer, ptr addrspace(1) %at, i32 1, <8 x i1> %mask)
  br label %end
end:
  ret void
}
declare i1 @llvm.vector.reduce.or.v8i1(<8 x i1>)
declare void @llvm.masked.store.v8i8.p1(<8 x i8>, ptr addrspace(1), i32, <8 x i1>)
declare i64 @__mux_get_global_id(i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 0, i32 0, ptr @v}
!1 = !{i32 8, i32 0, i32 0, ptr @k}
