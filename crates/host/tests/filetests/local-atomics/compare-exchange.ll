; A compare-exchange on local memory is a load, a comparison and a store of the new or the old value.
; run: local-atomics
; label: define i32 @f(ptr addrspace(3) %l, i32 %old, i32 %new) {
; next: %1 = load i32, ptr addrspace(3) %l, align 4
; next: %2 = icmp eq i32 %1, %old
; next: %3 = select i1 %2, i32 %new, i32 %1
; next: store i32 %3, ptr addrspace(3) %l, align 4
; next: %4 = insertvalue { i32, i1 } poison, i32 %1, 0
; next: %5 = insertvalue { i32, i1 } %4, i1 %2, 1
; next: %v = extractvalue { i32, i1 } %5, 0
; next: ret i32 %v
; next: }
define i32 @f(ptr addrspace(3) %l, i32 %old, i32 %new) {
  %r = cmpxchg ptr addrspace(3) %l, i32 %old, i32 %new monotonic monotonic
  %v = extractvalue { i32, i1 } %r, 0
  ret i32 %v
}
