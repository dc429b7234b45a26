// sinh, cosh, tanh and asinh, acosh, atanh of floats.
//
// sinh, cosh: x = k ln 2 + r as for exp, and 2 sinh(x) = (2^k - 2^-k) cosh(r) + (2^k + 2^-k) sinh(r), with minimax polynomials
// for the even and the odd part. tanh: 1 - 2 / (exp(2 x) + 1), near zero an odd polynomial. The inverse functions are
// log(1 + u) with u as the sum of two floats; near zero odd polynomials.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_hyperbolic.cl"
#include "float_widths.h"
#else
#include "float_log.h"

// (2^k ± 2^-k) / 2 as sums of two floats, what is to be multiplied with the first and the second, and a power of two
// that the sum is to be multiplied with in the end. For 0 ≤ x ≤ 90.
HELPER void halves(F x, __private F *sinh, __private F *cosh, __private F *power) {
  F t = FMA(x, (F)LOG2E_HI, (F)MAGIC), n = t - MAGIC;
  F r0 = FMA(n, (F)-LN2_HI, x), r = FMA(n, (F)-LN2_LO, r0), r_low = FMA(n, (F)-LN2_LO, r0 - r);
  F z = r * r;
  F even = FMA(z, POLY_COSH_SHORT(z), r * r_low), odd = FMA(r * z, POLY_SINH_SHORT(z), r_low);
  // Beyond 2^14, 2^-k no longer matters.
  I k = AS(I, t) - MAGIC_BITS, near = k > 14 ? (I)14 : k;
  *power = AS(F, (k - near + 127) << 23);
  F up = AS(F, (near + 126) << 23), down = AS(F, (126 - near) << 23);
  F a = up - down, a_low = (up - a) - down, b = up + down, b_low = (up - b) + down;
  F br = b * r, br_low = FMA(b, r, -br), ar = a * r, ar_low = FMA(a, r, -ar);
  F s = a + br, c = b + ar;
  *sinh = s + ((((a - s) + br) + br_low + a_low) + FMA(a, even, b * odd));
  *cosh = c + ((((b - c) + ar) + ar_low + b_low) + FMA(b, even, a * odd));
}

OVERLOAD F sinh(F x) {
  F a = ABS(x);
  a = a > 90.0f ? (F)90.0f : a;
  F s, c, power;
  halves(a, &s, &c, &power);
  F result = s * power;
  return FLIP_SIGN(result, SIGN(x));
}

OVERLOAD F cosh(F x) {
  F a = ABS(x);
  a = a > 90.0f ? (F)90.0f : a;
  F s, c, power;
  halves(a, &s, &c, &power);
  return c * power;
}

OVERLOAD F tanh(F x) {
  F a = ABS(x), z = x * x;
  F small = FMA(a * z, POLY_TANH(z), a);
  F twice = a + a;
  twice = twice > 20.0f ? (F)20.0f : twice;
  F t = FMA(twice, (F)LOG2E_HI, (F)MAGIC), n = t - MAGIC;
  F r = FMA(n, (F)-LN2_LO, FMA(n, (F)-LN2_HI, twice));
  F first = 1.0f + r, lost = (1.0f - first) + r;
  F p = first + FMA(r * r, POLY_EXP(r), lost);
  F e = p * AS(F, (AS(I, t) << 23) + 0x3f800000);
  F large = 1.0f - 2.0f / (e + 1.0f);
  return FLIP_SIGN(a < 1.0f ? small : large, SIGN(x));
}

// asinh(a) = log(1 + a + a² / (1 + √(1 + a²))), for a large a log(2 a).
OVERLOAD F asinh(F x) {
  F a = ABS(x);
  I large = a > 0x1p13f;
  F c = large ? (F)1.0f : a;
  F q = c * c, q_low = FMA(c, c, -q);
  F s = 1.0f + q, more = q > 1.0f ? q : (F)1.0f, less = q > 1.0f ? (F)1.0f : q;
  F root = __builtin_elementwise_sqrt(s);
  F root_low = (FMA(-root, root, s) + (((more - s) + less) + q_low)) * (0.5f / root);
  F d = 1.0f + root, d_low = ((root - d) + 1.0f) + root_low;
  F inverse = 1.0f / d, rest = q * inverse;
  F rest_low = inverse * (FMA(-rest, d, q) + FMA(-rest, d_low, q_low));
  F u = c + rest;
  F big = c > rest ? c : rest, other = c > rest ? rest : c;
  F u_low = ((big - u) + other) + rest_low;
  F result = log_of_sum(large ? a : (F)1.0f, large ? (F)0.0f : u, large ? (F)0.0f : u_low, large ? (F)1.0f : (F)0.0f);
  result = a < INFINITY ? result : a;
  F z = a * a, small = FMA(a * z, POLY_ASINH(z), a);
  return FLIP_SIGN(a < 0.5f ? small : result, SIGN(x));
}

// acosh(x) = log(1 + t + √(t² + 2 t)), t = x - 1; for a large x log(2 x).
OVERLOAD F acosh(F x) {
  I large = x > 0x1p13f;
  F t = large ? (F)1.0f : x - 1.0f;
  F q = FMA(t, t, t + t), q_low = FMA(t, t, (t + t) - q);
  F root = __builtin_elementwise_sqrt(q);
  F root_low = (FMA(-root, root, q) + q_low) / (root + root);
  root_low = root > 0.0f ? root_low : (F)0.0f;
  F u = t + root, big = t > root ? t : root, other = t > root ? root : t;
  F u_low = ((big - u) + other) + root_low;
  F result = log_of_sum(large ? x : (F)1.0f, large ? (F)0.0f : u, large ? (F)0.0f : u_low, large ? (F)1.0f : (F)0.0f);
  result = x < INFINITY ? result : x;
  return x < 1.0f ? (F)NAN : result;
}

// atanh(a) = log(1 + 2 a / (1 - a)) / 2
OVERLOAD F atanh(F x) {
  F a = ABS(x), twice = a + a;
  F d = 1.0f - a, d_low = (1.0f - d) - a;
  F inverse = 1.0f / d, u = twice * inverse;
  F u_low = inverse * (FMA(-u, d, twice) - u * d_low);
  F result = 0.5f * log_of_sum((F)1.0f, u, u_low, (F)0.0f);
  result = a < 1.0f ? result : (F)NAN;
  result = a == 1.0f ? (F)INFINITY : result;
  F z = a * a, small = FMA(a * z, POLY_ATANH(z), a);
  return FLIP_SIGN(a < 0.35f ? small : result, SIGN(x));
}

#endif
