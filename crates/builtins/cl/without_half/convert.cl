// Conversions between float and the bits of halves, in integers. They are functions of the library, so that there is one
// of each for all that is done to memory.

#include "../common.h"
#include "../rounding.h"

// Whatever the inliner thinks of their size: a call is nothing that a kernel can be vectorized over.
#undef OVERLOAD
#define OVERLOAD __attribute__((overloadable, always_inline))

// ---- From half ---------------------------------------------------------------------------------------------------

#define WIDEN(n, X) \
  OVERLOAD float##n __of_half_bits(ushort##n half_bits) { \
    uint##n bits = CONVERT(n, uint, half_bits), a = bits & 0x7fffu, sign = (bits & 0x8000u) << 16; \
    float##n subnormal = CONVERT(n, float, a) * 0x1p-24f; \
    uint##n result = a < 0x400u ? AS(uint##n, subnormal) : (a << 13) + 0x38000000u; \
    /* Infinities and NaNs, of which none signals */ \
    result = a >= 0x7c00u ? (a << 13) | 0x7f800000u : result; \
    result = a > 0x7c00u ? result | 0x400000u : result; \
    return AS(float##n, result | sign); \
  }
WIDTHS(WIDEN, )

// ---- To half -----------------------------------------------------------------------------------------------------

// Whether the magnitude q, of which `rest` was cut off, is one more; and the bits of what is too large for a half.
#define UP_rte(n) (rest > middle ? (uint##n)1u : rest == middle ? q & 1u : (uint##n)0u)
#define UP_rtz(n) ((uint##n)0u)
#define UP_rtp(n) (rest != 0u ? 1u - negative : (uint##n)0u)
#define UP_rtn(n) (rest != 0u ? negative : (uint##n)0u)
#define TOO_LARGE_rte(n) ((uint##n)0x7c00u)
#define TOO_LARGE_rtz(n) ((uint##n)0x7bffu)
#define TOO_LARGE_rtp(n) (0x7c00u - negative)
#define TOO_LARGE_rtn(n) (0x7bffu + negative)

#define NARROW_BITS(n, rounding) \
  OVERLOAD ushort##n __half_bits##rounding(float##n x) { \
    uint##n bits = AS(uint##n, x), a = bits & 0x7fffffffu, negative = bits >> 31, exponent = a >> 23; \
    /* A subnormal half is a multiple of 2^-24; of what is far below, only whether it is zero counts. */ \
    uint##n significand = a == 0u ? (uint##n)0u : (a & 0x7fffffu) | 0x800000u; \
    uint##n distance = exponent < 95u ? (uint##n)31u : 126u - exponent; \
    uint##n value = a < 0x38800000u ? significand : a - 0x38000000u; \
    uint##n shift = a < 0x38800000u ? distance : (uint##n)13u; \
    uint##n q = value >> shift, middle = (uint##n)1u << (shift - 1u), rest = value & (middle + middle - 1u); \
    uint##n result = q + UP##rounding(n); \
    result = a >= 0x47800000u ? TOO_LARGE##rounding(n) : result; \
    result = a >= 0x7f800000u ? (uint##n)0x7c00u : result; \
    result = a > 0x7f800000u ? 0x7e00u | ((a >> 13) & 0x3ffu) : result; \
    return CONVERT(n, ushort, result | (negative << 15)); \
  } \
  OVERLOAD ushort##n __half_bits##rounding(double##n x) { return __half_bits##rounding(odd_float(x)); }
WIDTHS(NARROW_BITS, _rte)
WIDTHS(NARROW_BITS, _rtz)
WIDTHS(NARROW_BITS, _rtp)
WIDTHS(NARROW_BITS, _rtn)
