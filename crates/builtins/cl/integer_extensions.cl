// cl_khr_extended_bit_ops and cl_khr_integer_dot_product.

#include "common.h"

// ---- Bit fields --------------------------------------------------------------------------------------------------

// The lowest bits, of which there may be none and all: a shift by the size of the type is no shift.
#define MASK(U, B, count) (U)((count) == 0 ? (U)0 : (U)((U)-1 >> (B - (count))))

#define FIELDS(n, T, U, S, B) \
  OVERLOAD T##n bitfield_insert(T##n base, T##n insert, uint offset, uint count) { \
    U##n place = (U##n)(U)(MASK(U, B, count) << (offset & (B - 1))); \
    U##n moved = (U##n)(AS(U##n, insert) << (U##n)(U)(offset & (B - 1))); \
    return AS(T##n, (U##n)((AS(U##n, base) & ~place) | (moved & place))); \
  } \
  OVERLOAD U##n bitfield_extract_unsigned(T##n base, uint offset, uint count) { \
    return (U##n)((U##n)(AS(U##n, base) >> (U##n)(U)(offset & (B - 1))) & (U##n)MASK(U, B, count)); \
  } \
  OVERLOAD S##n bitfield_extract_signed(T##n base, uint offset, uint count) { \
    S##n top = AS(S##n, (U##n)(AS(U##n, base) << (U##n)(U)((B - offset - count) & (B - 1)))); \
    S##n result = (S##n)(top >> (S##n)(S)((B - count) & (B - 1))); \
    return result & (S##n)(S)(count == 0 ? 0 : -1); \
  }
#define DEFINE(M, T, U, S, B) WIDTHS(M, T, U, S, B)
INTEGERS(DEFINE, FIELDS)

#define REVERSE_SCALAR(M, T, U, S, B) \
  OVERLOAD T bit_reverse(T x) { return (T)__builtin_bitreverse##B((U)x); }
#define REVERSE_VECTOR(n, T, U, S, B) \
  OVERLOAD T##n bit_reverse(T##n x) { return __builtin_elementwise_bitreverse(x); }
#define DEFINE_VECTORS(M, T, U, S, B) VECTORS(M, T, U, S, B)
INTEGERS(REVERSE_SCALAR, )
INTEGERS(DEFINE_VECTORS, REVERSE_VECTOR)

// ---- Dot products ------------------------------------------------------------------------------------------------

// Targets may have instructions for these.
#define DECLARE_DOT(kind) \
  __attribute__((const)) int __mux_dot_##kind##_i(int, int, int); \
  __attribute__((const)) int __mux_dot_sat_##kind##_i(int, int, int);
DECLARE_DOT(uu)
DECLARE_DOT(ss)
DECLARE_DOT(us)
#define SUM_uu(name, x, y, sum) __mux_dot##name##_uu_i(x, y, sum)
#define SUM_ss(name, x, y, sum) __mux_dot##name##_ss_i(x, y, sum)
#define SUM_us(name, x, y, sum) __mux_dot##name##_us_i(x, y, sum)
#define SUM_su(name, x, y, sum) __mux_dot##name##_us_i(y, x, sum)

#define DOT(a, b, R, A, B) \
  OVERLOAD R dot(A##4 x, B##4 y) { return (R)SUM_##a##b(, AS(int, x), AS(int, y), 0); } \
  OVERLOAD R dot_acc_sat(A##4 x, B##4 y, R sum) { \
    return (R)SUM_##a##b(_sat, AS(int, x), AS(int, y), (int)sum); \
  } \
  OVERLOAD R dot_4x8packed_##a##b##_##R(uint x, uint y) { return (R)SUM_##a##b(, x, y, 0); } \
  OVERLOAD R dot_acc_sat_4x8packed_##a##b##_##R(uint x, uint y, R sum) { \
    return (R)SUM_##a##b(_sat, x, y, (int)sum); \
  }
DOT(u, u, uint, uchar, uchar)
DOT(s, s, int, char, char)
DOT(u, s, int, uchar, char)
DOT(s, u, int, char, uchar)
