// log, log2, log10, log1p of floats.
//
// x = 2^k (1 + f) with f between √½ - 1 and √2 - 1; log(1 + f) = f + f² P(f) with a minimax polynomial P. The large
// terms k log 2 and f are added without error (Dekker's fast two-sum), the small ones to what is left of them.

#ifndef WIDTH
#include "float_math.h"
#define SELF "math_float_log.cl"
#include "float_widths.h"
#else
#include "float_log.h"

// k as a float, and f.
HELPER F split_normal(F x, __private F *f) {
  I bits = AS(I, x);
  I k = (bits - 0x3f3504f3) >> 23;
  *f = AS(F, bits - (k << 23)) - 1.0f;
  return TO_F(k);
}

// The same, where subnormal numbers are brought up by 2^23 first.
HELPER F split(F x, __private F *f) {
  I small = x < 0x1p-126f;
  F up = x * 0x1p23f, normal = small ? up : x;
  // A subnormal number that counts as zero need not be brought up.
  normal = __mux_isftz() ? x : normal;
  F result = split_normal(normal, f), lower = result - 23.0f;
  lower = __mux_isftz() ? result : lower;
  return small ? lower : result;
}

HELPER F finished(F x, F result) {
  F special = x == 0.0f ? (F)-INFINITY : (F)NAN;
  result = x > 0.0f ? result : special;
  return x == INFINITY ? x : result;
}

// log2 in plain float, times a factor.
HELPER F quick_log(F k, F f, float factor) { return FMA(f, POLY_NATIVE_LOG2(f), k) * factor; }

HELPER F log_of(F k, F f) { return summed(k, 0x1.62e4p-1f, 0x1.7f7d1cp-20f, f, f * f, POLY_LOG(f), (F)0.0f); }

HELPER F log2_of(F k, F f) {
  F first = f * LOG2E_HI, low = FMA(f, (F)LOG2E_LO, FMA(f, (F)LOG2E_HI, -first));
  F rest = FMA(f * f, POLY_LOG2(f), low);
  F sum = k + first, error = (k - sum) + first;
  return sum + (error + rest);
}

HELPER F log10_of(F k, F f) {
  F first = f * LOG10E_HI, low = FMA(f, (F)LOG10E_LO, FMA(f, (F)LOG10E_HI, -first));
  return summed(k, 0x1.344p-2f, 0x1.3509f8p-18f, first, f * f, POLY_LOG10(f), low);
}

// Arguments that are not positive, normal and finite are rare.
#define LOGARITHM(name, factor)                                                                                        \
  OVERLOAD F name(F x) {                                                                                               \
    F f, k = split_normal(x, &f);                                                                                      \
    F y = __mux_usefast() ? quick_log(k, f, factor) : name##_of(k, f);                                                 \
    I rare = AS(I, AS(U, x) - 0x00800000u >= 0x7f000000u);                                                             \
    if (ANY(rare)) {                                                                                                   \
      k = split(x, &f);                                                                                                \
      F end = finished(x, name##_of(k, f));                                                                            \
      y = rare ? end : y;                                                                                              \
    }                                                                                                                  \
    return y;                                                                                                          \
  }

LOGARITHM(log, LN2_HI)
LOGARITHM(log2, 1.0f)
LOGARITHM(log10, 0x1.344136p-2f)
#undef LOGARITHM

OVERLOAD F log1p(F x) {
  F result = finished(1.0f + x, log_of_sum((F)1.0f, x, (F)0.0f, (F)0.0f));
  return ABS(x) < 0x1p-25f ? x : result;
}

#endif
