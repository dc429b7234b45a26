; Vectors of halves are compared as floats, unless the comparison is the same both ways; scalars and floats stay.
; run: compare-halves
; label: define <8 x i1> @less(
; check: %$x = fpext <8 x half> %a to <8 x float>
; check: %$y = fpext <8 x half> %b to <8 x float>
; check: fcmp olt <8 x float> %$x, %$y
define <8 x i1> @less(<8 x half> %a, <8 x half> %b) {
  %c = fcmp olt <8 x half> %a, %b
  ret <8 x i1> %c
}
; label: define <8 x i1> @stays(
; check: fcmp une <8 x half> %a, %b
; check: fcmp olt half
; check: fcmp uge <8 x float>
define <8 x i1> @stays(<8 x half> %a, <8 x half> %b, half %x, <8 x float> %f) {
  %c = fcmp une <8 x half> %a, %b
  %s = fcmp olt half %x, 1.0
  %g = fcmp uge <8 x float> %f, zeroinitializer
  %d = and <8 x i1> %c, %g
  %v = insertelement <8 x i1> %d, i1 %s, i32 0
  ret <8 x i1> %v
}
