; The wrapper takes the kernel's metadata and its parameters' attributes.
; run: transfer-kernel-metadata,replace-local-module-scope-variables
; label: define spir_func void @k.mux-local-var-wrapper(ptr addrspace(1) noalias align 16 %p) #$w !reqd_work_group_size !$s
; module:
; check: !$s = !{i32 8, i32 1, i32 1}
@k.a = internal addrspace(3) global i32 undef
define spir_kernel void @k(ptr addrspace(1) noalias align 16 %p) !reqd_work_group_size !0 {
  store i32 1, ptr addrspace(3) @k.a
  ret void
}
!0 = !{i32 8, i32 1, i32 1}
