// Functions of double that are exact, or nearly: remainders, parts of a number, neighbours, hypot.
//
// The remainder of a quotient below 2^53 is one fma: the quotient, rounded and then cut, is right or one too large.
// Larger quotients are rare and lose 51 bits a step in a loop.

#include "double_base.h"

// a - q b for a, b >= 0: 0 <= r < b; q is the quotient modulo 128.
typedef struct {
  double r, q;
} Division;

INLINE double modulo_128(double q) { return FMA(-128.0, __builtin_floor(q * 0x1p-7), q); }

// For a / b < 2^53.
INLINE Division divide_near(double a, double b) {
  double q = __builtin_trunc(a / b), r = FMA(-q, b, a);
  int over = r < 0.0;
  double next = r + b, before = q - 1.0;
  Division d = {over ? next : r, modulo_128(over ? before : q)};
  return d;
}

INLINE double exponent_of(double x) {
  double tiny = x < 0x1p-1022 ? 0x1p54 : 1.0, offset = x < 0x1p-1022 ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0;
  return FROM_BITS(0x4330000000000000ul | ((BITS(x * tiny) >> 52) & 0x7ff)) - offset;
}

INLINE Division divide(double a, double b) {
  double far = 0.0;
  if ((a / b >= 0x1p53) & (a < INF) & (b > 0.0)) {
    do {
      double n = exponent_of(a) - exponent_of(b) - 51.0;
      Division d = divide_near(a, scale(b, n));
      a = d.r;
      far = n < 7.0 ? modulo_128(d.q * power_of_two(n)) : 0.0;
    } while (a / b >= 0x1p53);
  }
  Division d = divide_near(a, b);
  d.q = modulo_128(d.q + far);
  int less = a < b;
  d.q = less ? far : d.q;
  d.r = less ? a : d.r;
  return d;
}

INLINE int no_remainder(double x, double y) { return !(ABS(x) < INF) | (y == 0.0) | (y != y); }

OVERLOAD double fmod(double x, double y) {
  double r = with_sign(divide(ABS(x), ABS(y)).r, x);
  return no_remainder(x, y) ? NOT_A_NUMBER : r;
}

// The nearest multiple, the even one of two.
INLINE Division divide_nearest(double x, double y) {
  double b = ABS(y);
  Division d = divide(ABS(x), b);
  double twice = d.r + d.r;
  int odd = low_bits(d.q) & 1, up = (twice > b) | ((twice == b) & odd);
  double below = d.r - b, next = d.q + 1.0;
  d.r = xor_sign(up ? below : d.r, x);
  d.q = up ? next : d.q;
  int none = no_remainder(x, y);
  d.r = none ? NOT_A_NUMBER : d.r;
  d.q = none ? 0.0 : d.q;
  return d;
}

OVERLOAD double remainder(double x, double y) { return divide_nearest(x, y).r; }

#define REMQUO(SPACE) \
  OVERLOAD double remquo(double x, double y, SPACE int *quotient) { \
    Division d = divide_nearest(x, y); \
    int q = (int)(low_bits(d.q) & 127); \
    *quotient = (BITS(x) ^ BITS(y)) & SIGN_BIT ? -q : q; \
    return d.r; \
  }
REMQUO(__global)
REMQUO(__local)
REMQUO(__private)
REMQUO(__generic)

// x = m 2^(e + 1), m from 1/2 to 1; for zeros, infinities and NaNs, m is x and e is -1.
typedef struct {
  double m;
  int e;
} Parts;

INLINE Parts parts_of(double x) {
  int tiny = ABS(x) < 0x1p-1022, odd_one = (x == 0.0) | !(ABS(x) < INF);
  ulong bits = BITS(tiny ? x * 0x1p54 : x);
  int e = (int)((bits >> 52) & 0x7ff) - (tiny ? 1077 : 1023);
  double m = FROM_BITS((bits & 0x800ffffffffffffful) | 0x3fe0000000000000ul);
  Parts p = {odd_one ? x : m, odd_one ? -1 : e};
  return p;
}

#define FREXP(SPACE) \
  OVERLOAD double frexp(double x, SPACE int *exponent) { \
    Parts p = parts_of(x); \
    *exponent = p.e + 1; \
    return p.m; \
  }
FREXP(__global)
FREXP(__local)
FREXP(__private)
FREXP(__generic)

OVERLOAD int ilogb(double x) {
  int e = parts_of(x).e;
  e = x == 0.0 ? FP_ILOGB0 : e;
  e = ABS(x) == INF ? 0x7fffffff : e;
  return x != x ? FP_ILOGBNAN : e;
}

OVERLOAD double logb(double x) {
  double e = (double)parts_of(x).e, a = ABS(x);
  e = a < INF ? e : a;
  return x == 0.0 ? -INF : e;
}

// From a number near 1, so that one step rounds.
OVERLOAD double ldexp(double x, int n) {
  Parts p = parts_of(x);
  n = n > 3000 ? 3000 : n < -3000 ? -3000 : n;
  double y = scale(p.m, clamp_to((double)(p.e + 1 + n), -1100.0, 1100.0));
  return (x == 0.0) | !(ABS(x) < INF) ? x : y;
}

#define FRACT(SPACE) \
  OVERLOAD double fract(double x, SPACE double *whole) { \
    double f = __builtin_floor(x), r = x - f; \
    r = r > 0x1.fffffffffffffp-1 ? 0x1.fffffffffffffp-1 : r; \
    *whole = f; \
    return (x == 0.0) | (ABS(x) == INF) ? with_sign(0.0, x) : r; \
  } \
  OVERLOAD double modf(double x, SPACE double *whole) { \
    double t = __builtin_trunc(x), r = ABS(x) == INF ? 0.0 : x - t; \
    *whole = t; \
    return with_sign(r, x); \
  }
FRACT(__global)
FRACT(__local)
FRACT(__private)
FRACT(__generic)

OVERLOAD double nextafter(double x, double y) {
  ulong bits = BITS(x);
  ulong away = bits + 1, back = bits - 1;
  double r = FROM_BITS((x < y) == (x > 0.0) ? away : back), smallest = with_sign(0x1p-1074, y);
  r = x == 0.0 ? smallest : r;
  r = x == y ? y : r;
  return (x != x) | (y != y) ? NOT_A_NUMBER : r;
}

OVERLOAD double nan(ulong code) { return FROM_BITS(0x7ff8000000000000ul | (code & 0x7fffffffffffful)); }

// The sum of the squares as two doubles, its root with one step of Newton's.
OVERLOAD double hypot(double x, double y) {
  double a = ABS(x), b = ABS(y), larger = a > b ? a : b, smaller = a > b ? b : a;
  double factor = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-450 ? 0x1p600 : 1.0;
  double back = larger > 0x1p500 ? 0x1p600 : larger < 0x1p-450 ? 0x1p-600 : 1.0;
  Sum p = two_product(larger * factor, larger * factor), q = two_product(smaller * factor, smaller * factor);
  Sum s = quick_sum(p.hi, q.hi);
  double r = __builtin_sqrt(s.hi), step = (FMA(-r, r, s.hi) + (s.lo + p.lo + q.lo)) / (r + r);
  double h = (r + step) * back;
  h = r == 0.0 ? 0.0 : h;
  h = (x != x) | (y != y) ? NOT_A_NUMBER : h;
  return (a == INF) | (b == INF) ? INF : h;
}
