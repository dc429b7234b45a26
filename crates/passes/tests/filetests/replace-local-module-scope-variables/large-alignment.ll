; Over the 128 bytes that work-group memory is aligned to, the wrapper aligns by itself in a larger block.
; run: transfer-kernel-metadata,replace-local-module-scope-variables
; label: define spir_func void @k.mux-local-var-wrapper() #$w
; next: entry:
; next: %memory = call spir_func ptr @__mux_alloc_work_group_memory(i64 512)
; next: %$i = ptrtoint ptr %memory to i64
; next: %$u = add i64 %$i, 255
; next: %$a = and i64 %$u, -256
; next: %$d = sub i64 %$a, %$i
; next: %aligned = getelementptr inbounds i8, ptr %memory, i64 %$d
; next: %local_vars = addrspacecast ptr %aligned to ptr addrspace(3)
; module:
; check: attributes #$w = { *"mux-local-mem-usage"="512"* }
@k.a = internal addrspace(3) global i32 undef, align 256
define spir_kernel void @k() {
  store i32 1, ptr addrspace(3) @k.a
  ret void
}
