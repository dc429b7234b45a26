; A value that is known takes the place of the parameter, which stays.
; run: transfer-kernel-metadata,specialize-arguments<bytes=1:40000000>
; label: define spir_kernel void @k(ptr addrspace(1) %p, i32 %n)
; check: store i32 64, ptr addrspace(1) %p
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  store i32 %n, ptr addrspace(1) %p
  ret void
}
