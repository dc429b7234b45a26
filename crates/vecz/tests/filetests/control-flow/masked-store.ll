; A store under a divergent condition is masked, and its block is skipped if no lane is active.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: br i1 %any
; check: call void @llvm.masked.store.v8i32.p1
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %bit = and i64 %i, 1
  %odd = icmp eq i64 %bit, 1
  br i1 %odd, label %then, label %end
then:
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 7, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
