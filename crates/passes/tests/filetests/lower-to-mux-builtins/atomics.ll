; Atomics become monotonic without a scope; fences around them keep the ordering they had.
; run: lower-to-mux-builtins
; label: define spir_func void @f(
; next: %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, align 4
; next: %b = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, align 4
; next: fence acquire
; next: fence release
; next: %c = atomicrmw xchg ptr addrspace(1) %p, i32 1 monotonic, align 4
; next: fence release
; next: %d = atomicrmw or ptr addrspace(1) %p, i32 1 monotonic, align 4
; next: fence acquire
; next: fence seq_cst
; next: %e = atomicrmw min ptr addrspace(1) %p, i32 1 monotonic, align 4
; next: fence seq_cst
; next: %g = load atomic i32, ptr addrspace(1) %p monotonic, align 4
; next: fence acquire
; next: fence release
; next: store atomic i32 1, ptr addrspace(1) %p monotonic, align 4
; next: fence release
; next: ret void
define spir_func void @f(ptr addrspace(1) %p) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("workgroup") monotonic
  %b = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") acquire
  %c = atomicrmw xchg ptr addrspace(1) %p, i32 1 release
  %d = atomicrmw or ptr addrspace(1) %p, i32 1 acq_rel
  %e = atomicrmw min ptr addrspace(1) %p, i32 1 seq_cst
  %g = load atomic i32, ptr addrspace(1) %p syncscope("workgroup") acquire, align 4
  store atomic i32 1, ptr addrspace(1) %p release, align 4
  fence syncscope("workgroup") release
  ret void
}
