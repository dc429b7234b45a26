// log2 and 2^x where a float is not enough: with the logarithm as the sum of two floats (Dekker's arithmetic), a product
// with it is right to some 2^-34, which is what a power needs. To be included for each WIDTH.

// log2(2^k m): *low is added to the result, and is no number if that is none or infinite. With m in [¾, 1½), s = (m - 1) / (m + 1):
// log2(m) = s (2 / ln 2 + s² (2 / (3 ln 2) + s² P(s²))), of which all but P is computed with two floats.
HELPER F exact_log2_parts(F m, F k, __private F *low) {
  F n = m - 1.0f, d = m + 1.0f, d_low = m - (d - 1.0f);
  F inverse = 1.0f / d, s = n * inverse;
  F s_low = inverse * FMA(-s, d_low, FMA(-s, d, n));
  F z = s * s, z_low = FMA(s + s, s_low, FMA(s, s, -z));
  // The second and third coefficient with all that follows.
  F c = FMA(z, POLY_POW_LOG2(z), (F)0x1.a5b79cp-27f);
  F w = z * 0x1.ec709ep-1f;
  F w_low = FMA(z, c, FMA(z_low, (F)0x1.ec709ep-1f, FMA(z, (F)0x1.ec709ep-1f, -w)));
  F factor = 0x1.715476p1f + w;
  F factor_low = ((0x1.715476p1f - factor) + w) + (w_low + 0x1.4ae0cp-25f);
  F product = s * factor;
  F product_low = FMA(s, factor, -product) + FMA(s, factor_low, s_low * factor);
  F sum = k + product;
  *low = ((k - sum) + product) + product_low;
  return sum;
}

HELPER F log2_parts(F x, __private F *low) {
  F m = MANTISSA(ABS(x)), k = EXPONENT(x) - EXPONENT(m);
  if (__mux_usefast()) {
    F f = m - 1.0f;
    *low = 0.0f;
    return FMA(f, POLY_NATIVE_LOG2(f), k);
  }
  return exact_log2_parts(m, k, low);
}

// 2^(x + low), where x is brought to the edge for |x| > 160. A NaN in x comes through; low may be anything where x is
// beyond.
HELPER F exp2_of_sum(F x, F low) {
  low = low < 1.0f ? low : (F)1.0f;
  low = low < -1.0f ? (F)-1.0f : low;
  F c = x > 160.0f ? (F)160.0f : x;
  c = c < -160.0f ? (F)-160.0f : c;
  F n = __builtin_elementwise_rint(c), r = (c - n) + low;
  return SCALE(FMA(r, POLY_EXP2(r), (F)1.0f), n);
}
