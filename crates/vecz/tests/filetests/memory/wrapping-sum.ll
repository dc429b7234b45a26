; A 32-bit sum of unknown range is contiguous unless it wraps within the vector: one comparison tells.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: %consecutive = icmp sle i32 %s, 2147483640
; check: store <8 x float>
; label: define spir_kernel void @__vecz_v8_k(
; check: @llvm.masked.scatter.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, i32 %first) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %s = add i32 %w, %first
  %n = sext i32 %s to i64
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
