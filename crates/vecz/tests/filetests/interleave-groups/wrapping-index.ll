; Records of four bytes by a sum that may wrap in 32 bits, as images with offsets have them: loaded and stored as words
; unless it does.
; run: run-vecz<width=16;mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: icmp sle i32 %i, 2147483587
; check: load <16 x i32>
; check: icmp sle i32 %o, 2147483587
; check: store <16 x i32>
; count: 3 call <16 x i8> @llvm.masked.gather.*
; count: 4 call void @llvm.masked.scatter.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) noalias %x, i32 %from, ptr addrspace(1) noalias %y, i32 %to) #0 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %word = trunc i64 %id to i32
  %r = shl i32 %word, 2
  %i = add i32 %r, %from
  %o = add i32 %r, %to
  %i64 = sext i32 %i to i64
  %o64 = sext i32 %o to i64
  %p = getelementptr i8, ptr addrspace(1) %x, i64 %i64
  %q = getelementptr i8, ptr addrspace(1) %y, i64 %o64
  %v = load <4 x i8>, ptr addrspace(1) %p, align 1
  %e0 = extractelement <4 x i8> %v, i32 0
  %e1 = extractelement <4 x i8> %v, i32 1
  %s = add i8 %e0, %e1
  %w = insertelement <4 x i8> %v, i8 %s, i32 2
  store <4 x i8> %w, ptr addrspace(1) %q, align 1
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
