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

// log(2^k (a + b)), |b| small against a
INLINE Sum log_of_sum(Sum a, double k) {
  Split s = split(a.hi);
  double small = power_of_two(s.k > 1000.0 ? -1000.0 : -s.k);
  return log_sum(s.k + k, log_near_1(s.m - 1.0, a.lo * small));
}

// x = 2^k m, f = m r - 1 exactly with the r of the mantissa's step, |f| < 1/16. The tables' log(1/r) is that of 2/r for a
// mantissa below 1, where k is the exponent of x and not one more; next to 1 both make it zero. Zeros, infinities and what has
// no logarithm are as in a Split.
typedef struct {
  double k, f;
  ulong step;
} Near;

INLINE Near near_step(double x) {
  double m = __mux_mantissa_d(x);
  ulong step = (BITS(m) >> 48) & 15;
  Near n = {__mux_exponent_d(x), FMA(m, log_inverses[step], -1.0), step};
  return n;
}

// The logarithm of a positive number, infinite or with a relative error of about 2^-62: f - f²/2 is a sum of two doubles. The
// low part has up to 2^-9 of it.
INLINE Sum log_unnormalized(double x) {
  Near n = near_step(x);
  double z = n.f * n.f, z_lo = FMA(n.f, n.f, -z);
  double near = FMA(-0.5, z, n.f), near_lo = FMA(-0.5, z_lo, FMA(-0.5, z, n.f - near));
  near_lo = FMA(n.f * z, log_step_tail(n.f), near_lo);
  double a = FMA(n.k, LN2_42_HI, log_steps_hi[n.step]), a_lo = FMA(n.k, LN2_42_LO, log_steps_lo[n.step]);
  double whole = a + near;
  return sum(whole, if_number((a - whole) + near) + (near_lo + a_lo));
}

INLINE Sum log_parts(double x) {
  Sum log = log_unnormalized(x);
  return quick_sum(log.hi, log.lo);
}
