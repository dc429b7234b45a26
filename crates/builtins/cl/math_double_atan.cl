// Inverse circular functions of double: asin, acos, atan, atan2, and the same divided by π.
//
// atan: the angle is taken from 0, π/4 or π/2, whichever leaves a tangent t of at most tan(π/8): for y / x that is
// y / x, (y - x) / (y + x) or -x / y, with its low part; one division, then a polynomial in t².
// asin: a polynomial in x² below 1/2; above, asin(x) = π/2 - 2 asin(sqrt((1 - x) / 2)).

#include "double_base.h"

// The angle from 0 to π/2 whose tangent is y / x, for y and x that are not negative.
INLINE Sum angle_of(double y, double x) {
  int y_infinite = y == INF, x_infinite = x == INF, infinite = y_infinite | x_infinite;
  double y_limit = y_infinite ? 1.0 : 0.0, x_limit = x_infinite ? 1.0 : 0.0;
  y = infinite ? y_limit : y;
  x = infinite ? x_limit : x;
  // So that neither the sum nor the inverse leaves the range.
  double larger = y > x ? y : x, factor = larger > 0x1p1000 ? 0x1p-30 : larger < 0x1p-900 ? 0x1p110 : 1.0;
  y *= factor;
  x *= factor;
  int low = y <= TAN_PI_8 * x, high = y >= TAN_3PI_8 * x;
  Sum n = two_sum(y, -x), d = two_sum(y, x);
  n.hi = low ? y : high ? -x : n.hi;
  d.hi = low ? x : high ? y : d.hi;
  n.lo = low | high ? 0.0 : n.lo;
  d.lo = low | high ? 0.0 : d.lo;
  d.hi = d.hi == 0.0 ? 1.0 : d.hi;
  double base = low ? 0.0 : high ? PI_2_HI : PI_4_HI, base_lo = low ? 0.0 : high ? PI_2_LO : PI_4_LO;
  double r = 1.0 / d.hi, t = n.hi * r;
  double t_lo = r * (FMA(-t, d.hi, n.hi) + FMA(-t, d.lo, n.lo));
  double z = t * t, tail = FMA(t * z, atan_tail(z), t_lo);
  Sum s = quick_sum(base, t);
  return quick_sum(s.hi, s.lo + (tail + base_lo));
}

INLINE double over_pi(Sum x) {
  Sum p = two_product(x.hi, ONE_PI_HI);
  return p.hi + FMA(x.hi, ONE_PI_LO, FMA(x.lo, ONE_PI_HI, p.lo));
}

// x + y, where |x.hi| is the larger.
INLINE Sum add(Sum x, Sum y) {
  Sum s = quick_sum(x.hi, y.hi);
  return quick_sum(s.hi, s.lo + (x.lo + y.lo));
}

// Infinity has a place of its own, and a NaN in either is the answer.
INLINE Sum angle_of_point(double y, double x) {
  Sum a = angle_of(ABS(y), ABS(x));
  Sum other = add(sum(PI_HI, PI_LO), sum(-a.hi, -a.lo));
  int left = (BITS(x) & SIGN_BIT) != 0;
  double nan = (x != x) | (y != y) ? NOT_A_NUMBER : 0.0;
  return sum((left ? other.hi : a.hi) + nan, left ? other.lo : a.lo);
}

OVERLOAD double atan(double x) {
  Sum a = angle_of(ABS(x), 1.0);
  return with_sign(a.hi + a.lo, x);
}

OVERLOAD double atanpi(double x) { return with_sign(over_pi(angle_of(ABS(x), 1.0)), x); }

OVERLOAD double atan2(double y, double x) {
  Sum a = angle_of_point(y, x);
  return with_sign(a.hi + a.lo, y);
}

OVERLOAD double atan2pi(double y, double x) { return with_sign(over_pi(angle_of_point(y, x)), y); }

// asin(s) = s + tail, s being |x| up to 1/2 and sqrt((1 - |x|) / 2) beyond.
typedef struct {
  int large;
  double s, tail;
} Arc;

INLINE Arc arc(double a) {
  int large = a > 0.5;
  double z = large ? FMA(-0.5, a, 0.5) : a * a, root = __builtin_sqrt(z);
  double root_lo = FMA(-root, root, z) / (root + root);
  Arc r;
  r.large = large;
  r.s = large ? root : a;
  r.tail = FMA(r.s * z, asin_tail(z), large & (z != 0.0) ? root_lo : 0.0);
  return r;
}

// base + factor asin(s)
INLINE Sum arc_from(double base, double base_lo, double factor, Arc r) {
  Sum s = quick_sum(base, factor * r.s);
  return quick_sum(s.hi, s.lo + FMA(factor, r.tail, base_lo));
}

INLINE Sum asin_sum(double a) {
  Arc r = arc(a);
  return arc_from(r.large ? PI_2_HI : 0.0, r.large ? PI_2_LO : 0.0, r.large ? -2.0 : 1.0, r);
}

INLINE Sum acos_sum(double x) {
  Arc r = arc(ABS(x));
  double base = r.large ? (x < 0.0 ? PI_HI : 0.0) : PI_2_HI, base_lo = r.large ? (x < 0.0 ? PI_LO : 0.0) : PI_2_LO;
  return arc_from(base, base_lo, with_sign(r.large ? 2.0 : 1.0, r.large ? x : -x), r);
}

OVERLOAD double asin(double x) {
  Sum a = asin_sum(ABS(x));
  return with_sign(a.hi + a.lo, x);
}

OVERLOAD double asinpi(double x) { return with_sign(over_pi(asin_sum(ABS(x))), x); }

OVERLOAD double acos(double x) {
  Sum a = acos_sum(x);
  return a.hi + a.lo;
}

OVERLOAD double acospi(double x) { return over_pi(acos_sum(x)); }
