; Copies of structs by value are made behind all variables of the entry, which stay one group at its beginning.
; run: lower-to-mux-builtins
; label: define spir_kernel void @k(
; next: %s.copy = alloca %S
; next: %t.copy = alloca %S
; next: %v = alloca i32
; next: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %s.copy, ptr align 4 %s, i64 8, i1 false)
; next: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %t.copy, ptr align 4 %t, i64 8, i1 false)
; next: store i32 1, ptr %v
%S = type { i32, i32 }
define spir_kernel void @k(ptr byval(%S) %s, ptr byval(%S) %t) {
  %v = alloca i32, align 4
  store i32 1, ptr %v
  store i32 1, ptr %s
  store i32 1, ptr %t
  ret void
}
