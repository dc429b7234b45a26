// Geometric functions. Neither overflow nor underflow in between spoils a length: halves are squared as floats, floats as
// doubles, and doubles are scaled by a power of two, which is exact.

#include "common.h"

// x·y, in the type of its arguments.
#define DOT(T) \
  HELPER T sum(T x, T y) { return x * y; } \
  HELPER T sum(T##2 x, T##2 y) { \
    _Pragma("OPENCL FP_CONTRACT ON") \
    return x.s1 * y.s1 + x.s0 * y.s0; \
  } \
  HELPER T sum(T##3 x, T##3 y) { \
    _Pragma("OPENCL FP_CONTRACT ON") \
    return x.s2 * y.s2 + (x.s1 * y.s1 + x.s0 * y.s0); \
  } \
  HELPER T sum(T##4 x, T##4 y) { \
    _Pragma("OPENCL FP_CONTRACT ON") \
    return x.s3 * y.s3 + (x.s2 * y.s2 + (x.s1 * y.s1 + x.s0 * y.s0)); \
  }
DOT(float)
DOT(double)

#define GEOMETRY(M, ...) M(, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__)

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

#define LARGEST(T) \
  HELPER T largest(T x) { return x; } \
  HELPER T largest(T##2 x) { return __builtin_elementwise_max(x.s0, x.s1); } \
  HELPER T largest(T##3 x) { return __builtin_elementwise_max(largest(x.s01), x.s2); } \
  HELPER T largest(T##4 x) { return __builtin_elementwise_max(largest(x.s01), largest(x.s23)); }
LARGEST(float)
LARGEST(double)

// A power of two that brings the largest element to where its square is harmless.
HELPER double harmless(double size) {
  double scale = size > 0x1p500 ? 0x1p-600 : 1.0;
  return size < 0x1p-450 ? 0x1p600 : scale;
}

// An infinity counts as 1 and all else as 0, if there is an infinity.
#define DIRECTION(n, W, S) \
  HELPER W##n direction(W##n x) { \
    W##n size = __builtin_elementwise_abs(x); \
    W##n units = __builtin_elementwise_copysign(size == (W)INFINITY ? (W##n)(W)1 : (W##n)(W)0, x); \
    units = x != x ? x : units; \
    return (S##n)(largest(size) == (W)INFINITY ? (S)-1 : (S)0) ? units : x; \
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

#define LENGTH_DOUBLE(n, X) \
  OVERLOAD double length(double##n x) { \
    double scale = harmless(largest(__builtin_elementwise_abs(x))); \
    double##n scaled = x * scale; \
    return __builtin_elementwise_sqrt(sum(scaled, scaled)) / scale; \
  } \
  OVERLOAD double distance(double##n x, double##n y) { \
    double##n scaled = x * 0.25 - y * 0.25, plain = x - y; \
    double quarter = length(scaled), whole = length(plain); \
    return quarter > 0x1p1000 ? quarter * 4 : whole; \
  } \
  OVERLOAD double##n normalize(double##n x) { \
    double##n w = direction(x); \
    double scale = harmless(largest(__builtin_elementwise_abs(w))); \
    double##n scaled = w * scale; \
    double size = __builtin_elementwise_sqrt(sum(scaled, scaled)); \
    size = size == 0.0 ? 1.0 : size; \
    /* What was scaled down may have lost bits. */ \
    double##n down = w / size * scale, up = scaled / size; \
    return (long##n)(scale < 1.0 ? -1L : 0L) ? down : up; \
  }
GEOMETRY(LENGTH_DOUBLE, )

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
