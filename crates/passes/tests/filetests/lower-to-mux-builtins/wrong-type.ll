; A work-item function declared with another type is refused, not miscompiled.
; run: lower-to-mux-builtins
; error: in function 'f': the call does not fit '__mux_get_global_id' in its type
; error: %id = call spir_func i32 @_Z13get_global_idj(i32 0)
define spir_func void @f() {
  %id = call spir_func i32 @_Z13get_global_idj(i32 0)
  ret void
}
declare spir_func i32 @_Z13get_global_idj(i32)
