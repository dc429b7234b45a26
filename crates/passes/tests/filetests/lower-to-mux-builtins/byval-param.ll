; A struct by value: the kernel works on a private copy; the argument is only aligned as its type among the others.
; run: lower-to-mux-builtins
; label: define spir_kernel void @k(ptr noalias readonly byref(%S) %s)
; next: %s.copy = alloca %S, align 64
; next: call void @llvm.memcpy.p0.p0.i64(ptr align 64 %s.copy, ptr align 4 %s, i64 8, i1 false)
; next: store i32 1, ptr %s.copy
; next: ret void
; label: define spir_func void @f(ptr byval(%S) align 4 %s)
; next: store i32 1, ptr %s
%S = type { i32, i32 }
define spir_kernel void @k(ptr byval(%S) align 64 %s) {
  store i32 1, ptr %s
  ret void
}
define spir_func void @f(ptr byval(%S) align 4 %s) {
  store i32 1, ptr %s
  ret void
}
