// The sine, cosine and tangent of an angle r + low in [-π/4, π/4], where low is what was lost when r was rounded.
// To be included for each WIDTH.

// The angle from x ≥ 0 to the nearest multiple of π/2, and which one it was; for x up to 2^17. By Cody and Waite, with
// π/2 as the sum of three floats.
HELPER void reduce_small(F x, __private F *r, __private F *low, __private I *quadrant) {
  F t = FMA(x, (F)0x1.45f306p-1f, (F)MAGIC), n = t - MAGIC;
  // Exact, and so is the difference to r, which is near the product.
  F r0 = FMA(n, (F)-PI_2_HI, x);
  *r = r0 - n * PI_2_LO;
  *low = FMA(n, (F)0x1.ee59dap-50f, FMA(n, (F)-PI_2_LO, r0 - *r));
  *quadrant = AS(I, t);
}

HELPER F sin_of(F r, F low) {
  F z = r * r;
  return r + FMA(r * z, POLY_SIN(z), low);
}

HELPER F cos_of(F r, F low) {
  F z = r * r, half_z = 0.5f * z;
  F first = 1.0f - half_z, lost = (1.0f - first) - half_z;
  return first + (lost + FMA(z * z, POLY_COS(z), -r * low));
}

// The tangent if the quadrant is even, otherwise the negative cotangent. r is not zero in an odd quadrant.
HELPER F tan_of(F r, F low, I quadrant) {
  F z = r * r, t = r + FMA(r * z, POLY_TAN(z), low), cotangent = -1.0f / t;
  return (quadrant & 1) != 0 ? cotangent : t;
}

// The sine of an angle in a quadrant; the cosine is that of the next one.
HELPER F sin_at(F r, F low, I quadrant, U sign) {
  F s = sin_of(r, low), c = cos_of(r, low);
  F result = (quadrant & 1) != 0 ? c : s;
  return FLIP_SIGN(result, sign ^ (AS(U, quadrant & 2) << 30));
}

// As sin_at, in plain float.
HELPER F quick_sin_at(F r, I quadrant) {
  F z = r * r;
  F s = r * FMA(z, POLY_SIN(z), (F)1.0f), c = FMA(z * z, POLY_COS(z), FMA(z, (F)-0.5f, (F)1.0f));
  F result = (quadrant & 1) != 0 ? c : s;
  return FLIP_SIGN(result, AS(U, quadrant & 2) << 30);
}
