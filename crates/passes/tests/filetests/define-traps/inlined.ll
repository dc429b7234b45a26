; A function with a trap is inlined into the kernel, where it ends the work-item; what follows a trap is gone.
; run: define-traps
; label: define spir_kernel void @k(
; check: store i32 1, ptr addrspace(1) %p
; next: ret void
; not: llvm.trap
; not: unreachable
; check: store i32 2, ptr addrspace(1) %p
; check: ret void
declare void @llvm.trap()
define internal void @check(i1 %bad, ptr addrspace(1) %p) {
  br i1 %bad, label %fail, label %fine
fail:
  store i32 1, ptr addrspace(1) %p
  call void @llvm.trap()
  store i32 3, ptr addrspace(1) %p
  unreachable
fine:
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %p, i1 %bad) "mux-kernel"="entry-point" {
  call void @check(i1 %bad, ptr addrspace(1) %p)
  store i32 2, ptr addrspace(1) %p
  ret void
}
