; One thread runs a work-group: atomic operations on local memory become plain ones, those on global memory stay.
; run: local-atomics
; label: define void @f(
; check: %$old = load i32, ptr addrspace(3) %l
; check: %$new = add i32 %$old, 1
; check: store i32 %$new, ptr addrspace(3) %l
; check: atomicrmw add ptr addrspace(1) %g, i32 1 monotonic
; count: 1 atomicrmw
define void @f(ptr addrspace(3) %l, ptr addrspace(1) %g) {
  %a = atomicrmw add ptr addrspace(3) %l, i32 1 monotonic
  %b = atomicrmw add ptr addrspace(1) %g, i32 1 monotonic
  ret void
}
