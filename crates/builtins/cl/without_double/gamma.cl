// tgamma, lgamma of floats: the formulas of math_float_gamma.cl. What counts many times over, exponents and
// logarithms, is the sum of two floats; the rest is in plain float.

#ifndef WIDTH
#include "../float_math.h"
#define SELF "without_double/gamma.cl"
#include "../float_widths.h"
#else
#include "../float_pow.h"

// a + b and what its rounding loses (Knuth's two-sum).
HELPER F two_sum(F a, F b, __private F *low) {
  F sum = a + b, rest = sum - a;
  *low = (a - (sum - rest)) + (b - rest);
  return sum;
}

// (a + a_low) (b + b_low)
HELPER F two_product(F a, F a_low, F b, F b_low, __private F *low) {
  F product = a * b;
  *low = FMA(a, b_low, FMA(a_low, b, FMA(a, b, -product)));
  return product;
}

// log2(x + x_low) of a positive number
HELPER F log2_of(F x, F x_low, __private F *low) {
  F m = MANTISSA(x), part, log = exact_log2_parts(m, EXPONENT(x) - EXPONENT(m), &part);
  *low = FMA(x_low / x, (F)LOG2E_HI, part);
  return log;
}

// sin(π x), exact zeros at integers; whether the nearest integer is odd goes into the sign.
HELPER F sinpi_of(F x) {
  F n = __builtin_elementwise_rint(x), half_n = 0.5f * n;
  F f = n == 0.0f ? x : x - n, z = f * f;
  I odd = half_n != __builtin_elementwise_rint(half_n);
  F s = f * POLY_D_SINPI(z);
  return odd ? -s : s;
}

OVERLOAD F tgamma(F x) {
  // Beyond these the result is infinite or zero.
  F d = x > 40.0f ? (F)40.0f : x;
  I reflect = d < 0.5f;
  F other_low, other = two_sum((F)1.0f, -d, &other_low);
  F z = reflect ? other : d, z_low = reflect ? other_low : (F)0.0f;
  z_low = z > 46.0f ? (F)0.0f : z_low;
  z = z > 46.0f ? (F)46.0f : z;
  F t_low, t = two_sum(z, (F)1.5f, &t_low), w_low, w = two_sum(z, (F)-0.5f, &w_low);
  t_low += z_low;
  w_low += z_low;
  // The exponent (z - ½) log2(t) - t log2(e)
  F log_low, log = log2_of(t, t_low, &log_low);
  F first_low, first = two_product(w, w_low, log, log_low, &first_low);
  F second_low, second = two_product(t, t_low, (F)LOG2E_HI, (F)LOG2E_LO, &second_low);
  F exponent_low, exponent = two_sum(first, -second, &exponent_low);
  F n = __builtin_elementwise_rint(exponent);
  F r = (exponent - n) + (exponent_low + (first_low - second_low));
  F factor = FMA(r, POLY_EXP2(r), (F)1.0f) * (POLY_D_GAMMA(1.0f / t) * (t / z));
  F gamma = SCALE(factor, n), reflected = SCALE(PI_HI / (sinpi_of(d) * factor), -n);
  F result = reflect ? reflected : gamma;
  I pole = (x < 0.0f) & (__builtin_elementwise_floor(x) == x);
  return pole != 0 ? (F)NAN : result;
}

// log(x + x_low) of a positive number
HELPER F log_of(F x, F x_low, __private F *low) {
  F log_low, log = log2_of(x, x_low, &log_low);
  return two_product(log, log_low, (F)LN2_HI, (F)LN2_LO, low);
}

OVERLOAD F lgamma(F x) {
  I negative = x < 0.0f, below_one = x < 1.0f;
  // What the logarithm of Γ is taken of: 1 - x, x + 1, or x.
  F up_low, up = two_sum(x, (F)1.0f, &up_low), other_low, other = two_sum((F)1.0f, -x, &other_low);
  F w = below_one ? up : x, w_low = below_one ? up_low : (F)0.0f;
  w = negative ? other : w;
  w_low = negative ? other_low : w_low;
  F inverse = 1.0f / w, u = inverse * inverse;
  F log_low, log = log_of(w, w_low, &log_low);
  F less_low, less = two_sum(w, (F)-0.5f, &less_low);
  // Stirling's formula: (w - ½) (log(w) - 1) + (log(2π) - 1) / 2 + …
  F factor_low, factor = two_sum(log, (F)-1.0f, &factor_low);
  F product_low, product = two_product(less, less_low + w_low, factor, factor_low + log_low, &product_low);
  F large_low, large = two_sum(product, (F)0x1.acfe3ap-2f, &large_low);
  large_low += product_low + FMA(inverse, POLY_D_LGAMMA_REST(u), (F)-0x1.e6d052p-27f);
  // The zeros at 1 and 2
  F t = (w - 2.0f) + w_low, from_one = (w - 1.0f) + w_low;
  t = t > 1.0f ? (F)1.0f : t;
  F small = from_one * t * POLY_D_LGAMMA(t);
  F result = w < 3.0f ? small : large, result_low = w < 3.0f ? (F)0.0f : large_low;
  // log Γ(x) is that of x + 1 less log(x), or by the reflection.
  F step_log_low, step_log = log_of(negative ? ABS(sinpi_of(x)) * INV_PI_HI : x, (F)0.0f, &step_log_low);
  F shifted_low, shifted = two_sum(result, -step_log, &shifted_low);
  F turned_low, turned = two_sum(result, step_log, &turned_low);
  F shifted_sum = shifted + (shifted_low + (result_low - step_log_low));
  F turned_sum = -(turned + (turned_low + (result_low + step_log_low)));
  F plain = result + result_low;
  plain = below_one ? shifted_sum : plain;
  plain = negative ? turned_sum : plain;
  // The zeros at 1 and 2 are positive. What is left of an infinite product is no number.
  plain += 0.0f;
  plain = product == INFINITY ? product : plain;
  I pole = (x <= 0.0f) & (__builtin_elementwise_floor(x) == x);
  plain = pole != 0 ? (F)INFINITY : plain;
  plain = ABS(x) == INFINITY ? (F)INFINITY : plain;
  return x != x ? x : plain;
}

#endif
