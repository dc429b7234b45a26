; A builtin that lacks its scheduling parameters is refused.
; run: define-mux-builtins
; error: define-mux-builtins: in function 'f': the builtin has no scheduling parameters
; error: %id = call i64 @__mux_get_global_id(i32 0)
define spir_func void @f() {
  %id = call i64 @__mux_get_global_id(i32 0)
  ret void
}
declare i64 @__mux_get_global_id(i32)
