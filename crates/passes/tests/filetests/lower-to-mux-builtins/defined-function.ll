; A function of the program that happens to have such a name is the program's own.
; run: lower-to-mux-builtins
; label: define spir_func void @f()
; next: call spir_func void @_Z7barrierj(i32 1)
define spir_func void @f() {
  call spir_func void @_Z7barrierj(i32 1)
  ret void
}
define spir_func void @_Z7barrierj(i32 %x) {
  ret void
}
