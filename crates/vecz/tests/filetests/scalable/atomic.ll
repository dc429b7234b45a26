; An atomic operation runs in a loop over as many lanes as there are, but for inactive ones.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: %vscale = call i64 @llvm.vscale.i64()
; check: %$lanes = mul i64 %vscale, 4
; label: lane:
; check: = phi i64 [ 0, %0 ]
; label: lane.work:
; check: atomicrmw add ptr addrspace(1) %
; label: lane.next:
; check: icmp ult i64 %$next, %$lanes
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %q, i64 %i
  %x = load i32, ptr addrspace(1) %from, align 4
  %old = atomicrmw add ptr addrspace(1) %p, i32 %x monotonic
  store i32 %old, ptr addrspace(1) %from, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
