; A region whose accesses are all contiguous has one version: a mask costs them little.
; run: run-vecz<width=16;mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: @llvm.masked.load.v16i64.*
; count: 0 %all
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %y, i64 %i
  %in = icmp ult i64 %i, %n
  br i1 %in, label %then, label %end
then:
  %from = load i64, ptr addrspace(1) %p, align 8
  %q = getelementptr i64, ptr addrspace(1) %x, i64 %i
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
