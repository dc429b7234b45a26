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

// Added to a number below 2^46, it leaves the nearest sixteenth of an integer: which one of an integer's is in the low bits.
#define SIXTEENTHS 0x1.8p48

// 2^n, which is a multiple of a sixteenth, as the sum with SIXTEENTHS is; times 1 + e.
INLINE double power_of_sixteenths(double t, double n, double e) {
  double step = exp_steps[BITS(t) & 15];
  return __mux_scale_d(FMA(step, e, step), __builtin_floor(n));
}

// e^(x + low) for a low of at most 1 and an x within the range of exponents.
INLINE double exp_of_sum(double x, double low) {
  double t = FMA(x + low, LOG2_E_HI, MAGIC), k = t - MAGIC;
  double r = FMA(-k, LN2_42_LO, FMA(-k, LN2_42_HI, x)) + low;
  return __mux_scale_d(FMA(r * r, exp_tail(r), r) + 1.0, k);
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
