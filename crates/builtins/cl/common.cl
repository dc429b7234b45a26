// Common functions.
//
// What a choice is between is computed before it: then it is a select, not a branch.

#include "common.h"

#define COMMON(n, T, S, B) \
  OVERLOAD T##n min(T##n x, T##n y) { return y < x ? y : x; } \
  OVERLOAD T##n max(T##n x, T##n y) { return x < y ? y : x; } \
  OVERLOAD T##n clamp(T##n x, T##n low, T##n high) { \
    T##n above = MAX_##T(n, x, low); \
    return MIN_##T(n, above, high); \
  } \
  OVERLOAD T##n sign(T##n x) { \
    T##n one = __builtin_elementwise_copysign((T##n)(T)1, x), zero = (T##n)(T)0; \
    T##n finite = x == (T)0 ? x : one; \
    return x != x ? zero : finite; \
  } \
  OVERLOAD T##n step(T##n edge, T##n x) { return x < edge ? (T##n)(T)0 : (T##n)(T)1; } \
  OVERLOAD T##n mix(T##n x, T##n y, T##n a) { \
    _Pragma("OPENCL FP_CONTRACT ON") \
    return (y - x) * a + x; \
  } \
  OVERLOAD T##n smoothstep(T##n low, T##n high, T##n x) { \
    T##n t = clamp((x - low) / (high - low), (T##n)(T)0, (T##n)(T)1); \
    return t * t * ((T)3 - (T)2 * t); \
  }
#define DEFINE(M, T, S, B) WIDTHS(M, T, S, B)
FLOATS(DEFINE, COMMON)

// A half's constant would be off by as much as a result may be.
#define ANGLES(n, T, W) \
  OVERLOAD T##n degrees(T##n x) { \
    return CONVERT(n, T, CONVERT(n, W, x) * (W)57.295779513082320876798154814105); \
  } \
  OVERLOAD T##n radians(T##n x) { \
    return CONVERT(n, T, CONVERT(n, W, x) * (W)0.017453292519943295769236907684886); \
  }
WIDTHS(ANGLES, half, float)
WIDTHS(ANGLES, float, float)
WIDTHS(ANGLES, double, double)

#define WITH_SCALAR(n, T, S, B) \
  OVERLOAD T##n min(T##n x, T y) { return min(x, (T##n)y); } \
  OVERLOAD T##n max(T##n x, T y) { return max(x, (T##n)y); } \
  OVERLOAD T##n clamp(T##n x, T low, T high) { return clamp(x, (T##n)low, (T##n)high); } \
  OVERLOAD T##n step(T edge, T##n x) { return step((T##n)edge, x); } \
  OVERLOAD T##n mix(T##n x, T##n y, T a) { return mix(x, y, (T##n)a); } \
  OVERLOAD T##n smoothstep(T low, T high, T##n x) { return smoothstep((T##n)low, (T##n)high, x); }
#define DEFINE_VECTORS(M, T, S, B) VECTORS(M, T, S, B)
FLOATS(DEFINE_VECTORS, WITH_SCALAR)
