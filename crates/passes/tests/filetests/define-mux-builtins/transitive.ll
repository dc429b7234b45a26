; Builtins that bodies call are declared with the same parameters and defined in turn.
; run: add-scheduling-parameters,define-mux-builtins
; label: define internal spir_func i64 @__mux_get_global_linear_id(
; count: 3 call spir_func i64 @__mux_get_global_id(
; count: 3 call spir_func i64 @__mux_get_global_offset(
; count: 2 call spir_func i64 @__mux_get_global_size(
; label: define internal spir_func i64 @__mux_get_global_id(i32 %0, ptr %1, ptr %2)
; check: %$g = call spir_func i64 @__mux_get_group_id(i32 %0, ptr %1, ptr %2)
; check: %$s = call spir_func i64 @__mux_get_enqueued_local_size(i32 %0, ptr %1, ptr %2)
; check: %$l = call spir_func i64 @__mux_get_local_id(i32 %0, ptr %1, ptr %2)
; check: %$o = call spir_func i64 @__mux_get_global_offset(i32 %0, ptr %1, ptr %2)
; check: %$m = mul i64 %$g, %$s
; next: %$a = add i64 %$m, %$l
; next: %$r = add i64 %$a, %$o
; next: ret i64 %$r
; label: define internal spir_func i32 @__mux_get_sub_group_id(
; check: %$l = call spir_func i64 @__mux_get_local_linear_id(ptr
; next: %$r = trunc i64 %$l to i32
; next: ret i32 %$r
; label: define internal spir_func i32 @__mux_get_num_sub_groups(
; count: 3 call spir_func i64 @__mux_get_local_size(
; label: define internal spir_func i64 @__mux_get_local_linear_id(
; label: define internal spir_func i64 @__mux_get_group_id(
; module:
; count: 0 declare
define spir_func void @f() {
  %a = call spir_func i64 @__mux_get_global_linear_id()
  %b = call spir_func i32 @__mux_get_sub_group_id()
  %c = call spir_func i32 @__mux_get_num_sub_groups()
  ret void
}
declare spir_func i64 @__mux_get_global_linear_id()
declare spir_func i32 @__mux_get_sub_group_id()
declare spir_func i32 @__mux_get_num_sub_groups()
