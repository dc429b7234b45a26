; After WorkItemLoops, a variable that a region's function uses; the kernel is then called once per work-group.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops,replace-local-module-scope-variables
; label: define internal spir_func void @k.mux-barrier-wrapper(ptr addrspace(1) %out, ptr addrspace(3) %local_vars)
; next: entry:
; next: %$a = getelementptr inbounds %localVarTypes
; check: store i32 1, ptr addrspace(3) %$a
; check: load i32, ptr addrspace(3) %$a
; label: define spir_func void @k.mux-local-var-wrapper(ptr addrspace(1) %out) #$w
; check: call spir_func void @k.mux-barrier-wrapper(ptr addrspace(1) %out,
; module:
; check: attributes #$w = { *"mux-kernel"="entry-point" "mux-live-mem-usage"="0,0" "mux-local-mem-usage"="4"* }
@k.a = internal addrspace(3) global i32 undef
define spir_kernel void @k(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(3) @k.a
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %v = load i32, ptr addrspace(3) @k.a
  store i32 %v, ptr addrspace(1) %out
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
