// Logarithms of double: log, log2, log10, log1p, and the inverse hyperbolic functions.
//
// x = 2^k m with m in [¾, 1½), and log(m) from a table of reciprocals, or from the series of atanh (double_log.h).

#include "double_log.h"

// k high + k low + hi + lo, where k high is exact; infinite if k is.
INLINE double log_total(double k, double high, double low, Sum near) {
  Sum t = quick_sum(k * high, near.hi);
  double rest = if_number(t.lo) + near.lo;
  return t.hi + (low == 0.0 ? rest : FMA(k, low, rest));
}

// (log(1 + f) - f) / f² for f of a step.
INLINE double beyond_first(double f) { return FMA(f, log_step_tail(f), -0.5); }

OVERLOAD double log(double x) {
  Near n = near_step(x);
  double a = FMA(n.k, LN2_42_HI, log_steps_hi[n.step]), whole = a + n.f;
  double low = FMA(n.f * n.f, beyond_first(n.f), FMA(n.k, LN2_42_LO, log_steps_lo[n.step]));
  return whole + (if_number((a - whole) + n.f) + low);
}

OVERLOAD double log2(double x) {
  Near n = near_step(x);
  double a = n.k + log2_steps_hi[n.step], first = n.f * LOG2_E_HI, whole = a + first;
  double low = FMA(n.f, LOG2_E_LO, FMA(n.f, LOG2_E_HI, -first)) + log2_steps_lo[n.step];
  return whole + (if_number((a - whole) + first) + FMA(n.f * n.f * LOG2_E_HI, beyond_first(n.f), low));
}

// factor log(m) + k high + k low
INLINE double log_in_base(double x, Sum factor, double high, double low) {
  Split p = split(x);
  double s, f = p.m - 1.0;
  Sum near = quick_sum(f, log_rest(f, &s));
  return log_total(p.k, high, low, multiply(near, factor));
}

OVERLOAD double log10(double x) {
  return log_in_base(x, sum(LOG10_E_HI, LOG10_E_LO), LOG10_2_42_HI, LOG10_2_42_LO);
}

// What log1p gives for 1 + x that is not positive and finite.
INLINE double log_special(double x, double y) {
  y = x < INF ? y : x;
  y = x < 0.0 ? NOT_A_NUMBER : y;
  return x == 0.0 ? -INF : y;
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
  double k = split(up.hi / down.hi).k, p = power_of_two(k);
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
