// What every source of the library uses. Definitions are made by macros M(n, …), where n is the width of a vector:
// T##n is the type, and a scalar has an empty n.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#define OVERLOAD __attribute__((overloadable))
// A function of one source, which leaves nothing behind.
#define HELPER static inline __attribute__((overloadable, always_inline))

#define VECTORS(M, ...) \
  M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define WIDTHS(M, ...) M(, __VA_ARGS__) VECTORS(M, __VA_ARGS__)

// M(n, type, unsigned, signed, bits)
#define SIGNED_TYPES(F, M) \
  F(M, char, uchar, char, 8) F(M, short, ushort, short, 16) F(M, int, uint, int, 32) F(M, long, ulong, long, 64)
#define UNSIGNED_TYPES(F, M) \
  F(M, uchar, uchar, char, 8) F(M, ushort, ushort, short, 16) F(M, uint, uint, int, 32) F(M, ulong, ulong, long, 64)
#define INTEGERS(F, M) SIGNED_TYPES(F, M) UNSIGNED_TYPES(F, M)

// M(n, type, signed integer of its size, bits)
#define FLOATS(F, M) F(M, half, short, 16) F(M, float, int, 32) F(M, double, long, 64)

// A value as another type of the same bits.
#define AS(T, x) __builtin_astype((x), T)

// A value converted as by a cast, for scalars and vectors.
#define CONVERT_(T, x) ((T)(x))
#define CONVERT_2(T, x) __builtin_convertvector((x), T)
#define CONVERT_3(T, x) __builtin_convertvector((x), T)
#define CONVERT_4(T, x) __builtin_convertvector((x), T)
#define CONVERT_8(T, x) __builtin_convertvector((x), T)
#define CONVERT_16(T, x) __builtin_convertvector((x), T)
#define CONVERT(n, T, x) CONVERT_##n(T##n, x)

// The smaller and the larger, of which none is a NaN if there is a choice. Those of half are found by their bits, with
// those of negative numbers turned round: for what it takes for its intrinsic, LLVM calls a function of C.
#define HALF_ORDER(n, X) \
  HELPER short##n half_rank(half##n x) { \
    short##n bits = AS(short##n, x); \
    return (short##n)(bits ^ ((bits >> (short##n)(short)15) & (short##n)(short)0x7fff)); \
  } \
  HELPER half##n half_choice(half##n x, half##n y, half##n chosen) { \
    chosen = (AS(short##n, x) & (short##n)(short)0x7fff) > (short##n)(short)0x7c00 ? y : chosen; \
    return (AS(short##n, y) & (short##n)(short)0x7fff) > (short##n)(short)0x7c00 ? x : chosen; \
  }
WIDTHS(HALF_ORDER, )
#define MIN_half(n, x, y) half_choice(x, y, half_rank(x) < half_rank(y) ? (x) : (y))
#define MAX_half(n, x, y) half_choice(x, y, half_rank(x) > half_rank(y) ? (x) : (y))
#define MIN_float(n, x, y) __builtin_elementwise_min(x, y)
#define MAX_float(n, x, y) __builtin_elementwise_max(x, y)
#define MIN_double(n, x, y) __builtin_elementwise_min(x, y)
#define MAX_double(n, x, y) __builtin_elementwise_max(x, y)
