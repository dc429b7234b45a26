// rsqrt, cbrt, hypot of floats.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_root.cl"
#include "float_widths.h"
#else

// One step of Newton's method from the quotient, with the residual 1 - x y² by fused multiply-adds.
OVERLOAD F rsqrt(F x) {
  F y = 1.0f / __builtin_elementwise_sqrt(x);
  F product = x * y, product_low = FMA(x, y, -product);
  F residual = FMA(-product_low, y, FMA(-product, y, (F)1.0f));
  F better = FMA(0.5f * y, residual, y);
  // Zero and infinity have no residual.
  I regular = (x > 0.0f) & (x < INFINITY);
  return regular != 0 ? better : y;
}

// With a r³ = 1 - e: r (1 - e)^(-1/3), to the second order in e.
HELPER F inverse_cbrt_step(F a, F r) {
  F e = FMA(-a * r, r * r, (F)1.0f);
  return FMA(r * e, FMA(e, (F)0x1.c71c72p-3f, (F)0x1.555556p-2f), r);
}

// A first guess at x^(-1/3) by dividing the bits, then Newton's method without division, and a last step for x^(1/3)
// itself with the residual x - y³ by fused multiply-adds.
OVERLOAD F cbrt(F x) {
  F a = ABS(x);
  I small = a < 0x1p-126f;
  F up = a * 0x1p24f;
  a = small ? up : a;
  // A third of the bits: their product with 2^32 / 3, of which the low half does not matter for a guess.
  I third = TO_I(TO_F(AS(I, a)) * 0x1.555556p-2f);
  F r = AS(F, 0x54a20000 - third);
  r = inverse_cbrt_step(a, r);
  r = inverse_cbrt_step(a, r);
  F y = a * r * r;
  F square = y * y, square_low = FMA(y, y, -square);
  F residual = FMA(-square_low, y, FMA(-square, y, a));
  y = FMA(residual, r * r * 0x1.555556p-2f, y);
  F down = y * 0x1p-8f;
  y = small ? down : y;
  y = ((x == 0.0f) | (ABS(x) == INFINITY)) != 0 ? ABS(x) : y;
  return FLIP_SIGN(y, SIGN(x));
}

// In double the squares are exact and do not overflow.
OVERLOAD F hypot(F x, F y) {
  D a = TO_D(x), b = TO_D(y);
  F result = TO_F(__builtin_elementwise_sqrt(FMA(a, a, b * b)));
  I infinite = (ABS(x) == INFINITY) | (ABS(y) == INFINITY);
  return infinite != 0 ? (F)INFINITY : result;
}

#endif
