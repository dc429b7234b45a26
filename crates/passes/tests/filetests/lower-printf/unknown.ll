; A format that is not known is an error.
; run: lower-printf
; error: in function 'f': the format of 'printf' is not a string that is known when the program is built
define spir_func void @f(ptr addrspace(2) %format) {
  %a = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) %format)
  ret void
}
declare spir_func i32 @printf(ptr addrspace(2), ...)
