// Shuffles: elements of one or two vectors, chosen by a mask.

#include "common.h"

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
