// Relational functions. They say 1 for a true scalar and -1 for a true element.

#include "common.h"

// R is the type of the answer and TRUTH makes one of a comparison.
#define RELATIONS(n, T, S, B, R, TRUTH) \
  OVERLOAD R isequal(T##n x, T##n y) { return TRUTH(x == y); } \
  OVERLOAD R isnotequal(T##n x, T##n y) { return TRUTH(x != y); } \
  OVERLOAD R isgreater(T##n x, T##n y) { return TRUTH(x > y); } \
  OVERLOAD R isgreaterequal(T##n x, T##n y) { return TRUTH(x >= y); } \
  OVERLOAD R isless(T##n x, T##n y) { return TRUTH(x < y); } \
  OVERLOAD R islessequal(T##n x, T##n y) { return TRUTH(x <= y); } \
  OVERLOAD R islessgreater(T##n x, T##n y) { return TRUTH((x < y) | (x > y)); } \
  OVERLOAD R isordered(T##n x, T##n y) { return TRUTH((x == x) & (y == y)); } \
  OVERLOAD R isunordered(T##n x, T##n y) { return TRUTH((x != x) | (y != y)); } \
  OVERLOAD R isnan(T##n x) { return TRUTH(x != x); } \
  OVERLOAD R isinf(T##n x) { return TRUTH(__builtin_elementwise_abs(x) == (T)INFINITY); } \
  OVERLOAD R isfinite(T##n x) { return TRUTH(__builtin_elementwise_abs(x) < (T)INFINITY); } \
  OVERLOAD R isnormal(T##n x) { \
    T##n size = __builtin_elementwise_abs(x); \
    return TRUTH((size >= SMALLEST_##T) & (size < (T)INFINITY)); \
  } \
  OVERLOAD R signbit(T##n x) { return TRUTH(AS(S##n, x) < (S)0); }

#define SMALLEST_half HALF_MIN
#define SMALLEST_float FLT_MIN
#define SMALLEST_double DBL_MIN
#define SAME(x) (x)
#define RELATIONS_SCALAR(M, T, S, B) RELATIONS(, T, S, B, int, SAME)
#define RELATIONS_VECTOR(n, T, S, B) RELATIONS(n, T, S, B, S##n, SAME)
#define VECTORS_OF(M, T, S, B) VECTORS(M, T, S, B)
FLOATS(RELATIONS_SCALAR, )
FLOATS(VECTORS_OF, RELATIONS_VECTOR)

#define TESTS(n, T) \
  OVERLOAD int any(T##n x) { return __builtin_reduce_or(x) < (T)0; } \
  OVERLOAD int all(T##n x) { return __builtin_reduce_and(x) < (T)0; }
#define TESTS_OF(M, T, U, S, B) \
  OVERLOAD int any(T x) { return x < (T)0; } \
  OVERLOAD int all(T x) { return x < (T)0; } \
  VECTORS(TESTS, T)
SIGNED_TYPES(TESTS_OF, )

// ---- Choosing ----------------------------------------------------------------------------------------------------

#define BITSELECT(n, T, S) \
  OVERLOAD T##n bitselect(T##n a, T##n b, T##n mask) { \
    S##n x = AS(S##n, a), m = AS(S##n, mask); \
    return AS(T##n, (S##n)(x ^ (m & (x ^ AS(S##n, b))))); \
  }

// A scalar condition is true if it is not 0, an element if its highest bit is set.
#define SELECT_SCALAR(T, C) \
  OVERLOAD T select(T a, T b, C c) { return c ? b : a; }
#define SELECT_VECTOR(n, T, S, C) \
  OVERLOAD T##n select(T##n a, T##n b, C##n c) { return AS(S##n, c) < (S)0 ? b : a; }

#define CHOICES(T, S, U) \
  WIDTHS(BITSELECT, T, S) \
  SELECT_SCALAR(T, S) SELECT_SCALAR(T, U) \
  VECTORS(SELECT_VECTOR, T, S, S) VECTORS(SELECT_VECTOR, T, S, U)
CHOICES(char, char, uchar)
CHOICES(uchar, char, uchar)
CHOICES(short, short, ushort)
CHOICES(ushort, short, ushort)
CHOICES(int, int, uint)
CHOICES(uint, int, uint)
CHOICES(long, long, ulong)
CHOICES(ulong, long, ulong)
CHOICES(half, short, ushort)
CHOICES(float, int, uint)
CHOICES(double, long, ulong)
