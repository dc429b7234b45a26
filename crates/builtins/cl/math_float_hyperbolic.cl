// sinh, cosh, tanh and asinh, acosh, atanh of floats.
//
// From exponentials and logarithms in double (float_double.h), whose range and precision leave nothing to overflow or to
// cancel; near zero odd polynomials in float.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_hyperbolic.cl"
#include "float_widths.h"
#else
#include "float_double.h"

#define D_LOG2E 0x1.71547652b82fep0

OVERLOAD F sinh(F x) {
  F a = ABS(x), z = x * x;
  D e = exp2_of(TO_D(a) * D_LOG2E);
  F large = TO_F(0.5 * (e - 1.0 / e));
  large = FLIP_SIGN(large, SIGN(x));
  F small = FMA(x * z, POLY_SINH(z), x);
  return a < 1.0f ? small : large;
}

OVERLOAD F cosh(F x) {
  D e = exp2_of(TO_D(ABS(x)) * D_LOG2E);
  return TO_F(0.5 * (e + 1.0 / e));
}

// 1 - 2 / (exp(2 x) + 1), where the exponential is that of floats (math_float_exp.cl).
OVERLOAD F tanh(F x) {
  F a = ABS(x), z = x * x;
  F small = FMA(a * z, POLY_TANH(z), a);
  F twice = a + a;
  twice = twice > 20.0f ? (F)20.0f : twice;
  F t = FMA(twice, (F)LOG2E_HI, (F)MAGIC), n = t - MAGIC;
  F r = FMA(n, (F)-LN2_LO, FMA(n, (F)-LN2_HI, twice));
  F first = 1.0f + r, lost = (1.0f - first) + r;
  F p = first + FMA(r * r, POLY_EXP(r), lost);
  F e = p * AS(F, (AS(I, t) << 23) + 0x3f800000);
  F large = 1.0f - 2.0f / (e + 1.0f);
  return FLIP_SIGN(a < 1.0f ? small : large, SIGN(x));
}

OVERLOAD F asinh(F x) {
  D a = TO_D(ABS(x));
  D sum = a + __builtin_elementwise_sqrt(FMA(a, a, (D)1.0));
  F b = ABS(x), large = TO_F(log_of(sum));
  F small = FMA(b * b, b * -0x1.555556p-3f, b);
  large = b < INFINITY ? large : b;
  return FLIP_SIGN(b < 0x1p-11f ? small : large, SIGN(x));
}

OVERLOAD F acosh(F x) {
  D a = TO_D(x);
  D sum = a + __builtin_elementwise_sqrt((a - 1.0) * (a + 1.0));
  F result = TO_F(log_of(sum));
  result = x < INFINITY ? result : x;
  return x < 1.0f ? (F)NAN : result;
}

OVERLOAD F atanh(F x) {
  D a = TO_D(ABS(x));
  F b = ABS(x), large = TO_F(0.5 * log_of((1.0 + a) / (1.0 - a)));
  large = b < 1.0f ? large : (F)NAN;
  large = b == 1.0f ? (F)INFINITY : large;
  F small = FMA(b * b, b * 0x1.555556p-2f, b);
  return FLIP_SIGN(b < 0x1p-11f ? small : large, SIGN(x));
}

#endif
