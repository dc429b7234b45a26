; What was said of memory no longer holds: the ID is read from memory that the work-item loops write.
; run: transfer-kernel-metadata,add-scheduling-parameters
; label: define spir_func i64 @f(
; check: call spir_func i64 @__mux_get_local_id(i32 0, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; label: define spir_kernel void @k.mux-sched-wrapper(
; check: %x = call spir_func i64 @f(ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; module:
; count: 0 memory(
declare spir_func i64 @__mux_get_local_id(i32) memory(none)
define spir_func i64 @f() noinline memory(none) {
  %id = call spir_func i64 @__mux_get_local_id(i32 0) memory(none)
  ret i64 %id
}
define spir_kernel void @k() memory(none) {
  %x = call spir_func i64 @f() memory(none)
  ret void
}
