// asin, acos, atan, atan2 and their forms in units of π, of floats.
//
// Minimax polynomials after the identities that bring the argument into [0, ½] (asin, by the half angle) or [0, 1]
// (atan, by the inverse). An angle is kept as the sum of two floats until the end, and so is the reduced argument.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_arc.cl"
#include "float_widths.h"
#else

// (base + base_low) + (first + rest) as the sum of two floats; |base| ≥ |first|, or base is zero.
HELPER F angle(F base, F base_low, F first, F rest, __private F *low) {
  F sum = base + first;
  rest = ((base - sum) + first) + (base_low + rest);
  F result = sum + rest;
  *low = (sum - result) + rest;
  return result;
}

// The angle in units of π.
HELPER F in_pi(F x, F low) {
  F product = x * INV_PI_HI;
  F rest = FMA(x, (F)INV_PI_LO, FMA(x, (F)INV_PI_HI, -product));
  return product + FMA(low, (F)INV_PI_HI, rest);
}

// asin of t and what is to be added to t, where t is |x| or, for a large x, √((1 - |x|) / 2).
HELPER F half_angle(F a, I large, __private F *rest) {
  F half_rest = FMA(a, (F)-0.5f, (F)0.5f);
  F root = __builtin_elementwise_sqrt(half_rest);
  F root_low = FMA(-root, root, half_rest) / (root + root);
  root_low = half_rest > 0.0f ? root_low : (F)0.0f;
  F t = large ? root : a;
  F z = t * t;
  F low = large ? root_low : (F)0.0f;
  *rest = FMA(t * z, POLY_ASIN(z), low);
  return t;
}

HELPER F asin_of(F x, __private F *low) {
  F a = ABS(x);
  I large = a > 0.5f;
  F rest, t = half_angle(a, large, &rest);
  F base = large ? (F)PI_2_HI : (F)0.0f, base_low = large ? (F)PI_2_LO : (F)0.0f;
  F factor = large ? (F)-2.0f : (F)1.0f;
  F result = angle(base, base_low, factor * t, factor * rest, low);
  *low = FLIP_SIGN(*low, SIGN(x));
  return FLIP_SIGN(result, SIGN(x));
}

HELPER F acos_of(F x, __private F *low) {
  F a = ABS(x);
  I large = a > 0.5f, negative = x < 0.0f;
  F rest, t = half_angle(a, large, &rest);
  F large_base = negative ? (F)PI_HI : (F)0.0f, large_low = negative ? (F)PI_LO : (F)0.0f;
  F base = large ? large_base : (F)PI_2_HI, base_low = large ? large_low : (F)PI_2_LO;
  F factor = large ? (F)-2.0f : (F)1.0f;
  factor = negative ? factor : -factor;
  return angle(base, base_low, factor * t, factor * rest, low);
}

OVERLOAD F asin(F x) {
  F low;
  return asin_of(x, &low);
}

OVERLOAD F acos(F x) {
  F low;
  return acos_of(x, &low);
}

OVERLOAD F asinpi(F x) {
  F low, result = asin_of(x, &low);
  return in_pi(result, low);
}

OVERLOAD F acospi(F x) {
  F low, result = acos_of(x, &low);
  return in_pi(result, low);
}

// What is to be added to t to have the arc tangent of t + low, for t in [0, 1]. The derivative 1 / (1 + t²) need not
// be exact for so small a term.
HELPER F atan_rest(F t, F low) {
  F z = t * t;
  F slope = FMA(z, (F)-0.5f, (F)1.0f);
  return FMA(t * z, POLY_ATAN(z), low * slope);
}

HELPER F atan_of(F x, __private F *low) {
  F a = ABS(x);
  I large = a > 1.0f;
  F inverse = 1.0f / a;
  F inverse_low = FMA(-inverse, a, (F)1.0f) * inverse;
  inverse_low = a < INFINITY ? inverse_low : (F)0.0f;
  F t = large ? inverse : a, t_low = large ? inverse_low : (F)0.0f;
  F rest = atan_rest(t, t_low);
  F base = large ? (F)PI_2_HI : (F)0.0f, base_low = large ? (F)PI_2_LO : (F)0.0f;
  F result = angle(base, base_low, large ? -t : t, large ? -rest : rest, low);
  *low = FLIP_SIGN(*low, SIGN(x));
  return FLIP_SIGN(result, SIGN(x));
}

OVERLOAD F atan(F x) {
  F low;
  return atan_of(x, &low);
}

OVERLOAD F atanpi(F x) {
  F low, result = atan_of(x, &low);
  return in_pi(result, low);
}

// The quotient is taken in double, where it neither overflows nor underflows; then as for atan. The angle is
// base ± atan(t) with a base of 0, π/2 or π. in_units says to divide by π.
HELPER F atan2_of(F y, F x, int in_units) {
  F a = ABS(x), b = ABS(y);
  I steep = b > a;
  F numerator = steep ? a : b, denominator = steep ? b : a;
  D quotient = TO_D(numerator) / TO_D(denominator);
  F t = TO_F(quotient), t_low = TO_F(quotient - TO_D(t));
  // 0/0 and ∞/∞ are the limits along the axis and the diagonal.
  F corner = a == 0.0f ? (F)0.0f : (F)1.0f;
  I equal = (a == b) & ((a == 0.0f) | (a == INFINITY));
  t = equal != 0 ? corner : t;
  t_low = equal != 0 ? (F)0.0f : t_low;
  F rest = atan_rest(t, t_low);
  I left = AS(I, x) < 0;
  F flat_base = left ? (F)PI_HI : (F)0.0f, flat_low = left ? (F)PI_LO : (F)0.0f;
  F base = steep ? (F)PI_2_HI : flat_base, base_low = steep ? (F)PI_2_LO : flat_low;
  I minus = steep ^ left;
  F low, result = angle(base, base_low, minus ? -t : t, minus ? -rest : rest, &low);
  // A subnormal quotient is the result, rounded once.
  I tiny = (t < 0x1p-100f) & (base == 0.0f);
  if (in_units) {
    F narrow = TO_F(quotient * 0x1.45f306dc9c883p-2), scaled = in_pi(result, low);
    narrow = t == 0.0f ? t : narrow;
    result = tiny != 0 ? narrow : scaled;
  } else {
    result = tiny != 0 ? t : result;
  }
  result = FLIP_SIGN(result, SIGN(y));
  return ((x != x) | (y != y)) != 0 ? (F)NAN : result;
}

OVERLOAD F atan2(F y, F x) { return atan2_of(y, x, 0); }
OVERLOAD F atan2pi(F y, F x) { return atan2_of(y, x, 1); }

#endif
