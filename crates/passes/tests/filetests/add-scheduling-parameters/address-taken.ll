; A function that needs the parameters cannot be called through a pointer.
; run: transfer-kernel-metadata,add-scheduling-parameters
; error: add-scheduling-parameters: in function 'k': the address of 'f', which needs scheduling parameters, is taken
; error: store ptr @f, ptr %p
declare i64 @__mux_get_global_id(i32)
define spir_func i64 @f() {
  %id = call i64 @__mux_get_global_id(i32 0)
  ret i64 %id
}
define spir_kernel void @k(ptr %p) {
  store ptr @f, ptr %p
  ret void
}
