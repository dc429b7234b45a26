; Scalars and pointers are loaded from the packed arguments; the work-item info is the wrapper's, the group's the driver's.
; run: transfer-kernel-metadata,add-scheduling-parameters,add-kernel-wrapper
; module:
; check: %MuxPackedArgs.k = type { i8, ptr addrspace(1), <4 x float>, double }
; label: define internal spir_func void @k.mux-sched-wrapper(i8 %a, ptr addrspace(1) noalias %b, <4 x float> %c, double %d, ptr
; label: define spir_func void @k.mux-kernel-wrapper(ptr %packed_args, ptr noalias nonnull %MuxWorkGroupInfo) #$w *!mux_scheduled_fn !$s
; next: entry:
; next: %MuxWorkItemInfo = alloca %MuxWorkItemInfo
; next: %a.at = getelementptr inbounds *%MuxPackedArgs.k, ptr %packed_args, i32 0, i32 0
; next: %a = load i8, ptr %a.at
; next: %b.at = getelementptr inbounds *%MuxPackedArgs.k, ptr %packed_args, i32 0, i32 1
; next: %b = load ptr addrspace(1), ptr %b.at
; next: %c.at = getelementptr inbounds *%MuxPackedArgs.k, ptr %packed_args, i32 0, i32 2
; next: %c = load <4 x float>, ptr %c.at, align 16
; next: %d.at = getelementptr inbounds *%MuxPackedArgs.k, ptr %packed_args, i32 0, i32 3
; next: %d = load double, ptr %d.at
; next: call spir_func void @k.mux-sched-wrapper(i8 %a, ptr addrspace(1) %b, <4 x float> %c, double %d, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; next: ret void
; module:
; check: attributes #$w = { "mux-base-fn-name"="k" "mux-kernel"="entry-point" "mux-orig-fn"="k"* }
; count: 1 "mux-kernel"
; check: !$s = !{i32 -1, i32 1}
define spir_kernel void @k(i8 %a, ptr addrspace(1) noalias %b, <4 x float> %c, double %d) {
  ret void
}
