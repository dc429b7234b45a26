// fma, fract, nextafter, nan and sin, cos, tan, sincos of half: what float does not do by itself.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_half_exact.cl"
#include "float_widths.h"
#else
#include "float_trig.h"

// The product is exact in float. The sum is not: it is rounded to odd (Boldo and Melquiond, 2008), after which rounding
// to half is as if from the exact sum. What the sum lost comes from Knuth's two-sum.
OVERLOAD H fma(H x, H y, H z) {
  F product = TO_F(x) * TO_F(y), other = TO_F(z);
  F sum = product + other, part = sum - product;
  F lost = (product - (sum - part)) + (other - part);
  I bits = AS(I, sum);
  I toward_zero = (AS(I, lost) ^ bits) < 0;
  I odd = toward_zero ? bits - 1 : bits + 1;
  I change = (lost != 0.0f) & ((bits & 1) == 0) & (lost == lost);
  return TO_H(change != 0 ? AS(F, odd) : sum);
}

HELPER F fract_of(F x, F below) {
  F part = x - below;
  part = part > 0x1.ffcp-1f ? (F)0x1.ffcp-1f : part;
  part = ABS(x) == INFINITY ? (F)0.0f : part;
  return ((x == 0.0f) | (ABS(x) == INFINITY)) != 0 ? WITH_SIGN(part, SIGN(x)) : part;
}

#define THROUGH_POINTERS(SPACE) \
  OVERLOAD H fract(H x, SPACE H *whole) { \
    F wide = TO_F(x), below = __builtin_elementwise_floor(wide); \
    *whole = TO_H(below); \
    return TO_H(fract_of(wide, below)); \
  } \
  OVERLOAD H sincos(H x, SPACE H *cosine) { \
    F r, low, wide = TO_F(x); \
    I quadrant; \
    reduce_small(ABS(wide), &r, &low, &quadrant); \
    *cosine = TO_H(sin_at(r, low, quadrant + 1, (U)0)); \
    return TO_H(sin_at(r, low, quadrant, SIGN(wide))); \
  }
ADDRESS_SPACES(THROUGH_POINTERS)
#undef THROUGH_POINTERS

// No half is too large for the plain reduction.
OVERLOAD H sin(H x) {
  F r, low, wide = TO_F(x);
  I quadrant;
  reduce_small(ABS(wide), &r, &low, &quadrant);
  return TO_H(sin_at(r, low, quadrant, SIGN(wide)));
}

OVERLOAD H cos(H x) {
  F r, low;
  I quadrant;
  reduce_small(ABS(TO_F(x)), &r, &low, &quadrant);
  return TO_H(sin_at(r, low, quadrant + 1, (U)0));
}

OVERLOAD H tan(H x) {
  F r, low, wide = TO_F(x);
  I quadrant;
  reduce_small(ABS(wide), &r, &low, &quadrant);
  return TO_H(FLIP_SIGN(tan_of(r, low, quadrant), SIGN(wide)));
}

// As that of float.
OVERLOAD H nextafter(H x, H y) {
  S bits = AS(S, x);
  S away = TO_S((x < y) == (bits >= (S)0));
  S next = away ? bits + (S)1 : bits - (S)1;
  S least = (AS(S, y) & (S)0x8000) | (S)1;
  next = x == (H)0.0h ? least : next;
  H result = x == y ? y : AS(H, next);
  return x != x ? x : y != y ? y : result;
}

#define US CAT(ushort, WIDTH)
OVERLOAD H nan(US code) {
  US bits = (code & (US)0x1ff) | (US)0x7e00;
  return AS(H, bits);
}

#endif
