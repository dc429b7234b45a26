; Division by zero, and of the least value by -1, divides by one instead. Constants that are neither stay.
; run: define-division
; label: define i32 @signed(
; check: %$zero = icmp eq i32 %b, 0
; check: %$minus = icmp eq i32 %b, -1
; check: %$least = icmp eq i32 %a, -2147483648
; check: %$over = and i1 %$minus, %$least
; check: %$undefined = or i1 %$zero, %$over
; check: %$divisor = select i1 %$undefined, i32 1, i32 %b
; check: sdiv i32 %a, %$divisor
define i32 @signed(i32 %a, i32 %b) {
  %q = sdiv i32 %a, %b
  ret i32 %q
}
; label: define <2 x i8> @vector(
; check: icmp eq <2 x i8> %a, <i8 -128, i8 -128>
; check: %$divisor = select <2 x i1> %$undefined, <2 x i8> <i8 1, i8 1>, <2 x i8> %b
; check: srem <2 x i8> %a, %$divisor
define <2 x i8> @vector(<2 x i8> %a, <2 x i8> %b) {
  %q = srem <2 x i8> %a, %b
  ret <2 x i8> %q
}
; label: define i64 @unsigned(
; check: %$zero = icmp eq i64 %b, 0
; check: %$divisor = select i1 %$zero, i64 1, i64 %b
; not: icmp
; check: urem i64 %a, %$divisor
; check: udiv i64
; check: sdiv i64
define i64 @unsigned(i64 %a, i64 %b) {
  %q = urem i64 %a, %b
  %r = udiv i64 %q, 10
  %s = sdiv i64 %r, -7
  ret i64 %s
}
