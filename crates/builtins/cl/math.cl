// Mathematics that is exact, or an instruction.
//
// What a choice is between is computed before it: then it is a select, not a branch.

#include "common.h"

#define EXACT(n, T, S, B) \
  OVERLOAD T##n fabs(T##n x) { return __builtin_elementwise_abs(x); } \
  OVERLOAD T##n floor(T##n x) { return __builtin_elementwise_floor(x); } \
  OVERLOAD T##n ceil(T##n x) { return __builtin_elementwise_ceil(x); } \
  OVERLOAD T##n trunc(T##n x) { return __builtin_elementwise_trunc(x); } \
  OVERLOAD T##n rint(T##n x) { return __builtin_elementwise_rint(x); } \
  OVERLOAD T##n round(T##n x) { return __builtin_elementwise_round(x); } \
  OVERLOAD T##n sqrt(T##n x) { return __builtin_elementwise_sqrt(x); } \
  OVERLOAD T##n copysign(T##n x, T##n y) { return __builtin_elementwise_copysign(x, y); } \
  OVERLOAD T##n mad(T##n x, T##n y, T##n z) { \
    _Pragma("OPENCL FP_CONTRACT ON") \
    return x * y + z; \
  } \
  OVERLOAD T##n fmin(T##n x, T##n y) { return MIN_##T(n, x, y); } \
  OVERLOAD T##n fmax(T##n x, T##n y) { return MAX_##T(n, x, y); } \
  OVERLOAD T##n fdim(T##n x, T##n y) { \
    T##n zero = (T##n)(T)0, difference = x - y; \
    return x <= y ? zero : difference; \
  } \
  OVERLOAD T##n maxmag(T##n x, T##n y) { \
    T##n a = fabs(x), b = fabs(y), other = fmax(x, y); \
    other = b > a ? y : other; \
    return a > b ? x : other; \
  } \
  OVERLOAD T##n minmag(T##n x, T##n y) { \
    T##n a = fabs(x), b = fabs(y), other = fmin(x, y); \
    other = b < a ? y : other; \
    return a < b ? x : other; \
  }
#define DEFINE(M, T, S, B) WIDTHS(M, T, S, B)
#define DEFINE_VECTORS(M, T, S, B) VECTORS(M, T, S, B)
FLOATS(DEFINE, EXACT)

// Of half it would be rounded twice: see math_half_exact.cl.
#define FUSED(n, T) \
  OVERLOAD T##n fma(T##n x, T##n y, T##n z) { return __builtin_elementwise_fma(x, y, z); }
WIDTHS(FUSED, float)
WIDTHS(FUSED, double)

#define RSQRT(n, T) \
  OVERLOAD T##n rsqrt(T##n x) { return (T)1 / __builtin_elementwise_sqrt(x); }
WIDTHS(RSQRT, double)

#define FMIN_SCALAR(n, T, S, B) \
  OVERLOAD T##n fmin(T##n x, T y) { return fmin(x, (T##n)y); } \
  OVERLOAD T##n fmax(T##n x, T y) { return fmax(x, (T##n)y); }
FLOATS(DEFINE_VECTORS, FMIN_SCALAR)
