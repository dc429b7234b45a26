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

// k as a float, and f; subnormal numbers are brought up by 2^23 first.
HELPER F split(F x, __private F *f) {
  I small = x < 0x1p-126f;
  F up = x * 0x1p23f, normal = small ? up : x;
  // A subnormal number that counts as zero need not be brought up.
  normal = __mux_isftz() ? x : normal;
  I bits = AS(I, normal);
  I k = (bits - 0x3f3504f3) >> 23;
  *f = AS(F, bits - (k << 23)) - 1.0f;
  F result = TO_F(k), lower = result - 23.0f;
  lower = __mux_isftz() ? result : lower;
  return small ? lower : result;
}

HELPER F finished(F x, F result) {
  F special = x == 0.0f ? (F)-INFINITY : (F)NAN;
  result = x > 0.0f ? result : special;
  return x == INFINITY ? x : result;
}

// log2 in plain float, times a factor.
HELPER F quick_log(F x, F k, F f, float factor) {
  return finished(x, FMA(f, POLY_NATIVE_LOG2(f), k) * factor);
}

OVERLOAD F log(F x) {
  F f, k = split(x, &f);
  if (__mux_usefast())
    return quick_log(x, k, f, LN2_HI);
  return finished(x, summed(k, 0x1.62e4p-1f, 0x1.7f7d1cp-20f, f, f * f, POLY_LOG(f), (F)0.0f));
}

OVERLOAD F log2(F x) {
  F f, k = split(x, &f);
  if (__mux_usefast())
    return quick_log(x, k, f, 1.0f);
  F first = f * LOG2E_HI, low = FMA(f, (F)LOG2E_LO, FMA(f, (F)LOG2E_HI, -first));
  F rest = FMA(f * f, POLY_LOG2(f), low);
  F sum = k + first, error = (k - sum) + first;
  return finished(x, sum + (error + rest));
}

OVERLOAD F log10(F x) {
  F f, k = split(x, &f);
  if (__mux_usefast())
    return quick_log(x, k, f, 0x1.344136p-2f);
  F first = f * LOG10E_HI, low = FMA(f, (F)LOG10E_LO, FMA(f, (F)LOG10E_HI, -first));
  return finished(x, summed(k, 0x1.344p-2f, 0x1.3509f8p-18f, first, f * f, POLY_LOG10(f), low));
}

OVERLOAD F log1p(F x) {
  F result = finished(1.0f + x, log_of_sum((F)1.0f, x, (F)0.0f, (F)0.0f));
  return ABS(x) < 0x1p-25f ? x : result;
}

#endif
