; Strided and irregular accesses of scalable vectors are masked gathers and scatters, as mux-ir asks for.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: call <vscale x 4 x i32> @llvm.masked.gather.nxv4i32.nxv4p1(
; check: call <vscale x 4 x i32> @llvm.masked.gather.nxv4i32.nxv4p1(
; check: call void @llvm.masked.scatter.nxv4i32.nxv4p1(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %three = mul i64 %i, 3
  %from = getelementptr i32, ptr addrspace(1) %q, i64 %three
  %n = load i32, ptr addrspace(1) %from, align 4
  %wide = sext i32 %n to i64
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %wide
  %x = load i32, ptr addrspace(1) %at, align 4
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
