// The functions of half that are those of float, rounded once more.
//
// A float function is right to about one part in 2^24, so that the result is off by little more than the half ULP of its
// last rounding. What has exact results in half (fmod, ldexp, logb …) is exact in float, and stays so.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_half_float.cl"
#include "float_widths.h"
#else

#define ONE(name) \
  OVERLOAD F name(F x); \
  OVERLOAD H name(H x) { return TO_H(name(TO_F(x))); }
ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi) ONE(cbrt) ONE(cosh)
ONE(cospi) ONE(erfc) ONE(erf) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(lgamma) ONE(log) ONE(log2) ONE(log10)
ONE(log1p) ONE(logb) ONE(rsqrt) ONE(sinh) ONE(sinpi) ONE(tanh) ONE(tanpi) ONE(tgamma)
#undef ONE

#define TWO(name) \
  OVERLOAD F name(F x, F y); \
  OVERLOAD H name(H x, H y) { return TO_H(name(TO_F(x), TO_F(y))); }
TWO(atan2) TWO(atan2pi) TWO(fmod) TWO(hypot) TWO(pow) TWO(powr) TWO(remainder)
#undef TWO

#define WITH_INTEGER(name) \
  OVERLOAD F name(F x, I n); \
  OVERLOAD H name(H x, I n) { return TO_H(name(TO_F(x), n)); }
WITH_INTEGER(ldexp) WITH_INTEGER(pown) WITH_INTEGER(rootn)
#undef WITH_INTEGER
#if WIDTH + 0 > 1
OVERLOAD H ldexp(H x, int n) { return ldexp(x, (I)n); }
#endif

OVERLOAD I ilogb(F x);
OVERLOAD I ilogb(H x) { return ilogb(TO_F(x)); }

OVERLOAD F frexp(F x, __private I *exponent);
OVERLOAD F modf(F x, __private F *whole);
OVERLOAD F lgamma_r(F x, __private I *sign);
OVERLOAD F remquo(F x, F y, __private I *quotient);
#define THROUGH_POINTERS(SPACE) \
  OVERLOAD H frexp(H x, SPACE I *exponent) { \
    I value; \
    H result = TO_H(frexp(TO_F(x), &value)); \
    *exponent = value; \
    return result; \
  } \
  OVERLOAD H modf(H x, SPACE H *whole) { \
    F value; \
    H result = TO_H(modf(TO_F(x), &value)); \
    *whole = TO_H(value); \
    return result; \
  } \
  OVERLOAD H lgamma_r(H x, SPACE I *sign) { \
    I value; \
    H result = TO_H(lgamma_r(TO_F(x), &value)); \
    *sign = value; \
    return result; \
  } \
  OVERLOAD H remquo(H x, H y, SPACE I *quotient) { \
    I value; \
    H result = TO_H(remquo(TO_F(x), TO_F(y), &value)); \
    *quotient = value; \
    return result; \
  }
ADDRESS_SPACES(THROUGH_POINTERS)
#undef THROUGH_POINTERS

#endif
