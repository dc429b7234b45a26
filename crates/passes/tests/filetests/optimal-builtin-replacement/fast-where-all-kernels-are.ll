; The library is told to be fast where all kernels were compiled so, and to keep subnormal numbers unless all flush them.
; run: optimal-builtin-replacement
; label: define internal i1 @g(
; next: ret i1 true
; label: define internal i1 @h(
; next: ret i1 false
define spir_kernel void @a() #0 {
  ret void
}
define spir_kernel void @b() #1 {
  ret void
}
define internal i1 @g() {
  %yes = call i1 @__mux_usefast()
  ret i1 %yes
}
define internal i1 @h() {
  %no = call i1 @__mux_isftz()
  ret i1 %no
}
declare i1 @__mux_usefast()
declare i1 @__mux_isftz()
attributes #0 = { "unsafe-fp-math"="true" "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
attributes #1 = { "unsafe-fp-math"="true" }
