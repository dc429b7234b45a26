; The variables are fields of a packed struct, each at its alignment; the memory comes from the work-group.
; run: transfer-kernel-metadata,replace-local-module-scope-variables
; module:
; check: %localVarTypes = type { <{ i8, [3 x i8], i32, [8 x i8], <4 x float> }> }
; count: 0 addrspace(3) global
; label: define internal spir_func void @k(ptr addrspace(1) %out, ptr addrspace(3) %local_vars)
; check: %$a = getelementptr inbounds %localVarTypes, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 0
; next: %$b = getelementptr inbounds %localVarTypes, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 2
; next: %$c = getelementptr inbounds %localVarTypes, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 4
; next: store i8 1, ptr addrspace(3) %$a
; next: store i32 2, ptr addrspace(3) %$b
; next: store <4 x float> zeroinitializer, ptr addrspace(3) %$c
; label: define spir_func void @k.mux-local-var-wrapper(ptr addrspace(1) %out) #$w
; check: %memory = call spir_func ptr @__mux_alloc_work_group_memory(i64 32)
; next: %local_vars = addrspacecast ptr %memory to ptr addrspace(3)
; next: call spir_func void @k(ptr addrspace(1) %out, ptr addrspace(3) %local_vars)
; next: ret void
; module:
; check: attributes #$w = { *"mux-kernel"="entry-point" "mux-local-mem-usage"="32"* }
; count: 1 "mux-kernel"
@k.a = internal addrspace(3) global i8 undef
@k.b = internal addrspace(3) global i32 undef, align 4
@k.c = internal addrspace(3) global <4 x float> undef, align 16
define spir_kernel void @k(ptr addrspace(1) %out) {
  store i8 1, ptr addrspace(3) @k.a
  store i32 2, ptr addrspace(3) @k.b
  store <4 x float> zeroinitializer, ptr addrspace(3) @k.c
  ret void
}
