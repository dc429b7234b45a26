; A private array that a later region reads lives in the work-item's live memory; its lifetime markers go.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; not: alloca
; check: %$a = getelementptr inbounds i8, ptr %live_item, i64 0
; not: llvm.lifetime
; check: store i32 1, ptr %$a
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: %$a = getelementptr inbounds i8, ptr %live_item, i64 0
; check: %e = getelementptr i32, ptr %$a, i64 3
; not: call
; module:
; check: "mux-live-mem-usage"="64,0"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %a = alloca [4 x i32], align 64
  call void @llvm.lifetime.start.p0(i64 16, ptr %a)
  store i32 1, ptr %a
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %e = getelementptr i32, ptr %a, i64 3
  %v = load i32, ptr %e
  store i32 %v, ptr addrspace(1) %p
  call void @llvm.lifetime.end.p0(i64 16, ptr %a)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
