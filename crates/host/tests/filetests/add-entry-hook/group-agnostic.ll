; A kernel with no way to observe its work-groups has no loop: the driver makes each slice one work-group.
; run: mark-group-agnostic,add-scheduling-parameters,add-kernel-wrapper,add-entry-hook
; label: define spir_func void @k.mux-sched-wrapper.host-entry-hook(
; check: %local_size = select i1
; check: call spir_func void @k.mux-sched-wrapper.mux-kernel-wrapper(ptr %args, ptr %group)
; next: ret void
; count: 0 phi i64
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %a, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32)
attributes #0 = { "mux-kernel"="entry-point" }
