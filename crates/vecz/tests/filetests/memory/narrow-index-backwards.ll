; A 32-bit index that counts down from lane to lane, and may wrap: a test finds the lanes one after the other.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: %consecutive = icmp sge i32 *, -2147483641
; check: all:
; check: load <8 x i16>
; check: shufflevector <8 x i16> *, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
; check: some:
; check: @llvm.masked.gather.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i32 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %d = sub i32 %n, %w
  %m = sext i32 %d to i64
  %q = getelementptr i16, ptr addrspace(1) %x, i64 %m
  %v = load i16, ptr addrspace(1) %q, align 2
  %p = getelementptr i16, ptr addrspace(1) %y, i64 %i
  store i16 %v, ptr addrspace(1) %p, align 2
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
