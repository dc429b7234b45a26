// Written by scripts/float_coefficients.py; do not edit. P<n>(x, c0, …) is c0 + c1 x + … + cn x^n; for R and Q see float_math.h.

// (exp(r) - 1 - r) / r^2; error 2^-28.2
#define POLY_EXP(x) P4(x, 0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123de8p-7f, 0x1.6ac824p-10f)

// (exp(r) - 1 - r) / r^2, relative to exp(r) - 1; error 2^-31.0
#define POLY_EXPM1(x) P5(x, 0x1p-1f, 0x1.555554p-3f, 0x1.5554eap-5f, 0x1.1113aap-7f, 0x1.6d4c82p-10f, \
    0x1.9c6566p-13f)

// (2^r - 1) / r; error 2^-32.3
#define POLY_EXP2(x) P6(x, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6b06ep-5f, 0x1.3b2a6p-7f, 0x1.5da5fep-10f, \
    0x1.440a16p-13f, 0x1.dfc562p-17f)

// (10^r - 1) / r; error 2^-30.1
#define POLY_EXP10(x) P6(x, 0x1.26bb1cp1f, 0x1.53524ep1f, 0x1.047002p1f, 0x1.2bd4fep0f, 0x1.149664p-1f, \
    0x1.ab8eecp-3f, 0x1.946a3cp-5f)

// (log(1 + f) - f) / f^2; error 2^-27.6
#define POLY_LOG(x) R8(x, -0x1p-1f, 0x1.5555a4p-2f, -0x1.000046p-2f, 0x1.99695ep-3f, -0x1.54ed88p-3f, \
    0x1.28848cp-3f, -0x1.0da4b6p-3f, 0x1.ad0896p-4f, -0x1.71e40ap-5f)

// (log2(1 + f) - f / ln 2) / f^2; error 2^-29.2
#define POLY_LOG2_FIRST -0x1.715476p-1f
#define POLY_LOG2(x) Q8(x, 0x1.ec70ap-2f, -0x1.715538p-2f, 0x1.27762ep-2f, -0x1.ec17acp-3f, 0x1.a5ae7p-3f, \
    -0x1.77f4f6p-3f, 0x1.5a6ebap-3f, -0x1.0f094p-3f, 0x1.c18fb4p-5f)

// (log10(1 + f) - f / ln 10) / f^2; error 2^-30.2
#define POLY_LOG10_FIRST -0x1.bcb7bp-3f
#define POLY_LOG10(x) Q8(x, 0x1.287a76p-3f, -0x1.bcb92p-4f, 0x1.63c6ccp-4f, -0x1.283adp-4f, 0x1.fb74fcp-5f, \
    -0x1.c4f264p-5f, 0x1.a37d7cp-5f, -0x1.49be44p-5f, 0x1.119a04p-6f)

// (sin(r) - r) / r^3 of r^2; error 2^-32.5
#define POLY_SIN(x) P3(x, -0x1.555556p-3f, 0x1.111172p-7f, -0x1.a056a2p-13f, 0x1.7b5852p-19f)

// (cos(r) - 1 + r^2/2) / r^4 of r^2; error 2^-32.7
#define POLY_COS(x) P2(x, 0x1.55554ap-5f, -0x1.6c0c14p-10f, 0x1.99de6ap-16f)

// (tan(r) - r) / r^3 of r^2; error 2^-29.3
#define POLY_TAN(x) P6(x, 0x1.555562p-2f, 0x1.110d12p-3f, 0x1.baf31p-5f, 0x1.5bb61p-6f, 0x1.684d64p-7f, \
    -0x1.f22b32p-14f, 0x1.25b41ep-8f)

// (atan(t) - t) / t^3 of t^2; error 2^-27.8
#define POLY_ATAN(x) R8(x, -0x1.55553ep-2f, 0x1.9991e4p-3f, -0x1.242084p-3f, 0x1.c08c1ap-4f, -0x1.580814p-4f, \
    0x1.da24cap-5f, -0x1.fd6fc4p-6f, 0x1.6410f6p-7f, -0x1.d32de2p-10f)

// (asin(t) - t) / t^3 of t^2; error 2^-27.6
#define POLY_ASIN(x) P4(x, 0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bb8p-5f, 0x1.8c3e54p-6f, 0x1.595c58p-5f)

// (tanh(x) - x) / x^3 of x^2; error 2^-30.8
#define POLY_TANH(x) P7(x, -0x1.555552p-2f, 0x1.11103cp-3f, -0x1.b9f6dep-5f, 0x1.64c0a4p-6f, -0x1.18de98p-7f, \
    0x1.8f9f5p-9f, -0x1.aee916p-11f, 0x1.e86d2ap-14f)

// (sinh(x) - x) / x^3 of x^2; error 2^-32.6
#define POLY_SINH(x) P4(x, 0x1.555556p-3f, 0x1.1110a8p-7f, 0x1.a069fep-13f, 0x1.59f09ep-19f, 0x1.a776fp-24f)

// (sinh(r) - r) / r^3 of r^2; error 2^-34.3
#define POLY_SINH_SHORT(x) P2(x, 0x1.555556p-3f, 0x1.110fbep-7f, 0x1.a2e312p-13f)

// (cosh(r) - 1) / r^2 of r^2; error 2^-33.2
#define POLY_COSH_SHORT(x) P2(x, 0x1p-1f, 0x1.5554e6p-5f, 0x1.6d4f1p-10f)

// (asinh(x) - x) / x^3 of x^2; error 2^-33.9
#define POLY_ASINH(x) P5(x, -0x1.555554p-3f, 0x1.33323ap-4f, -0x1.6d7ebcp-5f, 0x1.ec11ecp-6f, \
    -0x1.487e0ep-6f, 0x1.2f5246p-7f)

// (atanh(x) - x) / x^3 of x^2; error 2^-32.2
#define POLY_ATANH(x) P4(x, 0x1.55555ap-2f, 0x1.99955p-3f, 0x1.25328p-3f, 0x1.b3176ap-4f, 0x1.003f7cp-3f)

// (log2(m) - 2 (s + s^3 / 3) / ln 2) / s^5 of s^2, s = (m - 1) / (m + 1); error 2^-40.0
#define POLY_POW_LOG2(x) P3(x, 0x1.2776c2p-1f, 0x1.a61bbp-2f, 0x1.474266p-2f, 0x1.26d0dp-2f)

// erf(x) / x - 1 of x^2, relative to erf; error 2^-29.9
#define POLY_ERF_SMALL(x) P7(x, 0x1.06eba8p-3f, -0x1.81274p-2f, 0x1.ce2d74p-4f, -0x1.b8045p-6f, \
    0x1.548346p-8f, -0x1.a99f4ep-11f, 0x1.69eba2p-14f, -0x1.266ffep-19f)

// log2(1 - erf(a)) of a - 1; error 2^-27.5
#define POLY_ERF_LARGE(x) P8(x, -0x1.558eaep1f, -0x1.e7532ap1f, -0x1.376276p0f, -0x1.eb3be2p-5f, \
    0x1.db15d2p-7f, -0x1.7d4e16p-9f, 0x1.bb4534p-12f, -0x1.170e02p-15f, 0x1.48b5aep-22f)

// 2^r; error 2^-23.0
#define POLY_NATIVE_EXP2(x) P5(x, 0x1.000002p0f, 0x1.62e42ep-1f, 0x1.ebf81cp-3f, 0x1.c6aec6p-5f, \
    0x1.3d51dcp-7f, 0x1.604202p-10f)

// log2(1 + f) / f; error 2^-24.8
#define POLY_NATIVE_LOG2(x) R8(x, 0x1.715476p0f, -0x1.71549ap-1f, 0x1.ec7276p-2f, -0x1.713a5p-2f, \
    0x1.26f584p-2f, -0x1.f08e5p-3f, 0x1.bdf046p-3f, -0x1.6f0e46p-3f, 0x1.5146c2p-4f)

// (log(m) - 2 s) / (2 s^3) of s^2, s = (m - 1) / (m + 1); error 2^-44.9
#define POLY_D_LOG(x) P4(x, 0x1.555555561f308p-2, 0x1.999996a6817afp-3, 0x1.24941333f25dp-3, \
    0x1.c62aa11f73119p-4, 0x1.911c889ca01fap-4)

// the same to the precision of double; error 2^-67.3
#define POLY_D_LOG_EXACT(x) P8(x, 0x1.5555555555555p-2, 0x1.9999999999c73p-3, 0x1.249249244fba7p-3, \
    0x1.c71c7224ff335p-4, 0x1.745cf2b5e1213p-4, 0x1.3b1bf5c01ad38p-4, 0x1.0ffd7a4cc4354p-4, \
    0x1.03dfd0b6fb5aep-4, 0x1.5f30670115148p-6)

// 2^r; error 2^-34.5
#define POLY_D_EXP2(x) P7(x, 0x1.ffffffffabbf5p-1, 0x1.62e42ff11645p-1, 0x1.ebfbe0a4c165bp-3, \
    0x1.c6b08aaee2b61p-5, 0x1.3b29dc3d8e38ep-7, 0x1.5d8a70dbf5b0ep-10, 0x1.446a2296cc763p-13, \
    0x1.fe171c94f1642p-17)

// exp(a^2) erfc(a) (a + 2) of (a - 2) / (a + 2); error 2^-32.6
#define POLY_D_ERFCX(x) P12(x, 0x1.058671b5d8094p0, -0x1.5fd3867be9784p-1, 0x1.1e2ded4d4d23ap-2, \
    -0x1.2a88d2b7663a3p-5, -0x1.606c73bb3fb59p-6, 0x1.a89862898aa6ap-8, 0x1.94a2977674867p-9, \
    -0x1.b67670a0d006ap-11, -0x1.54a62899fe2abp-11, 0x1.32b00ac15f2eap-15, 0x1.f7e9da72ab66p-14, \
    0x1.6299fdbc12a39p-16, -0x1.3ebb49783c42dp-18)

// Γ(z + 1) / ((z + 3/2)^(z + 1/2) e^-(z + 3/2)) of 1 / (z + 3/2); error 2^-37.6
#define POLY_D_GAMMA(x) P9(x, 0x1.40d931fe95141p1, 0x1.261c6e7154cbap0, 0x1.27397448747f1p-1, \
    0x1.2d7520fd0fe4dp-2, 0x1.2c66dc6054659p-3, 0x1.2b846b9938002p-4, 0x1.e4ba2623eda02p-6, \
    0x1.1e6f29101ab56p-5, -0x1.b4339a403a899p-7, 0x1.43f2f892dd46dp-6)

// sin(π f) / f of f^2; error 2^-54.5
#define POLY_D_SINPI(x) P8(x, 0x1.921fb54442d18p1, -0x1.4abbce625be52p2, 0x1.466bc6775aa6ep1, \
    -0x1.32d2cce627515p-1, 0x1.507834851792fp-4, -0x1.e3074ddc4896p-8, 0x1.e8f35e5b066bbp-12, \
    -0x1.6f796c4edc55bp-16, 0x1.9d1a1d92564c4p-21)

// log Γ(x) / ((x - 1) (x - 2)) of x - 2, for x in [1, 3]; error 2^-43.3
#define POLY_D_LGAMMA(x) P20(x, 0x1.b0ee607209487p-2, -0x1.9ae6509e92b6cp-4, 0x1.0e0c9df23d527p-5, \
    -0x1.95ce225af91e2p-7, 0x1.479748bd513f5p-8, -0x1.1451173ce53c1p-9, 0x1.dfeb9d12c159dp-11, \
    -0x1.a96d815abe816p-12, 0x1.7edd5d3348408p-13, -0x1.5c41a700b97d7p-14, 0x1.3fbf568342d93p-15, \
    -0x1.2bba212090c6ep-16, 0x1.18c8bfcad6de6p-17, -0x1.cee9ed32b293dp-19, 0x1.9fcb6b5f81e35p-20, \
    -0x1.665509443cb79p-20, 0x1.740e285b370d8p-21, 0x1.43a24021fdbc9p-23, -0x1.afd02066d1218p-24, \
    -0x1.62b81f11724f7p-23, 0x1.6bf10471dbcb4p-24)

// (log Γ(x) - (x - 1/2) log x + x - log(2π)/2) x of 1/x^2, for x from 3; error 2^-53.9
#define POLY_D_LGAMMA_REST(x) P11(x, 0x1.5555555555555p-4, -0x1.6c16c16c105b9p-9, 0x1.a01a017571348p-11, \
    -0x1.381364be57d1fp-11, 0x1.b947da3bdf34bp-11, -0x1.f598ef04680bp-10, 0x1.9a7a60b227ec5p-8, \
    -0x1.a7d303da15663p-6, 0x1.c9c86929b321cp-4, -0x1.a346a421b7e8fp-2, 0x1.05d815c4035f5p0, \
    -0x1.3c9f304962f37p0)
