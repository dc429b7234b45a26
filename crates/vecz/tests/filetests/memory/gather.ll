; Addresses that follow no pattern are gathered; an atomic operation is done for one lane after the other.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: @llvm.masked.gather.v4i32.*
; count: 4 atomicrmw add
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %h) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %pi = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %pi, align 4
  %w = zext i32 %v to i64
  %p = getelementptr i32, ptr addrspace(1) %h, i64 %w
  %x = load i32, ptr addrspace(1) %p, align 4
  %old = atomicrmw add ptr addrspace(1) %p, i32 %x monotonic
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
