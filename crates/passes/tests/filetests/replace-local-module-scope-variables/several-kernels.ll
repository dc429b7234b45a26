; Each kernel has only its own variables; one that two kernels use is in both; a kernel without any is not wrapped.
; run: transfer-kernel-metadata,replace-local-module-scope-variables
; label: define internal spir_func void @k(ptr addrspace(3) %local_vars)
; check: %$a = getelementptr inbounds %$t, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 0
; check: %$s = getelementptr inbounds %$t, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 1
; check: store i64 1, ptr addrspace(3) %$a
; check: store i32 1, ptr addrspace(3) %$s
; label: define internal spir_func void @j(ptr addrspace(3) %local_vars)
; check: %$s = getelementptr inbounds %$t, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 0
; check: store i32 2, ptr addrspace(3) %$s
; label: define spir_func void @k.mux-local-var-wrapper()
; check: @__mux_alloc_work_group_memory(i64 16)
; label: define spir_func void @j.mux-local-var-wrapper()
; check: @__mux_alloc_work_group_memory(i64 4)
; label: define spir_kernel void @none()
; module:
; check: %localVarTypes = type { <{ i64, i32 }> }
; check: %localVarTypes.$n = type { <{ i32 }> }
@k.a = internal addrspace(3) global i64 undef
@shared = internal addrspace(3) global i32 undef
define spir_kernel void @k() {
  store i64 1, ptr addrspace(3) @k.a
  store i32 1, ptr addrspace(3) @shared
  ret void
}
define spir_kernel void @j() {
  store i32 2, ptr addrspace(3) @shared
  ret void
}
define spir_kernel void @none() {
  ret void
}
