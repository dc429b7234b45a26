; Builtins, their callers and the callers of those get the parameters; kernels always; others never.
; run: transfer-kernel-metadata,add-scheduling-parameters
; label: declare !mux_scheduled_fn !$one spir_func i64 @__mux_get_global_id(i32, ptr nonnull, ptr nonnull)
; label: define spir_func i64 @f(i32 %d, ptr nonnull %MuxWorkItemInfo, ptr nonnull %MuxWorkGroupInfo) !mux_scheduled_fn !$one
; next: %id = call spir_func i64 @__mux_get_global_id(i32 %d, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; next: ret i64 %id
; label: define spir_func void @plain() {
; next: ret void
; label: define spir_kernel void @k.mux-sched-wrapper(ptr noalias nonnull %MuxWorkItemInfo, ptr noalias nonnull %MuxWorkGroupInfo) #$k !mux_scheduled_fn !$zero
; next: %x = call spir_func i64 @f(i32 0, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; next: call spir_func void @plain()
; next: ret void
; label: define spir_kernel void @empty.mux-sched-wrapper(ptr
; module:
; check: attributes #$k = { *"mux-kernel"="entry-point"* }
; check: !mux-scheduling-params = !{!$params}
; module:
; check: !$params = !{!"MuxWorkItemInfo", !"MuxWorkGroupInfo"}
; module:
; check: !$one = !{i32 1, i32 2}
; module:
; check: !$zero = !{i32 0, i32 1}
declare spir_func i64 @__mux_get_global_id(i32) memory(none)
define spir_func i64 @f(i32 %d) {
  %id = call spir_func i64 @__mux_get_global_id(i32 %d)
  ret i64 %id
}
define spir_func void @plain() {
  ret void
}
define spir_kernel void @k() {
  %x = call spir_func i64 @f(i32 0)
  call spir_func void @plain()
  ret void
}
define spir_kernel void @empty() {
  ret void
}
