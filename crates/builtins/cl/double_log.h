// Logarithms in parts.

#pragma once
#include "double_base.h"

// m 2^k with m from sqrt(1/2) to sqrt(2)
typedef struct {
  double k, m;
} Split;

// For a positive finite x; anything for others.
INLINE Split split_at_root(double x) {
  double tiny = x < 0x1p-1022 ? 0x1p54 : 1.0, offset = x < 0x1p-1022 ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0;
  ulong bits = BITS(x * tiny);
  ulong exponent = (bits + (BITS(1.0) - BITS(0x1.6a09e667f3bcdp-1))) >> 52;
  Split s = {FROM_BITS(0x4330000000000000ul | exponent) - offset, FROM_BITS(bits - ((exponent - 1023) << 52))};
  return s;
}

// log(1 + f + f_lo), where 1 + f is from sqrt(1/2) to sqrt(2) and f_lo is small against f or against 1.
//
// With s = f / (2 + f) it is 2 atanh(s) = 2 s + s³ R(s²), and 2 s = f - s f: what s is wrong by matters little.
INLINE Sum log_near_1(double f, double f_lo) {
  double s = f / (2.0 + f), z = s * s;
  double rest = s * FMA(z, log_tail(z), -f);
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
  Split s = split_at_root(x);
  return log_sum(s.k, log_near_1(s.m - 1.0, 0.0));
}

// log(2^k (a + b)), |b| small against a
INLINE Sum log_of_sum(Sum a, double k) {
  Split s = split_at_root(a.hi);
  double small = power_of_two(s.k > 1000.0 ? -1000.0 : -s.k);
  return log_sum(s.k + k, log_near_1(s.m - 1.0, a.lo * small));
}

// log2(x) of a positive finite number, with a relative error of about 2^-64: 2/ln(2) atanh(s), s = (m - 1) / (m + 1).
INLINE Sum log2_parts(double x) {
  Split p = split_at_root(x);
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
  return sum(whole, ((p.k - whole) + product) + product_lo);
}
