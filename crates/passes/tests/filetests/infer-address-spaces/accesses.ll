; Memory is accessed in the address space of the pointer that became generic; what nobody knows stays generic.
; run: infer-address-spaces
; label: define void @f(
; not: addrspace(4)
; check: %$a = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %i
; check: %$b = getelementptr i32, ptr addrspace(1) %$a, i64 2
; check: %v = load i32, ptr addrspace(1) %$b
; check: store i32 %v, ptr addrspace(3) %l
; check: atomicrmw add ptr addrspace(3) %l, i32 1
; check: ret void
define void @f(ptr addrspace(1) %p, ptr addrspace(3) %l, i64 %i) {
  %g = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %a = getelementptr inbounds i8, ptr addrspace(4) %g, i64 %i
  %b = getelementptr i32, ptr addrspace(4) %a, i64 2
  %v = load i32, ptr addrspace(4) %b
  %h = addrspacecast ptr addrspace(3) %l to ptr addrspace(4)
  store i32 %v, ptr addrspace(4) %h
  %old = atomicrmw add ptr addrspace(4) %h, i32 1 monotonic
  ret void
}

; label: define i32 @unknown(
; check: %v = load i32, ptr addrspace(4) %a
define i32 @unknown(ptr addrspace(4) %p) {
  %a = getelementptr i8, ptr addrspace(4) %p, i64 4
  %v = load i32, ptr addrspace(4) %a
  ret i32 %v
}
