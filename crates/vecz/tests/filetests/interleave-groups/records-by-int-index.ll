; Records at `(int)get_global_id(0) * 4`: small IDs times 4 do not wrap in 32 bits, so that records are contiguous.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: load <4 x i32>
; label: define spir_kernel void @__vecz_v4_k(
; not: gather
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %word = trunc i64 %id to i32
  %r = shl i32 %word, 2
  %a0 = sext i32 %r to i64
  %p0 = getelementptr i32, ptr addrspace(1) %x, i64 %a0
  %v0 = load i32, ptr addrspace(1) %p0, align 4
  %r1 = or disjoint i32 %r, 1
  %a1 = sext i32 %r1 to i64
  %p1 = getelementptr i32, ptr addrspace(1) %x, i64 %a1
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %s = add i32 %v0, %v1
  %q = getelementptr i32, ptr addrspace(1) %y, i64 %id
  store i32 %s, ptr addrspace(1) %q, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
