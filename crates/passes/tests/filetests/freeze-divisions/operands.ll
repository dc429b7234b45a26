; Operands of divisions of vectors are frozen, but for constants; scalars stay.
; run: freeze-divisions
; label: define <16 x i64> @vectors(
; check: %$x = freeze <16 x i64> %a
; check: %$y = freeze <16 x i64> %b
; check: %q = udiv <16 x i64> %$x, %$y
; check: %$z = freeze <16 x i64> %q
; check: srem <16 x i64> %$z, <i64 7,
define <16 x i64> @vectors(<16 x i64> %a, <16 x i64> %b) {
  %q = udiv <16 x i64> %a, %b
  %r = srem <16 x i64> %q, splat (i64 7)
  ret <16 x i64> %r
}
; label: define i64 @scalar(
; check: sdiv i64 %a, %b
define i64 @scalar(i64 %a, i64 %b) {
  %q = sdiv i64 %a, %b
  ret i64 %q
}
