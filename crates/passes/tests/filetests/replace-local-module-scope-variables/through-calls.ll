; A variable that called functions use: they are inlined into the kernel, unlike others.
; run: transfer-kernel-metadata,replace-local-module-scope-variables
; label: define internal spir_func void @k(ptr addrspace(3) %local_vars)
; check: %$a = getelementptr inbounds %localVarTypes
; check: store i32 1, ptr addrspace(3) %$a
; check: call spir_func void @plain()
; label: define spir_func void @plain()
; module:
; count: 0 addrspace(3) global
@a = internal addrspace(3) global i32 undef
define spir_func void @inner() {
  store i32 1, ptr addrspace(3) @a
  ret void
}
define spir_func void @outer() {
  call spir_func void @inner()
  ret void
}
define spir_func void @plain() {
  ret void
}
define spir_kernel void @k() {
  call spir_func void @outer()
  call spir_func void @plain()
  ret void
}
