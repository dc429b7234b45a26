// Integers that a float does not hold, to float in other roundings than the default. The nearest float is an integer, too,
// and is compared with the exact value as one.

#include "../common.h"
#include "../rounding.h"

// Any int and any float of its size is a long.
#define INT_ROUNDED(n, FROM, rounding) \
  OVERLOAD float##n convert_float##n##rounding(FROM##n x) { \
    float##n r = CONVERT(n, float, x); \
    long##n back = CONVERT(n, long, r), exact = CONVERT(n, long, x); \
    return step##rounding(r, MASK(n, int, back > exact), MASK(n, int, back < exact)); \
  }
// The largest longs round to END, which is no long.
#define LONG_ROUNDED(n, FROM, END, rounding) \
  OVERLOAD float##n convert_float##n##rounding(FROM##n x) { \
    float##n r = CONVERT(n, float, x), inside = r < END ? r : (float##n)0.0f; \
    FROM##n back = CONVERT(n, FROM, inside); \
    int##n over = MASK(n, int, r >= END); \
    int##n above = over | MASK(n, int, back > x), below = ~over & MASK(n, int, back < x); \
    return step##rounding(r, above, below); \
  }
#define ROUNDINGS(n, M, ...) M(n, __VA_ARGS__, _rtz) M(n, __VA_ARGS__, _rtp) M(n, __VA_ARGS__, _rtn)
WIDTHS(ROUNDINGS, INT_ROUNDED, int)
WIDTHS(ROUNDINGS, INT_ROUNDED, uint)
WIDTHS(ROUNDINGS, LONG_ROUNDED, long, 0x1p63f)
WIDTHS(ROUNDINGS, LONG_ROUNDED, ulong, 0x1p64f)
