// sin(πx) and cos(πx), for the circular functions and for the reflection of gamma.

#pragma once
#include "double_base.h"

// Of the reduced argument.
typedef struct {
  double sin, cos;
} Pair;

// sin(π r) and cos(π r) for |r| <= 1/4
INLINE Pair sin_cos_pi_near(double r) {
  double z = r * r;
  Sum a = two_product(r, PI_HI), b = two_product(z, PI2_2_HI);
  double w = 1.0 - b.hi;
  Pair p;
  p.sin = a.hi + FMA(r * z, sinpi_tail(z), FMA(r, PI_LO, a.lo));
  p.cos = w + (((1.0 - w) - b.hi) + FMA(z * z, cospi_tail(z), -FMA(z, PI2_2_LO, b.lo)));
  return p;
}

// The sine that many quadrants on.
INLINE double turn(Pair p, ulong quadrant) {
  double y = quadrant & 1 ? p.cos : p.sin;
  return FROM_BITS(BITS(y) ^ ((quadrant & 2) << 62));
}

// x = quadrant / 2 + r, exactly
typedef struct {
  double r;
  ulong quadrant;
} ReducedPi;

INLINE ReducedPi reduce_pi(double x) {
  double y = FMA(-2.0, __builtin_rint(x * 0.5), x), n = __builtin_rint(2.0 * y);
  ReducedPi result = {FMA(-0.5, n, y), low_bits(n)};
  return result;
}
