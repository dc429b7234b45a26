; A work-item function called with operands of another type is refused.
; run: lower-to-mux-builtins
; error: in function 'f': '_Z13get_global_idj' is not declared as OpenCL C declares it
; error: %id = call spir_func i64 @_Z13get_global_idj(i64 0)
define spir_func void @f() {
  %id = call spir_func i64 @_Z13get_global_idj(i64 0)
  ret void
}
declare spir_func i64 @_Z13get_global_idj(i64)
