// erf, erfc of floats.
//
// erf: an odd polynomial up to 1, and 1 - 2^Q(x) from there, with a polynomial Q for the logarithm of erfc.
// erfc: exp(-x²) in double times a polynomial for what is left, in the variable (x - 2) / (x + 2) that brings [0, ∞) to
// [-1, 1) (the form of Shepherd and Laframboise, 1981).

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_error.cl"
#include "float_widths.h"
#else
#include "float_double.h"

OVERLOAD F erf(F x) {
  F a = ABS(x), z = x * x;
  F small = FMA(x, POLY_ERF_SMALL(z), x);
  F above = a - 1.0f;
  above = above > 2.95f ? (F)2.95f : above;
  F exponent = POLY_ERF_LARGE(above);
  F t = exponent + MAGIC, r = exponent - (t - MAGIC);
  F power = FMA(r, POLY_EXP2(r), (F)1.0f);
  F large = FMA(-power, AS(F, (AS(I, t) << 23) + 0x3f800000), (F)1.0f);
  large = FLIP_SIGN(large, SIGN(x));
  return a < 1.0f ? small : large;
}

OVERLOAD F erfc(F x) {
  F a = ABS(x);
  // Beyond, the result is zero or two.
  a = a > 10.2f ? (F)10.2f : a;
  D d = TO_D(a);
  D inverse = 1.0 / (d + 2.0), u = (d - 2.0) * inverse;
  D tail = exp2_of(d * d * -0x1.71547652b82fep0) * (POLY_D_ERFCX(u) * inverse);
  D other = 2.0 - tail;
  F result = TO_F(tail), negative = TO_F(other);
  return x < 0.0f ? negative : result;
}

#endif
