// Gamma and error functions of double: tgamma, lgamma, lgamma_r, erf, erfc.
//
// Gamma: Lanczos' form with a quotient of polynomials, the power as a sum of two doubles; reflection below 0. Near its
// positive zeros, log Γ comes from a polynomial about 2 and the recurrence; near a negative one, by the quotients of
// what the reflection multiplies to what it multiplies at the zero (lgamma_by_zero). Error functions: erf by a polynomial up to 1;
// e^(x²) erfc(x) by one polynomial in (x - 4) / (x + 4) for all x >= 0 (Shepherd and Laframboise).

#include "double_exp.h"
#include "double_log.h"
#include "double_sinpi.h"

// erfc(x) for x >= 0
INLINE double erfc_positive(double x) {
  x = clamp_to(x, 0.0, 28.0);
  double quotient = erfcx_scaled((x - 4.0) / (x + 4.0)) / FMA(2.0, x, 1.0);
  Sum square = two_product(x, x);
  Power e = exp_parts_of_sum(sum(-square.hi, -square.lo));
  return scale(exp_mantissa(e) * quotient, e.k);
}

OVERLOAD double erfc(double x) {
  double a = ABS(x), y = erfc_positive(a), other = 2.0 - y, near = 1.0 - FMA(x, erf_tail(x * x), x);
  y = x < 0.0 ? other : y;
  return a < 0.5 ? near : y;
}

OVERLOAD double erf(double x) {
  double a = ABS(x), near = FMA(x, erf_tail(x * x), x), far = with_sign(1.0 - erfc_positive(a), x);
  return a < 1.0 ? near : far;
}

// Whether the negative x is between an even and the next lower odd number, where gamma is negative.
INLINE int gamma_is_negative(double x) {
  double f = __builtin_floor(x), part = f * 0.5;
  return (x < 0.0) & (__builtin_floor(part) != part);
}

INLINE double sinpi_size(double a) {
  ReducedPi r = reduce_pi(a);
  return ABS(turn(sin_cos_pi_near(r.r), r.quadrant));
}

OVERLOAD double tgamma(double x) {
  double a = ABS(x), z = clamp_to(a, 0.0, 200.0), h = z - 0.5;
  double quotient = gamma_numerator(z) / gamma_denominator(z);
  Sum w = two_sum(z, GAMMA_SHIFT), l = log_parts(w.hi), s = quick_sum(l.hi, -1.0);
  double low = w.lo / w.hi + (l.lo + s.lo);
  Sum p = two_product(h, s.hi);
  p.lo = FMA(h, low, p.lo);
  Power e = exp_parts_of_sum(p);
  double m = exp_mantissa(e) * quotient;
  double reflected = PI_HI / (a * sinpi_size(a) * m);
  double y = scale(x < 0.0 ? reflected : m, x < 0.0 ? -e.k : e.k);
  double inverse = 1.0 / x;
  y = gamma_is_negative(x) ? -y : y;
  y = a < 0x1p-60 ? inverse : y;
  y = (x < 0.0) & (__builtin_floor(x) == x) ? NOT_A_NUMBER : y;
  return x == INF ? x : y;
}

// log |Γ(-a)| for 2 < a < 18.5: beyond, no double is near a zero.
//
// Γ(-a) Γ(1 + a) sin(πa) = -π, and with m the integer nearest to a, a = m + f, Γ(1 + a) = Γ(3 + f) (3 + f) … (m + f). At
// a zero m + f₀ of log |Γ| all of this is as large; so what is asked for is minus the logarithm of the quotients
// sin(πf) / sin(πf₀), (3 + f) … (m + f) / ((3 + f₀) … (m + f₀)) and Γ(3 + f) / Γ(3 + f₀), each of which is 1 plus
// something that is known from d = f - f₀ without cancellation. Just above 2½, the zero below is the better one.
INLINE double lgamma_by_zero(double a) {
  double m = a < 2.6 ? 2.0 : __builtin_rint(a), f = a - m;
  int row = (int)m - 2, side = f < 0.0;
  double f0 = gamma_zeros[row][side][0], d = (f - f0) - gamma_zeros[row][side][1];
  Pair half_d = sin_cos_pi_near(0.5 * d);
  double sine = 2.0 * half_d.sin.hi * FMA(gamma_zeros[row][side][3], half_d.cos.hi, -half_d.sin.hi);
  double difference = 0.0, product = 1.0, quotient = 0.0, b = 0.0;
  for (int j = 3; j <= 18; ++j) {
    double next = FMA(difference, j + f, product * d), larger = product * (j + f0);
    difference = j <= row + 2 ? next : difference;
    product = j <= row + 2 ? larger : product;
  }
  double factors = difference / product;
  for (int j = 19; j >= 0; --j) {
    b = FMA(b, f0, lgamma_from_3[j]);
    quotient = FMA(quotient, f, b);
  }
  double off = FMA(sine, factors, sine + factors);
  // Far from the zero, where 1 + off is inexact, the quotient itself.
  double whole = sinpi_size(f) / ABS(gamma_zeros[row][side][2]) * (1.0 + factors);
  Sum near = quick_sum(1.0, off), y = ABS(off) < 0.5 ? near : sum(whole, 0.0), l = log_of_sum(y, 0.0);
  return -(l.hi + FMA(d, quotient, l.lo));
}

// log |Γ(a)| = main - log(v); for the reflection, log |Γ(-a)| = -main - log(v).
INLINE double lgamma_of(double x) {
  double a = ABS(x);
  int negative = x < 0.0, tiny = a < 0.5, one = a < 1.5, two = a < 2.5, three = a < 3.5;
  double u = a - (tiny ? 0.0 : one ? 1.0 : two ? 2.0 : 3.0), near = u * lgamma_near_2(u);
  Sum w = two_sum(a, GAMMA_SHIFT), l = log_of_sum(w, 0.0), t = quick_sum(l.hi, -1.0);
  double h = a - 0.5;
  Sum far = two_product(h, t.hi);
  far.lo = FMA(h, t.lo + l.lo, far.lo);
  Sum main = sum(three ? near : far.hi, three ? 0.0 : far.lo);

  double z = a > 0x1p40 ? 0x1p40 : a, n = gamma_numerator(z), d = gamma_denominator(z);
  // v is a quotient: a (a + 1), a, 1, 1 / (a - 1) or d / n; reflected, where a < 2, these times a |sin(πa)| in the
  // denominator.
  double product = FMA(a, a, a), next = 1.0 + a, sine = sinpi_size(a) * ONE_PI_HI, times = a * sine, many = times * n;
  double top = negative ? many : d, bottom = negative ? d : n, top_two = negative ? times : 1.0, below = a - 1.0;
  double top_one = negative ? sine : a, top_tiny = negative ? sine : product, bottom_tiny = negative ? next : 1.0;
  top = three ? top_two : top;
  top = one ? top_one : top;
  top = tiny ? top_tiny : top;
  bottom = three ? below : bottom;
  bottom = two ? 1.0 : bottom;
  bottom = tiny ? bottom_tiny : bottom;
  double v = top / bottom;
  Sum log_v = log_parts(v);
  double sign = negative ? -1.0 : 1.0;
  Sum s = two_sum(sign * main.hi, -log_v.hi);
  double y = s.hi + (s.lo + FMA(sign, main.lo, -log_v.lo));
  int pole = (x <= 0.0) & (__builtin_floor(x) == x);
  if ((x < -2.0) & (x > -18.5) & !pole)
    y = lgamma_by_zero(a);
  y = pole | (a == INF) ? INF : y;
  // As it would overflow on its way.
  y = far.hi == INF ? INF : y;
  return x != x ? x : y;
}

OVERLOAD double lgamma(double x) { return lgamma_of(x); }

#define LGAMMA_R(SPACE) \
  OVERLOAD double lgamma_r(double x, SPACE int *sign) { \
    int pole = (x < 0.0) & (__builtin_floor(x) == x), below = (x == 0.0) & (BITS(x) != 0); \
    *sign = (gamma_is_negative(x) & !pole) | below ? -1 : 1; \
    return lgamma_of(x); \
  }
LGAMMA_R(__global)
LGAMMA_R(__local)
LGAMMA_R(__private)
LGAMMA_R(__generic)
