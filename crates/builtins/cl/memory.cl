// Vectors in memory, which are aligned as their elements only, and shuffles.

#include "common.h"
#include "rounding.h"

#define SPACES(M, ...) \
  M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__private, __VA_ARGS__) M(__generic, __VA_ARGS__)

// An access of three elements must not touch the fourth.
#define LOAD(space, n, T) \
  OVERLOAD T##n vload##n(size_t offset, const space T *p) { \
    return *(const space loose_##T##n *)(p + offset * n); \
  }
#define LOAD_3(space, T) \
  OVERLOAD T##3 vload3(size_t offset, const space T *p) { \
    const space T *q = p + offset * 3; \
    return (T##3)(q[0], q[1], q[2]); \
  }
#define STORE(space, n, T) \
  OVERLOAD void vstore##n(T##n value, size_t offset, space T *p) { \
    *(space loose_##T##n *)(p + offset * n) = value; \
  }
#define STORE_3(space, T) \
  OVERLOAD void vstore3(T##3 value, size_t offset, space T *p) { \
    space T *q = p + offset * 3; \
    q[0] = value.s0; \
    q[1] = value.s1; \
    q[2] = value.s2; \
  }
#define LOADS(space, T) LOAD(space, 2, T) LOAD_3(space, T) LOAD(space, 4, T) LOAD(space, 8, T) LOAD(space, 16, T)
#define STORES(space, T) \
  STORE(space, 2, T) STORE_3(space, T) STORE(space, 4, T) STORE(space, 8, T) STORE(space, 16, T)
#define LOOSE(n, T, A) typedef T##n loose_##T##n __attribute__((aligned(A)));

#define MEMORY(T, A) \
  VECTORS(LOOSE, T, A) \
  SPACES(LOADS, T) \
  LOADS(__constant, T) \
  SPACES(STORES, T)
MEMORY(char, 1)
MEMORY(uchar, 1)
MEMORY(short, 2)
MEMORY(ushort, 2)
MEMORY(int, 4)
MEMORY(uint, 4)
MEMORY(long, 8)
MEMORY(ulong, 8)
MEMORY(half, 2)
MEMORY(float, 4)
MEMORY(double, 8)

// ---- Halves in memory --------------------------------------------------------------------------------------------

#define LOAD_HALF_1(space, X) \
  OVERLOAD float vload_half(size_t offset, const space half *p) { return (float)p[offset]; } \
  OVERLOAD float vloada_half(size_t offset, const space half *p) { return (float)p[offset]; } \
  OVERLOAD float3 vload_half3(size_t offset, const space half *p) { \
    return __builtin_convertvector(vload3(offset, p), float3); \
  } \
  OVERLOAD float3 vloada_half3(size_t offset, const space half *p) { \
    return __builtin_convertvector(vload3(0, p + offset * 4), float3); \
  }
#define LOAD_HALF(space, n) \
  OVERLOAD float##n vload_half##n(size_t offset, const space half *p) { \
    return __builtin_convertvector(vload##n(offset, p), float##n); \
  } \
  OVERLOAD float##n vloada_half##n(size_t offset, const space half *p) { \
    return __builtin_convertvector(((const space half##n *)p)[offset], float##n); \
  }
#define LOAD_HALVES(space, X) \
  LOAD_HALF_1(space, ) LOAD_HALF(space, 2) LOAD_HALF(space, 4) LOAD_HALF(space, 8) LOAD_HALF(space, 16)
SPACES(LOAD_HALVES, )
LOAD_HALVES(__constant, )

// The default rounding is to the nearest.
#define STORE_HALF_1(space, T, suffix, rounding) \
  OVERLOAD void vstore_half##suffix(T value, size_t offset, space half *p) { p[offset] = narrow_half##rounding(value); } \
  OVERLOAD void vstorea_half##suffix(T value, size_t offset, space half *p) { p[offset] = narrow_half##rounding(value); } \
  OVERLOAD void vstore_half3##suffix(T##3 value, size_t offset, space half *p) { \
    vstore3(narrow_half##rounding(value), offset, p); \
  } \
  OVERLOAD void vstorea_half3##suffix(T##3 value, size_t offset, space half *p) { \
    vstore3(narrow_half##rounding(value), 0, p + offset * 4); \
  }
#define STORE_HALF(space, n, T, suffix, rounding) \
  OVERLOAD void vstore_half##n##suffix(T##n value, size_t offset, space half *p) { \
    vstore##n(narrow_half##rounding(value), offset, p); \
  } \
  OVERLOAD void vstorea_half##n##suffix(T##n value, size_t offset, space half *p) { \
    ((space half##n *)p)[offset] = narrow_half##rounding(value); \
  }
#define STORE_HALVES(space, T, suffix, rounding) \
  STORE_HALF_1(space, T, suffix, rounding) STORE_HALF(space, 2, T, suffix, rounding) \
  STORE_HALF(space, 4, T, suffix, rounding) STORE_HALF(space, 8, T, suffix, rounding) \
  STORE_HALF(space, 16, T, suffix, rounding)
#define STORE_ROUNDED(T) \
  SPACES(STORE_HALVES, T, , _rte) SPACES(STORE_HALVES, T, _rte, _rte) SPACES(STORE_HALVES, T, _rtz, _rtz) \
  SPACES(STORE_HALVES, T, _rtp, _rtp) SPACES(STORE_HALVES, T, _rtn, _rtn)
STORE_ROUNDED(float)
STORE_ROUNDED(double)

// ---- Shuffles ----------------------------------------------------------------------------------------------------

// FETCH(i) gives an element of the result.
#define PICK_2(FETCH) FETCH(0), FETCH(1)
#define PICK_4(FETCH) PICK_2(FETCH), FETCH(2), FETCH(3)
#define PICK_8(FETCH) PICK_4(FETCH), FETCH(4), FETCH(5), FETCH(6), FETCH(7)
#define PICK_16(FETCH) \
  PICK_8(FETCH), FETCH(8), FETCH(9), FETCH(a), FETCH(b), FETCH(c), FETCH(d), FETCH(e), FETCH(f)
#define ONE(i) x[mask.s##i & last]
#define TWO(i) (mask.s##i & (last + 1) ? y[mask.s##i & last] : x[mask.s##i & last])

#define SHUFFLE(T, M, n, m) \
  OVERLOAD T##n shuffle(T##m x, M##n mask) { \
    const M last = m - 1; \
    return (T##n)(PICK_##n(ONE)); \
  } \
  OVERLOAD T##n shuffle2(T##m x, T##m y, M##n mask) { \
    const M last = m - 1; \
    return (T##n)(PICK_##n(TWO)); \
  }
#define SHUFFLES_FROM(T, M, m) SHUFFLE(T, M, 2, m) SHUFFLE(T, M, 4, m) SHUFFLE(T, M, 8, m) SHUFFLE(T, M, 16, m)
#define SHUFFLES(T, M) \
  SHUFFLES_FROM(T, M, 2) SHUFFLES_FROM(T, M, 4) SHUFFLES_FROM(T, M, 8) SHUFFLES_FROM(T, M, 16)
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(half, ushort)
SHUFFLES(float, uint)
SHUFFLES(double, ulong)
