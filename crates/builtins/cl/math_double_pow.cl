// Powers and roots of double: pow, powr, pown, rootn, cbrt.
//
// x^y = e^(y log(x)), where the logarithm has about 62 bits and the product is a sum of two doubles.

#include "double_exp.h"
#include "double_log.h"

// e^(high + low); low may be anything where high is infinite.
INLINE double power(double high, double low) {
  low = low < 1.0 ? low : 1.0;
  low = low < -1.0 ? -1.0 : low;
  return exp_of_sum(clamp_to(high, -800.0, 800.0), low);
}

// e^(y log)
INLINE double power_of(Sum log, double y) {
  double product = y * log.hi;
  return power(product, FMA(y, log.lo, FMA(y, log.hi, -product)));
}

INLINE int is_integer(double y) { return __builtin_rint(y) == y; }

INLINE double pow_of(double x, double y) {
  Sum log = log_unnormalized(ABS(x));
  // 1 and -1 to an infinite power are 1: their logarithm is zero, and so is its product with a large number.
  double r = power_of(log, clamp_to(y, -0x1p200, 0x1p200)), signed_r = xor_sign(r, x);
  int whole = is_integer(y);
  r = whole & !is_integer(y * 0.5) ? signed_r : r;
  // Infinities are even integers here.
  r = (x < 0.0) & (x > -INF) & !whole ? NOT_A_NUMBER : r;
  return ((x == 1.0) & (y != y)) | (y == 0.0) ? 1.0 : r;
}

OVERLOAD double pow(double x, double y) { return pow_of(x, y); }
OVERLOAD double pown(double x, int n) { return pow_of(x, (double)n); }

OVERLOAD double powr(double x, double y) {
  double r = power_of(log_unnormalized(ABS(x)), y);
  return x < 0.0 ? NOT_A_NUMBER : r;
}

OVERLOAD double rootn(double x, int n) {
  Sum log = log_unnormalized(ABS(x));
  double d = (double)n, inverse = 1.0 / d, quotient = log.hi * inverse;
  double r = power(quotient, inverse * (FMA(-quotient, d, log.hi) + log.lo));
  double signed_r = xor_sign(r, x), even = x < 0.0 ? NOT_A_NUMBER : r;
  r = (n & 1) != 0 ? signed_r : even;
  return n == 0 ? NOT_A_NUMBER : r;
}

// |x| = 2^(3 k) m with m from 1 to 8. A polynomial for m^(-1/3), one step of a method of fourth order, and Newton's for the root
// itself.
OVERLOAD double cbrt(double x) {
  double a = ABS(x), e = __mux_exponent_d(a), m = __mux_mantissa_d(a);
  m = m < 1.0 ? m + m : m;
  double k = __builtin_floor(FMA(e, 0x1.5555555555555p-2, 0.125)), left = e - 3.0 * k;
  double factor = left == 0.0 ? 1.0 : left == 1.0 ? CBRT_1_2 : CBRT_1_4, power = left == 0.0 ? 1.0 : 2.0 * left;
  double r = cbrt_guess(m) * factor;
  m *= power;
  double h = FMA(-m * r, r * r, 1.0);
  r = FMA(r * h, FMA(h, FMA(h, 0x1.61f9add3c0ca4p-3, 0x1.c71c71c71c71cp-3), 0x1.5555555555555p-2), r);
  double y = m * r * r;
  y = FMA(FMA(y * y, y, -m) * -0x1.5555555555555p-2, r * r, y);
  y = with_sign(__mux_scale_d(y, k), x);
  return (a < INF) & (a != 0.0) ? y : x;
}
