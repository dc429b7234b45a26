// exp, exp2, exp10, expm1 of floats.
//
// Range reduction of Cody and Waite: x = n ln 2 + r with an integer n, |r| ≤ ln 2 / 2, where ln 2 is the sum of two
// floats; then a minimax polynomial for exp(r), which is scaled by 2^n in one rounding. Arguments are brought to the edge of
// the range first, by selects that let a NaN through.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_exp.cl"
#include "float_widths.h"
#else

HELPER F within(F x, float low, float high) {
  x = x > high ? (F)high : x;
  return x < low ? (F)low : x;
}

// 2^(factor x), where the rounding of the product counts for what it is.
HELPER F quick_exp(F x, float factor) {
  F t = FMA(x, (F)factor, (F)MAGIC), n = t - MAGIC, r = FMA(x, (F)factor, -n);
  return SCALE(FMA(r, POLY_EXP2(r), (F)1.0f), n);
}

OVERLOAD F exp(F x) {
  x = within(x, -104.0f, 89.0f);
  if (__mux_usefast())
    return quick_exp(x, LOG2E_HI);
  F t = FMA(x, (F)LOG2E_HI, (F)MAGIC), n = t - MAGIC;
  F r = FMA(n, (F)-LN2_LO, FMA(n, (F)-LN2_HI, x));
  return SCALE(FMA(r, FMA(r, POLY_EXP(r), (F)1.0f), (F)1.0f), n);
}

// There is no quicker one.
OVERLOAD F exp2(F x) {
  x = within(x, -151.0f, 129.0f);
  F n = __builtin_elementwise_rint(x), r = x - n;
  return SCALE(FMA(r, POLY_EXP2(r), (F)1.0f), n);
}

// r is in units of log 10; log10(2) is the sum of two floats.
OVERLOAD F exp10(F x) {
  x = within(x, -46.0f, 39.0f);
  if (__mux_usefast())
    return quick_exp(x, 0x1.a934fp1f);
  F t = FMA(x, (F)0x1.a934fp1f, (F)MAGIC), n = t - MAGIC;
  F r = FMA(n, (F)0x1.ec10cp-27f, FMA(n, (F)-0x1.344136p-2f, x));
  return SCALE(FMA(r, POLY_EXP10(r), (F)1.0f), n);
}

// exp(r) - 1 is the sum of two floats, and so is its sum with 1 - 2^-n.
OVERLOAD F expm1(F x) {
  F c = x > 89.0f ? (F)89.0f : x;
  c = c < -20.0f ? (F)-20.0f : c;
  F t = FMA(c, (F)LOG2E_HI, (F)MAGIC), n = t - MAGIC;
  F r0 = FMA(n, (F)-LN2_HI, c);
  F r = FMA(n, (F)-LN2_LO, r0), r_low = FMA(n, (F)-LN2_LO, r0 - r);
  F q = FMA(r * r, POLY_EXPM1(r), r_low);
  F p = r + q, p_low = (r - p) + q;
  // Half of the power, which does not overflow for results that do not.
  F half_power = AS(F, (AS(I, t) - MAGIC_BITS + 126) << 23);
  F a = half_power - 0.5f, a_low = (half_power - a) - 0.5f, b = half_power * p;
  F sum = a + b, low = (a - sum) + b + a_low;
  F result = 2.0f * (sum + FMA(half_power, p_low, low));
  return ABS(x) < 0x1p-25f ? x : result;
}

#endif
