; The IDs and sizes are read from the two structs; dimensions over 2 give the default.
; run: add-scheduling-parameters,define-mux-builtins
; module:
; check: %MuxWorkItemInfo = type { [3 x i64] }
; check: %MuxWorkGroupInfo = type { [3 x i64], [3 x i64], [3 x i64], [3 x i64], [3 x i64], [3 x i64], ptr, i32 }
; label: define internal spir_func i64 @__mux_get_local_id(i32 %0,
; check: %inside = icmp ult i32 %0, 3
; check: %index = select i1 %inside, i32 %0, i32 0
; check: %at = getelementptr inbounds %MuxWorkItemInfo, ptr %MuxWorkItemInfo, i32 0, i32 0, i32 %index
; check: %value = load i64, ptr %at
; check: %$r = select i1 %inside, i64 %value, i64 0
; next: ret i64 %$r
; label: define internal spir_func i64 @__mux_get_group_id(i32 %0,
; check: getelementptr inbounds %MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 0, i32 %index
; check: select i1 %inside, i64 %value, i64 0
; label: define internal spir_func i64 @__mux_get_num_groups(i32 %0,
; check: getelementptr inbounds %MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 1, i32 %index
; check: select i1 %inside, i64 %value, i64 1
; label: define internal spir_func i64 @__mux_get_local_size(i32 %0,
; check: getelementptr inbounds %MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 2, i32 %index
; check: select i1 %inside, i64 %value, i64 1
; label: define internal spir_func i64 @__mux_get_enqueued_local_size(i32 %0,
; check: getelementptr inbounds %MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 3, i32 %index
; check: select i1 %inside, i64 %value, i64 1
; label: define internal spir_func i64 @__mux_get_global_size(i32 %0,
; check: getelementptr inbounds %MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 4, i32 %index
; check: select i1 %inside, i64 %value, i64 1
; label: define internal spir_func i64 @__mux_get_global_offset(i32 %0,
; check: getelementptr inbounds %MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 5, i32 %index
; check: select i1 %inside, i64 %value, i64 0
; label: define internal spir_func i32 @__mux_get_work_dim(
; check: getelementptr inbounds *%MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 7
; next: load i32
; label: define internal spir_func void @__mux_set_local_id(i32 %0, i64 %1,
; check: %at = getelementptr inbounds %MuxWorkItemInfo, ptr %MuxWorkItemInfo, i32 0, i32 0, i32 %0
; next: store i64 %1, ptr %at
; next: ret void
define spir_func void @f(i32 %d) {
  %a = call spir_func i64 @__mux_get_local_id(i32 %d)
  %b = call spir_func i64 @__mux_get_group_id(i32 %d)
  %c = call spir_func i64 @__mux_get_num_groups(i32 %d)
  %e = call spir_func i64 @__mux_get_local_size(i32 %d)
  %g = call spir_func i64 @__mux_get_enqueued_local_size(i32 %d)
  %h = call spir_func i64 @__mux_get_global_size(i32 %d)
  %i = call spir_func i64 @__mux_get_global_offset(i32 %d)
  %j = call spir_func i32 @__mux_get_work_dim()
  call spir_func void @__mux_set_local_id(i32 0, i64 5)
  ret void
}
declare spir_func i64 @__mux_get_local_id(i32) memory(none)
declare spir_func i64 @__mux_get_group_id(i32) memory(none)
declare spir_func i64 @__mux_get_num_groups(i32) memory(none)
declare spir_func i64 @__mux_get_local_size(i32) memory(none)
declare spir_func i64 @__mux_get_enqueued_local_size(i32) memory(none)
declare spir_func i64 @__mux_get_global_size(i32) memory(none)
declare spir_func i64 @__mux_get_global_offset(i32) memory(none)
declare spir_func i32 @__mux_get_work_dim() memory(none)
declare spir_func void @__mux_set_local_id(i32, i64)
