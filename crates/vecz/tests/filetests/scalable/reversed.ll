; Lanes that go backwards through memory: the address of the last lane depends on vscale, and lanes are reversed.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: %vscale = call i64 @llvm.vscale.i64()
; check: %lanes = mul i64 %vscale, 4
; check: call <vscale x 4 x i1> @llvm.vector.reverse.nxv4i1(
; check: call <vscale x 4 x i32> @llvm.masked.load.nxv4i32.p1(
; check: call <vscale x 4 x i32> @llvm.vector.reverse.nxv4i32(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %back = sub i64 1000, %i
  %from = getelementptr i32, ptr addrspace(1) %q, i64 %back
  %x = load i32, ptr addrspace(1) %from, align 4
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
  store i32 %x, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
