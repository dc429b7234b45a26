; `x[i * n]`, strided by a uniform value: lanes are reached from lane 0 without a vector of addresses, and by a wide load
; if `n` is 1. The second kernel has 32-bit arithmetic that does not wrap.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_long(
; check: %contiguous = icmp eq i64
; count: 1 load <8 x i32>
; count: 8 load i32
; count: 0 <8 x i64>
; count: 0 <8 x ptr
; label: define spir_kernel void @__vecz_v8_int(
; check: %contiguous = icmp eq i64
; count: 1 load <8 x i32>
; count: 8 load i32
; count: 0 <8 x i64>
; count: 0 <8 x ptr
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @long(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %m = mul i64 %i, %n
  %q = getelementptr i32, ptr addrspace(1) %x, i64 %m
  %v = load i32, ptr addrspace(1) %q, align 4
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @int(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %s = trunc i64 %n to i32
  %t = mul nsw i32 %w, %s
  %u = add nsw i32 %t, 5
  %m = sext i32 %u to i64
  %q = getelementptr i32, ptr addrspace(1) %x, i64 %m
  %v = load i32, ptr addrspace(1) %q, align 4
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
