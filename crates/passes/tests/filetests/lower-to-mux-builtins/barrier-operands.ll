; A barrier with operands that are no flags is refused.
; run: lower-to-mux-builtins
; error: in function 'f': '_Z18work_group_barrier
; error: call spir_func void @_Z18work_group_barrierm(i64 1)
define spir_func void @f() {
  call spir_func void @_Z18work_group_barrierm(i64 1)
  ret void
}
declare spir_func void @_Z18work_group_barrierm(i64)
