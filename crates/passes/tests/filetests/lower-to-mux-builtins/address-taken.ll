; The address of a work-item function is refused where it is taken.
; run: lower-to-mux-builtins
; error: lower-to-mux-builtins: in function 'f': the address of '_Z13get_global_idj' is taken
; error: store ptr @_Z13get_global_idj, ptr %p
define spir_func void @f(ptr %p) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  store ptr @_Z13get_global_idj, ptr %p
  ret void
}
declare spir_func i64 @_Z13get_global_idj(i32)
