; What functions of the library share is inlined, and is gone; a function of the program's is left alone.
; run: inline-shared
; check: define float @f(float %x) {
; next: %$y = fadd float %x, 1.000000e+00
; next: %b = call float @own(float %$y)
; next: ret float %b
; module:
; not: __lanewise_shared_more
define float @f(float %x) {
  %a = call float @__lanewise_shared_more(float %x)
  %b = call float @own(float %a)
  ret float %b
}
define internal float @__lanewise_shared_more(float %x) noinline {
  %y = fadd float %x, 1.000000e+00
  ret float %y
}
define float @own(float %x) noinline {
  ret float %x
}
