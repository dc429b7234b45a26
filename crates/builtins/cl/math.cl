// Mathematics that is exact, or an instruction; common and geometric functions.
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
  OVERLOAD T##n rsqrt(T##n x) { return (T)1 / __builtin_elementwise_sqrt(x); } \
  OVERLOAD T##n copysign(T##n x, T##n y) { return __builtin_elementwise_copysign(x, y); } \
  OVERLOAD T##n fma(T##n x, T##n y, T##n z) { return __builtin_elementwise_fma(x, y, z); } \
  OVERLOAD T##n mad(T##n x, T##n y, T##n z) { \
    _Pragma("OPENCL FP_CONTRACT ON") \
    return x * y + z; \
  } \
  OVERLOAD T##n fmin(T##n x, T##n y) { return __builtin_elementwise_min(x, y); } \
  OVERLOAD T##n fmax(T##n x, T##n y) { return __builtin_elementwise_max(x, y); } \
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

#define COMMON(n, T, S, B) \
  OVERLOAD T##n min(T##n x, T##n y) { return y < x ? y : x; } \
  OVERLOAD T##n max(T##n x, T##n y) { return x < y ? y : x; } \
  OVERLOAD T##n clamp(T##n x, T##n low, T##n high) { return fmin(fmax(x, low), high); } \
  OVERLOAD T##n sign(T##n x) { \
    T##n one = copysign((T##n)(T)1, x); \
    return x == (T)0 ? x : x != x ? (T##n)(T)0 : one; \
  } \
  OVERLOAD T##n step(T##n edge, T##n x) { return x < edge ? (T##n)(T)0 : (T##n)(T)1; } \
  OVERLOAD T##n mix(T##n x, T##n y, T##n a) { return mad(y - x, a, x); } \
  OVERLOAD T##n smoothstep(T##n low, T##n high, T##n x) { \
    T##n t = clamp((x - low) / (high - low), (T##n)(T)0, (T##n)(T)1); \
    return t * t * ((T)3 - (T)2 * t); \
  } \
  OVERLOAD T##n degrees(T##n x) { return x * (T)57.295779513082320876798154814105; } \
  OVERLOAD T##n radians(T##n x) { return x * (T)0.017453292519943295769236907684886; }
FLOATS(DEFINE, COMMON)

#define WITH_SCALAR(n, T, S, B) \
  OVERLOAD T##n fmin(T##n x, T y) { return fmin(x, (T##n)y); } \
  OVERLOAD T##n fmax(T##n x, T y) { return fmax(x, (T##n)y); } \
  OVERLOAD T##n min(T##n x, T y) { return min(x, (T##n)y); } \
  OVERLOAD T##n max(T##n x, T y) { return max(x, (T##n)y); } \
  OVERLOAD T##n clamp(T##n x, T low, T high) { return clamp(x, (T##n)low, (T##n)high); } \
  OVERLOAD T##n step(T edge, T##n x) { return step((T##n)edge, x); } \
  OVERLOAD T##n mix(T##n x, T##n y, T a) { return mix(x, y, (T##n)a); } \
  OVERLOAD T##n smoothstep(T low, T high, T##n x) { return smoothstep((T##n)low, (T##n)high, x); }
FLOATS(DEFINE_VECTORS, WITH_SCALAR)

#define QUICK(n, prefix) \
  OVERLOAD float##n prefix##_sqrt(float##n x) { return __builtin_elementwise_sqrt(x); } \
  OVERLOAD float##n prefix##_rsqrt(float##n x) { return 1.0f / __builtin_elementwise_sqrt(x); } \
  OVERLOAD float##n prefix##_recip(float##n x) { return 1.0f / x; } \
  OVERLOAD float##n prefix##_divide(float##n x, float##n y) { return x / y; }
WIDTHS(QUICK, native)
WIDTHS(QUICK, half)

// ---- Geometry ----------------------------------------------------------------------------------------------------

#define DOT(M, T, S, B) \
  OVERLOAD T dot(T x, T y) { return x * y; } \
  OVERLOAD T dot(T##2 x, T##2 y) { return mad(x.s1, y.s1, x.s0 * y.s0); } \
  OVERLOAD T dot(T##3 x, T##3 y) { return mad(x.s2, y.s2, mad(x.s1, y.s1, x.s0 * y.s0)); } \
  OVERLOAD T dot(T##4 x, T##4 y) { return mad(x.s3, y.s3, mad(x.s2, y.s2, mad(x.s1, y.s1, x.s0 * y.s0))); } \
  OVERLOAD T##3 cross(T##3 x, T##3 y) { return x.s120 * y.s201 - x.s201 * y.s120; } \
  OVERLOAD T##4 cross(T##4 x, T##4 y) { return (T##4)(cross(x.s012, y.s012), (T)0); }
FLOATS(DOT, )

// Without care for what overflows in between.
#define LENGTH(n, T) \
  OVERLOAD T length(T##n x) { return sqrt(dot(x, x)); } \
  OVERLOAD T distance(T##n x, T##n y) { return length(x - y); } \
  OVERLOAD T##n normalize(T##n x) { \
    T size = length(x); \
    size = size == (T)0 ? (T)1 : size; \
    return x / size; \
  }
#define FAST_LENGTH(n, T) \
  OVERLOAD T fast_length(T##n x) { return length(x); } \
  OVERLOAD T fast_distance(T##n x, T##n y) { return length(x - y); } \
  OVERLOAD T##n fast_normalize(T##n x) { return normalize(x); }
#define LENGTHS(M, T, S, B) M(, T) M(2, T) M(3, T) M(4, T)
FLOATS(LENGTHS, LENGTH)
LENGTHS(FAST_LENGTH, float, int, 32)
