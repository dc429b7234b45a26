// asin, acos, atan, atan2 and their forms in units of π, of floats.
//
// Minimax polynomials after the identities that bring the argument into [0, ½] (asin, by the half angle) or
// [0, 1] (atan, by one quotient). The angle of asin and acos is kept as the sum of two floats until the end, and so is the reduced
// argument.

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

// The angle in units of π. A small one is made larger first, so that what the product loses is there to be added.
HELPER F in_pi(F x, F low) {
  I small = ABS(x) < 0x1p-90f;
  F scale = small ? (F)0x1p64f : (F)1.0f, back = small ? (F)0x1p-64f : (F)1.0f;
  x *= scale;
  low *= scale;
  F first = x * INV_PI_HI;
  F rest = FMA(x, (F)INV_PI_HI, -first) + FMA(x, (F)INV_PI_LO, low * INV_PI_HI);
  return (first + rest) * back;
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

// Of |x|.
HELPER F asin_of(F a, __private F *low) {
  I large = a > 0.5f;
  F rest, t = half_angle(a, large, &rest);
  F base = large ? (F)PI_2_HI : (F)0.0f, base_low = large ? (F)PI_2_LO : (F)0.0f;
  F factor = large ? (F)-2.0f : (F)1.0f;
  return angle(base, base_low, factor * t, factor * rest, low);
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
  F low, result = asin_of(ABS(x), &low);
  return FLIP_SIGN(result, SIGN(x));
}

OVERLOAD F acos(F x) {
  F low;
  return acos_of(x, &low);
}

OVERLOAD F asinpi(F x) {
  F low, result = asin_of(ABS(x), &low);
  return FLIP_SIGN(in_pi(result, low), SIGN(x));
}

OVERLOAD F acospi(F x) {
  F low, result = acos_of(x, &low);
  return in_pi(result, low);
}

// turns π/2 + atan(q) for 0 ≤ q ≤ 1, or - atan(q) where the sign is set.
HELPER F turns_and_atan(F turns, F q, U sign) {
  F z = q * q, t = FMA(q * z, POLY_ATAN(z), q);
  return FMA(turns, (F)PI_2_HI, FMA(turns, (F)PI_2_LO, FLIP_SIGN(t, sign)));
}

// Of a = |x|: atan(a), or π/2 - atan(1 / a).
HELPER F atan_of(F a) {
  I large = a > 1.0f;
  F q = (large ? (F)1.0f : a) / (large ? a : (F)1.0f);
  return turns_and_atan(large ? (F)1.0f : (F)0.0f, q, AS(U, large) << 31);
}

OVERLOAD F atan(F x) {
  return FLIP_SIGN(atan_of(ABS(x)), SIGN(x));
}

OVERLOAD F atanpi(F x) {
  return FLIP_SIGN(in_pi(atan_of(ABS(x)), (F)0.0f), SIGN(x));
}

// As for atan, with the quotient of the smaller coordinate and the larger. in_units says to divide by π.
HELPER F atan2_of(F y, F x, int in_units) {
  F a = ABS(x), b = ABS(y);
  I steep = b > a, left = AS(I, x) < 0;
  F less = steep ? a : b, more = steep ? b : a, q = less / more;
  // 0/0 and ∞/∞ are the limits along the axis and the diagonal.
  q = more == 0.0f ? (F)0.0f : q;
  q = less == INFINITY ? (F)1.0f : q;
  // In each of these turns the angle goes backwards from the next multiple of π/2.
  F turns = steep ? (F)1.0f : (F)0.0f;
  turns = left ? 2.0f - turns : turns;
  F result = turns_and_atan(turns, q, AS(U, steep ^ left) << 31);
  if (in_units)
    result = in_pi(result, (F)0.0f);
  result = FLIP_SIGN(result, SIGN(y));
  return ((x != x) | (y != y)) != 0 ? (F)NAN : result;
}

OVERLOAD F atan2(F y, F x) { return atan2_of(y, x, 0); }
OVERLOAD F atan2pi(F y, F x) { return atan2_of(y, x, 1); }

#endif
