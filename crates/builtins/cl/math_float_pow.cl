// pow, pown, powr, rootn of floats.
//
// 2^(y log2 |x|) in double: log2 to 44 bits times y leaves an error below 2^-33 for results in range. Zeros and
// infinities are given the logarithm they have, so that most of the special cases follow from the arithmetic.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_pow.cl"
#include "float_widths.h"
#else
#include "float_double.h"

// log2 |x|; a NaN comes out as one.
HELPER D log2_abs(F x) {
  F a = ABS(x);
  D result = log2_of(a);
  D wide = TO_D(a);
  result = wide == 0.0 ? (D)-INFINITY : result;
  return wide < (D)INFINITY ? result : wide;
}

OVERLOAD F pow(F x, F y) {
  D log_x = log2_abs(x);
  D power = TO_D(y) * log_x;
  power = log_x == 0.0 ? (D)0.0 : power;
  F result = TO_F(exp2_of(power));
  F half_y = 0.5f * y;
  I whole = __builtin_elementwise_trunc(y) == y;
  I odd = whole & (__builtin_elementwise_trunc(half_y) != half_y);
  result = FLIP_SIGN(result, odd != 0 ? SIGN(x) : (U)0);
  I outside = (x < 0.0f) & (x > -INFINITY) & (whole == 0);
  outside |= (x != x) | (y != y);
  result = outside != 0 ? (F)NAN : result;
  I one = (x == 1.0f) | (y == 0.0f);
  return one != 0 ? (F)1.0f : result;
}

OVERLOAD F pown(F x, I n) {
  D power = TO_D(n) * log2_abs(x);
  F result = TO_F(exp2_of(power));
  result = FLIP_SIGN(result, (n & 1) != 0 ? SIGN(x) : (U)0);
  return n == 0 ? (F)1.0f : result;
}

OVERLOAD F powr(F x, F y) {
  D power = TO_D(y) * log2_abs(x);
  F result = TO_F(exp2_of(power));
  return x < 0.0f ? (F)NAN : result;
}

OVERLOAD F rootn(F x, I n) {
  D power = log2_abs(x) / TO_D(n);
  F result = TO_F(exp2_of(power));
  I even = (n & 1) == 0;
  result = FLIP_SIGN(result, even != 0 ? (U)0 : SIGN(x));
  I outside = (n == 0) | (even & (x < 0.0f));
  return outside != 0 ? (F)NAN : result;
}

#endif
