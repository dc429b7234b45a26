// Exponential functions of double: exp, exp2, exp10, expm1, sinh, cosh, tanh.
//
// Cody and Waite's reduction to 2^k e^r with |r| <= ln(2)/2, where the low part of r is kept, or to sixteenths of k, the powers
// of which are in a table; a polynomial for what e^r has beyond 1 + r. The hyperbolic functions take the even and the odd part of e^r, and need no quotient:
// 2 sinh(x) = (2^k - 2^-k) cosh(r) + (2^k + 2^-k) sinh(r).

#include "double_exp.h"

OVERLOAD double exp(double x) {
  x = clamp_to(x, -746.0, 710.0);
  double t = FMA(x, LOG2_E_HI, SIXTEENTHS), n = t - SIXTEENTHS;
  double r = FMA(-n, LN2_38_LO, FMA(-n, LN2_38_HI, x));
  return power_of_sixteenths(t, n, FMA(r * r, exp_step_tail(r), r));
}

OVERLOAD double exp2(double x) {
  x = clamp_to(x, -1080.0, 1025.0);
  double t = x + SIXTEENTHS, n = t - SIXTEENTHS, r = x - n;
  return power_of_sixteenths(t, n, r * FMA(r, exp2_step_tail(r), LN2_HI));
}

OVERLOAD double exp10(double x) {
  x = clamp_to(x, -325.0, 310.0);
  double k = __builtin_rint(x * LOG2_10);
  Sum r = reduce_exp(x, k, LOG10_2_42_HI, LOG10_2_42_LO);
  Sum p = two_product(r.hi, LN10_HI);
  double rest = FMA(r.hi, LN10_LO, FMA(r.lo, LN10_HI, p.lo));
  Power e = {k, p.hi, FMA(r.hi * r.hi, exp10_tail(r.hi), rest)};
  return exp_value(e);
}

OVERLOAD double expm1(double x) {
  Power e = exp_parts(clamp_to(x, -40.0, 710.0));
  // Half of it: 2^k alone can be too large.
  double part = power_of_two(e.k - 1.0);
  Sum whole = two_sum(part, -0.5), t = two_sum(whole.hi, part * e.hi);
  double y = 2.0 * (t.hi + FMA(part, e.lo, t.lo + whole.lo));
  return ABS(x) < 0x1p-54 ? x : y;
}

// Both for x >= 0, without the factor.
typedef struct {
  Sum sinh, cosh;
  double factor;
} Hyperbolic;

INLINE Hyperbolic hyperbolic(double x) {
  double k = __builtin_rint(x * LOG2_E_HI);
  Sum r = reduce_exp(x, k, LN2_42_HI, LN2_42_LO);
  double z = r.hi * r.hi;
  // cosh(r) - 1 and sinh(r) - r
  double even = FMA(r.hi, r.lo, z * cosh_tail(z)), odd = FMA(r.hi * z, sinh_tail(z), r.lo);
  // Beyond 2^30, 2^-k no longer matters.
  double near = k > 30.0 ? 30.0 : k;
  double up = power_of_two(near - 1.0), down = power_of_two(-near - 1.0);
  double a = up - down, b = up + down, a_lo = (up - a) - down, b_lo = (up - b) + down;
  Sum br = two_product(b, r.hi), ar = two_product(a, r.hi);
  Sum s = two_sum(a, br.hi), c = quick_sum(b, ar.hi);
  Hyperbolic h;
  h.sinh = quick_sum(s.hi, s.lo + br.lo + a_lo + FMA(a, even, b * odd));
  h.cosh = quick_sum(c.hi, c.lo + ar.lo + b_lo + FMA(b, even, a * odd));
  h.factor = power_of_two(k - near);
  return h;
}

OVERLOAD double sinh(double x) {
  Hyperbolic h = hyperbolic(clamp_to(ABS(x), 0.0, 720.0));
  return with_sign(h.sinh.hi * h.factor, x);
}

OVERLOAD double cosh(double x) {
  Hyperbolic h = hyperbolic(clamp_to(ABS(x), 0.0, 720.0));
  return h.cosh.hi * h.factor;
}

OVERLOAD double tanh(double x) {
  Hyperbolic h = hyperbolic(clamp_to(ABS(x), 0.0, 20.0));
  return with_sign(divide_sums(h.sinh, h.cosh).hi, x);
}
