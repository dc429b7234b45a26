// Inverse circular functions of double: asin, acos, atan, atan2, and the same divided by π.
//
// atan: the angle is taken from 0, π/4 or π/2, whichever leaves a tangent t of at most tan(π/8): for y / x that is
// y / x, (y - x) / (y + x) or -x / y; then a polynomial in t².
// asin: a polynomial in x² below 1/2; above, asin(x) = π/2 - 2 asin(sqrt((1 - x) / 2)).

#include "double_base.h"

// The angle from 0 to π of the point (x, ±y): ± atan(t) from the nearest multiple of π/4.
INLINE double angle_of(double y, double x) {
  double a = ABS(x), b = ABS(y);
  int steep = b > a, left = (BITS(x) & SIGN_BIT) != 0;
  double less = steep ? a : b, more = steep ? b : a;
  // So that the sum does not leave the range, and TAN_PI_8 times a subnormal number is exact enough.
  double factor = more > 0x1p1000 ? 0x1p-30 : more < 0x1p-900 ? 0x1p110 : 1.0;
  less *= factor;
  more *= factor;
  int diagonal = less == INF, middle = (less > TAN_PI_8 * more) | diagonal;
  double t = (middle ? less - more : less) / (middle ? less + more : more);
  // 0/0 and ∞/∞ are the limits along the axis and the diagonal.
  t = diagonal | (more == 0.0) ? 0.0 : t;
  double eighths = middle ? 1.0 : 0.0;
  eighths = steep ? 2.0 - eighths : eighths;
  eighths = left ? 4.0 - eighths : eighths;
  double z = t * t, part = FMA(t * z, atan_tail(z), t);
  part = steep ^ left ? -part : part;
  return FMA(eighths, PI_4_HI, FMA(eighths, PI_4_LO, part));
}

INLINE double over_pi(Sum x) {
  Sum p = two_product(x.hi, ONE_PI_HI);
  return p.hi + FMA(x.hi, ONE_PI_LO, FMA(x.lo, ONE_PI_HI, p.lo));
}

// A NaN in either is the answer.
INLINE double angle_of_point(double y, double x) {
  return angle_of(y, x) + ((x != x) | (y != y) ? NOT_A_NUMBER : 0.0);
}

OVERLOAD double atan(double x) { return with_sign(angle_of(x, 1.0), x); }
OVERLOAD double atanpi(double x) { return with_sign(over_pi(sum(angle_of(x, 1.0), 0.0)), x); }
OVERLOAD double atan2(double y, double x) { return with_sign(angle_of_point(y, x), y); }
OVERLOAD double atan2pi(double y, double x) { return with_sign(over_pi(sum(angle_of_point(y, x), 0.0)), y); }

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
