; A kernel with the name of a function of the library, which it calls: not a call of itself, as the types differ.
; run: refuse-recursion
; error: '_Z13get_global_idj' is called with other types than it is defined with
define spir_kernel void @_Z13get_global_idj(ptr addrspace(1) %a) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  store i64 %id, ptr addrspace(1) %a
  ret void
}
