; A barrier without operands is refused.
; run: lower-to-mux-builtins
; error: in function 'f': '_Z18work_group_barrier
; error: call spir_func void @_Z18work_group_barrierv()
define spir_func void @f() {
  call spir_func void @_Z18work_group_barrierv()
  ret void
}
declare spir_func void @_Z18work_group_barrierv()
