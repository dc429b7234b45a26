// What the float functions share.
//
// A source of theirs is written once for all widths: it includes itself through float_widths.h, with WIDTH set to
// nothing, 2, 3, 4, 8 and 16 in turn. F is then the vector of floats, I, U, D, L and H that of int, uint, double, long
// and half. What a choice is between is computed before it, so that it is a select and not a branch.
//
// Comparisons are written so that a NaN fails them and passes on: then it comes out of the arithmetic by itself.

#include "common.h"
#include "float_polynomials.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define F CAT(float, WIDTH)
#define I CAT(int, WIDTH)
#define U CAT(uint, WIDTH)
#define D CAT(double, WIDTH)
#define L CAT(long, WIDTH)
#define UL CAT(ulong, WIDTH)
#define H CAT(half, WIDTH)
#define S CAT(short, WIDTH)
#define CONVERT_TO(n, T, x) CONVERT(n, T, x)
#define TO_F(x) CONVERT_TO(WIDTH, float, x)
#define TO_I(x) CONVERT_TO(WIDTH, int, x)
#define TO_U(x) CONVERT_TO(WIDTH, uint, x)
#define TO_D(x) CONVERT_TO(WIDTH, double, x)
#define TO_L(x) CONVERT_TO(WIDTH, long, x)
#define TO_UL(x) CONVERT_TO(WIDTH, ulong, x)
#define TO_H(x) CONVERT_TO(WIDTH, half, x)
#define TO_S(x) CONVERT_TO(WIDTH, short, x)

// Whether any element of a comparison is true.
#define ANY_(c) (c)
#define ANY_2(c) __builtin_reduce_or(c)
#define ANY_3(c) __builtin_reduce_or(c)
#define ANY_4(c) __builtin_reduce_or(c)
#define ANY_8(c) __builtin_reduce_or(c)
#define ANY_16(c) __builtin_reduce_or(c)
#define ANY(c) CAT(ANY_, WIDTH)(c)

// Whatever the inliner thinks of their size: a call is nothing that a kernel can be vectorized over.
#undef OVERLOAD
#define OVERLOAD __attribute__((overloadable, always_inline))

// Whether less precise versions are wanted (those of the table for -cl-unsafe-math-optimizations), and whether subnormal
// numbers count as zero. Both are constants before a kernel is vectorized.
bool __mux_usefast(void);
bool __mux_isftz(void);

// What a CPU may have instructions for; crates/ir/src/math.rs says what each of them does.
#define MUX_(op) __mux_##op##_f
#define MUX_2(op) __mux_##op##_Dv2_f
#define MUX_3(op) __mux_##op##_Dv3_f
#define MUX_4(op) __mux_##op##_Dv4_f
#define MUX_8(op) __mux_##op##_Dv8_f
#define MUX_16(op) __mux_##op##_Dv16_f
#define DECLARE(n, X) \
  __attribute__((const)) float##n MUX_##n(exponent)(float##n); \
  __attribute__((const)) float##n MUX_##n(mantissa)(float##n); \
  __attribute__((const)) float##n MUX_##n(scale)(float##n, float##n); \
  __attribute__((const)) float##n MUX_##n(rsqrt_estimate)(float##n);
WIDTHS(DECLARE, )
#undef DECLARE
#define MUX_AT(op, n) MUX_##n(op)
#define MUX(op, n) MUX_AT(op, n)
#define EXPONENT MUX(exponent, WIDTH)
#define MANTISSA MUX(mantissa, WIDTH)
#define SCALE MUX(scale, WIDTH)
#define RSQRT_ESTIMATE MUX(rsqrt_estimate, WIDTH)

#define ADDRESS_SPACES(M) M(__private) M(__global) M(__local) M(__generic)

#define FMA(x, y, z) __builtin_elementwise_fma(x, y, z)
#define ABS(x) __builtin_elementwise_abs(x)
#define SIGN(x) (AS(U, x) & 0x80000000u)
#define WITH_SIGN(x, sign) AS(F, AS(U, x) | (sign))
#define FLIP_SIGN(x, sign) AS(F, AS(U, x) ^ (sign))

// Added to a number below 2^22, it leaves the nearest integer in the low bits.
#define MAGIC 0x1.8p23f
#define MAGIC_BITS 0x4b400000
#define D_MAGIC 0x1.8p52

// Polynomials by Horner's rule, lowest coefficient first.
#define P0(x, a) ((__typeof__(x))(a))
#define P1(x, a, ...) FMA(P0(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P2(x, a, ...) FMA(P1(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P3(x, a, ...) FMA(P2(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P4(x, a, ...) FMA(P3(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P5(x, a, ...) FMA(P4(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P6(x, a, ...) FMA(P5(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P7(x, a, ...) FMA(P6(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P8(x, a, ...) FMA(P7(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P9(x, a, ...) FMA(P8(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P10(x, a, ...) FMA(P9(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P11(x, a, ...) FMA(P10(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P12(x, a, ...) FMA(P11(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P13(x, a, ...) FMA(P12(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P14(x, a, ...) FMA(P13(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P15(x, a, ...) FMA(P14(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P16(x, a, ...) FMA(P15(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P17(x, a, ...) FMA(P16(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P18(x, a, ...) FMA(P17(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P19(x, a, ...) FMA(P18(x, __VA_ARGS__), x, (__typeof__(x))(a))
#define P20(x, a, ...) FMA(P19(x, __VA_ARGS__), x, (__typeof__(x))(a))

// The same as the sum of an even and an odd one, which are computed at once: a shorter wait, and as much to do where the square is
// needed anyway. In R only what follows the first coefficient is, so that it is rounded once.
#define Q7(x, a, b, c, d, e, f, g, h) FMA(P3((x) * (x), b, d, f, h), x, P3((x) * (x), a, c, e, g))
#define Q8(x, a, b, c, d, e, f, g, h, i) FMA(P3((x) * (x), b, d, f, h), x, P4((x) * (x), a, c, e, g, i))
#define R8(x, a, ...) FMA(Q7(x, __VA_ARGS__), x, (__typeof__(x))(a))

// Numbers as the unevaluated sum of two floats: rounded to float, and the rest.
#define LN2_HI 0x1.62e43p-1f
#define LN2_LO -0x1.05c61p-29f
#define LOG2E_HI 0x1.715476p0f
#define LOG2E_LO 0x1.4ae0cp-26f
#define LOG10E_HI 0x1.bcb7b2p-2f
#define LOG10E_LO -0x1.5b235ep-27f
#define PI_HI 0x1.921fb6p1f
#define PI_LO -0x1.777a5cp-24f
#define PI_2_HI 0x1.921fb6p0f
#define PI_2_LO -0x1.777a5cp-25f
#define INV_PI_HI 0x1.45f306p-2f
#define INV_PI_LO 0x1.b9391p-27f
