// pow, pown, powr, rootn of floats.
//
// 2^(y log2 |x|), with the logarithm and the product as sums of two floats (float_pow.h). Zeros and infinities are given
// the logarithm they have, so that most of the special cases follow from the arithmetic.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_pow.cl"
#include "float_widths.h"
#else
#include "float_pow.h"

// 2^(y (log + log_low))
HELPER F power(F log, F log_low, F y) {
  F product = y * log;
  return exp2_of_sum(product, FMA(y, log_low, FMA(y, log, -product)));
}

// An integer as the sum of two floats.
HELPER F two_floats(I n, __private F *low) {
  F high = TO_F(n);
  // The nearest float to the largest integers is no int.
  high = high > 0x1.fffffep30f ? (F)0x1.fffffep30f : high;
  *low = TO_F(n - TO_I(high));
  return high;
}

OVERLOAD F pow(F x, F y) {
  F low, log = log2_parts(x, &low);
  // 1 and -1 to an infinite power are 1: their logarithm is zero, and so is its product with a large number.
  F exponent = y > 0x1p100f ? (F)0x1p100f : y;
  exponent = exponent < -0x1p100f ? (F)-0x1p100f : exponent;
  F result = power(log, low, exponent);
  F half_y = 0.5f * y;
  I whole = __builtin_elementwise_trunc(y) == y;
  I odd = whole & (__builtin_elementwise_trunc(half_y) != half_y);
  result = FLIP_SIGN(result, odd != 0 ? SIGN(x) : (U)0);
  I outside = (x < 0.0f) & (x > -INFINITY) & (whole == 0);
  result = outside != 0 ? (F)NAN : result;
  I one = ((x == 1.0f) & (y != y)) | (y == 0.0f);
  return one != 0 ? (F)1.0f : result;
}

OVERLOAD F pown(F x, I n) {
  F low, log = log2_parts(x, &low);
  F y_low, y = two_floats(n, &y_low);
  F product = y * log;
  F rest = FMA(y, log, -product) + FMA(y, low, y_low * log);
  F result = exp2_of_sum(product, rest);
  result = FLIP_SIGN(result, (n & 1) != 0 ? SIGN(x) : (U)0);
  return n == 0 ? (F)1.0f : result;
}

OVERLOAD F powr(F x, F y) {
  F low, log = log2_parts(x, &low);
  F result = power(log, low, y);
  return x < 0.0f ? (F)NAN : result;
}

OVERLOAD F rootn(F x, I n) {
  F low, log = log2_parts(x, &low);
  F d_low, d = two_floats(n, &d_low);
  F inverse = 1.0f / d, quotient = log * inverse;
  F rest = inverse * (FMA(-quotient, d, log) + FMA(-quotient, d_low, low));
  F result = exp2_of_sum(quotient, rest);
  I even = (n & 1) == 0;
  result = FLIP_SIGN(result, even != 0 ? (U)0 : SIGN(x));
  I outside = (n == 0) | (even & (x < 0.0f));
  return outside != 0 ? (F)NAN : result;
}

#endif
