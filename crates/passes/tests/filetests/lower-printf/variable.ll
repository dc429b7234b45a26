; A format that went through a variable is found.
; run: lower-printf
; label: define spir_func void @f(
; check: call spir_func i32 @printf.call(i32 %n)
@.str = private addrspace(2) constant [4 x i8] c"%d\0A\00"
define spir_func void @f(i32 %n) {
  %format = alloca ptr addrspace(2), align 8
  store ptr addrspace(2) @.str, ptr %format, align 8
  %loaded = load ptr addrspace(2), ptr %format, align 8
  %a = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) %loaded, i32 %n)
  ret void
}
declare spir_func i32 @printf(ptr addrspace(2), ...)
