; Records of three bytes at `3 * i` of an int, which InstCombine makes a product by 3 << 32 and a shift.
; run: run-vecz<width=16;mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: load <16 x i8>
; count: 0 @llvm.masked.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) #0 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %high = mul i64 %id, 12884901888
  %i = ashr exact i64 %high, 32
  %p0 = getelementptr i8, ptr addrspace(1) %x, i64 %i
  %a = load i8, ptr addrspace(1) %p0, align 1
  %p1 = getelementptr i8, ptr addrspace(1) %p0, i64 1
  %b = load i8, ptr addrspace(1) %p1, align 1
  %p2 = getelementptr i8, ptr addrspace(1) %p0, i64 2
  %c = load i8, ptr addrspace(1) %p2, align 1
  %s = add i8 %a, %b
  %t = add i8 %s, %c
  %q = getelementptr i8, ptr addrspace(1) %y, i64 %id
  store i8 %t, ptr addrspace(1) %q, align 1
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
