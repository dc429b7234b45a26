// The sine, cosine and tangent of an angle r + low in [-π/4, π/4], where low is what was lost when r was rounded.
// To be included for each WIDTH.

HELPER F sin_of(F r, F low) {
  F z = r * r;
  return r + FMA(r * z, POLY_SIN(z), low);
}

HELPER F cos_of(F r, F low) {
  F z = r * r, half_z = 0.5f * z;
  F first = 1.0f - half_z, lost = (1.0f - first) - half_z;
  return first + (lost + FMA(z * z, POLY_COS(z), -r * low));
}

// The tangent if the quadrant is even, otherwise the negative cotangent: a quotient with one step of Newton's method,
// for which the tangent has to be known to more than a float.
HELPER F tan_of(F r, F low, I quadrant) {
  F z = r * r;
  F rest = FMA(r * z, POLY_TAN(z), FMA(low, z, low));
  F t = r + rest, t_low = (r - t) + rest;
  F inverse = -1.0f / t;
  F error = FMA(inverse, t_low, FMA(inverse, t, (F)1.0f));
  F better = FMA(inverse, error, inverse);
  // The inverse of zero stays infinite.
  better = t == 0.0f ? inverse : better;
  return (quadrant & 1) != 0 ? better : t;
}
