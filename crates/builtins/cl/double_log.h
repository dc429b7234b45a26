// Logarithms in parts.

#pragma once
#include "double_base.h"

// m 2^k with m in [¾, 1½). For zero and infinity k is infinite and m is 1; for what is negative or a NaN, m is a NaN.
typedef struct {
  double k, m;
} Split;

INLINE Split split(double x) {
  double m = __mux_mantissa_d(x);
  Split s = {__mux_exponent_d(x) - __mux_exponent_d(m), m};
  return s;
}

// What log(1 + f) is more than f, for f in [-¼, ½); *s is f / (2 + f).
//
// log(1 + f) = 2 atanh(s) = 2 s + s³ R(s²), and 2 s = f - s f: what s is wrong by matters little.
INLINE double log_rest(double f, __private double *s) {
  *s = f / (2.0 + f);
  double z = *s * *s;
  return *s * FMA(z, log_tail(z), -f);
}

// log(1 + f + f_lo), where f_lo is small against f or against 1.
INLINE Sum log_near_1(double f, double f_lo) {
  double s, rest = log_rest(f, &s);
  // 1 / (1 + f) = (1 - s) / (1 + s)
  double slope = FMA(-2.0 * s, FMA(s, s, 1.0 - s), 1.0);
  return sum(f, FMA(f_lo, slope, rest));
}

// k ln(2) + near: the logarithm of (1 + f) 2^k
INLINE Sum log_sum(double k, Sum near) {
  Sum t = quick_sum(k * LN2_42_HI, near.hi);
  return quick_sum(t.hi, t.lo + FMA(k, LN2_42_LO, near.lo));
}

// The logarithm of a positive finite number, with a relative error below 2^-55 where x is not near 1.
INLINE Sum log_parts(double x) {
  Split p = split(x);
  double s, f = p.m - 1.0;
  return log_sum(p.k, sum(f, log_rest(f, &s)));
}

// log(2^k (a + b)), |b| small against a
INLINE Sum log_of_sum(Sum a, double k) {
  Split s = split(a.hi);
  double small = power_of_two(s.k > 1000.0 ? -1000.0 : -s.k);
  return log_sum(s.k + k, log_near_1(s.m - 1.0, a.lo * small));
}

// log2(x) of a positive number, of which the low part is none where it is infinite, with a relative error of about 2^-61: 2/ln(2) atanh(s),
// s = (m - 1) / (m + 1). What is left of it is up to 2^-12 of the product, and becomes a part of the first number.
INLINE Sum log2_parts(double x) {
  Split p = split(x);
  double n = p.m - 1.0, d = p.m + 1.0, d_lo = p.m - (d - 1.0);
  double r = 1.0 / d, s = n * r;
  double s_lo = r * FMA(-s, d_lo, FMA(-s, d, n));
  double z = s * s, z_lo = FMA(s + s, s_lo, FMA(s, s, -z));
  double w = z * LOG2_1_HI;
  double w_lo = FMA(z, FMA(z, log2_tail(z), LOG2_1_LO), FMA(z_lo, LOG2_1_HI, FMA(z, LOG2_1_HI, -w)));
  double factor = LOG2_0_HI + w;
  double factor_lo = ((LOG2_0_HI - factor) + w) + (w_lo + LOG2_0_LO);
  double product = s * factor;
  double product_lo = FMA(s, factor, -product) + FMA(s, factor_lo, s_lo * factor);
  double whole = p.k + product;
  return quick_sum(whole, if_number(((p.k - whole) + product) + product_lo));
}
