// Written by scripts/float_coefficients.py; do not edit. P<n>(x, c0, …) is c0 + c1 x + … + cn x^n.

// (exp(r) - 1 - r) / r^2; error 2^-28.2
#define POLY_EXP(x) P4(x, 0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123de8p-7f, 0x1.6ac824p-10f)

// (exp(r) - 1 - r) / r^2, relative to exp(r) - 1; error 2^-31.0
#define POLY_EXPM1(x) P5(x, 0x1p-1f, 0x1.555554p-3f, 0x1.5554eap-5f, 0x1.1113aap-7f, 0x1.6d4c82p-10f, \
    0x1.9c6566p-13f)

// (2^r - 1) / r; error 2^-31.5
#define POLY_EXP2(x) P6(x, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6b066p-5f, 0x1.3b2a42p-7f, 0x1.5db05ap-10f, \
    0x1.442c98p-13f, 0x1.d2282cp-17f)

// (10^r - 1) / r; error 2^-29.2
#define POLY_EXP10(x) P6(x, 0x1.26bb1cp1f, 0x1.53524ep1f, 0x1.04705ap1f, 0x1.2bd4eep0f, 0x1.13e76p-1f, \
    0x1.ab9898p-3f, 0x1.6aec34p-4f)

// (log(1 + f) - f) / f^2; error 2^-27.6
#define POLY_LOG(x) P8(x, -0x1.fffff8p-2f, 0x1.55555p-2f, -0x1.000418p-2f, 0x1.99a218p-3f, -0x1.542836p-3f, \
    0x1.22a676p-3f, -0x1.0f77fep-3f, 0x1.06dfa6p-3f, -0x1.32ff1ep-4f)

// (log2(1 + f) - f / ln 2) / f^2; error 2^-27.6
#define POLY_LOG2(x) P8(x, -0x1.71547p-1f, 0x1.ec7094p-2f, -0x1.715bp-2f, 0x1.277f6p-2f, -0x1.eaa288p-3f, \
    0x1.a2c57ap-3f, -0x1.87e896p-3f, 0x1.7f19d4p-3f, -0x1.c399aap-4f)

// (log10(1 + f) - f / ln 10) / f^2; error 2^-27.5
#define POLY_LOG10(x) P8(x, -0x1.bcb7aap-3f, 0x1.287a7p-3f, -0x1.bcbf24p-4f, 0x1.63d18p-4f, -0x1.277102p-4f, \
    0x1.f80feep-5f, -0x1.d6d18p-5f, 0x1.ce9ebep-5f, -0x1.14ab92p-5f)

// (sin(r) - r) / r^3 of r^2; error 2^-32.5
#define POLY_SIN(x) P3(x, -0x1.555556p-3f, 0x1.111172p-7f, -0x1.a056a2p-13f, 0x1.7b5852p-19f)

// (cos(r) - 1 + r^2/2) / r^4 of r^2; error 2^-32.7
#define POLY_COS(x) P2(x, 0x1.55554ap-5f, -0x1.6c0c14p-10f, 0x1.99de6ap-16f)

// (tan(r) - r) / r^3 of r^2; error 2^-29.3
#define POLY_TAN(x) P6(x, 0x1.555562p-2f, 0x1.110d12p-3f, 0x1.baf31p-5f, 0x1.5bb61p-6f, 0x1.684d64p-7f, \
    -0x1.f22b32p-14f, 0x1.25b41ep-8f)

// (atan(t) - t) / t^3 of t^2; error 2^-28.0
#define POLY_ATAN(x) P8(x, -0x1.55553ep-2f, 0x1.9991e4p-3f, -0x1.2420bp-3f, 0x1.c08ffep-4f, -0x1.581998p-4f, \
    0x1.da74e4p-5f, -0x1.fe353cp-6f, 0x1.650b58p-7f, -0x1.d52eaap-10f)

// (asin(t) - t) / t^3 of t^2; error 2^-27.6
#define POLY_ASIN(x) P4(x, 0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bb8p-5f, 0x1.8c3e54p-6f, 0x1.595c58p-5f)

// (tanh(x) - x) / x^3 of x^2; error 2^-30.8
#define POLY_TANH(x) P7(x, -0x1.555552p-2f, 0x1.11103cp-3f, -0x1.b9f6dep-5f, 0x1.64c0a4p-6f, -0x1.18de98p-7f, \
    0x1.8f9f5p-9f, -0x1.aee916p-11f, 0x1.e86d2ap-14f)

// (sinh(x) - x) / x^3 of x^2; error 2^-32.6
#define POLY_SINH(x) P4(x, 0x1.555556p-3f, 0x1.1110a8p-7f, 0x1.a069fep-13f, 0x1.59f09ep-19f, 0x1.a776fp-24f)

// erf(x) / x - 1 of x^2, relative to erf; error 2^-29.9
#define POLY_ERF_SMALL(x) P7(x, 0x1.06eba8p-3f, -0x1.81274p-2f, 0x1.ce2d74p-4f, -0x1.b8045p-6f, \
    0x1.548346p-8f, -0x1.a99f4ep-11f, 0x1.69eba2p-14f, -0x1.266ffep-19f)

// log2(1 - erf(a)) of a - 1; error 2^-27.5
#define POLY_ERF_LARGE(x) P8(x, -0x1.558eaep1f, -0x1.e7532ap1f, -0x1.376276p0f, -0x1.eb3be2p-5f, \
    0x1.db15d2p-7f, -0x1.7d4e16p-9f, 0x1.bb4534p-12f, -0x1.170e02p-15f, 0x1.48b5aep-22f)

// (log(m) - 2 s) / (2 s^3) of s^2, s = (m - 1) / (m + 1); error 2^-44.9
#define POLY_D_LOG(x) P4(x, 0x1.555555561f308p-2, 0x1.999996a6817afp-3, 0x1.24941333f25dap-3, \
    0x1.c62aa11f72cfbp-4, 0x1.911c889ca4995p-4)

// the same to the precision of double; error 2^-67.3
#define POLY_D_LOG_EXACT(x) P8(x, 0x1.5555555555555p-2, 0x1.9999999999c73p-3, 0x1.249249244fba7p-3, \
    0x1.c71c7224ff335p-4, 0x1.745cf2b5e1218p-4, 0x1.3b1bf5c01ab83p-4, 0x1.0ffd7a4cc8febp-4, \
    0x1.03dfd0b68df94p-4, 0x1.5f306710b9988p-6)

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

// log Γ(x) / ((x - 1) (x - 2)) of x - 2, for x in [1, 3]; error 2^-43.3
#define POLY_D_LGAMMA(x) P20(x, 0x1.b0ee607209487p-2, -0x1.9ae6509e92b6cp-4, 0x1.0e0c9df23d527p-5, \
    -0x1.95ce225af91e2p-7, 0x1.479748bd513f5p-8, -0x1.1451173ce53c1p-9, 0x1.dfeb9d12c159dp-11, \
    -0x1.a96d815abe816p-12, 0x1.7edd5d3348408p-13, -0x1.5c41a700b97d7p-14, 0x1.3fbf568342d93p-15, \
    -0x1.2bba212090c6ep-16, 0x1.18c8bfcad6de6p-17, -0x1.cee9ed32b293dp-19, 0x1.9fcb6b5f81e35p-20, \
    -0x1.665509443cb79p-20, 0x1.740e285b370d8p-21, 0x1.43a24021fdbc9p-23, -0x1.afd02066d1218p-24, \
    -0x1.62b81f11724f7p-23, 0x1.6bf10471dbcb4p-24)

// (log Γ(x) - (x - 1/2) log x + x - log(2π)/2) x of 1/x^2, for x from 3; error 2^-48.9
#define POLY_D_LGAMMA_REST(x) P9(x, 0x1.555555555554bp-4, -0x1.6c16c16b773b1p-9, 0x1.a019fe8521d68p-11, \
    -0x1.3811ff282f007p-11, 0x1.b8f13dcfaa082p-11, -0x1.ef85efb9490abp-10, 0x1.78cc9e8bc09e5p-8, \
    -0x1.315c020dbf82cp-6, 0x1.84f4dd5227424p-5, -0x1.007b63d71427p-4)
