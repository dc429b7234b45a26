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

// For 2^17 ≤ x < 2^128. With x = m 2^e and m an integer of 24 bits, bits of 2/π above 2^(1-e) give multiples of four
// quadrants; the 96 bits from there on leave at least 29 right ones when x is as near to a multiple of π/2 as a float
// can be.
HELPER void reduce_huge(F x, __private F *r, __private F *low, __private I *quadrant) {
  I bits = AS(I, x);
  UL m = TO_UL(AS(U, (bits & 0x7fffff) | 0x800000));
  // The first bit that is needed, where bit 16 has the value ½.
  L from = TO_L((bits >> 23) - 150 - 2 + 16);
  // 2/π, with sixteen zeros before its first bit, from the word that has this bit on.
  L second_word = from > 63;
  UL w0 = second_word ? (UL)0x1529fc2757d1f534UL : (UL)0x0000a2f9836e4e44UL;
  UL w1 = second_word ? (UL)0xddc0db6295993c43UL : (UL)0x1529fc2757d1f534UL;
  UL w2 = second_word ? (UL)0x9041fe5163abdebbUL : (UL)0xddc0db6295993c43UL;
  UL shift = AS(UL, from & 63), back = 63 - shift;
  UL a = w0 << shift | (w1 >> 1) >> back, b = (w1 << shift | (w2 >> 1) >> back) >> 32;
  // Two bits of quadrants and 62 of what is left.
  UL product = m * a + ((m * b) >> 32);
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

// The same, shared by the functions of one angle; see InlineShared in crates/passes.
#if WIDTH + 0 == 0
static __attribute__((const, noinline)) float4 __lanewise_shared_angle(float x) {
  float r, low;
  int quadrant;
  reduce(x, &r, &low, &quadrant);
  return (float4)(r, low, AS(float, quadrant), 0.0f);
}
HELPER void shared_angle(float x, __private float *r, __private float *low, __private int *quadrant) {
  float4 parts = __lanewise_shared_angle(x);
  *r = parts.x;
  *low = parts.y;
  *quadrant = AS(int, parts.z);
}
#else
#define shared_angle reduce
#endif

OVERLOAD F sin(F x) {
  F r, low;
  I quadrant;
  shared_angle(ABS(x), &r, &low, &quadrant);
  if (__mux_usefast())
    return FLIP_SIGN(quick_sin_at(r, quadrant), SIGN(x));
  return sin_at(r, low, quadrant, SIGN(x));
}

OVERLOAD F cos(F x) {
  F r, low;
  I quadrant;
  shared_angle(ABS(x), &r, &low, &quadrant);
  if (__mux_usefast())
    return quick_sin_at(r, quadrant + 1);
  return sin_at(r, low, quadrant + 1, (U)0);
}

OVERLOAD F tan(F x) {
  F r, low;
  I quadrant;
  shared_angle(ABS(x), &r, &low, &quadrant);
  if (__mux_usefast())
    return FLIP_SIGN(quick_sin_at(r, quadrant) / quick_sin_at(r, quadrant + 1), SIGN(x));
  return FLIP_SIGN(tan_of(r, low, quadrant), SIGN(x));
}

#define SINCOS(SPACE) \
  OVERLOAD F sincos(F x, SPACE F *cosine) { \
    F r, low; \
    I quadrant; \
    shared_angle(ABS(x), &r, &low, &quadrant); \
    int fast = __mux_usefast(); \
    *cosine = fast ? quick_sin_at(r, quadrant + 1) : sin_at(r, low, quadrant + 1, (U)0); \
    return fast ? FLIP_SIGN(quick_sin_at(r, quadrant), SIGN(x)) : sin_at(r, low, quadrant, SIGN(x)); \
  }
ADDRESS_SPACES(SINCOS)
#undef SINCOS
#undef shared_angle

#endif
