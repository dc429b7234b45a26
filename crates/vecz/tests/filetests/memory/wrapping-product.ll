; A 32-bit product that may wrap has no symbolic stride: the store is a scatter.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: @llvm.masked.scatter.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %x, i32 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %t = mul i32 %w, %n
  %m = sext i32 %t to i64
  %q = getelementptr i32, ptr addrspace(1) %x, i64 %m
  store i32 3, ptr addrspace(1) %q, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
