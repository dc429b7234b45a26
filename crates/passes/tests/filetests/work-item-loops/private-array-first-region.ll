; An array that only region 0 touches stays an alloca; a lifetime marker after the barrier does not count and goes.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %a = alloca [4 x i32]
; check: call void @llvm.lifetime.start.p0(i64 16, ptr %a)
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; not: live_item
; not: llvm.lifetime
; check: store i32
; module:
; check: "mux-live-mem-usage"="0,0"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %a = alloca [4 x i32]
  call void @llvm.lifetime.start.p0(i64 16, ptr %a)
  store i32 1, ptr %a
  %v = load i32, ptr %a
  store i32 %v, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 2, ptr addrspace(1) %p
  call void @llvm.lifetime.end.p0(i64 16, ptr %a)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
