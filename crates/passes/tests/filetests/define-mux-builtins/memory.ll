; Work-group memory is taken from the front of the scratch memory, in steps of 128 bytes.
; run: add-scheduling-parameters,define-mux-builtins
; label: define internal ptr @__mux_alloc_work_group_memory(i64 %0,
; check: %at = getelementptr inbounds *%MuxWorkGroupInfo, ptr %MuxWorkGroupInfo, i32 0, i32 6
; next: %free = load ptr, ptr %at
; next: %$u = add i64 %0, 127
; next: %rounded = and i64 %$u, -128
; next: %next = getelementptr inbounds i8, ptr %free, i64 %rounded
; next: store ptr %next, ptr %at
; next: ret ptr %free
define spir_func void @f() {
  %m = call ptr @__mux_alloc_work_group_memory(i64 5)
  ret void
}
declare ptr @__mux_alloc_work_group_memory(i64)
