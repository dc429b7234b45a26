; The allocation that the wrapper asks for is defined with the other builtins.
; run: transfer-kernel-metadata,add-scheduling-parameters,add-kernel-wrapper,define-mux-builtins
; label: define internal ptr @__mux_alloc_work_group_memory(i64 %0, ptr %1, ptr %2)
; check: getelementptr inbounds *%MuxWorkGroupInfo, ptr %2, i32 0, i32 6
define spir_kernel void @k(ptr addrspace(3) %a) {
  ret void
}
