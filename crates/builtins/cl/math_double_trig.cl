// Circular functions of double: sin, cos, tan, sincos, sinpi, cospi, tanpi.
//
// Cody and Waite's reduction by π/2 in three doubles below 2^30; Payne and Hanek's, with the bits of 2/π, in a branch
// beyond. Both leave a sum of two doubles. The functions of πx take the quadrant off exactly. sin and cos alone are reduced by π,
// so that one polynomial is enough.

#include "double_sinpi.h"

// x = (π/2) quadrant + r.hi + r.lo, |r| <= π/4 and a little
typedef struct {
  Sum r;
  ulong quadrant;
} Reduced;

INLINE Reduced reduce_near(double x) {
  double n = __builtin_rint(x * TWO_PI);
  // Exact, and so is the difference to r, which is near the product.
  double first = FMA(-n, HALF_PI_0, x), r = first - n * HALF_PI_1;
  Reduced result = {sum(r, FMA(-n, HALF_PI_2, FMA(-n, HALF_PI_1, first - r))), low_bits(n)};
  return result;
}

INLINE double modulo_4(double x) { return FMA(-4.0, __builtin_rint(x * 0.25), x); }

// For a size of at least 2^30. The chunks of 2/π that give multiples of 4 are left out; five of 48 bits leave an error
// below 2^-137. All products and sums are exact, but for the lowest.
INLINE Reduced reduce_far(double x) {
  uint exponent = (uint)(BITS(x) >> 52) & 0x7ff, above = exponent < 1077 ? 0 : exponent - 1077;
  uint first = above * 1366 >> 16; // above / 48
  double y = x * FROM_BITS((ulong)(1023 - 48 * first) << 52);
  Sum a = two_product(y, two_pi_chunks[first]), b = two_product(y * 0x1p-48, two_pi_chunks[first + 1]);
  Sum c = two_product(y * 0x1p-96, two_pi_chunks[first + 2]), d = two_product(y * 0x1p-144, two_pi_chunks[first + 3]);
  double e = y * 0x1p-192 * two_pi_chunks[first + 4];
  Sum s1 = two_sum(modulo_4(a.hi), modulo_4(a.lo)), s2 = two_sum(s1.hi, modulo_4(b.hi)), s3 = two_sum(s2.hi, b.lo);
  Sum s4 = two_sum(s3.hi, modulo_4(c.hi));
  Sum t1 = two_sum(s1.lo, s2.lo), t2 = two_sum(t1.hi, s3.lo), t3 = two_sum(t2.hi, s4.lo), t4 = two_sum(t3.hi, c.lo);
  Sum t5 = two_sum(t4.hi, d.hi);
  double n = __builtin_rint(s4.hi), low = t1.lo + t2.lo + t3.lo + t4.lo + t5.lo + (d.lo + e);
  Sum r = two_sum(s4.hi - n, t5.hi);
  r = quick_sum(r.hi, r.lo + low);
  Reduced result = {multiply(r, sum(HALF_PI_0, HALF_PI_1)), low_bits(n)};
  return result;
}

// Shared by the functions of one angle; see InlineShared in crates/passes.
static __attribute__((const, noinline)) double4 __lanewise_shared_angle_d(double x) {
  Reduced r = reduce_near(x);
  if (ABS(x) >= 0x1p30) r = reduce_far(x);
  return (double4)(r.r.hi, r.r.lo, FROM_BITS(r.quadrant), 0.0);
}

INLINE Reduced reduce(double x) {
  double4 parts = __lanewise_shared_angle_d(x);
  Reduced r = {sum(parts.x, parts.y), BITS(parts.z)};
  return r;
}

INLINE Pair sin_cos_near(Sum r) {
  double z = r.hi * r.hi, h = 0.5 * z, w = 1.0 - h;
  Pair p;
  p.sin = quick_sum(r.hi, FMA(r.hi * z, sin_tail(z), FMA(-h, r.lo, r.lo)));
  p.cos = quick_sum(w, ((1.0 - w) - h) + FMA(z * z, cos_tail(z), -r.hi * r.lo));
  return p;
}

// sin(x), or cos(x) as the sine a quadrant on: ±sin(r) with |r| <= π/2 and a little.
INLINE double sine(double x, int is_cosine) {
  double t = is_cosine ? FMA(x, ONE_PI_HI, -0.5) + MAGIC : FMA(x, ONE_PI_HI, MAGIC), n = t - MAGIC;
  n = 2.0 * (is_cosine ? n + 0.5 : n);
  double first = FMA(-n, HALF_PI_0, x), r = first - n * HALF_PI_1;
  double low = FMA(-n, HALF_PI_2, FMA(-n, HALF_PI_1, first - r));
  ulong sign = (is_cosine ? ~BITS(t) : BITS(t)) << 63;
  if (ABS(x) >= 0x1p30) {
    Reduced far = reduce_far(x);
    ulong quadrant = far.quadrant + is_cosine;
    // An odd quadrant's angle is counted from the nearer even one.
    double turn = quadrant & 1 ? __builtin_copysign(1.0, far.r.hi) : 0.0;
    r = FMA(-turn, HALF_PI_0, far.r.hi);
    low = FMA(-turn, HALF_PI_1, (FMA(-turn, HALF_PI_0, -r) + far.r.hi) + far.r.lo);
    sign = ((quadrant + (turn > 0.0 ? 1 : 0)) << 62) & SIGN_BIT;
  }
  // The cosine of r, with which the low part counts, as a line in r².
  double z = r * r, slope = FMA(-0.405, z, 1.0);
  return FROM_BITS(BITS(r + FMA(r * z, half_turn_tail(z), low * slope)) ^ sign);
}

INLINE double sin_of(double x, Pair p, ulong quadrant) {
  double y = turn(p, quadrant);
  return ABS(x) < 0x1p-27 ? x : y;
}

OVERLOAD double sin(double x) {
  double y = sine(x, 0);
  return ABS(x) < 0x1p-27 ? x : y;
}

OVERLOAD double cos(double x) { return sine(x, 1); }

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
  double y = tangent(sin_cos_near(r.r), r.quadrant);
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
  double y = tangent(sin_cos_pi_near(r.r), r.quadrant);
  double floor_sign = FROM_BITS((r.quadrant & 2) << 62);
  double zero = xor_sign(with_sign(0.0, x), floor_sign), pole = with_sign(INF, floor_sign);
  double exact = r.quadrant & 1 ? pole : zero;
  return r.r == 0.0 ? exact : y;
}
