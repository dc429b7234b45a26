; What nothing calls gets no body.
; run: define-mux-builtins
; module:
; check: declare i64 @__mux_get_global_id(i32)
; check: declare i32 @__mux_not_one_of_ours()
define i32 @f() {
  %x = call i32 @__mux_not_one_of_ours()
  ret i32 %x
}
declare i64 @__mux_get_global_id(i32)
declare i32 @__mux_not_one_of_ours()
