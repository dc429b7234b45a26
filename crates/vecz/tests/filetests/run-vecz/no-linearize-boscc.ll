; Without the choice, a region is skipped if no lane runs it, and has one version.
; run: run-vecz<width=16;mode=always;no-linearize-boscc>
; label: define spir_kernel void @__vecz_v16_k
; check: %any = call i1 @llvm.vector.reduce.or.v16i1(
; not: %all
; check: %$v = call <16 x i64> @llvm.masked.gather.v16i64.v16p1(
define spir_kernel void @k(ptr addrspace(1) %p, i64 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i
  %v = load i64, ptr addrspace(1) %a, align 8
  %in = icmp ult i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %b = getelementptr i64, ptr addrspace(1) %p, i64 %v
  %w = load i64, ptr addrspace(1) %b, align 8
  store i64 %w, ptr addrspace(1) %a, align 8
  br label %end
end:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
