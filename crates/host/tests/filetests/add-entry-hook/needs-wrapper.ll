; The entry hook passes packed arguments on: without a kernel wrapper there are none.
; run: add-entry-hook
; error: in function 'k': the kernel does not take packed arguments; run add-kernel-wrapper first
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
