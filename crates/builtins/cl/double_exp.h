// e^x and 2^x in parts.

#pragma once
#include "double_base.h"

// 2^k (1 + hi + lo)
typedef struct {
  double k, hi, lo;
} Power;

// x - k (high + low), where k high is exact.
INLINE Sum reduce_exp(double x, double k, double high, double low) {
  double a = FMA(-k, high, x), b = k * low, r = a - b;
  return sum(r, (a - r) - b);
}

INLINE Power exp_parts(double x) {
  double k = __builtin_rint(x * LOG2_E_HI);
  Sum r = reduce_exp(x, k, LN2_42_HI, LN2_42_LO);
  Power e = {k, r.hi, FMA(r.hi * r.hi, exp_tail(r.hi), r.lo)};
  return e;
}

// 2^(x.hi + x.lo)
INLINE Power exp2_parts(Sum x) {
  double k = __builtin_rint(x.hi), r = (x.hi - k) + x.lo, low = ((x.hi - k) - r) + x.lo;
  Sum p = two_product(r, LN2_HI);
  double rest = FMA(r, LN2_LO, FMA(low, LN2_HI, p.lo));
  Power e = {k, p.hi, FMA(r * r, exp2_tail(r), rest)};
  return e;
}

// 2^(x + low) for a small low and x that are within the range of exponents.
INLINE double exp2_of_sum(double x, double low) {
  double k = __builtin_rint(x), r = (x - k) + low;
  return __mux_scale_d(FMA(r, FMA(r, exp2_tail(r), LN2_HI), 1.0), k);
}

// 1 + hi + lo
INLINE double exp_mantissa(Power e) {
  Sum s = quick_sum(1.0, e.hi);
  return s.hi + (s.lo + e.lo);
}

INLINE double exp_value(Power e) { return __mux_scale_d(exp_mantissa(e), e.k); }

// e^(x.hi + x.lo) for a small x.lo
INLINE Power exp_parts_of_sum(Sum x) {
  Power e = exp_parts(x.hi);
  e.lo += FMA(x.lo, e.hi + e.lo, x.lo);
  return e;
}
