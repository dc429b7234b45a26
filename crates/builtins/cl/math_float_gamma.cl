// tgamma, lgamma, lgamma_r of floats, in double.
//
// tgamma: Γ(z) is (z + 3/2)^(z - 1/2) e^-(z + 3/2) times a smooth function of 1 / (z + 3/2) (the form of Lanczos, 1964,
// with a minimax polynomial in place of his series). lgamma: Stirling's formula with a polynomial for what is left of
// it, from 3 on; below, a polynomial times (x - 1)(x - 2). Both: below ½ and 0 by the reflection Γ(x) Γ(1 - x) =
// π / sin(π x).

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_gamma.cl"
#include "float_widths.h"
#else
#include "float_double.h"

#define D_PI 0x1.921fb54442d18p1

// sin(π x), exact zeros at integers; whether the nearest integer is odd goes into the sign.
HELPER D sinpi_of(D x) {
  D n = __builtin_elementwise_rint(x), half_n = 0.5 * n;
  D f = n == 0.0 ? x : x - n, z = f * f;
  L odd = half_n != __builtin_elementwise_rint(half_n);
  D s = f * POLY_D_SINPI(z);
  return odd ? -s : s;
}

OVERLOAD F tgamma(F x) {
  // Beyond these the result is infinite or zero.
  D d = TO_D(x);
  d = d > 40.0 ? (D)40.0 : d;
  L reflect = d < 0.5;
  D z = reflect ? 1.0 - d : d;
  D clamped = z > 46.0 ? (D)46.0 : z;
  D t = clamped + 1.5, u = 1.0 / t;
  D exponent = ((clamped - 0.5) * log_of(t) - t) * 0x1.71547652b82fep0;
  D gamma = exp2_of(exponent) * POLY_D_GAMMA(u) * t / clamped;
  D reflected = D_PI / (sinpi_of(d) * gamma);
  F result = TO_F(reflect ? reflected : gamma);
  I pole = (x < 0.0f) & (__builtin_elementwise_floor(x) == x);
  return pole != 0 ? (F)NAN : result;
}

// As log_of, to the precision of double: near its negative zeros, lgamma is a small difference.
HELPER D exact_log_of(D x) {
  L bits = AS(L, x);
  L k = (bits - 0x3fe6a09e667f3bcdL) >> 52;
  D m = AS(D, bits - (k << 52));
  D f = m - 1.0, s = f / (m + 1.0), z = s * s;
  // 2 atanh(s) = f - s (f - 2 s² - …): the rounding of s does not count.
  D rest = s * FMA(2.0 * z, POLY_D_LOG_EXACT(z), -f);
  D n = TO_D(TO_I(k));
  return FMA(n, (D)0x1.62e42fefa4p-1, f + FMA(n, (D)-0x1.8432a1b0e2634p-43, rest));
}

HELPER F lgamma_of(F x) {
  D d = TO_D(x);
  L negative = d < 0.0, below_one = d < 1.0;
  // What the logarithm of Γ is taken of: 1 - x, x + 1, or x.
  D w = below_one ? d + 1.0 : d;
  w = negative ? 1.0 - d : w;
  D inverse = 1.0 / w, u = inverse * inverse;
  D large = FMA(w - 0.5, exact_log_of(w), 0x1.d67f1c864beb5p-1 - w) + inverse * POLY_D_LGAMMA_REST(u);
  D t = w - 2.0;
  t = t > 1.0 ? (D)1.0 : t;
  D small = (w - 1.0) * t * POLY_D_LGAMMA(t);
  D result = w < 3.0 ? small : large;
  D factor = negative ? __builtin_elementwise_abs(sinpi_of(d)) * 0x1.45f306dc9c883p-2 : d;
  D logarithm = exact_log_of(factor);
  D shifted = result - logarithm, reflected = -(result + logarithm);
  result = below_one ? shifted : result;
  result = negative ? reflected : result;
  // The zeros at 1 and 2 are positive.
  F rounded = TO_F(result + 0.0);
  I pole = (x <= 0.0f) & (__builtin_elementwise_floor(x) == x);
  rounded = pole != 0 ? (F)INFINITY : rounded;
  rounded = ABS(x) == INFINITY ? (F)INFINITY : rounded;
  return x != x ? x : rounded;
}

OVERLOAD F lgamma(F x) { return lgamma_of(x); }

#include "lgamma_r.h"

#endif
