// One module for each TO: char uchar short ushort int uint long ulong half float double
//
// Conversions of any type to any type: as by a cast, with a rounding, saturated.

#include "common.h"
#include "rounding.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define IS_half 1
#define IS_float 1
#define IS_double 1
#define TO_FLOAT JOIN(IS_, TO)

#define MIN_char CHAR_MIN
#define MAX_char CHAR_MAX
#define MIN_uchar 0
#define MAX_uchar UCHAR_MAX
#define MIN_short SHRT_MIN
#define MAX_short SHRT_MAX
#define MIN_ushort 0
#define MAX_ushort USHRT_MAX
#define MIN_int INT_MIN
#define MAX_int INT_MAX
#define MIN_uint 0
#define MAX_uint UINT_MAX
#define MIN_long LONG_MIN
#define MAX_long LONG_MAX
#define MIN_ulong 0
#define MAX_ulong ULONG_MAX

#define CAST(n, TO, FROM, suffix) \
  OVERLOAD TO##n convert_##TO##n##suffix(FROM##n x) { return CONVERT(n, TO, x); }
#define CASTS(n, TO, FROM) \
  CAST(n, TO, FROM, ) CAST(n, TO, FROM, _rte) CAST(n, TO, FROM, _rtz) CAST(n, TO, FROM, _rtp) CAST(n, TO, FROM, _rtn)

#if !TO_FLOAT

// ---- Integers to integers ----------------------------------------------------------------------------------------

// A bound that the source type does not reach is the end of the source type.
#define LOW(TO, FROM) ((FROM)MIN_##FROM == 0 || (TO)MIN_##TO == 0 ? (FROM)0 \
                       : (long)MIN_##FROM < (long)MIN_##TO ? (FROM)MIN_##TO : (FROM)MIN_##FROM)
#define HIGH(TO, FROM) ((ulong)MAX_##FROM > (ulong)MAX_##TO ? (FROM)MAX_##TO : (FROM)MAX_##FROM)
#define SATURATED(n, TO, FROM, suffix) \
  OVERLOAD TO##n convert_##TO##n##_sat##suffix(FROM##n x) { \
    FROM##n low = (FROM##n)(FROM)LOW(TO, FROM), high = (FROM##n)(FROM)HIGH(TO, FROM); \
    return CONVERT(n, TO, __builtin_elementwise_min(__builtin_elementwise_max(x, low), high)); \
  }
// No rounding makes a difference.
#define FROM_INTEGER(n, TO, FROM) \
  CASTS(n, TO, FROM) \
  SATURATED(n, TO, FROM, ) SATURATED(n, TO, FROM, _rte) SATURATED(n, TO, FROM, _rtz) \
  SATURATED(n, TO, FROM, _rtp) SATURATED(n, TO, FROM, _rtn)
WIDTHS(FROM_INTEGER, TO, char)
WIDTHS(FROM_INTEGER, TO, uchar)
WIDTHS(FROM_INTEGER, TO, short)
WIDTHS(FROM_INTEGER, TO, ushort)
WIDTHS(FROM_INTEGER, TO, int)
WIDTHS(FROM_INTEGER, TO, uint)
WIDTHS(FROM_INTEGER, TO, long)
WIDTHS(FROM_INTEGER, TO, ulong)

// ---- Floats to integers ------------------------------------------------------------------------------------------

// The first float that does not fit.
#define END_char 0x1p7f
#define END_uchar 0x1p8f
#define END_short 0x1p15f
#define END_ushort 0x1p16f
#define END_int 0x1p31f
#define END_uint 0x1p32f
#define END_long 0x1p63f
#define END_ulong 0x1p64f

#define S_char char
#define S_uchar char
#define S_short short
#define S_ushort short
#define S_int int
#define S_uint int
#define S_long long
#define S_ulong long

// Values from END on and below MIN are cut off; NaN gives 0. The conversion of what is replaced then must not be
// undefined, so it sees 0 instead.
#define ROUNDED(n, TO, FROM, S, suffix, round) \
  OVERLOAD TO##n convert_##TO##n##suffix(FROM##n x) { return CONVERT(n, TO, round(x)); } \
  OVERLOAD TO##n convert_##TO##n##_sat##suffix(FROM##n x) { \
    FROM##n r = round(x), zero = (FROM##n)(FROM)0; \
    FROM##n inside = (r >= (FROM)MIN_##TO) & (r < (FROM)END_##TO) ? r : zero; \
    TO##n value = CONVERT(n, TO, inside), low = (TO##n)(TO)MIN_##TO, high = (TO##n)(TO)MAX_##TO; \
    value = MASK(n, S, r >= (FROM)END_##TO) ? high : value; \
    return MASK(n, S, r < (FROM)MIN_##TO) ? low : value; \
  }
// A conversion cuts off what is behind the point by itself.
#define CUT(x) (x)
#define NEAREST(x) __builtin_elementwise_roundeven(x)
#define UP(x) __builtin_elementwise_ceil(x)
#define DOWN(x) __builtin_elementwise_floor(x)
#define FROM_FLOAT_(n, TO, FROM, S) \
  ROUNDED(n, TO, FROM, S, , CUT) \
  ROUNDED(n, TO, FROM, S, _rte, NEAREST) \
  ROUNDED(n, TO, FROM, S, _rtz, CUT) \
  ROUNDED(n, TO, FROM, S, _rtp, UP) \
  ROUNDED(n, TO, FROM, S, _rtn, DOWN)
#define FROM_FLOAT(n, TO, FROM, S) FROM_FLOAT_(n, TO, FROM, S)
WIDTHS(FROM_FLOAT, TO, float, JOIN(S_, TO))
WIDTHS(FROM_FLOAT, TO, double, JOIN(S_, TO))

// The ends do not fit into a half: it is a float first, which is exact.
#define FROM_HALF(n, TO, suffix) \
  OVERLOAD TO##n convert_##TO##n##suffix(half##n x) { return convert_##TO##n##suffix(CONVERT(n, float, x)); }
#define FROM_HALVES(n, TO) \
  FROM_HALF(n, TO, ) FROM_HALF(n, TO, _rte) FROM_HALF(n, TO, _rtz) FROM_HALF(n, TO, _rtp) FROM_HALF(n, TO, _rtn) \
  FROM_HALF(n, TO, _sat) FROM_HALF(n, TO, _sat_rte) FROM_HALF(n, TO, _sat_rtz) FROM_HALF(n, TO, _sat_rtp) \
  FROM_HALF(n, TO, _sat_rtn)
WIDTHS(FROM_HALVES, TO)

#else

// ---- To floats ---------------------------------------------------------------------------------------------------

// NEAREST is a conversion in the default rounding, OTHER(rounding, x) one in another.
#define ROUNDED(n, TO, FROM, NEAREST, OTHER) \
  OVERLOAD TO##n convert_##TO##n(FROM##n x) { return NEAREST(n, x); } \
  OVERLOAD TO##n convert_##TO##n##_rte(FROM##n x) { return NEAREST(n, x); } \
  OVERLOAD TO##n convert_##TO##n##_rtz(FROM##n x) { return OTHER(n, FROM, _rtz, x); } \
  OVERLOAD TO##n convert_##TO##n##_rtp(FROM##n x) { return OTHER(n, FROM, _rtp, x); } \
  OVERLOAD TO##n convert_##TO##n##_rtn(FROM##n x) { return OTHER(n, FROM, _rtn, x); }

WIDTHS(CASTS, TO, char)
WIDTHS(CASTS, TO, uchar)
WIDTHS(CASTS, TO, half)

#define IS_HALF_half 1
#define IS_DOUBLE_double 1
#if JOIN(IS_HALF_, TO)

// What is over 2^16 is too large in any rounding; up to there a float is exact.
#define TO_HALF(n, x) CONVERT(n, half, x)
#define SHORT_TO_HALF(n, FROM, rounding, x) narrow_half##rounding(CONVERT(n, float, x))
#define SIGNED_TO_HALF(n, FROM, rounding, x) \
  narrow_half##rounding(CONVERT(n, float, __builtin_elementwise_max(__builtin_elementwise_min( \
      x, (FROM##n)(FROM)(1 << 17)), (FROM##n)(FROM)-(1 << 17))))
#define UNSIGNED_TO_HALF(n, FROM, rounding, x) \
  narrow_half##rounding(CONVERT(n, float, __builtin_elementwise_min(x, (FROM##n)(FROM)(1 << 17))))
#define FLOAT_TO_HALF(n, FROM, rounding, x) narrow_half##rounding(x)
#define DOUBLE_TO_HALF(n, x) narrow_half_rte(x)
WIDTHS(ROUNDED, half, short, TO_HALF, SHORT_TO_HALF)
WIDTHS(ROUNDED, half, ushort, TO_HALF, SHORT_TO_HALF)
WIDTHS(ROUNDED, half, int, TO_HALF, SIGNED_TO_HALF)
WIDTHS(ROUNDED, half, uint, TO_HALF, UNSIGNED_TO_HALF)
WIDTHS(ROUNDED, half, long, TO_HALF, SIGNED_TO_HALF)
WIDTHS(ROUNDED, half, ulong, TO_HALF, UNSIGNED_TO_HALF)
WIDTHS(ROUNDED, half, float, TO_HALF, FLOAT_TO_HALF)
WIDTHS(ROUNDED, half, double, DOUBLE_TO_HALF, FLOAT_TO_HALF)

#elif JOIN(IS_DOUBLE_, TO)

WIDTHS(CASTS, double, short)
WIDTHS(CASTS, double, ushort)
WIDTHS(CASTS, double, int)
WIDTHS(CASTS, double, uint)
WIDTHS(CASTS, double, float)
WIDTHS(CASTS, double, double)

// Both halves are exact; the error of their sum is too (Dekker's fast two-sum).
#define LONG_ROUNDED(n, FROM, rounding) \
  OVERLOAD double##n convert_double##n##rounding(FROM##n x) { \
    double##n high = CONVERT(n, double, x >> (FROM)32) * 0x1p32, low = CONVERT(n, double, x & (FROM)0xffffffffu); \
    double##n sum = high + low, rest = low - (sum - high); \
    return step##rounding(sum, MASK(n, long, rest < 0.0), MASK(n, long, rest > 0.0)); \
  }
#define LONG_TO_DOUBLE(n, FROM) \
  CAST(n, double, FROM, ) CAST(n, double, FROM, _rte) \
  LONG_ROUNDED(n, FROM, _rtz) LONG_ROUNDED(n, FROM, _rtp) LONG_ROUNDED(n, FROM, _rtn)
WIDTHS(LONG_TO_DOUBLE, long)
WIDTHS(LONG_TO_DOUBLE, ulong)

#else

WIDTHS(CASTS, float, short)
WIDTHS(CASTS, float, ushort)
WIDTHS(CASTS, float, float)

#define TO_NEAREST(n, x) CONVERT(n, float, x)
#define INT_TO_FLOAT(n, FROM, rounding, x) narrow_float##rounding(CONVERT(n, double, x))
#define DOUBLE_TO_FLOAT(n, FROM, rounding, x) narrow_float##rounding(x)
// A long that a double does not hold loses eleven bits first, rounded to odd.
#define LONG_TO_FLOAT(n, FROM, rounding, x) narrow_float##rounding(CONVERT(n, double, shorter(x)))
#define SHORTER(n, T, SIZE) \
  HELPER T##n shorter(T##n x) { \
    T##n sticky = ((x & (T)0x7ff) + (T)0x7ff) & (T)0x800, odd = (x & (T)~0x7ffL) | sticky; \
    return SIZE(x) >> (T)53 != (T)0 ? odd : x; \
  }
#define UNCHANGED(x) (x)
WIDTHS(SHORTER, long, __builtin_elementwise_abs)
WIDTHS(SHORTER, ulong, UNCHANGED)
WIDTHS(ROUNDED, float, int, TO_NEAREST, INT_TO_FLOAT)
WIDTHS(ROUNDED, float, uint, TO_NEAREST, INT_TO_FLOAT)
WIDTHS(ROUNDED, float, long, TO_NEAREST, LONG_TO_FLOAT)
WIDTHS(ROUNDED, float, ulong, TO_NEAREST, LONG_TO_FLOAT)
WIDTHS(ROUNDED, float, double, TO_NEAREST, DOUBLE_TO_FLOAT)

#endif
#endif
