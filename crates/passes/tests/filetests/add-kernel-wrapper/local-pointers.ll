; A pointer to local memory is packed as a size, for which the wrapper takes work-group memory.
; run: transfer-kernel-metadata,add-scheduling-parameters,add-kernel-wrapper
; module:
; check: %MuxPackedArgs.k = type { i64, i64 }
; label: define spir_func void @k.mux-kernel-wrapper(
; check: %a.at = getelementptr
; next: %bytes = load i64, ptr %a.at
; next: %a = call ptr @__mux_alloc_work_group_memory(i64 %bytes, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; next: %$la = addrspacecast ptr %a to ptr addrspace(3)
; check: %b = call ptr @__mux_alloc_work_group_memory(
; next: %$lb = addrspacecast ptr %b to ptr addrspace(3)
; next: call spir_func void @k.mux-sched-wrapper(ptr addrspace(3) %$la, ptr addrspace(3) %$lb, ptr
; module:
; check: declare !mux_scheduled_fn !$s ptr @__mux_alloc_work_group_memory(i64, ptr, ptr)
; check: !$s = !{i32 1, i32 2}
define spir_kernel void @k(ptr addrspace(3) %a, ptr addrspace(3) %b) {
  ret void
}
