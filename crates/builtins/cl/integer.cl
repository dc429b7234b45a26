// Integer functions.

#include "common.h"

// ---- Any integer -------------------------------------------------------------------------------------------------

#define COMMON(n, T, U, S, B) \
  OVERLOAD T##n hadd(T##n x, T##n y) { return (T##n)((x >> (T)1) + (y >> (T)1) + (x & y & (T)1)); } \
  OVERLOAD T##n rhadd(T##n x, T##n y) { return (T##n)((x >> (T)1) + (y >> (T)1) + ((x | y) & (T)1)); } \
  OVERLOAD T##n min(T##n x, T##n y) { return __builtin_elementwise_min(x, y); } \
  OVERLOAD T##n max(T##n x, T##n y) { return __builtin_elementwise_max(x, y); } \
  OVERLOAD T##n clamp(T##n x, T##n low, T##n high) { return min(max(x, low), high); } \
  OVERLOAD U##n abs_diff(T##n x, T##n y) { return (U##n)(AS(U##n, max(x, y)) - AS(U##n, min(x, y))); } \
  OVERLOAD T##n rotate(T##n value, T##n count) { \
    U##n v = AS(U##n, value), c = AS(U##n, count) & (U)(B - 1); \
    return AS(T##n, (U##n)(v << c | v >> (((U)B - c) & (U)(B - 1)))); \
  }
#define DEFINE(M, T, U, S, B) WIDTHS(M, T, U, S, B)
INTEGERS(DEFINE, COMMON)

#define ABS_SIGNED(n, T, U, S, B) \
  OVERLOAD U##n abs(T##n x) { return CONVERT(n, U, __builtin_elementwise_abs(x)); }
#define ABS_UNSIGNED(n, T, U, S, B) \
  OVERLOAD U##n abs(T##n x) { return x; }
SIGNED_TYPES(DEFINE, ABS_SIGNED)
UNSIGNED_TYPES(DEFINE, ABS_UNSIGNED)

#define WITH_SCALAR(n, T, U, S, B) \
  OVERLOAD T##n min(T##n x, T y) { return min(x, (T##n)y); } \
  OVERLOAD T##n max(T##n x, T y) { return max(x, (T##n)y); } \
  OVERLOAD T##n clamp(T##n x, T low, T high) { return min(max(x, (T##n)low), (T##n)high); }
#define DEFINE_VECTORS(M, T, U, S, B) VECTORS(M, T, U, S, B)
INTEGERS(DEFINE_VECTORS, WITH_SCALAR)

#define SATURATE(n, T) \
  OVERLOAD T##n add_sat(T##n x, T##n y) { return __builtin_elementwise_add_sat(x, y); } \
  OVERLOAD T##n sub_sat(T##n x, T##n y) { return __builtin_elementwise_sub_sat(x, y); }
// The builtins would promote small scalars to int.
#define SATURATE_SMALL(T, MIN, MAX) \
  OVERLOAD T add_sat(T x, T y) { return (T)clamp((int)x + (int)y, MIN, MAX); } \
  OVERLOAD T sub_sat(T x, T y) { return (T)clamp((int)x - (int)y, MIN, MAX); } \
  VECTORS(SATURATE, T)
SATURATE_SMALL(char, CHAR_MIN, CHAR_MAX)
SATURATE_SMALL(uchar, 0, UCHAR_MAX)
SATURATE_SMALL(short, SHRT_MIN, SHRT_MAX)
SATURATE_SMALL(ushort, 0, USHRT_MAX)
WIDTHS(SATURATE, int)
WIDTHS(SATURATE, uint)
WIDTHS(SATURATE, long)
WIDTHS(SATURATE, ulong)

// ---- Counting bits -----------------------------------------------------------------------------------------------

#define COUNT_SCALAR(M, T, U, S, B) \
  OVERLOAD T clz(T x) { return (T)__builtin_clzg((U)x, B); } \
  OVERLOAD T ctz(T x) { return (T)__builtin_ctzg((U)x, B); } \
  OVERLOAD T popcount(T x) { return (T)__builtin_popcountg((U)x); }
INTEGERS(COUNT_SCALAR, )

#define COUNT_VECTOR(f, T) \
  OVERLOAD T##2 f(T##2 x) { return (T##2)(f(x.s0), f(x.s1)); } \
  OVERLOAD T##3 f(T##3 x) { return (T##3)(f(x.s0), f(x.s1), f(x.s2)); } \
  OVERLOAD T##4 f(T##4 x) { return (T##4)(f(x.lo), f(x.hi)); } \
  OVERLOAD T##8 f(T##8 x) { return (T##8)(f(x.lo), f(x.hi)); } \
  OVERLOAD T##16 f(T##16 x) { return (T##16)(f(x.lo), f(x.hi)); }
#define COUNT(M, T, U, S, B) COUNT_VECTOR(clz, T) COUNT_VECTOR(ctz, T) COUNT_VECTOR(popcount, T)
INTEGERS(COUNT, )

// ---- Products ----------------------------------------------------------------------------------------------------

// To 32 bits there is a type that holds the whole product.
#define PRODUCT(n, T, U, W, B, MIN, MAX) \
  OVERLOAD T##n mul_hi(T##n x, T##n y) { \
    return CONVERT(n, T, CONVERT(n, W, x) * CONVERT(n, W, y) >> (W)B); \
  } \
  OVERLOAD T##n mad_sat(T##n x, T##n y, T##n z) { \
    W##n sum = (W##n)(CONVERT(n, W, x) * CONVERT(n, W, y) + CONVERT(n, W, z)); \
    return CONVERT(n, T, clamp(sum, (W##n)(W)MIN, (W##n)(W)MAX)); \
  }
WIDTHS(PRODUCT, char, uchar, short, 8, CHAR_MIN, CHAR_MAX)
WIDTHS(PRODUCT, uchar, uchar, ushort, 8, 0, UCHAR_MAX)
WIDTHS(PRODUCT, short, ushort, int, 16, SHRT_MIN, SHRT_MAX)
WIDTHS(PRODUCT, ushort, ushort, uint, 16, 0, USHRT_MAX)
WIDTHS(PRODUCT, int, uint, long, 32, INT_MIN, INT_MAX)
WIDTHS(PRODUCT, uint, uint, ulong, 32, 0, UINT_MAX)

// With 64 bits the product is made of the four of its halves.
#define PRODUCT_64(n, X) \
  OVERLOAD ulong##n mul_hi(ulong##n x, ulong##n y) { \
    ulong##n xl = x & 0xffffffffUL, xh = x >> 32UL, yl = y & 0xffffffffUL, yh = y >> 32UL; \
    ulong##n middle = xh * yl + (xl * yl >> 32UL); \
    ulong##n other = xl * yh + (middle & 0xffffffffUL); \
    return xh * yh + (middle >> 32UL) + (other >> 32UL); \
  } \
  OVERLOAD long##n mul_hi(long##n x, long##n y) { \
    ulong##n high = mul_hi(AS(ulong##n, x), AS(ulong##n, y)); \
    return AS(long##n, high - AS(ulong##n, (x >> 63L) & y) - AS(ulong##n, (y >> 63L) & x)); \
  } \
  OVERLOAD ulong##n mad_sat(ulong##n x, ulong##n y, ulong##n z) { \
    ulong##n low = x * y, sum = low + z; \
    return (mul_hi(x, y) != 0UL) | (sum < low) ? (ulong##n)ULONG_MAX : sum; \
  } \
  OVERLOAD long##n mad_sat(long##n x, long##n y, long##n z) { \
    ulong##n low = AS(ulong##n, x) * AS(ulong##n, y), sum = low + AS(ulong##n, z); \
    ulong##n carry = sum < low ? (ulong##n)1UL : (ulong##n)0UL; \
    long##n high = AS(long##n, AS(ulong##n, mul_hi(x, y)) + AS(ulong##n, z >> 63L) + carry); \
    long##n limit = (high >> 63L) ^ LONG_MAX; \
    return high == (AS(long##n, sum) >> 63L) ? AS(long##n, sum) : limit; \
  }
WIDTHS(PRODUCT_64, )

#define MAD_HI(n, T, U, S, B) \
  OVERLOAD T##n mad_hi(T##n x, T##n y, T##n z) { \
    return AS(T##n, (U##n)(AS(U##n, mul_hi(x, y)) + AS(U##n, z))); \
  }
INTEGERS(DEFINE, MAD_HI)

#define PRODUCT_24(n, T) \
  OVERLOAD T##n mul24(T##n x, T##n y) { return AS(T##n, AS(uint##n, x) * AS(uint##n, y)); } \
  OVERLOAD T##n mad24(T##n x, T##n y, T##n z) { \
    return AS(T##n, AS(uint##n, x) * AS(uint##n, y) + AS(uint##n, z)); \
  }
WIDTHS(PRODUCT_24, int)
WIDTHS(PRODUCT_24, uint)

#define UPSAMPLE(n, T, U, W, UW, B) \
  OVERLOAD W##n upsample(T##n high, U##n low) { \
    return AS(W##n, (UW##n)(CONVERT(n, UW, AS(U##n, high)) << (UW)B | CONVERT(n, UW, low))); \
  }
WIDTHS(UPSAMPLE, char, uchar, short, ushort, 8)
WIDTHS(UPSAMPLE, uchar, uchar, ushort, ushort, 8)
WIDTHS(UPSAMPLE, short, ushort, int, uint, 16)
WIDTHS(UPSAMPLE, ushort, ushort, uint, uint, 16)
WIDTHS(UPSAMPLE, int, uint, long, ulong, 32)
WIDTHS(UPSAMPLE, uint, uint, ulong, ulong, 32)
