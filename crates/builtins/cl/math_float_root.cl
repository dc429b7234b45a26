// rsqrt, cbrt, hypot of floats.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_root.cl"
#include "float_widths.h"
#else

// From an estimate y with the residual e = 1 - x y²: y (1 - e)^(-1/2) to the second order in e.
OVERLOAD F rsqrt(F x) {
  F y = RSQRT_ESTIMATE(x);
  F e = FMA(-x * y, y, (F)1.0f);
  // Zero and infinity have none, and anything does for them.
  e = e < 1.0f ? e : (F)1.0f;
  return FMA(y * e, FMA(e, (F)0.375f, (F)0.5f), y);
}

// A first guess r at x^(-1/3) by dividing the bits; with x r³ = 1 - e, r (1 - e)^(-1/3) to the third order in e; and a
// last step of Newton's method for x^(1/3) itself.
OVERLOAD F cbrt(F x) {
  F a = ABS(x);
  I small = a < 0x1p-126f;
  F up = a * 0x1p24f;
  F normal = small ? up : a;
  // A third of the bits, of which the lowest do not matter for a guess.
  I third = TO_I(TO_F(AS(I, normal)) * 0x1.555556p-2f);
  F r = AS(F, 0x54a20000 - third);
  F e = FMA(-normal * r, r * r, (F)1.0f);
  F series = FMA(e, FMA(e, (F)0x1.61f9aep-3f, (F)0x1.c71c72p-3f), (F)0x1.555556p-2f);
  r = FMA(r * e, series, r);
  F square = r * r, y = normal * square;
  F residual = FMA(-y * y, y, normal);
  y = FMA(residual, square * 0x1.555556p-2f, y);
  F down = y * 0x1p-8f;
  y = small ? down : y;
  // Zero and infinity are their own roots.
  y = ((a == 0.0f) | (a == INFINITY)) != 0 ? a : y;
  return WITH_SIGN(y, SIGN(x));
}

// The squares and their sum as sums of two floats, scaled so that none overflows or is subnormal.
OVERLOAD F hypot(F x, F y) {
  F a = ABS(x), b = ABS(y);
  F more = a > b ? a : b, less = a > b ? b : a;
  I large = more > 0x1p60f, small = more < 0x1p-40f;
  F scale = large ? (F)0x1p-70f : (F)1.0f, back = large ? (F)0x1p70f : (F)1.0f;
  scale = small ? (F)0x1p90f : scale;
  back = small ? (F)0x1p-90f : back;
  more *= scale;
  less *= scale;
  F p = more * more, p_low = FMA(more, more, -p);
  F sum = FMA(less, less, p), rest = FMA(less, less, p - sum) + p_low;
  F root = __builtin_elementwise_sqrt(sum + rest);
  F result = root * back;
  I infinite = (a == INFINITY) | (b == INFINITY);
  result = ((x != x) | (y != y)) != 0 ? (F)NAN : result;
  return infinite != 0 ? (F)INFINITY : result;
}

#endif
