// native_ and half_ functions of floats.
//
// native_: the same methods with shorter polynomials, nothing kept beyond a float, and angles as
// far as a plain reduction carries. half_: the full functions, but for angles up to 2^16 only, and powers in float.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_native.cl"
#include "float_widths.h"
#else
#include "float_trig.h"

// ---- native_ -----------------------------------------------------------------------------------------------------

OVERLOAD F native_exp2(F x) {
  x = x > 128.0f ? (F)128.0f : x;
  x = x < -127.0f ? (F)-127.0f : x;
  F n = __builtin_elementwise_rint(x), r = x - n;
  return SCALE(POLY_NATIVE_EXP2(r), n);
}
OVERLOAD F native_exp(F x) { return native_exp2(x * LOG2E_HI); }
OVERLOAD F native_exp10(F x) { return native_exp2(x * 0x1.a934fp1f); }

OVERLOAD F native_log2(F x) {
  F m = MANTISSA(x), f = m - 1.0f;
  return FMA(f, POLY_NATIVE_LOG2(f), EXPONENT(x) - EXPONENT(m));
}
OVERLOAD F native_log(F x) { return native_log2(x) * LN2_HI; }
OVERLOAD F native_log10(F x) { return native_log2(x) * 0x1.344136p-2f; }
OVERLOAD F native_powr(F x, F y) { return native_exp2(y * native_log2(x)); }

HELPER F native_angle(F x, __private I *quadrant) {
  F t = FMA(x, (F)0x1.45f306p-1f, (F)MAGIC), n = t - MAGIC;
  *quadrant = AS(I, t);
  return FMA(n, (F)-PI_2_LO, FMA(n, (F)-PI_2_HI, x));
}
OVERLOAD F native_sin(F x) {
  I quadrant;
  F r = native_angle(x, &quadrant);
  return quick_sin_at(r, quadrant);
}
OVERLOAD F native_cos(F x) {
  I quadrant;
  F r = native_angle(x, &quadrant);
  return quick_sin_at(r, quadrant + 1);
}
OVERLOAD F native_tan(F x) {
  I quadrant;
  F r = native_angle(x, &quadrant);
  return quick_sin_at(r, quadrant) / quick_sin_at(r, quadrant + 1);
}

OVERLOAD F native_sqrt(F x) { return __builtin_elementwise_sqrt(x); }
OVERLOAD F rsqrt(F x);
OVERLOAD F native_rsqrt(F x) { return rsqrt(x); }
OVERLOAD F native_recip(F x) { return 1.0f / x; }
OVERLOAD F native_divide(F x, F y) { return x / y; }

// ---- half_ -------------------------------------------------------------------------------------------------------

#define AS_FULL(name) \
  OVERLOAD F name(F x); \
  OVERLOAD F half_##name(F x) { return name(x); }
AS_FULL(exp)
AS_FULL(exp2)
AS_FULL(exp10)
AS_FULL(log)
AS_FULL(log2)
AS_FULL(log10)
// They need not take arguments beyond 2^16, but then give some number still.
AS_FULL(sin)
AS_FULL(cos)
AS_FULL(tan)
#undef AS_FULL

OVERLOAD F half_powr(F x, F y) { return exp2(y * log2(x)); }

OVERLOAD F half_sqrt(F x) { return __builtin_elementwise_sqrt(x); }
OVERLOAD F half_rsqrt(F x) { return rsqrt(x); }
OVERLOAD F half_recip(F x) { return 1.0f / x; }
OVERLOAD F half_divide(F x, F y) { return x / y; }

#endif
