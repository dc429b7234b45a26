// The parts of a float, by its bits: fract, modf, frexp, ldexp, ilogb, logb, nextafter, nan.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_parts.cl"
#include "float_widths.h"
#else

HELPER F fract_of(F x, F below) {
  F part = x - below;
  part = part > 0x1.fffffep-1f ? (F)0x1.fffffep-1f : part;
  part = ABS(x) == INFINITY ? (F)0.0f : part;
  return ((x == 0.0f) | (ABS(x) == INFINITY)) != 0 ? WITH_SIGN(part, SIGN(x)) : part;
}

HELPER F modf_of(F x, F whole) {
  F part = ABS(x - whole);
  part = ABS(x) == INFINITY ? (F)0.0f : part;
  return WITH_SIGN(part, SIGN(x));
}

// The bits of |x| as if it were not subnormal, and the exponent that goes with them: of one it is 127.
HELPER U normalized(F x, __private I *exponent) {
  F a = ABS(x), up = a * 0x1p23f;
  I small = a < 0x1p-126f;
  U bits = AS(U, small ? up : a);
  I field = AS(I, bits >> 23);
  *exponent = small ? field - 23 : field;
  return bits;
}

HELPER F frexp_of(F x, __private I *exponent) {
  I field;
  U bits = normalized(x, &field);
  F fraction = AS(F, (bits & 0x7fffff) | 0x3f000000 | SIGN(x));
  I special = (x == 0.0f) | (ABS(x) == INFINITY) | (x != x);
  *exponent = special != 0 ? (I)0 : field - 126;
  return special != 0 ? x : fraction;
}

#define THROUGH_POINTERS(SPACE) \
  OVERLOAD F fract(F x, SPACE F *whole) { \
    F below = __builtin_elementwise_floor(x); \
    *whole = below; \
    return fract_of(x, below); \
  } \
  OVERLOAD F modf(F x, SPACE F *whole) { \
    F integer = __builtin_elementwise_trunc(x); \
    *whole = integer; \
    return modf_of(x, integer); \
  } \
  OVERLOAD F frexp(F x, SPACE I *exponent) { \
    I result; \
    F fraction = frexp_of(x, &result); \
    *exponent = result; \
    return fraction; \
  }
ADDRESS_SPACES(THROUGH_POINTERS)
#undef THROUGH_POINTERS

// The factor nearest to one comes last: what comes before is exact, unless the result is zero or infinite.
HELPER F scale_far(F x, __private I *n) {
  I far_up = *n > 127, far_down = *n < -126;
  F factor = far_up ? (F)0x1p100f : (F)1.0f;
  factor = far_down ? (F)0x1p-100f : factor;
  I left = far_up ? *n - 100 : *n;
  *n = far_down ? *n + 100 : left;
  return x * factor;
}

OVERLOAD F ldexp(F x, I n) {
  n = n > 300 ? (I)300 : n;
  n = n < -300 ? (I)-300 : n;
  x = scale_far(x, &n);
  x = scale_far(x, &n);
  return x * AS(F, (n + 127) << 23);
}
#if WIDTH + 0 > 1
OVERLOAD F ldexp(F x, int n) { return ldexp(x, (I)n); }
#endif

OVERLOAD I ilogb(F x) {
  I exponent;
  normalized(x, &exponent);
  I result = exponent - 127;
  result = x == 0.0f ? (I)FP_ILOGB0 : result;
  return ABS(x) < INFINITY ? result : (I)FP_ILOGBNAN;
}

OVERLOAD F logb(F x) {
  I exponent;
  normalized(x, &exponent);
  F result = TO_F(exponent - 127);
  result = x == 0.0f ? (F)-INFINITY : result;
  return ABS(x) < INFINITY ? result : ABS(x);
}

// Floats are in the order of their bits, those below zero backwards.
OVERLOAD F nextafter(F x, F y) {
  U bits = AS(U, x);
  I away = (x < y) == (AS(I, x) >= 0);
  U next = away ? bits + 1 : bits - 1;
  U least = SIGN(y) | 1;
  next = x == 0.0f ? least : next;
  F result = x == y ? y : AS(F, next);
  return ((x != x) | (y != y)) != 0 ? (F)NAN : result;
}

OVERLOAD F nan(U code) { return AS(F, (code & 0x3fffff) | 0x7fc00000); }

#endif
