// Written by scripts/double_coefficients.py: see there how. Do not edit.

#pragma once

// Constants as sums of doubles. LN2_42, LN2_38 and LOG10_2_42 begin with so many bits: times an exponent, they are exact.
#define LN2_HI 0x1.62e42fefa39efp-1
#define LN2_LO 0x1.abc9e3b39803fp-56
#define LN2_42_HI 0x1.62e42fefa3800p-1
#define LN2_42_LO 0x1.ef35793c76730p-45
#define LN2_38_HI 0x1.62e42fefa0000p-1
#define LN2_38_LO 0x1.cf79abc9e3b3ap-40
#define LOG2_E_HI 0x1.71547652b82fep+0
#define LOG2_E_LO 0x1.777d0ffda0d24p-56
#define LN10_HI 0x1.26bb1bbb55516p+1
#define LN10_LO -0x1.f48ad494ea3e9p-53
#define LOG10_2_42_HI 0x1.34413509f7800p-2
#define LOG10_2_42_LO 0x1.fef311f12b358p-46
#define LOG2_10 0x1.a934f0979a371p+1
#define LOG10_E_HI 0x1.bcb7b1526e50ep-2
#define LOG10_E_LO 0x1.95355baaafad3p-57
#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define PI_2_HI 0x1.921fb54442d18p+0
#define PI_2_LO 0x1.1a62633145c07p-54
#define PI_4_HI 0x1.921fb54442d18p-1
#define PI_4_LO 0x1.1a62633145c07p-55
#define ONE_PI_HI 0x1.45f306dc9c883p-2
#define ONE_PI_LO -0x1.6b01ec5417056p-56
#define TWO_PI 0x1.45f306dc9c883p-1
#define HALF_PI_0 0x1.921fb54442d18p+0
#define HALF_PI_1 0x1.1a62633145c07p-54
#define HALF_PI_2 -0x1.f1976b7ed8fbcp-110
#define TAN_PI_8 0x1.a827999fcef32p-2
#define TAN_3PI_8 0x1.3504f333f9de6p+1
#define CBRT_1_2 0x1.965fea53d6e3dp-1
#define CBRT_1_4 0x1.428a2f98d728bp-1

// (e^x - 1 - x) / x² on [-0.3466, 0.3466], within 2^-58.44
INLINE double exp_tail(double x) {
  double a0 = FMA(0x1.11111111100dfp-7, x, 0x1.5555555555556p-5);
  double a1 = FMA(0x1.a01a01abe6323p-13, x, 0x1.6c16c16c162d6p-10);
  double a2 = FMA(0x1.71de0237484cdp-19, x, 0x1.a01a01a6d7831p-16);
  double a3 = FMA(0x1.af4ddda1c08cdp-26, x, 0x1.27e4db67ac2b0p-22);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  double x8 = x4 * x4;
  double d0 = FMA(0x1.1f72fc83bcbc7p-29, x8, c0);
  return FMA(FMA(d0, x, 0x1.5555555555557p-3), x, 0x1.0000000000000p-1);
}

// (10^x - 1 - x ln 10) / x² on [-0.1505, 0.1505], within 2^-51.85
INLINE double exp10_tail(double x) {
  double a0 = FMA(0x1.1429ffd1d3d15p-1, x, 0x1.2bd7609fd98c5p+0);
  double a1 = FMA(0x1.16e4dfcb1bf45p-4, x, 0x1.a7ed70847bdf0p-3);
  double a2 = FMA(0x1.489792829e4d9p-8, x, 0x1.4116b0650e266p-6);
  double a3 = FMA(0x1.fbe2d4023aa1cp-13, x, 0x1.2ea50a61f7ec4p-10);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  double x8 = x4 * x4;
  double d0 = FMA(0x1.85b2f6b8e2e8cp-15, x8, c0);
  return FMA(FMA(d0, x, 0x1.0470591de2ca6p+1), x, 0x1.53524c73cea69p+1);
}

// (cosh r - 1) / r², x = r² on [0.0, 0.1201], within 2^-62.13
INLINE double cosh_tail(double x) {
  double a0 = FMA(0x1.a01a01a9e8139p-16, x, 0x1.6c16c16c15a6cp-10);
  double a1 = FMA(0x1.1f7f20132b4f4p-29, x, 0x1.27e4d41d657d2p-22);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  return FMA(FMA(b0, x, 0x1.5555555555557p-5), x, 0x1.0000000000000p-1);
}

// (sinh r - r) / r³, x = r² on [0.0, 0.1201], within 2^-56.57
INLINE double sinh_tail(double x) {
  double a0 = FMA(0x1.71de3a5aa6efbp-19, x, 0x1.a01a01a0196aep-13);
  double a1 = FMA(0x1.61bfa2413f7fcp-33, x, 0x1.ae642c8725b5ap-26);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  return FMA(FMA(b0, x, 0x1.1111111111111p-7), x, 0x1.5555555555555p-3);
}

// (e^x - 1 - x) / x² on [-0.02166, 0.02166], within 2^-43.94
INLINE double exp_step_tail(double x) {
  double a0 = FMA(0x1.11120af7211b8p-7, x, 0x1.55555555194d1p-5);
  double x2 = x * x;
  double b0 = FMA(0x1.6c17bb5211739p-10, x2, a0);
  return FMA(FMA(b0, x, 0x1.55555554dd44bp-3), x, 0x1.0000000000000p-1);
}

// (2^x - 1 - x ln 2) / x² on [-0.03125, 0.03125], within 2^-45.0
INLINE double exp2_step_tail(double x) {
  double a0 = FMA(0x1.5d893e58acc63p-10, x, 0x1.3b2ab6fb6d795p-7);
  double x2 = x * x;
  double b0 = FMA(0x1.4309f0b0cd9d6p-13, x2, a0);
  return FMA(FMA(b0, x, 0x1.c6b08d6faa1bep-5), x, 0x1.ebfbdff82c58fp-3);
}

// 2^(i/16)
static __constant const double exp_steps[16] = {
  0x1.0000000000000p+0,
  0x1.0b5586cf9890fp+0,
  0x1.172b83c7d517bp+0,
  0x1.2387a6e756238p+0,
  0x1.306fe0a31b715p+0,
  0x1.3dea64c123422p+0,
  0x1.4bfdad5362a27p+0,
  0x1.5ab07dd485429p+0,
  0x1.6a09e667f3bcdp+0,
  0x1.7a11473eb0187p+0,
  0x1.8ace5422aa0dbp+0,
  0x1.9c49182a3f090p+0,
  0x1.ae89f995ad3adp+0,
  0x1.c199bdd85529cp+0,
  0x1.d5818dcfba487p+0,
  0x1.ea4afa2a490dap+0,
};

// (2 atanh s - 2 s) / s³, x = s² on [0.0, 0.04], within 2^-54.55
INLINE double log_tail(double x) {
  double a0 = FMA(0x1.c71c71c1c5837p-3, x, 0x1.2492492494f45p-2);
  double a1 = FMA(0x1.3b12f14dc7ac3p-3, x, 0x1.745d19f1e74dfp-3);
  double a2 = FMA(0x1.dbe2abd156113p-4, x, 0x1.1130979ac5450p-3);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(0x1.fca333e563df1p-4, x2, a2);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  return FMA(FMA(c0, x, 0x1.9999999999989p-2), x, 0x1.5555555555555p-1);
}

// (log(1 + x) - x + x²/2) / x³ on [-0.03711, 0.0625], within 2^-55.41
INLINE double log_step_tail(double x) {
  double a0 = FMA(-0x1.55555555b9b07p-3, x, 0x1.999999999b938p-3);
  double a1 = FMA(-0x1.fffff87bc2992p-4, x, 0x1.2492490cc93b7p-3);
  double a2 = FMA(-0x1.99b5e564089f1p-4, x, 0x1.c71d12446ab9dp-4);
  double a3 = FMA(-0x1.31639f89b65f4p-4, x, 0x1.742b867df9d72p-4);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  return FMA(FMA(c0, x, -0x1.fffffffffffcdp-3), x, 0x1.5555555555555p-2);
}

// The steps of the logarithm: r for a mantissa m in [3/4, 3/2), by the bits behind its first
static __constant const double log_inverses[16] = {
  0x1.0000000000000p+0,
  0x1.d000000000000p-1,
  0x1.c000000000000p-1,
  0x1.a000000000000p-1,
  0x1.9000000000000p-1,
  0x1.8000000000000p-1,
  0x1.7000000000000p-1,
  0x1.6000000000000p-1,
  0x1.5000000000000p+0,
  0x1.4000000000000p+0,
  0x1.3800000000000p+0,
  0x1.2800000000000p+0,
  0x1.2000000000000p+0,
  0x1.1800000000000p+0,
  0x1.1000000000000p+0,
  0x1.0000000000000p+0,
};

// log(1/r), for m below 1 log(2/r)
static __constant const double log_steps_hi[16] = {
  0x0.0p+0,
  0x1.9335e5d594000p-4,
  0x1.1178e8227e000p-3,
  0x1.a93ed3c8ae000p-3,
  0x1.f991c6cb3c000p-3,
  0x1.269621134e000p-2,
  0x1.522ae0738a000p-2,
  0x1.7fafa3bd81000p-2,
  0x1.af5295248d000p-2,
  0x1.e148a1a272000p-2,
  0x1.fb358af7a4000p-2,
  0x1.188ee40f23800p-1,
  0x1.269621134d800p-1,
  0x1.35028ad9d8800p-1,
  0x1.43d9ff2f92000p-1,
  0x1.62e42fefa3800p-1,
};

// log(1/r), for m below 1 log(2/r)
static __constant const double log_steps_lo[16] = {
  0x0.0p+0,
  0x1.3115c3abd47dap-45,
  0x1.1ef78ce2d07f2p-45,
  -0x1.8724350562169p-45,
  -0x1.90d04cd7cc834p-44,
  -0x1.1b61f10522625p-44,
  0x1.ebe708164c759p-45,
  0x1.46fb79bf6d4cbp-44,
  -0x1.17cc552774458p-45,
  0x1.b36537e3375b2p-44,
  0x1.1085fa3c16493p-43,
  0x1.29989df1568cap-43,
  0x1.c93c1df5bb3b6p-44,
  0x1.21707f2a4fcd5p-43,
  0x1.e267b0b7efae1p-44,
  0x1.ef35793c76730p-45,
};

// log2(1/r), for m below 1 log2(2/r)
static __constant const double log2_steps_hi[16] = {
  0x0.0p+0,
  0x1.22dadc2ab4000p-3,
  0x1.8a8980abfc000p-3,
  0x1.32bfee370f000p-2,
  0x1.6cb0f6865d000p-2,
  0x1.a8ff971811000p-2,
  0x1.e7df5fe539000p-2,
  0x1.14c560fe68800p-1,
  0x1.37222bb707800p-1,
  0x1.5b2c3da197000p-1,
  0x1.6ddfc2a790000p-1,
  0x1.94c287492c800p-1,
  0x1.a8ff971810800p-1,
  0x1.bdce9dcc96000p-1,
  0x1.d338120a6e000p-1,
  0x1.0000000000000p+0,
};

// log2(1/r), for m below 1 log2(2/r)
static __constant const double log2_steps_lo[16] = {
  0x0.0p+0,
  -0x1.6d25a5b8a19b2p-44,
  -0x1.66cccab240e90p-46,
  -0x1.979a5db68721dp-46,
  -0x1.c57f2495fb7fap-44,
  -0x1.6879fa00b120ap-44,
  -0x1.532c412ba94dbp-44,
  0x1.7c407050799bfp-44,
  -0x1.c22d2cad415aep-44,
  0x1.1d406db502403p-44,
  -0x1.ce60916e52e91p-44,
  -0x1.927dfc23d9780p-44,
  0x1.2f0c0bfe9dbecp-44,
  0x1.871a7610e40bdp-45,
  -0x1.3167ccc538261p-44,
  0x0.0p+0,
};

// (sin r - r) / r³, x = r² on [0.0, 0.6169], within 2^-56.59
INLINE double sin_tail(double x) {
  double a0 = FMA(0x1.71de3a54608d5p-19, x, -0x1.a01a01a019938p-13);
  double a1 = FMA(0x1.61217efffec05p-33, x, -0x1.ae645412b6dc5p-26);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double x4 = x2 * x2;
  double c0 = FMA(-0x1.ab17cd3cb2558p-41, x4, b0);
  return FMA(FMA(c0, x, 0x1.1111111111110p-7), x, -0x1.5555555555555p-3);
}

// (sin r - r) / r³, x = r² on [0.0, 2.467], within 2^-56.58
INLINE double half_turn_tail(double x) {
  double a0 = FMA(0x1.71de3a5456669p-19, x, -0x1.a01a01a018aacp-13);
  double a1 = FMA(0x1.61240159239cdp-33, x, -0x1.ae6455a1d0263p-26);
  double a2 = FMA(0x1.89a46fb171abep-49, x, -0x1.ae51380abd776p-41);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double x4 = x2 * x2;
  double c0 = FMA(a2, x4, b0);
  return FMA(FMA(c0, x, 0x1.1111111111107p-7), x, -0x1.5555555555555p-3);
}

// (cos r - 1 + r²/2) / r⁴, x = r² on [0.0, 0.6169], within 2^-58.59
INLINE double cos_tail(double x) {
  double a0 = FMA(-0x1.27e4fb7712d2ap-22, x, 0x1.a01a01a019d0ap-16);
  double a1 = FMA(-0x1.9394ba029ae25p-37, x, 0x1.1eed8deb91347p-29);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double x4 = x2 * x2;
  double c0 = FMA(0x1.ab7854f841ad7p-45, x4, b0);
  return FMA(FMA(c0, x, -0x1.6c16c16c16c16p-10), x, 0x1.5555555555555p-5);
}

// (sin πr - πr) / r³, x = r² on [0.0, 0.0625], within 2^-51.97
INLINE double sinpi_tail(double x) {
  double a0 = FMA(0x1.50783486facaap-4, x, -0x1.32d2cce62b872p-1);
  double a1 = FMA(0x1.e8f036bcd3237p-12, x, -0x1.e3074d2614b2dp-8);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double x4 = x2 * x2;
  double c0 = FMA(-0x1.6cc577dadd922p-16, x4, b0);
  return FMA(FMA(c0, x, 0x1.466bc6775aae1p+1), x, -0x1.4abbce625be53p+2);
}

#define PI2_2_HI 0x1.3bd3cc9be45dep+2
#define PI2_2_LO 0x1.692b71366cc04p-52
// (cos πr - 1 + π²r²/2) / r⁴, x = r² on [0.0, 0.0625], within 2^-51.74
INLINE double cospi_tail(double x) {
  double a0 = FMA(-0x1.a6d1f2a15a701p-6, x, 0x1.e1f506891b72fp-3);
  double a1 = FMA(-0x1.b6df855cc99ffp-14, x, 0x1.f9d38850e5eedp-10);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double x4 = x2 * x2;
  double c0 = FMA(0x1.1ebe62242e9d8p-18, x4, b0);
  return FMA(FMA(c0, x, -0x1.55d3c7e3cbffap+0), x, 0x1.03c1f081b5ac4p+2);
}

// (atan t - t) / t³, x = t² on [0.0, 0.1716], within 2^-55.41
INLINE double atan_tail(double x) {
  double a0 = FMA(0x1.c71c71c6ddbfap-4, x, -0x1.24924924920adp-3);
  double a1 = FMA(0x1.3b13aea9e727fp-4, x, -0x1.745d1735650c4p-4);
  double a2 = FMA(0x1.e1d8e9bd1e98ap-5, x, -0x1.1110cee7f20f5p-4);
  double a3 = FMA(0x1.829ce2719aa01p-5, x, -0x1.aebd1f897f33ap-5);
  double a4 = FMA(0x1.f5ef67cccdc42p-6, x, -0x1.503c419ab5e6bp-5);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double b2 = FMA(-0x1.c8127778b1cb8p-7, x2, a4);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  double x8 = x4 * x4;
  double d0 = FMA(b2, x8, c0);
  return FMA(FMA(d0, x, 0x1.9999999999997p-3), x, -0x1.5555555555555p-2);
}

// (asin t - t) / t³, x = t² on [0.0, 0.25], within 2^-56.55
INLINE double asin_tail(double x) {
  double a0 = FMA(0x1.f1c71c7a52ba3p-6, x, 0x1.6db6db6dac1e0p-5);
  double a1 = FMA(0x1.1c4efce23019fp-6, x, 0x1.6e8ba123e494cp-6);
  double a2 = FMA(0x1.7b027ee1dd585p-7, x, 0x1.c990ad3d8fdcap-7);
  double a3 = FMA(0x1.31622469ce5adp-7, x, 0x1.3b49de7121487p-7);
  double a4 = FMA(0x1.406192d124629p-6, x, 0x1.8f193743418ffp-9);
  double a5 = FMA(0x1.e529c6fce9bb4p-6, x, -0x1.3b416bb7d9257p-6);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double b2 = FMA(a5, x2, a4);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  double x8 = x4 * x4;
  double d0 = FMA(b2, x8, c0);
  return FMA(FMA(d0, x, 0x1.3333333333388p-4), x, 0x1.5555555555555p-3);
}

// x^(-1/3) on [1.0, 2.0], within 2^-17.23
INLINE double cbrt_guess(double x) {
  double a0 = FMA(-0x1.2c4b958d54c08p-1, x, 0x1.3a267a3d49ad4p+0);
  double a1 = FMA(-0x1.0e87006cbe6bbp-6, x, 0x1.37ce9e9ed0a1dp-3);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  return FMA(FMA(b0, x, -0x1.8dd4bd7d34771p+0), x, 0x1.c713e2847cbe6p+0);
}

// (erf t - t) / t, x = t² on [0.0, 1.0], within 2^-56.16
INLINE double erf_tail(double x) {
  double a0 = FMA(-0x1.b82ce312889bap-6, x, 0x1.ce2f21a042bdep-4);
  double a1 = FMA(-0x1.c02db3feeb579p-11, x, 0x1.565bcd0e6502dp-8);
  double a2 = FMA(-0x1.f4d2561aeafd4p-17, x, 0x1.f9a326c233146p-14);
  double a3 = FMA(-0x1.5f6d925a0bc7ap-23, x, 0x1.b9e6509b9867dp-20);
  double a4 = FMA(-0x1.4e607b41a6416p-30, x, 0x1.fc4356498c2d9p-27);
  double a5 = FMA(-0x1.29b9f1b3df556p-38, x, 0x1.7f072188e194dp-34);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double b2 = FMA(a5, x2, a4);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  double x8 = x4 * x4;
  double d0 = FMA(b2, x8, c0);
  return FMA(FMA(d0, x, -0x1.812746b0379e7p-2), x, 0x1.06eba8214db69p-3);
}

// (1 + 2 r) e^(r²) erfc(r), x = (r - 4) / (r + 4) on [-1.0, 0.75], within 2^-54.02
INLINE double erfcx_scaled(double x) {
  double a0 = FMA(0x1.16ecefcfa5400p-4, x, 0x1.f7f5df66fd7e6p-7);
  double a1 = FMA(0x1.7fee004e113a0p-4, x, -0x1.9ddb23c3e924bp-4);
  double a2 = FMA(0x1.3079edf6ae2ebp-5, x, -0x1.0fb06dfe46db3p-4);
  double a3 = FMA(0x1.49c6727714f22p-8, x, -0x1.09623885955c8p-6);
  double a4 = FMA(-0x1.a1df1879570cbp-13, x, -0x1.8d4a996717f16p-11);
  double a5 = FMA(-0x1.995b13f6b0a3fp-16, x, 0x1.3be033841dfc4p-13);
  double a6 = FMA(0x1.7f3e45c1e5061p-18, x, -0x1.7882d18e29e35p-17);
  double a7 = FMA(-0x1.bc665b6377870p-21, x, 0x1.3926a52c331a6p-22);
  double a8 = FMA(0x1.e689355383b88p-24, x, 0x1.4adcd53cbbc96p-24);
  double a9 = FMA(-0x1.1d56405fb00c0p-26, x, -0x1.483e5f2f13f5cp-26);
  double a10 = FMA(0x1.210c970eb46d4p-29, x, 0x1.cfaa94405e761p-30);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double b2 = FMA(a5, x2, a4);
  double b3 = FMA(a7, x2, a6);
  double b4 = FMA(a9, x2, a8);
  double b5 = FMA(0x1.401609bf915e2p-32, x2, a10);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  double c1 = FMA(b3, x4, b2);
  double c2 = FMA(b5, x4, b4);
  double x8 = x4 * x4;
  double d0 = FMA(c1, x8, c0);
  double x16 = x8 * x8;
  double e0 = FMA(c2, x16, d0);
  return FMA(FMA(e0, x, -0x1.1df1ad154a28fp-3), x, 0x1.3ba5916e9fd7fp+0);
}

// Γ(x) = ((x + GAMMA_SHIFT) / e)^(x - 1/2) gamma_numerator(x) / gamma_denominator(x), within 2^-60.31
#define GAMMA_SHIFT 0x1.8000000000000p+2
// The even and the odd powers apart: half as many roundings, and what x² is wrong by leaves the quotient alone.
INLINE double gamma_numerator(double x) {
  double z = x * x, even = 0x1.259b32ec6bef7p-2, odd = 0x1.edf3ff4f80081p-9;
  even = FMA(even, z, 0x1.96ba1b3262eefp+7);
  odd = FMA(odd, z, 0x1.3c0ea80ad8068p+3);
  even = FMA(even, z, 0x1.9ea2806bc80dep+14);
  odd = FMA(odd, z, 0x1.5bacefbb3f044p+11);
  even = FMA(even, z, 0x1.a9a0214f0d24ap+19);
  odd = FMA(odd, z, 0x1.60090c6974d6cp+17);
  even = FMA(even, z, 0x1.92d7be5922b59p+22);
  odd = FMA(odd, z, 0x1.671fe02318adfp+21);
  even = FMA(even, z, 0x1.490ea8a0a32f9p+22);
  odd = FMA(odd, z, 0x1.0e5fcee067b2bp+23);
  return FMA(odd, x, even);
}

INLINE double gamma_denominator(double x) {
  double z = x * x, even = 0x1.b800000000000p+5, odd = 0x1.0000000000000p+0;
  even = FMA(even, z, 0x1.1b98000000000p+14);
  odd = FMA(odd, z, 0x1.4a00000000000p+10);
  even = FMA(even, z, 0x1.b874e00000000p+19);
  odd = FMA(odd, z, 0x1.3426800000000p+17);
  even = FMA(even, z, 0x1.00a3380000000p+23);
  odd = FMA(odd, z, 0x1.a11b100000000p+21);
  even = FMA(even, z, 0x1.445c400000000p+23);
  odd = FMA(odd, z, 0x1.8535500000000p+23);
  even = even * z;
  odd = FMA(odd, z, 0x1.baf8000000000p+21);
  return FMA(odd, x, even);
}

// log Γ(2 + x) / x on [-0.5, 0.5], within 2^-56.05
INLINE double lgamma_near_2(double x) {
  double a0 = FMA(0x1.51322ac7d848ap-6, x, -0x1.13e001a55760ap-4);
  double a1 = FMA(0x1.7add6eadb5317p-9, x, -0x1.e404fc218dbaep-8);
  double a2 = FMA(0x1.0b36af8779ca0p-11, x, -0x1.38ac5c2d48207p-10);
  double a3 = FMA(0x1.a127afee53e7dp-14, x, -0x1.d3fd4b679c1c4p-13);
  double a4 = FMA(0x1.580e0afa55850p-16, x, -0x1.78de9ab752b81p-15);
  double a5 = FMA(0x1.258f3057730fap-18, x, -0x1.3cb3be36ad88bp-17);
  double a6 = FMA(0x1.012012be3900ap-20, x, -0x1.1276ebd557fb0p-19);
  double a7 = FMA(0x1.b40adb09a1e12p-23, x, -0x1.ce17528bcf460p-22);
  double a8 = FMA(0x1.11fa5e7c86f7bp-24, x, -0x1.2009c1a550d0dp-23);
  double x2 = x * x;
  double b0 = FMA(a1, x2, a0);
  double b1 = FMA(a3, x2, a2);
  double b2 = FMA(a5, x2, a4);
  double b3 = FMA(a7, x2, a6);
  double x4 = x2 * x2;
  double c0 = FMA(b1, x4, b0);
  double c1 = FMA(b3, x4, b2);
  double x8 = x4 * x4;
  double d0 = FMA(c1, x8, c0);
  double x16 = x8 * x8;
  double e0 = FMA(a8, x16, d0);
  return FMA(FMA(e0, x, 0x1.4a34cc4a60fa6p-2), x, 0x1.b0ee6072093cep-2);
}

// (log Γ(3 + x) - log Γ(3)) / x on [-0.5, 0.6], within 2^-56.35
static __constant const double lgamma_from_3[20] = {
  0x1.d8773039049e7p-1,
  0x1.94699894c1f4dp-3,
  -0x1.a4d55beab2d6fp-6,
  0x1.44c8ab1f6120dp-8,
  -0x1.29ad8a1fd7163p-10,
  0x1.2c40cac30b89bp-12,
  -0x1.41a13076691f4p-14,
  0x1.66d5f0c6f8725p-16,
  -0x1.9c1b55f6f9e38p-18,
  0x1.e385d62f6433cp-20,
  -0x1.20512494db50ep-21,
  0x1.5c3cb83a6f3bfp-23,
  -0x1.a8e4df48efba2p-25,
  0x1.055d6c7248169p-26,
  -0x1.43be294de235bp-28,
  0x1.9298903f6ddacp-30,
  -0x1.f616d127b96e9p-32,
  0x1.45dd3a68052e9p-33,
  -0x1.be68cbb00c6afp-35,
  0x1.ad13b7ec702a9p-37,
};

// The f at which Γ(-m - f) is 1 or -1, above and below each m from 2 on: f in two parts, sin(πf), cot(πf).
static __constant const double gamma_zeros[17][2][4] = {
  {{0x1.d3fe4b007c361p-2, -0x1.541360cea0e60p-56, 0x1.fb573ab6121b2p-1, 0x1.1631c4bfeda39p-3}, {-0x1.0000000000000p-2, 0x0.0p+0, -0x1.6a09e667f3bcdp-1, -0x1.0000000000000p+0}},
  {{0x1.260dbc9e59af8p-3, -0x1.1d065994b0991p-58, 0x1.be64bcfdb18f3p-2, 0x1.08418bbbc23d1p+1}, {-0x1.025f7af2137fap-2, 0x1.7995a4b4641ebp-56, -0x1.6caa2dca9f905p-1, -0x1.f8994e0357cb2p-1}},
  {{0x1.4273c2ccac062p-5, -0x1.e307a790f3f77p-59, 0x1.f937820d2b0f8p-4, 0x1.0174c0097befcp+3}, {-0x1.6e3aae0f406bdp-5, -0x1.e5753daddb926p-61, -0x1.1eb0e9b335d7fp-3, -0x1.c4aff1c592cb4p+2}},
  {{0x1.0d4afe16db219p-7, 0x1.498adcb2a729cp-61, 0x1.a6f5160e7a0b0p-6, 0x1.35ca7466f01b0p+5}, {-0x1.1510b222a0657p-7, -0x1.e5eab7f12cef6p-61, -0x1.b3296eced601fp-6, -0x1.2d18bbe2a8c64p+5}},
  {{0x1.6b25897c8ced8p-10, 0x1.f0b65b458e173p-66, 0x1.1d36bb48af710p-8, 0x1.cb8d7b3c1400fp+7}, {-0x1.6d0a6e0bf2a09p-10, 0x1.4ed62cbd31ee0p-64, -0x1.1eb38fd730d5cp-8, -0x1.c92b09ccbb133p+7}},
  {{0x1.9fef6ff0f5be9p-13, -0x1.be919233c3eaap-67, 0x1.46acbfc26fd85p-11, 0x1.913b124255993p+10}, {-0x1.a044a3c880185p-13, -0x1.d949a3dc02de1p-68, -0x1.46efaabc9f19dp-11, -0x1.90e8f2592abf1p+10}},
  {{0x1.a01459fc9f60dp-16, -0x1.30c4f8c4dea26p-70, 0x1.46c9bf2beac01p-14, 0x1.91177ccf00299p+13}, {-0x1.a01fa98c3c356p-16, -0x1.7d4add4f3562dp-72, -0x1.46d2a156fec38p-14, -0x1.910c95d8945e4p+13}},
  {{0x1.71dda3ec36b6cp-19, 0x1.0ffb70d477adfp-74, 0x1.227ded91fe54bp-17, 0x1.c335021c7954bp+16}, {-0x1.71ded0bf801bdp-19, 0x1.3a55d249679f9p-74, -0x1.227ed9d68440ap-17, -0x1.c3339321f2b7fp+16}},
  {{0x1.27e4eee649ed1p-22, 0x1.d95e15441e031p-76, 0x1.d0ca256250acep-21, 0x1.1a00ba9dfab40p+20}, {-0x1.27e50808cbe75p-22, -0x1.1885afab83963p-76, -0x1.d0ca4cdd9dc1bp-21, -0x1.1a00a2a98fde6p+20}},
  {{0x1.ae6454c576597p-26, -0x1.90015bf1b415cp-80, 0x1.52076e020556ap-24, 0x1.83c0f1af47c51p+23}, {-0x1.ae64583932495p-26, 0x1.a55b7a31a0b4ap-81, -0x1.520770b81aa0bp-24, -0x1.83c0ee9318af8p+23}},
  {{0x1.1eed8ee62acf8p-29, 0x1.e04a1e70f241cp-85, 0x1.c2b49454351fdp-28, 0x1.22d0b4329ef2ap+27}, {-0x1.1eed8f18f0438p-29, 0x1.acc3d3c978bd8p-84, -0x1.c2b494a3f579dp-28, -0x1.22d0b3ff2967fp+27}},
  {{0x1.612461380cd08p-33, -0x1.17237e0e47fbdp-87, 0x1.155b6f0f563dep-31, 0x1.d89324abc334fp+30}, {-0x1.6124613d00d0bp-33, -0x1.001c54155b96cp-87, -0x1.155b6f133a20ap-31, -0x1.d89324a5225e4p+30}},
  {{0x1.93974a8bd29cfp-37, -0x1.09d47384560edp-91, 0x1.3cfac81396727p-35, 0x1.9d80c0139aebap+34}, {-0x1.93974a8c3cf6cp-37, 0x1.f04e88bb6e247p-91, -0x1.3cfac813e9f99p-35, -0x1.9d80c0132df53p+34}},
  {{0x1.ae7f3e7337a1dp-41, -0x1.ef83d0b08e728p-95, 0x1.521c91261f508p-39, 0x1.83a8b41231a6dp+38}, {-0x1.ae7f3e733f622p-41, 0x1.81b8fc4e9b9acp-95, -0x1.521c91262566fp-39, -0x1.83a8b4122aabfp+38}},
  {{0x1.ae7f3e733b428p-45, 0x1.25fc9dc8f8bbep-99, 0x1.521c91262229fp-43, 0x1.83a8b4122e628p+42}, {-0x1.ae7f3e733bc16p-45, 0x1.2e72e4d113627p-100, -0x1.521c9126228d9p-43, -0x1.83a8b4122df04p+42}},
  {{0x1.952c77030ad11p-49, 0x1.db2968e993b05p-106, 0x1.3e390114d5084p-47, 0x1.9be33f53510fap+46}, {-0x1.952c77030ad84p-49, 0x1.c46a08a2e008bp-104, -0x1.3e390114d50dep-47, -0x1.9be33f5351085p+46}},
  {{0x1.6827863b97d95p-53, -0x1.9e268029a25b6p-107, 0x1.1add564b6809bp-51, 0x1.cf5fa73dbb2dbp+50}, {-0x1.6827863b97d9ap-53, -0x1.7ba6a46cf3c1cp-107, -0x1.1add564b6809fp-51, -0x1.cf5fa73dbb2d3p+50}},
};

// The bits of 2/π behind the point, 48 in each, as numbers below 1.
static __constant const double two_pi_chunks[26] = {
  0x1.45f306dc9c880p-1,
  0x1.529fc2757d100p-4,
  0x1.ea69bb81b6c40p-1,
  0x1.2b32788720820p-1,
  0x1.fca2c757bd760p-1,
  0x1.8ac36e48dc740p-1,
  0x1.09374b8019240p-2,
  0x1.77504e8c90e00p-3,
  0x1.fc3bd63962520p-1,
  0x1.4e7dd1046bea0p-1,
  0x1.75da24274ce00p-3,
  0x1.c09ad17df9040p-2,
  0x1.cc8eb1cc1a980p-3,
  0x1.cfa4e422fc580p-3,
  0x1.7bf250763ff00p-1,
  0x1.2fffbc0b301e0p-1,
  0x1.de5e2316b4140p-1,
  0x1.b47db4d9fb3c0p-2,
  0x1.3e584dba7a300p-3,
  0x1.fb34f2ff51680p-3,
  0x1.d49eeb1faf940p-2,
  0x1.e2f67a0e73ee0p-1,
  0x1.14a525d4d7f60p-1,
  0x1.7ec47e3574200p-2,
  0x1.580cc11bf1ec0p-2,
  0x1.aeafc33ef0800p-2,
};
