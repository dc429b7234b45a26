// Logarithm and power of two in double, to some 34 bits: enough for a float after multiplication or division.
// To be included for each WIDTH.

// log2 of a positive finite float. With m in [√½, √2): log(m) = 2 atanh(s), s = (m - 1) / (m + 1).
HELPER D log2_of(F x) {
  I small = x < 0x1p-126f;
  F up = x * 0x1p23f, normal = small ? up : x;
  I bits = AS(I, normal);
  I k = (bits - 0x3f3504f3) >> 23;
  D m = TO_D(AS(F, bits - (k << 23)));
  k = small ? k - 23 : k;
  D s = (m - 1.0) / (m + 1.0), z = s * s;
  D twice = s * 0x1.71547652b82fep1;
  return TO_D(k) + FMA(twice * z, POLY_D_LOG(z), twice);
}

// log of a positive finite double that is not subnormal.
HELPER D log_of(D x) {
  L bits = AS(L, x);
  L k = (bits - 0x3fe6a09e667f3bcdL) >> 52;
  D m = AS(D, bits - (k << 52));
  D s = (m - 1.0) / (m + 1.0), z = s * s, twice = 2.0 * s;
  D rest = FMA(twice * z, POLY_D_LOG(z), twice);
  return FMA(TO_D(TO_I(k)), (D)0x1.62e42fefa39efp-1, rest);
}

// 2^x, brought to the edge for |x| > 1000. A NaN comes through.
HELPER D exp2_of(D x) {
  x = x > 1000.0 ? (D)1000.0 : x;
  x = x < -1000.0 ? (D)-1000.0 : x;
  D t = x + D_MAGIC, r = x - (t - D_MAGIC);
  return AS(D, AS(L, POLY_D_EXP2(r)) + (AS(L, t) << 52));
}
