; BOSCC: a region with a gather has a second version without masks, for when all lanes are active. The value that
; leaves the region is that of the version that ran, or that of the skipped region.
; run: run-vecz<width=16;mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: br i1 %all, label %then.all, label %some
; label: define spir_kernel void @__vecz_v16_k(
; check: load <16 x i64>
; label: define spir_kernel void @__vecz_v16_k(
; check: @llvm.masked.load.v16i64.*
; label: define spir_kernel void @__vecz_v16_k(
; check: phi <16 x i64> *%then ]
; label: define spir_kernel void @__vecz_v16_k(
; check: phi <16 x i64> *%some ]
; label: define spir_kernel void @__vecz_v16_k(
; check: phi <16 x i64> *%then.all ]
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %y, i64 %i
  %in = icmp ult i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %from = load i64, ptr addrspace(1) %p, align 8
  %q = getelementptr i64, ptr addrspace(1) %x, i64 %from
  %v = load i64, ptr addrspace(1) %q, align 8
  br label %end
end:
  %r = phi i64 [ 7, %entry ], [ %v, %then ]
  store i64 %r, ptr addrspace(1) %p, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
