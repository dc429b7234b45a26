// One module for each GROUP: exponential logarithmic powers circular inverse special exact remainders parts
//
// The double mathematics for vectors: an element at a time. The scalar functions are in other modules, so that here
// are only the calls; a kernel that is vectorized takes vectors apart anyway.

#include "common.h"

#define EACH_2(E, F) E(F, 0), E(F, 1)
#define EACH_3(E, F) EACH_2(E, F), E(F, 2)
#define EACH_4(E, F) EACH_3(E, F), E(F, 3)
#define EACH_8(E, F) EACH_4(E, F), E(F, 4), E(F, 5), E(F, 6), E(F, 7)
#define EACH_16(E, F) \
  EACH_8(E, F), E(F, 8), E(F, 9), E(F, a), E(F, b), E(F, c), E(F, d), E(F, e), E(F, f)

// R F(T): the result's type and those of the arguments.
#define CALL_1(F, i) F(x.s##i)
#define UNARY(n, F, R, T) \
  OVERLOAD R##n F(T##n x) { return (R##n)(EACH_##n(CALL_1, F)); }
#define UNARIES_OF(F, R, T) \
  OVERLOAD R F(T x); \
  VECTORS(UNARY, F, R, T)
#define UNARIES(F) UNARIES_OF(F, double, double)

#define CALL_2(F, i) F(x.s##i, y.s##i)
#define BINARY(n, F, T) \
  OVERLOAD double##n F(double##n x, T##n y) { return (double##n)(EACH_##n(CALL_2, F)); }
#define BINARIES(F, T) \
  OVERLOAD double F(double x, T y); \
  VECTORS(BINARY, F, T)

// What is stored goes through variables: then its vector is stored whole, one of three with a fourth element.
typedef struct {
  double s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf;
} doubles;
typedef struct {
  int s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf;
} ints;
#define STORED(F, i) stored.s##i
#define PAD_2
#define PAD_3 stored.s3 = 0;
#define PAD_4
#define PAD_8
#define PAD_16
#define CALL_STORE_1(F, i) F(x.s##i, &stored.s##i)
#define CALL_STORE_2(F, i) F(x.s##i, y.s##i, &stored.s##i)
#define STORING_1(n, F, T, SPACE) \
  OVERLOAD double##n F(double##n x, SPACE T##n *p) { \
    __private T##s stored; \
    PAD_##n \
    double##n r = (double##n)(EACH_##n(CALL_STORE_1, F)); \
    *p = (T##n)(EACH_##n(STORED, )); \
    return r; \
  }
#define STORING_2(n, F, T, SPACE) \
  OVERLOAD double##n F(double##n x, double##n y, SPACE T##n *p) { \
    __private T##s stored; \
    PAD_##n \
    double##n r = (double##n)(EACH_##n(CALL_STORE_2, F)); \
    *p = (T##n)(EACH_##n(STORED, )); \
    return r; \
  }
#define SPACES(M, F, T) \
  VECTORS(M, F, T, __global) VECTORS(M, F, T, __local) VECTORS(M, F, T, __private) VECTORS(M, F, T, __generic)
#define STORINGS_1(F, T) \
  OVERLOAD double F(double x, __private T *p); \
  SPACES(STORING_1, F, T)
#define STORINGS_2(F, T) \
  OVERLOAD double F(double x, double y, __private T *p); \
  SPACES(STORING_2, F, T)

#define LDEXP(n, F) \
  OVERLOAD double##n F(double##n x, int k) { return F(x, (int##n)k); }

#define FUNCTIONS_exponential \
  UNARIES(exp) UNARIES(exp2) UNARIES(exp10) UNARIES(expm1) UNARIES(sinh) UNARIES(cosh) UNARIES(tanh)
#define FUNCTIONS_logarithmic \
  UNARIES(log) UNARIES(log2) UNARIES(log10) UNARIES(log1p) UNARIES(asinh) UNARIES(acosh) UNARIES(atanh)
#define FUNCTIONS_powers \
  UNARIES(cbrt) BINARIES(pow, double) BINARIES(powr, double) BINARIES(pown, int) BINARIES(rootn, int) \
  BINARIES(hypot, double)
#define FUNCTIONS_circular \
  UNARIES(sin) UNARIES(cos) UNARIES(tan) UNARIES(sinpi) UNARIES(cospi) UNARIES(tanpi) STORINGS_1(sincos, double)
#define FUNCTIONS_inverse \
  UNARIES(asin) UNARIES(acos) UNARIES(atan) UNARIES(asinpi) UNARIES(acospi) UNARIES(atanpi) \
  BINARIES(atan2, double) BINARIES(atan2pi, double)
#define FUNCTIONS_special \
  UNARIES(erf) UNARIES(erfc) UNARIES(tgamma) UNARIES(lgamma) STORINGS_1(lgamma_r, int)
#define FUNCTIONS_exact \
  UNARIES_OF(ilogb, int, double) UNARIES_OF(nan, double, ulong) UNARIES(logb) BINARIES(nextafter, double) \
  BINARIES(ldexp, int) VECTORS(LDEXP, ldexp)
#define FUNCTIONS_remainders BINARIES(fmod, double) BINARIES(remainder, double) STORINGS_2(remquo, int)
#define FUNCTIONS_parts STORINGS_1(fract, double) STORINGS_1(modf, double) STORINGS_1(frexp, int)

#define FUNCTIONS(GROUP) FUNCTIONS_##GROUP
#define FUNCTIONS_OF(GROUP) FUNCTIONS(GROUP)
FUNCTIONS_OF(GROUP)
