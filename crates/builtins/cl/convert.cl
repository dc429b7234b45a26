// Conversions: any type to any type as by a cast, integers and floats to integers with saturation, and floats to
// integers with a rounding.

#include "common.h"

#define PLAIN(n, TO, FROM) \
  OVERLOAD TO##n convert_##TO##n(FROM##n x) { return CONVERT(n, TO, x); }

#define TO_ALL(F, FROM) \
  F(char, FROM) F(uchar, FROM) F(short, FROM) F(ushort, FROM) F(int, FROM) F(uint, FROM) F(long, FROM) \
  F(ulong, FROM) F(half, FROM) F(float, FROM) F(double, FROM)
#define PLAINS(TO, FROM) WIDTHS(PLAIN, TO, FROM)
TO_ALL(PLAINS, char)
TO_ALL(PLAINS, uchar)
TO_ALL(PLAINS, short)
TO_ALL(PLAINS, ushort)
TO_ALL(PLAINS, int)
TO_ALL(PLAINS, uint)
TO_ALL(PLAINS, long)
TO_ALL(PLAINS, ulong)
TO_ALL(PLAINS, half)
TO_ALL(PLAINS, float)
TO_ALL(PLAINS, double)

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

// ---- Integers, saturated -----------------------------------------------------------------------------------------

// A bound that the source type does not reach is the end of the source type.
#define LOW(TO, FROM) ((FROM)MIN_##FROM == 0 || (TO)MIN_##TO == 0 ? (FROM)0 \
                       : (long)MIN_##FROM < (long)MIN_##TO ? (FROM)MIN_##TO : (FROM)MIN_##FROM)
#define HIGH(TO, FROM) ((ulong)MAX_##FROM > (ulong)MAX_##TO ? (FROM)MAX_##TO : (FROM)MAX_##FROM)
#define SATURATED(n, TO, FROM) \
  OVERLOAD TO##n convert_##TO##n##_sat(FROM##n x) { \
    FROM##n low = (FROM##n)(FROM)LOW(TO, FROM), high = (FROM##n)(FROM)HIGH(TO, FROM); \
    return CONVERT(n, TO, __builtin_elementwise_min(__builtin_elementwise_max(x, low), high)); \
  }
#define TO_INTEGERS(F, FROM) \
  F(char, FROM) F(uchar, FROM) F(short, FROM) F(ushort, FROM) F(int, FROM) F(uint, FROM) F(long, FROM) \
  F(ulong, FROM)
#define SATURATIONS(TO, FROM) WIDTHS(SATURATED, TO, FROM)
TO_INTEGERS(SATURATIONS, char)
TO_INTEGERS(SATURATIONS, uchar)
TO_INTEGERS(SATURATIONS, short)
TO_INTEGERS(SATURATIONS, ushort)
TO_INTEGERS(SATURATIONS, int)
TO_INTEGERS(SATURATIONS, uint)
TO_INTEGERS(SATURATIONS, long)
TO_INTEGERS(SATURATIONS, ulong)

// ---- Floats to integers, rounded and saturated -------------------------------------------------------------------

// Values from END on (as a float, the first that does not fit) and below MIN are cut off; NaN gives 0. The
// conversion of what is replaced then must not be undefined, so it sees 0 instead.
#define ROUNDED(n, TO, FROM, END, suffix, round) \
  OVERLOAD TO##n convert_##TO##n##suffix(FROM##n x) { return CONVERT(n, TO, round(x)); } \
  OVERLOAD TO##n convert_##TO##n##_sat##suffix(FROM##n x) { \
    FROM##n r = round(x); \
    FROM##n inside = (r >= (FROM)MIN_##TO) & (r < (FROM)END) ? r : (FROM##n)(FROM)0; \
    TO##n value = CONVERT(n, TO, inside); \
    value = CONVERT_MASK(n, TO, r >= (FROM)END) ? (TO##n)(TO)MAX_##TO : value; \
    return CONVERT_MASK(n, TO, r < (FROM)MIN_##TO) ? (TO##n)(TO)MIN_##TO : value; \
  }

// A comparison of one type as the condition for another.
#define CONVERT_MASK(n, TO, x) CONVERT_##n(MASK_##TO##n, x)
#define MASKS(n, TO, S) typedef S##n MASK_##TO##n;
WIDTHS(MASKS, char, char)
WIDTHS(MASKS, uchar, char)
WIDTHS(MASKS, short, short)
WIDTHS(MASKS, ushort, short)
WIDTHS(MASKS, int, int)
WIDTHS(MASKS, uint, int)
WIDTHS(MASKS, long, long)
WIDTHS(MASKS, ulong, long)

#define NEAREST(x) __builtin_elementwise_roundeven(x)
#define ZERO(x) __builtin_elementwise_trunc(x)
#define UP(x) __builtin_elementwise_ceil(x)
#define DOWN(x) __builtin_elementwise_floor(x)
#define ROUNDINGS(n, TO, FROM, END) \
  ROUNDED(n, TO, FROM, END, _rte, NEAREST) \
  ROUNDED(n, TO, FROM, END, _rtz, ZERO) \
  ROUNDED(n, TO, FROM, END, _rtp, UP) \
  ROUNDED(n, TO, FROM, END, _rtn, DOWN) \
  OVERLOAD TO##n convert_##TO##n##_sat(FROM##n x) { return convert_##TO##n##_sat_rtz(x); }
#define FROM_FLOAT(FROM) \
  WIDTHS(ROUNDINGS, char, FROM, 0x1p7) \
  WIDTHS(ROUNDINGS, uchar, FROM, 0x1p8) \
  WIDTHS(ROUNDINGS, short, FROM, 0x1p15) \
  WIDTHS(ROUNDINGS, ushort, FROM, 0x1p16) \
  WIDTHS(ROUNDINGS, int, FROM, 0x1p31) \
  WIDTHS(ROUNDINGS, uint, FROM, 0x1p32) \
  WIDTHS(ROUNDINGS, long, FROM, 0x1p63) \
  WIDTHS(ROUNDINGS, ulong, FROM, 0x1p64)
FROM_FLOAT(float)
FROM_FLOAT(double)
