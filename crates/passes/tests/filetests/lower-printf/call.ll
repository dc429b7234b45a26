; A call passes its arguments in memory, with a description of its format; calls alike share a function.
; run: lower-printf
; check: @printf.format = private addrspace(1) constant [15 x i8] c"\02\00\00\00\03\00\00\00\02\01\05\03%d\0A"
; label: define spir_func void @f(
; check: call spir_func i32 @printf.call(i32 %n, <3 x float> %v)
; check: call spir_func i32 @printf.call(i32 7, <3 x float> %v)
; check: call spir_func i32 @printf.call.2()
; label: define internal spir_func i32 @printf.call(i32 %0, <3 x float> %1)
; check: %memory = alloca [24 x i8], align 8
; check: store i32 %0, ptr *, align 8
; check: store <3 x float> %1, ptr *, align 8
; check: call spir_func i32 @__mux_printf(ptr addrspacecast (ptr addrspace(1) @printf.format to ptr), ptr %memory)
; module:
; not: @printf(
; check: !mux.printf = !{!*, !*}
@.str = private addrspace(2) constant [4 x i8] c"%d\0A\00"
@.str.1 = private addrspace(2) constant [1 x i8] zeroinitializer
define spir_func void @f(i32 %n, <3 x float> %v) {
  %a = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @.str, i32 %n, <3 x float> %v)
  %b = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @.str, i32 7, <3 x float> %v)
  %c = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @.str.1)
  ret void
}
declare spir_func i32 @printf(ptr addrspace(2), ...)
