// Circular functions of double: sin, cos, tan, sincos, sinpi, cospi, tanpi.
//
// Cody and Waite's reduction by π/2 in three doubles below 2^30; Payne and Hanek's, with the bits of 2/π, in a branch
// beyond. Both leave a sum of two doubles. The functions of πx take the quadrant off exactly.

#include "double_sinpi.h"

OVERLOAD ulong mul_hi(ulong x, ulong y);

// x = (π/2) quadrant + r.hi + r.lo, |r| <= π/4 and a little
typedef struct {
  Sum r;
  ulong quadrant;
} Reduced;

INLINE Reduced reduce_near(double x) {
  double n = __builtin_rint(x * TWO_PI);
  Sum p = two_product(n, HALF_PI_0), q = two_product(n, HALF_PI_1);
  // The first difference is exact, p.hi being near x.
  Sum a = two_sum(x - p.hi, -p.lo), b = two_sum(a.hi, -q.hi);
  Reduced result = {quick_sum(b.hi, b.lo + FMA(-n, HALF_PI_2, a.lo - q.lo)), low_bits(n)};
  return result;
}

// For a size of at least 2^11: |x| = m 2^e, and the bits of 2/π that give multiples of 4 are left out of the product,
// as are those below 2^-190 times m.
INLINE Reduced reduce_far(double x) {
  ulong bits = BITS(x), m = (bits & 0xffffffffffffful) | 0x10000000000000ul;
  ulong first = ((bits >> 52) & 0x7ff) - 1075 + 62, word = first >> 6, shift = first & 63;
  ulong t0 = two_pi_bits[word], t1 = two_pi_bits[word + 1], t2 = two_pi_bits[word + 2], t3 = two_pi_bits[word + 3];
  ulong w0 = (t0 << shift) | (t1 >> 1 >> (63 - shift));
  ulong w1 = (t1 << shift) | (t2 >> 1 >> (63 - shift));
  ulong w2 = (t2 << shift) | (t3 >> 1 >> (63 - shift));
  ulong low = m * w2, middle_part = m * w1, middle = mul_hi(m, w2) + middle_part;
  ulong high = mul_hi(m, w1) + m * w0 + (middle < middle_part ? 1 : 0);
  // Two bits before the point; the rest from -1/2 to 1/2.
  ulong f1 = (high << 2) | (middle >> 62), f0 = (middle << 2) | (low >> 62), sign = f1 & SIGN_BIT;
  ulong quadrant = (high >> 62) + (sign >> 63);
  f1 = sign ? ~f1 + (f0 == 0 ? 1 : 0) : f1;
  f0 = sign ? -f0 : f0;
  double top = (double)(f1 & ~0x7fful), rest = FMA((double)f0, 0x1p-64, (double)(f1 & 0x7ff));
  Sum turn = quick_sum(top * 0x1p-64, rest * 0x1p-64);
  Sum r = multiply(turn, sum(HALF_PI_0, HALF_PI_1));
  sign ^= bits & SIGN_BIT;
  double not_finite = ABS(x) < INF ? 0.0 : NOT_A_NUMBER;
  Reduced result = {sum(FROM_BITS(BITS(r.hi) ^ sign) + not_finite, FROM_BITS(BITS(r.lo) ^ sign)),
                    bits & SIGN_BIT ? -quadrant : quadrant};
  return result;
}

INLINE Reduced reduce(double x) {
  Reduced r = reduce_near(x);
  if (ABS(x) >= 0x1p30) r = reduce_far(x);
  return r;
}

INLINE Pair sin_cos_near(Sum r) {
  double z = r.hi * r.hi, h = 0.5 * z, w = 1.0 - h;
  Pair p;
  p.sin = r.hi + FMA(r.hi * z, sin_tail(z), FMA(-h, r.lo, r.lo));
  p.cos = w + (((1.0 - w) - h) + FMA(z * z, cos_tail(z), -r.hi * r.lo));
  return p;
}

INLINE double sin_of(double x, Pair p, ulong quadrant) {
  double y = turn(p, quadrant);
  return ABS(x) < 0x1p-27 ? x : y;
}

OVERLOAD double sin(double x) {
  Reduced r = reduce(x);
  return sin_of(x, sin_cos_near(r.r), r.quadrant);
}

OVERLOAD double cos(double x) {
  Reduced r = reduce(x);
  return turn(sin_cos_near(r.r), r.quadrant + 1);
}

#define SINCOS(SPACE) \
  OVERLOAD double sincos(double x, SPACE double *cosine) { \
    Reduced r = reduce(x); \
    Pair p = sin_cos_near(r.r); \
    *cosine = turn(p, r.quadrant + 1); \
    return sin_of(x, p, r.quadrant); \
  }
SINCOS(__global)
SINCOS(__local)
SINCOS(__private)
SINCOS(__generic)

OVERLOAD double tan(double x) {
  Reduced r = reduce(x);
  Pair p = sin_cos_near(r.r);
  int odd = r.quadrant & 1;
  double y = (odd ? -p.cos : p.sin) / (odd ? p.sin : p.cos);
  return ABS(x) < 0x1p-27 ? x : y;
}

OVERLOAD double sinpi(double x) {
  ReducedPi r = reduce_pi(x);
  double y = turn(sin_cos_pi_near(r.r), r.quadrant);
  return y == 0.0 ? with_sign(0.0, x) : y;
}

OVERLOAD double cospi(double x) {
  ReducedPi r = reduce_pi(x);
  // Its zeros are positive.
  return turn(sin_cos_pi_near(r.r), r.quadrant + 1) + 0.0;
}

// At 0 and at its poles, tanpi(x) has the sign of x for an even quadrant / 2, and the other one for an odd.
OVERLOAD double tanpi(double x) {
  ReducedPi r = reduce_pi(x);
  Pair p = sin_cos_pi_near(r.r);
  int odd = r.quadrant & 1;
  double y = (odd ? -p.cos : p.sin) / (odd ? p.sin : p.cos);
  double floor_sign = FROM_BITS((r.quadrant & 2) << 62);
  double zero = xor_sign(with_sign(0.0, x), floor_sign), pole = with_sign(INF, floor_sign);
  double exact = odd ? pole : zero;
  return r.r == 0.0 ? exact : y;
}
