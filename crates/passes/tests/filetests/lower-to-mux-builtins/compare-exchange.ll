; Compare-and-exchange: the stronger of its two orderings decides about the fences.
; run: lower-to-mux-builtins
; label: define spir_func void @f(
; next: %a = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic, align 4
; next: fence release
; next: %b = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic, align 4
; next: fence acquire
; next: fence seq_cst
; next: %c = cmpxchg weak ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic, align 4
; next: fence seq_cst
; next: %d = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic, align 4
; next: fence acquire
; next: ret void
define spir_func void @f(ptr addrspace(1) %p) {
  %a = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 syncscope("device") monotonic monotonic
  %b = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 release acquire
  %c = cmpxchg weak ptr addrspace(1) %p, i32 0, i32 1 acquire seq_cst
  %d = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic acquire
  ret void
}
