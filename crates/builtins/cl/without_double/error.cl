// erfc of floats: as in math_float_error.cl, with the exponent of exp(-x²) as the sum of two floats.

#ifndef WIDTH
#include "../float_math.h"
#define SELF "without_double/error.cl"
#include "../float_widths.h"
#else
#include "../float_pow.h"

OVERLOAD F erfc(F x) {
  F a = ABS(x);
  // Beyond, the result is zero or two.
  a = a > 10.2f ? (F)10.2f : a;
  F square = a * a, square_low = FMA(a, a, -square);
  F power = square * LOG2E_HI;
  F power_low = FMA(square, (F)LOG2E_LO, FMA(square, (F)LOG2E_HI, -power)) + square_low * LOG2E_HI;
  F inverse = 1.0f / (a + 2.0f), u = (a - 2.0f) * inverse;
  F tail = exp2_of_sum(-power, -power_low) * (POLY_D_ERFCX(u) * inverse);
  F negative = 2.0f - tail;
  return x < 0.0f ? negative : tail;
}

#endif
