; Vectors are divided as doubles, or as floats where these hold all their values. Numbers of 64 bits, constants and scalars stay.
; run: divide-vectors
; label: define <4 x i32> @unsigned(
; check: %$x = uitofp <4 x i32> %a to <4 x double>
; check: %$y = uitofp <4 x i32> %b to <4 x double>
; check: %$z = fdiv <4 x double> %$x, %$y
; check: fptoui <4 x double> %$z to <4 x i32>
; not: udiv
define <4 x i32> @unsigned(<4 x i32> %a, <4 x i32> %b) {
  %q = udiv <4 x i32> %a, %b
  ret <4 x i32> %q
}
; label: define <4 x i16> @remainder(
; check: %$x = sitofp <4 x i16> %a to <4 x float>
; check: %$y = sitofp <4 x i16> %b to <4 x float>
; check: %$z = fdiv <4 x float> %$x, %$y
; check: %$q = fptosi <4 x float> %$z to <4 x i16>
; check: %$p = mul <4 x i16> %$q, %b
; check: sub <4 x i16> %a, %$p
define <4 x i16> @remainder(<4 x i16> %a, <4 x i16> %b) {
  %r = srem <4 x i16> %a, %b
  ret <4 x i16> %r
}
; label: define <4 x i32> @stays(
; check: udiv <4 x i64>
; check: udiv <4 x i32>
; check: sdiv i32
define <4 x i32> @stays(<4 x i64> %a, <4 x i64> %b, i32 %c, i32 %d) {
  %q = udiv <4 x i64> %a, %b
  %t = trunc <4 x i64> %q to <4 x i32>
  %r = udiv <4 x i32> %t, <i32 7, i32 7, i32 7, i32 7>
  %s = sdiv i32 %c, %d
  %u = insertelement <4 x i32> %r, i32 %s, i32 0
  ret <4 x i32> %u
}
