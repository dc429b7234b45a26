; One kernel that wants full precision keeps it for all.
; run: optimal-builtin-replacement
; label: define internal i1 @g(
; next: ret i1 false
define spir_kernel void @a() #0 {
  ret void
}
define spir_kernel void @b() {
  ret void
}
define internal i1 @g() {
  %no = call i1 @__mux_usefast()
  ret i1 %no
}
declare i1 @__mux_usefast()
attributes #0 = { "unsafe-fp-math"="true" }
