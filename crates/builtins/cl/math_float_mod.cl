// fmod, remainder, remquo of floats, exactly.
//
// A quotient below 2^23, truncated, is right or one too large, since it was rounded; the remainder is exact by a fused
// multiply-add, and shows which by its sign. Larger quotients are brought down some 22 bits at a time before, behind a
// branch.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_mod.cl"
#include "float_widths.h"
#else

// x mod y for x < 2^24 y, and the integer part of their quotient.
HELPER F divide_once(F x, F y, __private F *quotient) {
  F q = __builtin_elementwise_trunc(x / y);
  F rest = FMA(-q, y, x), more = rest + y, less = q - 1.0f;
  *quotient = rest < 0.0f ? less : q;
  return rest < 0.0f ? more : rest;
}

// |x| mod |y|, the low bits of the integer part of their quotient, and |y|; the first and the last are 2^64 times as large where
// `small` is set. Only for a finite x, and y other than zero; otherwise something finite.
HELPER F divide(F x, F y, __private I *quotient, __private F *divisor, __private I *small) {
  F a = ABS(x), b = ABS(y);
  a = a < INFINITY ? a : (F)0.0f;
  b = b > 0.0f ? b : (F)1.0f;
  *small = a < 0x1p-60f;
  F near_b = b > 0x1p-40f ? (F)0x1p-40f : b;
  F up_a = a * 0x1p64f, up_b = near_b * 0x1p64f;
  a = *small ? up_a : a;
  b = *small ? up_b : b;
  F limit = b * 0x1p22f;
  I bits = 0;
  I large = a >= limit;
  if (ANY(large)) {
    // The bits of b as they are if it is no subnormal number, and its exponent.
    I tiny = b < 0x1p-126f;
    F up = b * 0x1p24f;
    I b_bits = AS(I, tiny ? up : b);
    I b_exponent = (b_bits >> 23) - (tiny ? (I)24 : (I)0);
    while (ANY(large)) {
      // So that there is an exponent 21 below that of a.
      I lift = (a < 0x1p-60f) & (*small == 0);
      F factor = lift != 0 ? (F)0x1p64f : (F)1.0f;
      a *= factor;
      b *= factor;
      limit *= factor;
      b_exponent += lift != 0 ? (I)64 : (I)0;
      *small = lift != 0 ? (I)-1 : *small;
      // b with an exponent 21 below that of a.
      I exponent = (AS(I, a) >> 23) - 21;
      F scaled = AS(F, (b_bits & 0x7fffff) | (exponent << 23));
      F q, rest = divide_once(a, scaled, &q);
      I shift = exponent - b_exponent;
      I part = shift < 32 ? TO_I(q) << (shift & 31) : (I)0;
      bits += large ? part : (I)0;
      a = large ? rest : a;
      large = a >= limit;
    }
  }
  F q, rest = divide_once(a, b, &q);
  *quotient = bits + TO_I(q);
  *divisor = b;
  return rest;
}

// The remainder with the sign of x, in the right size.
HELPER F finished(F x, F y, F rest, I small) {
  F down = rest * 0x1p-64f;
  F result = FLIP_SIGN(small ? down : rest, SIGN(x));
  result = ABS(y) < INFINITY ? result : x;
  I undefined = (ABS(x) == INFINITY) | (y == 0.0f) | (x != x) | (y != y);
  return undefined != 0 ? (F)NAN : result;
}

OVERLOAD F fmod(F x, F y) {
  I quotient, small;
  F divisor, rest = divide(x, y, &quotient, &divisor, &small);
  return finished(x, y, rest, small);
}

// To nearest, from |x| mod |y|: one more where the rest is above half the divisor, or half and the quotient odd.
HELPER F nearest(F x, F y, __private I *quotient) {
  I small;
  F divisor, rest = divide(x, y, quotient, &divisor, &small);
  F twice = rest + rest;
  I more = (twice > divisor) | ((twice == divisor) & ((*quotient & 1) != 0));
  *quotient = more != 0 ? *quotient + 1 : *quotient;
  F less = rest - divisor;
  rest = more != 0 ? less : rest;
  *quotient = ABS(y) < INFINITY ? *quotient : (I)0;
  return finished(x, y, rest, small);
}

OVERLOAD F remainder(F x, F y) {
  I quotient;
  return nearest(x, y, &quotient);
}

// Seven bits of the quotient, with its sign.
#define REMQUO(SPACE) \
  OVERLOAD F remquo(F x, F y, SPACE I *low) { \
    I quotient; \
    F result = nearest(x, y, &quotient); \
    I bits = quotient & 0x7f; \
    bits = (AS(I, x) ^ AS(I, y)) < 0 ? -bits : bits; \
    *low = result != result ? (I)0 : bits; \
    return result; \
  }
ADDRESS_SPACES(REMQUO)
#undef REMQUO

#endif
