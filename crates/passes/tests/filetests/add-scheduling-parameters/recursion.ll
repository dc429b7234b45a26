; Functions that call each other, in any order of definition.
; run: transfer-kernel-metadata,add-scheduling-parameters
; label: define internal spir_func i64 @f(i64 %n, ptr
; check: call spir_func i64 @g(i64 %n, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; label: define internal spir_func i64 @g(i64 %n, ptr
; check: call spir_func i64 @f(i64 %n, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; check: call spir_func i32 @__mux_get_work_dim(ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
define internal spir_func i64 @f(i64 %n) {
  %x = call spir_func i64 @g(i64 %n)
  ret i64 %x
}
define internal spir_func i64 @g(i64 %n) {
  %x = call spir_func i64 @f(i64 %n)
  %d = call spir_func i32 @__mux_get_work_dim()
  ret i64 %x
}
declare spir_func i32 @__mux_get_work_dim()
