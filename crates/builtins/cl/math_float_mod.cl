// fmod, remainder, remquo of floats, exactly.
//
// In double a quotient below 2^28 is right when truncated (that of two floats is either an integer or farther from one
// than the rounding of double), and the remainder is exact by a fused multiply-add. Larger quotients are brought down
// 27 bits at a time before, behind a branch.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_mod.cl"
#include "float_widths.h"
#else

// |x| mod |y|, the integer part of their quotient modulo 2^28, and |y|. Only for a finite x, and y other than zero;
// otherwise something finite.
HELPER D divide(F x, F y, __private D *quotient, __private D *divisor) {
  D a = TO_D(ABS(x)), b = TO_D(ABS(y));
  a = a < (D)INFINITY ? a : (D)0.0;
  b = (b > 0.0) & (b < (D)INFINITY) ? b : (D)0x1p200;
  D limit = b * 0x1p28;
  L high = 0;
  L large = a >= limit;
  while (ANY(large)) {
    L power = (AS(L, a) >> 52) - (AS(L, b) >> 52) - 27;
    L up = power > 1 ? power : (L)1;
    D scaled = b * AS(D, (up + 1023) << 52);
    D q = __builtin_elementwise_trunc(a / scaled);
    a = large ? FMA(-q, scaled, a) : a;
    L low_up = up > 30 ? (L)30 : up;
    high += large ? TO_L(q) << low_up : (L)0;
    large = a >= limit;
  }
  D q = __builtin_elementwise_trunc(a / b);
  *quotient = q + TO_D(high & 0xfffffff);
  *divisor = b;
  return FMA(-q, b, a);
}

HELPER I undefined(F x, F y) {
  return (ABS(x) == INFINITY) | (y == 0.0f) | (x != x) | (y != y);
}

OVERLOAD F fmod(F x, F y) {
  D quotient, divisor;
  F result = TO_F(divide(x, y, &quotient, &divisor));
  result = FLIP_SIGN(result, SIGN(x));
  return undefined(x, y) != 0 ? (F)NAN : result;
}

// To nearest, from |x| mod |y|: one more where the rest is above half the divisor, or half and the quotient odd.
HELPER F nearest(F x, F y, __private D *quotient) {
  D divisor;
  D rest = divide(x, y, quotient, &divisor);
  D half_quotient = 0.5 * *quotient;
  L odd = half_quotient != __builtin_elementwise_trunc(half_quotient);
  L more = (rest + rest > divisor) | ((rest + rest == divisor) & odd);
  D one_more = *quotient + 1.0;
  rest = more ? rest - divisor : rest;
  *quotient = more ? one_more : *quotient;
  F result = TO_F(rest);
  result = FLIP_SIGN(result, SIGN(x));
  return undefined(x, y) != 0 ? (F)NAN : result;
}

OVERLOAD F remainder(F x, F y) {
  D quotient;
  return nearest(x, y, &quotient);
}

// Seven bits of the quotient, with its sign.
#define REMQUO(SPACE) \
  OVERLOAD F remquo(F x, F y, SPACE I *low) { \
    D quotient; \
    F result = nearest(x, y, &quotient); \
    I bits = TO_I(TO_L(quotient)) & 0x7f; \
    bits = (AS(I, x) ^ AS(I, y)) < 0 ? -bits : bits; \
    *low = undefined(x, y) != 0 ? (I)0 : bits; \
    return result; \
  }
ADDRESS_SPACES(REMQUO)
#undef REMQUO

#endif
