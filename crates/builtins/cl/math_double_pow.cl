// Powers and roots of double: pow, powr, pown, rootn, cbrt.
//
// x^y = 2^(y log2(x)), where the logarithm has about 65 bits and the product is a sum of two doubles.

#include "double_exp.h"
#include "double_log.h"

// |x|^y for finite x that is not 0, y = y.hi + y.lo
INLINE double power(double x, Sum y) {
  Sum l = log2_parts(ABS(x));
  Sum p = two_product(y.hi, l.hi);
  p.lo = FMA(y.hi, l.lo, FMA(y.lo, l.hi, p.lo));
  int outside = ABS(p.hi) > 1100.0;
  p.hi = clamp_to(p.hi, -1100.0, 1100.0);
  p.lo = outside ? 0.0 : p.lo;
  return exp_value(exp2_parts(p));
}

INLINE int is_integer(double y) { return __builtin_rint(y) == y; }
INLINE int is_odd(double y) { return is_integer(y) & !is_integer(y * 0.5) & (ABS(y) < 0x1p53); }

// What is common to all powers of |x|: of 0 and of infinity to finite y that is not 0.
INLINE double power_special(double x, double y, double r) {
  double a = ABS(x), to_zero = y < 0.0 ? 0.0 : INF, to_infinity = y < 0.0 ? INF : 0.0;
  r = a == INF ? to_zero : r;
  return a == 0.0 ? to_infinity : r;
}

// Also for the infinite y.
INLINE double pow_of(double x, double y) {
  double a = ABS(x);
  double r = power_special(x, y, power(x, sum(y, 0.0)));
  double limit = (a < 1.0) == (y < 0.0) ? INF : 0.0;
  limit = a == 1.0 ? 1.0 : limit;
  r = ABS(y) == INF ? limit : r;
  r = is_odd(y) ? with_sign(r, x) : r;
  // Infinities are even integers here.
  r = (x < 0.0) & (a < INF) & !is_integer(y) ? NOT_A_NUMBER : r;
  r = (x != x) | (y != y) ? NOT_A_NUMBER : r;
  return (x == 1.0) | (y == 0.0) ? 1.0 : r;
}

OVERLOAD double pow(double x, double y) { return pow_of(x, y); }
OVERLOAD double pown(double x, int n) { return pow_of(x, (double)n); }

OVERLOAD double powr(double x, double y) {
  double r = power_special(x, y, power(x, sum(y, 0.0)));
  double limit = (x < 1.0) == (y < 0.0) ? INF : 0.0;
  limit = x == 1.0 ? NOT_A_NUMBER : limit;
  r = ABS(y) == INF ? limit : r;
  double one = (x == 0.0) | (x == INF) ? NOT_A_NUMBER : 1.0;
  r = y == 0.0 ? one : r;
  return (x >= 0.0) & (y == y) ? r : NOT_A_NUMBER;
}

OVERLOAD double rootn(double x, int n) {
  double y = (double)n, inverse = 1.0 / y;
  double r = power_special(x, y, power(x, sum(inverse, FMA(-inverse, y, 1.0) * inverse)));
  r = (n & 1) != 0 ? with_sign(r, x) : x < 0.0 ? NOT_A_NUMBER : r;
  return (n == 0) | (x != x) ? NOT_A_NUMBER : r;
}

// |x| = 2^(3 k) m with m from 1 to 8. A polynomial for m^(-1/3), one step of a method of fourth order, and Newton's
// for the root itself with an exact residual.
OVERLOAD double cbrt(double x) {
  double a = ABS(x), tiny = a < 0x1p-1022 ? 0x1p54 : 1.0, offset = a < 0x1p-1022 ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0;
  ulong bits = BITS(a * tiny);
  double e = FROM_BITS(0x4330000000000000ul | (bits >> 52)) - offset;
  double k = __builtin_floor(FMA(e, 0x1.5555555555555p-2, 0.125)), left = e - 3.0 * k;
  double m = FROM_BITS((bits & 0xffffffffffffful) | 0x3ff0000000000000ul);
  double factor = left == 0.0 ? 1.0 : left == 1.0 ? CBRT_1_2 : CBRT_1_4;
  double r = cbrt_guess(m) * factor;
  m *= power_of_two(left);
  double h = FMA(-m * r, r * r, 1.0);
  r = FMA(r * h, FMA(h, FMA(h, 0x1.61f9add3c0ca4p-3, 0x1.c71c71c71c71cp-3), 0x1.5555555555555p-2), r);
  double y = m * r * r;
  Sum square = two_product(y, y);
  double residual = FMA(square.lo, y, FMA(square.hi, y, -m));
  y = FMA(-residual * 0x1.5555555555555p-2, r * r, y);
  y = with_sign(y * power_of_two(k), x);
  return (a < INF) & (a != 0.0) ? y : x;
}
