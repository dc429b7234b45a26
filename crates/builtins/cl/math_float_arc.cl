// asin, acos, atan, atan2 and their forms in units of π, of floats.
//
// Minimax polynomials after the identities that bring the argument into [0, ½] (asin, by the half angle) or
// below tan(π/8) (atan, by one quotient). An angle is kept as the sum of two floats until the end, and so is the reduced argument.

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

// eighths π/4 ± atan(t + low), for |t| ≤ tan(π/8), as the sum of two floats.
HELPER F eighths_and_atan(F eighths, F t, F t_low, U sign, __private F *low) {
  F z = t * t;
  F rest = FMA(t * z, POLY_ATAN(z), t_low);
  F base = eighths * 0x1.921fb6p-1f;
  F base_low = FMA(eighths, (F)-0x1.777a5cp-26f, FMA(eighths, (F)0x1.921fb6p-1f, -base));
  return angle(base, base_low, FLIP_SIGN(t, sign), FLIP_SIGN(rest, sign), low);
}

#define TAN_EIGHTH 0x1.a8279ap-2f
#define COT_EIGHTH 0x1.3504f4p1f

// Of a = |x|: atan(a), π/4 + atan((a - 1) / (a + 1)) or π/2 - atan(1 / a).
HELPER F atan_of(F a, __private F *low) {
  I middle = a > TAN_EIGHTH, large = a > COT_EIGHTH;
  F difference = a - 1.0f, sum = a + 1.0f;
  F difference_low = a - (difference + 1.0f), sum_low = a - (sum - 1.0f);
  F numerator = middle ? difference : a, numerator_low = middle ? difference_low : (F)0.0f;
  F denominator = middle ? sum : (F)1.0f, denominator_low = middle ? sum_low : (F)0.0f;
  F eighths = middle ? (F)1.0f : (F)0.0f;
  numerator = large ? (F)-1.0f : numerator;
  numerator_low = large ? (F)0.0f : numerator_low;
  denominator = large ? a : denominator;
  denominator_low = large ? (F)0.0f : denominator_low;
  eighths = large ? (F)2.0f : eighths;
  F inverse = 1.0f / denominator, t = numerator * inverse;
  F residual = FMA(-t, denominator, numerator) + FMA(-t, denominator_low, numerator_low);
  F t_low = residual * inverse;
  // What is left of an infinity is no number.
  t_low = a < INFINITY ? t_low : (F)0.0f;
  return eighths_and_atan(eighths, t, t_low, (U)0, low);
}

OVERLOAD F atan(F x) {
  F low, result = atan_of(ABS(x), &low);
  return FLIP_SIGN(result, SIGN(x));
}

OVERLOAD F atanpi(F x) {
  F low, result = atan_of(ABS(x), &low);
  return FLIP_SIGN(in_pi(result, low), SIGN(x));
}

// As for atan, with the quotient of the smaller coordinate and the larger. Both are scaled so that nothing in between
// overflows or loses bits. in_units says to divide by π.
HELPER F atan2_of(F y, F x, int in_units) {
  F a = ABS(x), b = ABS(y);
  I steep = b > a, left = AS(I, x) < 0;
  F less = steep ? a : b, more = steep ? b : a;
  // 0/0 and ∞/∞ are the limits along the axis and the diagonal.
  I diagonal = (less == INFINITY) & (more == INFINITY);
  less = diagonal != 0 ? (F)1.0f : less;
  more = (diagonal | (more == 0.0f)) != 0 ? (F)1.0f : more;
  F scale = more < 0x1p40f ? (F)0x1p84f : (F)0x1p-4f;
  less *= scale;
  more *= scale;
  I middle = less > more * TAN_EIGHTH;
  F difference = less - more, sum = less + more;
  F difference_low = less - (difference + more), sum_low = less - (sum - more);
  F numerator = middle ? difference : less, numerator_low = middle ? difference_low : (F)0.0f;
  F denominator = middle ? sum : more, denominator_low = middle ? sum_low : (F)0.0f;
  F inverse = 1.0f / denominator, t = numerator * inverse;
  F t_low = inverse * (FMA(-t, denominator, numerator) + FMA(-t, denominator_low, numerator_low));
  // What is left of an infinity is no number.
  t_low = more < INFINITY ? t_low : (F)0.0f;
  // In each of these turns the angle goes backwards from the next multiple of π/2.
  F eighths = middle ? (F)1.0f : (F)0.0f;
  eighths = steep ? 2.0f - eighths : eighths;
  eighths = left ? 4.0f - eighths : eighths;
  U sign = AS(U, steep ^ left) << 31;
  F low, result = eighths_and_atan(eighths, t, t_low, sign, &low);
  if (in_units)
    result = in_pi(result, low);
  result = FLIP_SIGN(result, SIGN(y));
  return ((x != x) | (y != y)) != 0 ? (F)NAN : result;
}

OVERLOAD F atan2(F y, F x) { return atan2_of(y, x, 0); }
OVERLOAD F atan2pi(F y, F x) { return atan2_of(y, x, 1); }

#endif
