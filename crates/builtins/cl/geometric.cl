// Geometric functions. Neither overflow nor underflow in between spoils a length: halves are squared as floats, floats as
// doubles, and doubles are scaled by a power of two, which is exact.

#include "common.h"
#include "geometric.h"

DOT(float)
DOT(double)

#define DOT_WIDE(n, T, W) \
  OVERLOAD T dot(T##n x, T##n y) { return (T)sum(CONVERT(n, W, x), CONVERT(n, W, y)); }
GEOMETRY(DOT_WIDE, half, float)
GEOMETRY(DOT_WIDE, float, float)
GEOMETRY(DOT_WIDE, double, double)

#define CROSS(T, W) \
  OVERLOAD T##3 cross(T##3 x, T##3 y) { \
    W##3 a = CONVERT(3, W, x), b = CONVERT(3, W, y); \
    return CONVERT(3, T, a.s120 * b.s201 - a.s201 * b.s120); \
  } \
  OVERLOAD T##4 cross(T##4 x, T##4 y) { return (T##4)(cross(x.s012, y.s012), (T)0); }
CROSS(half, float)
CROSS(float, float)
CROSS(double, double)

// ---- Lengths -----------------------------------------------------------------------------------------------------

LARGEST(float)
LARGEST(double)

// A power of two that brings the largest element to where its square is harmless.
HELPER double harmless(double size) {
  double scale = size > 0x1p500 ? 0x1p-600 : 1.0;
  return size < 0x1p-450 ? 0x1p600 : scale;
}

GEOMETRY(DIRECTION, float, int)
GEOMETRY(DIRECTION, double, long)

#define LENGTH_WIDE(n, T, W, SQRT) \
  OVERLOAD T length(T##n x) { \
    W##n w = CONVERT(n, W, x); \
    return (T)SQRT(sum(w, w)); \
  } \
  OVERLOAD T distance(T##n x, T##n y) { \
    W##n w = CONVERT(n, W, x) - CONVERT(n, W, y); \
    return (T)SQRT(sum(w, w)); \
  } \
  OVERLOAD T##n normalize(T##n x) { \
    W##n w = CONVERT(n, W, direction(CONVERT(n, float, x))); \
    W size = SQRT(sum(w, w)); \
    size = size == (W)0 ? (W)1 : size; \
    return CONVERT(n, T, w / size); \
  }
GEOMETRY(LENGTH_WIDE, half, float, __builtin_elementwise_sqrt)
GEOMETRY(LENGTH_WIDE, float, double, __builtin_elementwise_sqrt)

GEOMETRY(LENGTH_SCALED, double, long, 0x1p1000)

// Without that care.
#define FAST(n, X) \
  OVERLOAD float fast_length(float##n x) { return __builtin_elementwise_sqrt(sum(x, x)); } \
  OVERLOAD float fast_distance(float##n x, float##n y) { return fast_length(x - y); } \
  OVERLOAD float##n fast_normalize(float##n x) { \
    float size = fast_length(x); \
    size = size == 0.0f ? 1.0f : size; \
    return x * (1.0f / size); \
  }
GEOMETRY(FAST, )
