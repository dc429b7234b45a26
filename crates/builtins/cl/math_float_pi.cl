// sinpi, cospi, tanpi of floats.
//
// The reduction is exact: |x| modulo 2, then the nearest multiple of ½. The product with π is kept as the sum of two
// floats, and goes to the polynomials of the plain functions (float_trig.h). Zeros and poles have the signs that OpenCL
// C asks for.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_pi.cl"
#include "float_widths.h"
#else
#include "float_trig.h"

// The angle as a part of half a turn from the nearest multiple of ½, then as r + low.
HELPER F reduce(F x, __private F *low, __private I *quadrant) {
  F a = ABS(x);
  a = FMA(__builtin_elementwise_floor(0.5f * a), (F)-2.0f, a);
  F t = FMA(a, (F)2.0f, (F)MAGIC);
  F part = FMA(t - MAGIC, (F)-0.5f, a);
  *quadrant = AS(I, t);
  F r = part * PI_HI;
  *low = FMA(part, (F)PI_LO, FMA(part, (F)PI_HI, -r));
  return r;
}

HELPER F sin_of_turn(F r, F low, I quadrant) {
  F result = sin_at(r, low, quadrant, (U)0);
  // A zero is positive.
  return result == 0.0f ? (F)0.0f : result;
}

OVERLOAD F sinpi(F x) {
  F low;
  I quadrant;
  F r = reduce(x, &low, &quadrant);
  return FLIP_SIGN(sin_of_turn(r, low, quadrant), SIGN(x));
}

OVERLOAD F cospi(F x) {
  F low;
  I quadrant;
  F r = reduce(x, &low, &quadrant);
  return sin_of_turn(r, low, quadrant + 1);
}

OVERLOAD F tanpi(F x) {
  F low;
  I quadrant;
  F r = reduce(x, &low, &quadrant);
  F result = tan_of(r, low, quadrant);
  // Zeros and poles change their signs from one turn of π to the next.
  F corner = (quadrant & 1) != 0 ? (F)INFINITY : (F)0.0f;
  corner = FLIP_SIGN(corner, AS(U, quadrant & 2) << 30);
  result = r == 0.0f ? corner : result;
  return FLIP_SIGN(result, SIGN(x));
}

#endif
