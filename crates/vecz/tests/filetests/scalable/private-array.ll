; An element of a private array that only the lane knows is reached by masked gathers and scatters, as mux-ir asks for, of the lanes
; that there are.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: alloca
; check: call void @llvm.masked.scatter.nxv4i32.nxv4p0(<vscale x 4 x i32> %$n, <vscale x 4 x ptr> %$to, i32 4, <vscale x 4 x i1> %within)
; check: call <vscale x 4 x i32> @llvm.masked.gather.nxv4i32.nxv4p0(<vscale x 4 x ptr> %$from, i32 4, <vscale x 4 x i1> %within, <vscale x 4 x i32> poison)
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %own = alloca [40 x i32], align 4
  call void @llvm.memset.p0.i64(ptr align 4 %own, i8 0, i64 160, i1 false)
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %n = load i32, ptr addrspace(1) %at, align 4
  %place = and i32 %n, 31
  %other = lshr i32 %n, 27
  %to = getelementptr i32, ptr %own, i32 %place
  store i32 %n, ptr %to, align 4
  %from = getelementptr i32, ptr %own, i32 %other
  %x = load i32, ptr %from, align 4
  store i32 %x, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
