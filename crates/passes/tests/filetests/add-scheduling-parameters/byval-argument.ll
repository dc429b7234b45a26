; A struct by value stays one: the callee's attributes say so.
; run: transfer-kernel-metadata,add-scheduling-parameters
; label: define spir_func i64 @f(ptr byval(%S) align 8 %s, ptr
; label: define spir_kernel void @k.mux-sched-wrapper(
; check: call spir_func i64 @f(ptr *%s, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
%S = type { i64, i64 }
declare i64 @__mux_get_global_id(i32)
define spir_func i64 @f(ptr byval(%S) align 8 %s) {
  %id = call i64 @__mux_get_global_id(i32 0)
  ret i64 %id
}
define spir_kernel void @k() {
  %s = alloca %S
  %x = call spir_func i64 @f(ptr byval(%S) align 8 %s)
  ret void
}
