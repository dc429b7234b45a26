// Logarithms of double: log, log2, log10, log1p, and the inverse hyperbolic functions.
//
// x = 2^k m with m from sqrt(1/2) to sqrt(2), and log(m) from the series of atanh (double_log.h).

#include "double_log.h"

// What all logarithms give for x that is not positive and finite.
INLINE double log_special(double x, double y) {
  y = x < INF ? y : x;
  y = x < 0.0 ? NOT_A_NUMBER : y;
  return x == 0.0 ? -INF : y;
}

OVERLOAD double log(double x) {
  Sum y = log_parts(x);
  return log_special(x, y.hi + y.lo);
}

// factor log(m) + k high + k low, where k high is exact
INLINE double log_in_base(double x, Sum factor, double high, double low) {
  Split s = split_at_root(x);
  Sum near = log_near_1(s.m - 1.0, 0.0);
  Sum p = multiply(quick_sum(near.hi, near.lo), factor);
  Sum t = quick_sum(s.k * high, p.hi);
  return log_special(x, t.hi + FMA(s.k, low, t.lo + p.lo));
}

OVERLOAD double log2(double x) { return log_in_base(x, sum(LOG2_E_HI, LOG2_E_LO), 1.0, 0.0); }

OVERLOAD double log10(double x) {
  return log_in_base(x, sum(LOG10_E_HI, LOG10_E_LO), LOG10_2_42_HI, LOG10_2_42_LO);
}

OVERLOAD double log1p(double x) {
  Sum y = log_of_sum(two_sum(1.0, x), 0.0);
  double r = log_special(1.0 + x, y.hi + y.lo);
  return ABS(x) < 0x1p-54 ? x : r;
}

// log(1 + y.hi + y.lo), or log(2 x) where x is large
INLINE double log1p_or_large(Sum y, double x) {
  Sum t = two_sum(1.0, y.hi);
  int large = x > 0x1p30;
  t.lo = large ? 0.0 : t.lo + y.lo;
  t.hi = large ? x : t.hi;
  Sum l = log_of_sum(t, large ? 1.0 : 0.0);
  double r = l.hi + l.lo;
  return x < INF ? r : x;
}

// asinh(x) = log(1 + x + x² / (1 + sqrt(1 + x²)))
OVERLOAD double asinh(double x) {
  double a = ABS(x), q = a * a;
  double u = q / (1.0 + __builtin_sqrt(1.0 + q));
  double y = with_sign(log1p_or_large(two_sum(a, u), a), x);
  return a < 0x1p-30 ? x : y;
}

// acosh(x) = log(1 + t + sqrt(t² + 2 t)), t = x - 1
OVERLOAD double acosh(double x) {
  double t = x - 1.0;
  Sum square = two_product(t, t), q = two_sum(2.0 * t, square.hi);
  double root = __builtin_sqrt(q.hi), root_lo = (FMA(-root, root, q.hi) + (q.lo + square.lo)) / (root + root);
  Sum s = two_sum(t, root);
  s.lo += root > 0.0 ? root_lo : 0.0;
  double y = log1p_or_large(s, x);
  return x < 1.0 ? NOT_A_NUMBER : y;
}

// With 2^k near (1 + x) / (1 - x), 2 atanh(x) = k ln(2) + 2 atanh(s), where s is the quotient of
// 1 + x - 2^k (1 - x), whose differences are exact, and 1 + x + 2^k (1 - x).
OVERLOAD double atanh(double x) {
  double a = ABS(x);
  Sum up = two_sum(1.0, a), down = two_sum(1.0, -a);
  double k = split_at_root(up.hi / down.hi).k, p = power_of_two(k);
  Sum d = two_sum(up.hi, p * down.hi);
  d.lo += FMA(p, down.lo, up.lo);
  Sum q = divide_sums(two_sum(up.hi - p * down.hi, FMA(-p, down.lo, up.lo)), d);
  double s = k == 0.0 ? a : q.hi, s_lo = k == 0.0 ? 0.0 : q.lo;
  double z = s * s, part = 0.5 * k;
  Sum t = quick_sum(part * LN2_42_HI, s);
  double y = t.hi + FMA(0.5 * s * z, log_tail(z), FMA(part, LN2_42_LO, t.lo + s_lo));
  double outside = a == 1.0 ? INF : NOT_A_NUMBER;
  y = a < 1.0 ? y : outside;
  return with_sign(y, x);
}
