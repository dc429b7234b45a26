// What the geometric functions share.

#define GEOMETRY(M, ...) M(, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__)

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

#define LARGEST(T) \
  HELPER T largest(T x) { return x; } \
  HELPER T largest(T##2 x) { return __builtin_elementwise_max(x.s0, x.s1); } \
  HELPER T largest(T##3 x) { return __builtin_elementwise_max(largest(x.s01), x.s2); } \
  HELPER T largest(T##4 x) { return __builtin_elementwise_max(largest(x.s01), largest(x.s23)); }

// An infinity counts as 1 and all else as 0, if there is an infinity.
#define DIRECTION(n, W, S) \
  HELPER W##n direction(W##n x) { \
    W##n size = __builtin_elementwise_abs(x); \
    W##n units = __builtin_elementwise_copysign(size == (W)INFINITY ? (W##n)(W)1 : (W##n)(W)0, x); \
    units = x != x ? x : units; \
    return (S##n)(largest(size) == (W)INFINITY ? (S)-1 : (S)0) ? units : x; \
  }

// Lengths and directions of which neither overflow nor underflow spoils anything: vectors are scaled by harmless(largest),
// a power of two. S is the integer of T's bits; from LARGE on a distance may overflow before its quarter does.
#define LENGTH_SCALED(n, T, S, LARGE) \
  OVERLOAD T length(T##n x) { \
    T scale = harmless(largest(__builtin_elementwise_abs(x))); \
    T##n scaled = x * scale; \
    return __builtin_elementwise_sqrt(sum(scaled, scaled)) / scale; \
  } \
  OVERLOAD T distance(T##n x, T##n y) { \
    T##n scaled = x * (T)0.25 - y * (T)0.25, plain = x - y; \
    T quarter = length(scaled), whole = length(plain); \
    return quarter > LARGE ? quarter * 4 : whole; \
  } \
  OVERLOAD T##n normalize(T##n x) { \
    T##n w = direction(x); \
    T scale = harmless(largest(__builtin_elementwise_abs(w))); \
    T##n scaled = w * scale; \
    T size = __builtin_elementwise_sqrt(sum(scaled, scaled)); \
    size = size == (T)0 ? (T)1 : size; \
    /* What was scaled down may have lost bits. */ \
    T##n down = w / size * scale, up = scaled / size; \
    return (S##n)(scale < (T)1 ? (S)-1 : (S)0) ? down : up; \
  }
