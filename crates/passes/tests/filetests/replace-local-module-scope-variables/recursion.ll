; Recursion through a local variable cannot be inlined.
; run: transfer-kernel-metadata,replace-local-module-scope-variables
; error: in function 'f': 'f' calls itself and has local variables
; error: call spir_func void @f()
@a = internal addrspace(3) global i32 undef
define spir_func void @f() {
  store i32 1, ptr addrspace(3) @a
  call spir_func void @f()
  ret void
}
define spir_kernel void @k() {
  call spir_func void @f()
  ret void
}
