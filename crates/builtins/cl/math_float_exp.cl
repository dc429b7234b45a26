// exp, exp2, exp10, expm1 of floats.
//
// Range reduction of Cody and Waite: x = n ln 2 + r with an integer n, |r| ≤ ln 2 / 2, where ln 2 is the sum of two
// floats; then a minimax polynomial for exp(r), and the exponent n added to that of the polynomial. Where the result may be
// subnormal or infinite, behind a branch, arguments are brought to the edge of the range, by selects that let a NaN through,
// and the exponent is put in by two multiplications.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_exp.cl"
#include "float_widths.h"
#else

// x 2^n for -252 ≤ n ≤ 254, where t is MAGIC + n. The bits of MAGIC are shifted out.
HELPER F scaled(F x, F t) {
  I first = (AS(I, t) >> 1) << 23;
  I second = (AS(I, t) << 23) - first;
  return x * AS(F, first + 0x3f800000) * AS(F, second + 0x3f800000);
}

// The same for ½ < x < 2, where the result is neither subnormal nor infinite.
HELPER F scaled_near(F x, F t) { return AS(F, AS(I, x) + (AS(I, t) << 23)); }

// Where it may be: |n| > 125, or no number at all.
HELPER I is_far(F t) { return AS(I, AS(U, t) - (MAGIC_BITS - 125) > 250u); }

HELPER F within(F x, float low, float high) {
  x = x > high ? (F)high : x;
  return x < low ? (F)low : x;
}

// 2^(factor x), where the rounding of the product counts for what it is.
HELPER F quick_exp(F x, float factor) {
  F t = FMA(x, (F)factor, (F)MAGIC), r = FMA(x, (F)factor, -(t - MAGIC));
  return scaled(FMA(r, POLY_EXP2(r), (F)1.0f), t);
}

// The exponent n in MAGIC + n, and what it leaves of the result.
HELPER F exp_parts(F x, __private F *t) {
  *t = FMA(x, (F)LOG2E_HI, (F)MAGIC);
  F n = *t - MAGIC;
  F r = FMA(n, (F)-LN2_LO, FMA(n, (F)-LN2_HI, x));
  return FMA(r, FMA(r, POLY_EXP(r), (F)1.0f), (F)1.0f);
}

HELPER F exp2_parts(F x, __private F *t) {
  *t = x + MAGIC;
  F r = x - (*t - MAGIC);
  return FMA(r, POLY_EXP2(r), (F)1.0f);
}

// r is in units of log 10; log10(2) is the sum of two floats.
HELPER F exp10_parts(F x, __private F *t) {
  *t = FMA(x, (F)0x1.a934fp1f, (F)MAGIC);
  F n = *t - MAGIC;
  F r = FMA(n, (F)0x1.ec10cp-27f, FMA(n, (F)-0x1.344136p-2f, x));
  return FMA(r, POLY_EXP10(r), (F)1.0f);
}

// Arguments near the ends of the range, or beyond, are rare. There is no quicker exp2 than the full one.
#define POWER(name, factor, low, high)                                                                                 \
  OVERLOAD F name(F x) {                                                                                               \
    if (factor != 1.0f && __mux_usefast())                                                                             \
      return quick_exp(within(x, low, high), factor);                                                                  \
    F t, p = name##_parts(x, &t), y = scaled_near(p, t);                                                               \
    I far = is_far(t);                                                                                                 \
    if (ANY(far)) {                                                                                                    \
      F end_t, end = name##_parts(within(x, low, high), &end_t);                                                       \
      end = scaled(end, end_t);                                                                                        \
      y = far ? end : y;                                                                                               \
    }                                                                                                                  \
    return y;                                                                                                          \
  }

POWER(exp, LOG2E_HI, -104.0f, 89.0f)
POWER(exp2, 1.0f, -151.0f, 129.0f)
POWER(exp10, 0x1.a934fp1f, -46.0f, 39.0f)
#undef POWER

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
