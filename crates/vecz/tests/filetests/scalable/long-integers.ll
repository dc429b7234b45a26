; There are no scalable vectors of integers of 128 bits: the kernel gets vectors of a fixed size.
; run: run-vecz<scalable;register-bytes=16;mode=always>
; module:
; check: define spir_kernel void @__vecz_v4_k(
; check: !$fail = !{!$how, !"there are no scalable vectors of integers of more than 64 bits: *
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr i128, ptr addrspace(1) %p, i64 %i
  %x = load i128, ptr addrspace(1) %at, align 16
  %y = mul i128 %x, %x
  store i128 %y, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
