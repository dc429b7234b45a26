// Floats and long integers to narrower floats, in every rounding, without a change of the CPU's mode: the nearest value
// is taken, and where it lies on the wrong side of the exact one, its neighbour. Neighbours differ by one as integers.

// A comparison (1 for a true scalar, -1 for a true element) as a mask of integers.
#define MASK_(I, x) ((I)-(I)(x))
#define MASK_2(I, x) __builtin_convertvector((x), I)
#define MASK_3(I, x) __builtin_convertvector((x), I)
#define MASK_4(I, x) __builtin_convertvector((x), I)
#define MASK_8(I, x) __builtin_convertvector((x), I)
#define MASK_16(I, x) __builtin_convertvector((x), I)
#define MASK(n, I, x) MASK_##n(I##n, x)

// `above` and `below` say where r is more and less than the exact value. I is the integer of T's bits.
#define STEPS(n, T, I, B) \
  HELPER T##n step_rtz(T##n r, I##n above, I##n below) { \
    I##n bits = AS(I##n, r), negative = bits >> (I)(B - 1); \
    return AS(T##n, (I##n)(bits + ((negative & below) | (~negative & above)))); \
  } \
  HELPER T##n step_rtp(T##n r, I##n above, I##n below) { \
    I##n bits = AS(I##n, r), negative = bits >> (I)(B - 1); \
    return AS(T##n, (I##n)(bits + (below & (negative | (I)1)))); \
  } \
  HELPER T##n step_rtn(T##n r, I##n above, I##n below) { \
    I##n bits = AS(I##n, r), negative = bits >> (I)(B - 1); \
    return AS(T##n, (I##n)(bits - (above & (negative | (I)1)))); \
  }
WIDTHS(STEPS, half, short, 16)
WIDTHS(STEPS, float, int, 32)
WIDTHS(STEPS, double, long, 64)

#define NARROWED(n, T, W, I, rounding) \
  HELPER T##n narrow_##T##rounding(W##n x) { \
    T##n r = CONVERT(n, T, x); \
    W##n back = CONVERT(n, W, r); \
    return step##rounding(r, MASK(n, I, back > x), MASK(n, I, back < x)); \
  }
#define NARROW(n, T, W, I) \
  HELPER T##n narrow_##T##_rte(W##n x) { return CONVERT(n, T, x); } \
  NARROWED(n, T, W, I, _rtz) NARROWED(n, T, W, I, _rtp) NARROWED(n, T, W, I, _rtn)
WIDTHS(NARROW, half, float, short)
WIDTHS(NARROW, float, double, int)

// Rounding to odd (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008): an inexact value gets an
// odd last bit, so that it is never taken for exact or halfway when it is rounded again, to at least two bits less.
#define ODD(n, X) \
  HELPER float##n odd_float(double##n x) { \
    float##n r = CONVERT(n, float, x); \
    double##n back = CONVERT(n, double, r); \
    int##n above = MASK(n, int, back > x), below = MASK(n, int, back < x); \
    int##n bits = AS(int##n, step_rtz(r, above, below)) | ((above | below) & 1); \
    return AS(float##n, bits); \
  }
WIDTHS(ODD, )
#define NARROW_TWICE(n, rounding) \
  HELPER half##n narrow_half##rounding(double##n x) { return narrow_half##rounding(odd_float(x)); }
WIDTHS(NARROW_TWICE, _rte)
WIDTHS(NARROW_TWICE, _rtz)
WIDTHS(NARROW_TWICE, _rtp)
WIDTHS(NARROW_TWICE, _rtn)
