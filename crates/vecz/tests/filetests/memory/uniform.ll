; Uniform values stay scalar, and a branch on a uniform condition stays a branch.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: br i1
; count: 0 <4 x
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, i32 %n) #0 {
  %j = call i64 @__mux_get_global_id(i32 1)
  %p = getelementptr float, ptr addrspace(1) %y, i64 %j
  %v = load float, ptr addrspace(1) %p, align 4
  %c = icmp sgt i32 %n, 3
  br i1 %c, label %then, label %end
then:
  %r = fadd float %v, 1.0
  store float %r, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
