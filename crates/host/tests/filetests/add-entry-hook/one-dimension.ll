; A kernel of one dimension with a required local size: one loop over the work-groups of the slice.
; run: encode-kernel-metadata<kernel=k;local=64:1:1;dims=1>,add-scheduling-parameters,add-kernel-wrapper,add-entry-hook
; label: define spir_func void @k.host-entry-hook(ptr noalias nonnull readonly %args, ptr noalias nonnull readonly %slice)
; check: %group = alloca %MuxWorkGroupInfo
; check: %$begin = getelementptr inbounds %HostSlice, ptr %slice, i32 0, i32 1, i32 0
; next: %$first = load i64, ptr %$begin, align 8
; check: group.x:
; next: %$x = phi i64 [ %$first, %entry ], [ %$next, %group.x ]
; check: store i64 64,
; check: store ptr %scratch, ptr %scratch.at
; next: call spir_func void @k.mux-kernel-wrapper(ptr %args, ptr %group)
; next: %$next = add nuw nsw i64 %$x, 1
; count: 1 phi i64
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %a, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32)
attributes #0 = { "mux-kernel"="entry-point" }
