; A second run finds nothing to do.
; run: transfer-kernel-metadata,add-scheduling-parameters,add-scheduling-parameters
; label: define spir_kernel void @k.mux-sched-wrapper(ptr noalias nonnull %MuxWorkItemInfo, ptr noalias nonnull %MuxWorkGroupInfo) #
; check: call i64 @__mux_get_global_id(i32 0, ptr %MuxWorkItemInfo, ptr %MuxWorkGroupInfo)
; module:
; check: !mux-scheduling-params = !{!$p}
declare i64 @__mux_get_global_id(i32)
define spir_kernel void @k() {
  %id = call i64 @__mux_get_global_id(i32 0)
  ret void
}
