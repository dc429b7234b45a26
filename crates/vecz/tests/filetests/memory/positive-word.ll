; An ID that is known not to be negative, `if (x > 0) … a[x - 1]`, is masked or extended by zeros: its lanes are
; consecutive. Lane 0, which need not be active, is extended by its sign.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_masked(
; check: load <8 x float>
; label: define spir_kernel void @__vecz_v8_before(
; check: sext i32
; check: call <8 x float> @llvm.masked.load.v8f32.p1(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @masked(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %n = and i64 %i, 2147483647
  %px = getelementptr float, ptr addrspace(1) %x, i64 %n
  %v = load float, ptr addrspace(1) %px, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %v, ptr addrspace(1) %py, align 4
  ret void
}
define spir_kernel void @before(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %c = icmp sgt i32 %w, 0
  br i1 %c, label %then, label %end
then:
  %before = add nsw i32 %w, -1
  %n = zext nneg i32 %before to i64
  %px = getelementptr float, ptr addrspace(1) %x, i64 %n
  %v = load float, ptr addrspace(1) %px, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %v, ptr addrspace(1) %py, align 4
  br label %end
end:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
