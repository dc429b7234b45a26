; Records of small integers are words in scalable vectors, too, where their alignment is that of the word.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: %$words = call <vscale x 4 x i32> @llvm.masked.load.nxv4i32.p1(ptr addrspace(1) %$, i32 4,
; check: trunc <vscale x 4 x i32> %$words to <vscale x 4 x i16>
; check: call void @llvm.masked.scatter.nxv4i16.nxv4p1(
; not: gather
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = mul i64 %i, 2
  %x = getelementptr i16, ptr addrspace(1) %p, i64 %at
  %y = getelementptr i8, ptr addrspace(1) %x, i64 2
  %a = load i16, ptr addrspace(1) %x, align 4
  %b = load i16, ptr addrspace(1) %y, align 2
  %c = add i16 %a, %b
  %u = getelementptr i16, ptr addrspace(1) %q, i64 %at
  %v = getelementptr i8, ptr addrspace(1) %u, i64 2
  store i16 %c, ptr addrspace(1) %u, align 2
  store i16 %a, ptr addrspace(1) %v, align 2
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
