// Sums of logarithms without error. To be included for each WIDTH.

// A number; one, if it is none. What is lost in a sum with an infinity is no number.
HELPER F if_number(F x) { return x < 1.0f ? x : (F)1.0f; }

// k log(2) + first + square P + low, where |first| is at most ½ and log(2) is given in two parts, the product of k and the
// first of which is exact. The small terms come together in one rounding.
HELPER F summed(F k, float high, float k_low, F first, F square, F p, F low) {
  F a = k * high;
  F sum = a + first, error = if_number((a - sum) + first);
  return sum + FMA(square, p, error + FMA(k, (F)k_low, low));
}

// log(one + u + low) + more log(2), where one is the larger or they are not far from each other, and low is small against u. As
// log of the sum s = 2^k (1 + f); what the rounding of s lost is added to f. Finite for a sum that is positive and
// normal.
HELPER F log_of_sum(F one, F u, F low, F more) {
  F s = one + u;
  F large_error = one - (s - u), small_error = u - (s - one);
  F lost = (u >= one ? large_error : small_error) + low;
  I bits = AS(I, s);
  I k = (bits - 0x3f400000) >> 23;
  F f = AS(F, bits - (k << 23)) - 1.0f;
  // Beyond 2^30 nothing that matters was lost.
  I power = k > 30 ? (I)30 : k;
  F f_low = lost * AS(F, (127 - power) << 23);
  F f_sum = f + f_low;
  // Times the slope of the logarithm, nearly.
  f_low = (f - f_sum) + f_low;
  f_low = FMA(-f_low, f_sum, f_low);
  return summed(TO_F(k) + more, 0x1.62e4p-1f, 0x1.7f7d1cp-20f, f_sum, f_sum * f_sum, POLY_LOG(f_sum), f_low);
}
