// log, log2, log10, log1p of floats.
//
// x = 2^k (1 + f) with f in [-¼, ½); log(1 + f) = f + f² P(f) with a minimax polynomial P. The large terms k log 2 and f are
// added without error (Dekker's fast two-sum), the small ones to what is left of them. Where the logarithm is infinite, so is k.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_log.cl"
#include "float_widths.h"
#else
#include "float_log.h"

// k and f. k is infinite where the logarithm is, with its sign, and f is a NaN where that is one.
HELPER F split(F x, __private F *f) {
  F m = MANTISSA(x);
  *f = m - 1.0f;
  return EXPONENT(x) - EXPONENT(m);
}

// log2 in plain float, times a factor.
HELPER F quick_log(F k, F f, float factor) { return FMA(f, POLY_NATIVE_LOG2(f), k) * factor; }

HELPER F log_of(F k, F f) { return summed(k, 0x1.62e4p-1f, 0x1.7f7d1cp-20f, f, f * f, POLY_LOG(f), (F)0.0f); }

// sum + error + low + f² (first + f tail): the square and its product with the first coefficient are sums of two floats, too.
HELPER F with_square(F sum, F error, F low, F f, float first, F tail) {
  F z = f * f, w = z * first, w_low = FMA(FMA(f, f, -z), (F)first, FMA(z, (F)first, -w));
  F total = sum + w;
  error = if_number(error + ((sum - total) + w));
  return total + (FMA(z * f, tail, w_low + low) + error);
}

HELPER F log2_of(F k, F f) {
  F first = f * LOG2E_HI, low = FMA(f, (F)LOG2E_LO, FMA(f, (F)LOG2E_HI, -first));
  F sum = k + first, error = (k - sum) + first;
  return with_square(sum, error, low, f, POLY_LOG2_FIRST, POLY_LOG2(f));
}

HELPER F log10_of(F k, F f) {
  F first = f * LOG10E_HI, low = FMA(f, (F)LOG10E_LO, FMA(f, (F)LOG10E_HI, -first));
  // The product with the first part of log10(2) is exact.
  F a = k * 0x1.344p-2f, sum = a + first, error = (a - sum) + first;
  return with_square(sum, error, FMA(k, (F)0x1.3509f8p-18f, low), f, POLY_LOG10_FIRST, POLY_LOG10(f));
}

#define LOGARITHM(name, factor)                                                                                        \
  OVERLOAD F name(F x) {                                                                                               \
    F f, k = split(x, &f);                                                                                             \
    return __mux_usefast() ? quick_log(k, f, factor) : name##_of(k, f);                                                \
  }

LOGARITHM(log, LN2_HI)
LOGARITHM(log2, 1.0f)
LOGARITHM(log10, 0x1.344136p-2f)
#undef LOGARITHM

HELPER F finished(F x, F result) {
  F special = x == 0.0f ? (F)-INFINITY : (F)NAN;
  result = x > 0.0f ? result : special;
  return x == INFINITY ? x : result;
}

OVERLOAD F log1p(F x) {
  F result = finished(1.0f + x, log_of_sum((F)1.0f, x, (F)0.0f, (F)0.0f));
  return ABS(x) < 0x1p-25f ? x : result;
}

#endif
