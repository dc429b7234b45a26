; Functions with more private arrays than fit the stack are inlined with their callers; others are left.
; run: transfer-kernel-metadata,prepare-barriers
; label: define spir_kernel void @k(
; check: alloca [5000 x i32]
; not: call void @outer
; not: call void @large
; check: call void @small
define void @large(ptr addrspace(1) %p, i32 %i) {
  %a = alloca [5000 x i32]
  %at = getelementptr i32, ptr %a, i32 %i
  store i32 1, ptr %at
  %v = load i32, ptr %a
  store i32 %v, ptr addrspace(1) %p
  ret void
}
define void @outer(ptr addrspace(1) %p, i32 %i) {
  call void @large(ptr addrspace(1) %p, i32 %i)
  ret void
}
define void @small(ptr addrspace(1) %p, i32 %i) {
  %a = alloca [5 x i32]
  %at = getelementptr i32, ptr %a, i32 %i
  store i32 1, ptr %at
  %v = load i32, ptr %a
  store i32 %v, ptr addrspace(1) %p
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %p, i32 %i) {
  call void @outer(ptr addrspace(1) %p, i32 %i)
  call void @small(ptr addrspace(1) %p, i32 %i)
  ret void
}
