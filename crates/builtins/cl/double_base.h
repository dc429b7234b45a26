// What the double mathematics share: bits, sums of two doubles, scaling.
//
// The functions are for scalars and do not branch: what a choice is between is computed before it. A kernel is
// vectorized with them in it; vector arguments are taken apart (math_double_vectors.cl).

#pragma once
#include "common.h"

#define INLINE static inline __attribute__((always_inline))
#define FMA(a, b, c) __builtin_fma((a), (b), (c))
#define ABS(x) __builtin_fabs(x)
#define BITS(x) AS(ulong, (double)(x))
#define FROM_BITS(x) AS(double, (ulong)(x))
#define SIGN_BIT 0x8000000000000000ul
#define INF __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

#include "double_coefficients.h"

// An unevaluated sum: |lo| is at most about half an ulp of hi.
typedef struct {
  double hi, lo;
} Sum;

INLINE Sum sum(double hi, double lo) {
  Sum s = {hi, lo};
  return s;
}

// a + b exactly (Knuth).
INLINE Sum two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return sum(s, (a - (s - t)) + (b - t));
}

// a + b exactly where |a| is the larger, or a is 0 (Dekker).
INLINE Sum quick_sum(double a, double b) {
  double s = a + b;
  return sum(s, b - (s - a));
}

// a b exactly.
INLINE Sum two_product(double a, double b) {
  double p = a * b;
  return sum(p, FMA(a, b, -p));
}

// Relative errors of about 2^-104.
INLINE Sum multiply(Sum a, Sum b) {
  Sum p = two_product(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + FMA(a.hi, b.lo, a.lo * b.hi));
}

// n / d with a relative error of about 2^-100, by one division.
INLINE Sum divide_sums(Sum n, Sum d) {
  double r = 1.0 / d.hi, q = n.hi * r;
  return quick_sum(q, r * (FMA(-q, d.hi, n.hi) + FMA(-q, d.lo, n.lo)));
}

// The sign of `from` is flipped into x.
INLINE double xor_sign(double x, double from) { return FROM_BITS(BITS(x) ^ (BITS(from) & SIGN_BIT)); }
INLINE double with_sign(double x, double from) { return __builtin_copysign(x, from); }

// An integer below 2^51 in its size, for the low bits: NaN and what is larger give any bits.
INLINE ulong low_bits(double integer) { return BITS(integer + 0x1.8p52); }

// 2^k for an integer from -1022 to 1023.
INLINE double power_of_two(double k) { return FROM_BITS((low_bits(k) + 1023) << 52); }

// x 2^k for an integer from -2044 to 2046.
INLINE double scale(double x, double k) {
  double part = __builtin_rint(k * 0.5);
  return x * power_of_two(part) * power_of_two(k - part);
}

// Added to an integer below 2^51, it leaves the integer in the low bits.
#define MAGIC 0x1.8p52

// What a CPU may have instructions for; crates/ir/src/math.rs says what each of them does.
__attribute__((const)) double __mux_exponent_d(double);
__attribute__((const)) double __mux_mantissa_d(double);
__attribute__((const)) double __mux_scale_d(double, double);

// A number; one, if it is none. What is lost in a sum with an infinity is no number.
INLINE double if_number(double x) { return x < 1.0 ? x : 1.0; }

INLINE double clamp_to(double x, double low, double high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
