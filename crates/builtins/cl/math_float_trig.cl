// sin, cos, tan, sincos of floats.
//
// Reduction of Cody and Waite for |x| ≤ 2^17 (float_trig.h). Beyond, behind a branch, the method of Payne and Hanek: the
// product with those bits of 2/π that matter, in integers. Then minimax polynomials.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_trig.cl"
#include "float_widths.h"
#else
#include "float_trig.h"

#define WORD(n, a, b, c, d) (n == 0 ? (U)a : n == 1 ? (U)b : n == 2 ? (U)c : (U)d)

// For 2^17 ≤ x < 2^128. With x = m 2^e and m an integer of 24 bits, bits of 2/π above 2^(1-e) give multiples of four
// quadrants; the 96 bits from there on leave at least 29 right ones when x is as near to a multiple of π/2 as a float
// can be.
HELPER void reduce_huge(F x, __private F *r, __private F *low, __private I *quadrant) {
  I bits = AS(I, x);
  UL m = TO_UL(AS(U, (bits & 0x7fffff) | 0x800000));
  // The first bit that is needed, where bit 16 has the value ½.
  I from = (bits >> 23) - 150 - 2 + 16;
  I word = from >> 5;
  UL shift = TO_UL(from & 31);
  // 2/π, with sixteen zeros before its first bit.
  UL w0 = TO_UL(WORD(word, 0x0000a2f9u, 0x836e4e44u, 0x1529fc27u, 0x57d1f534u));
  UL w1 = TO_UL(WORD(word, 0x836e4e44u, 0x1529fc27u, 0x57d1f534u, 0xddc0db62u));
  UL w2 = TO_UL(WORD(word, 0x1529fc27u, 0x57d1f534u, 0xddc0db62u, 0x95993c43u));
  UL w3 = TO_UL(WORD(word, 0x57d1f534u, 0xddc0db62u, 0x95993c43u, 0x9041fe51u));
  UL a = ((w0 << 32 | w1) << shift) >> 32, b = ((w1 << 32 | w2) << shift) >> 32, c = ((w2 << 32 | w3) << shift) >> 32;
  // Two bits of quadrants and 62 of what is left.
  UL product = ((m * a) << 32) + m * b + ((m * c) >> 32);
  UL nearest = product + 0x2000000000000000UL;
  *quadrant = TO_I(AS(L, nearest >> 62));
  // As the sum of two floats, times π/2.
  L part = AS(L, product - (nearest & 0xc000000000000000UL));
  F high = TO_F(part), rest = TO_F(part - TO_L(high));
  F first = high * 0x1.921fb6p-62f;
  F second = FMA(high, (F)0x1.921fb6p-62f, -first) + FMA(high, (F)-0x1.777a5cp-87f, rest * 0x1.921fb6p-62f);
  *r = first + second;
  *low = (first - *r) + second;
}

// Of any x ≥ 0.
HELPER void reduce(F x, __private F *r, __private F *low, __private I *quadrant) {
  reduce_small(x, r, low, quadrant);
  I huge = x > 0x1p17f;
  if (ANY(huge)) {
    F huge_r, huge_low;
    I huge_quadrant;
    reduce_huge(x, &huge_r, &huge_low, &huge_quadrant);
    huge_r = x == INFINITY ? (F)NAN : huge_r;
    *r = huge ? huge_r : *r;
    *low = huge ? huge_low : *low;
    *quadrant = huge ? huge_quadrant : *quadrant;
  }
}

OVERLOAD F sin(F x) {
  F r, low;
  I quadrant;
  reduce(ABS(x), &r, &low, &quadrant);
  if (__mux_usefast())
    return FLIP_SIGN(quick_sin_at(r, quadrant), SIGN(x));
  return sin_at(r, low, quadrant, SIGN(x));
}

OVERLOAD F cos(F x) {
  F r, low;
  I quadrant;
  reduce(ABS(x), &r, &low, &quadrant);
  if (__mux_usefast())
    return quick_sin_at(r, quadrant + 1);
  return sin_at(r, low, quadrant + 1, (U)0);
}

OVERLOAD F tan(F x) {
  F r, low;
  I quadrant;
  reduce(ABS(x), &r, &low, &quadrant);
  if (__mux_usefast())
    return FLIP_SIGN(quick_sin_at(r, quadrant) / quick_sin_at(r, quadrant + 1), SIGN(x));
  return FLIP_SIGN(tan_of(r, low, quadrant), SIGN(x));
}

#define SINCOS(SPACE) \
  OVERLOAD F sincos(F x, SPACE F *cosine) { \
    F r, low; \
    I quadrant; \
    reduce(ABS(x), &r, &low, &quadrant); \
    int fast = __mux_usefast(); \
    *cosine = fast ? quick_sin_at(r, quadrant + 1) : sin_at(r, low, quadrant + 1, (U)0); \
    return fast ? FLIP_SIGN(quick_sin_at(r, quadrant), SIGN(x)) : sin_at(r, low, quadrant, SIGN(x)); \
  }
ADDRESS_SPACES(SINCOS)
#undef SINCOS

#endif
