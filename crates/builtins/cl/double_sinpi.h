// sin(πx) and cos(πx), for the circular functions and for the reflection of gamma.

#pragma once
#include "double_base.h"

// Of the reduced argument.
typedef struct {
  Sum sin, cos;
} Pair;

// sin(π r) and cos(π r) for |r| <= 1/4
INLINE Pair sin_cos_pi_near(double r) {
  double z = r * r;
  Sum a = two_product(r, PI_HI), b = two_product(z, PI2_2_HI);
  double w = 1.0 - b.hi;
  Pair p;
  p.sin = quick_sum(a.hi, FMA(r * z, sinpi_tail(z), FMA(r, PI_LO, a.lo)));
  p.cos = quick_sum(w, ((1.0 - w) - b.hi) + FMA(z * z, cospi_tail(z), -FMA(z, PI2_2_LO, b.lo)));
  return p;
}

// The sine that many quadrants on.
INLINE double turn(Pair p, ulong quadrant) {
  double y = quadrant & 1 ? p.cos.hi : p.sin.hi;
  return FROM_BITS(BITS(y) ^ ((quadrant & 2) << 62));
}

// The tangent that many quadrants on.
INLINE double tangent(Pair p, ulong quadrant) {
  int odd = quadrant & 1;
  Sum n = {odd ? p.cos.hi : p.sin.hi, odd ? p.cos.lo : p.sin.lo};
  Sum d = {odd ? -p.sin.hi : p.cos.hi, odd ? -p.sin.lo : p.cos.lo};
  return divide_sums(n, d).hi;
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
