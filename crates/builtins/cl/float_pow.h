// log2 and 2^x where a float is not enough: with the logarithm as the sum of two floats (Dekker's arithmetic), a product
// with it is right to some 2^-34, which is what a power needs. To be included for each WIDTH.

#define LOOK_UP_(table, i) table[i]
#define LOOK_UP_2(table, i) (float2)(table[i.x], table[i.y])
#define LOOK_UP_3(table, i) (float3)(table[i.x], table[i.y], table[i.z])
#define LOOK_UP_4(table, i) (float4)(table[i.x], table[i.y], table[i.z], table[i.w])
#define LOOK_UP_8(table, i) (float8)(LOOK_UP_4(table, i.lo), LOOK_UP_4(table, i.hi))
#define LOOK_UP_16(table, i) (float16)(LOOK_UP_8(table, i.lo), LOOK_UP_8(table, i.hi))
#define LOOK_UP(table, i) CAT(LOOK_UP_, WIDTH)(table, i)

// log2(x) of a positive number with this mantissa and exponent: *low is added to the result, and is no number if that is infinite.
// With m = MANTISSA(x) and the reciprocal r of its step, f = m r - 1 is exact, and so is f - f²/2 as the sum of two floats. The
// table's log2(1/r) is that of 2/r for m below 1, where the exponent of x is one less; next to 1 both make it zero.
HELPER F exact_log2_parts(F m, F exponent, __private F *low) {
  I step = (AS(I, m) >> 19) & 15;
  F f = FMA(m, LOOK_UP(log_inverses, step), (F)-1.0f);
  F z = f * f, z_low = FMA(f, f, -z);
  F near = FMA(z, (F)-0.5f, f), near_low = FMA(z_low, (F)-0.5f, FMA(z, (F)-0.5f, f - near));
  near_low = FMA(f * z, POLY_LOG_STEP(f), near_low);
  F first = near * LOG2E_HI, first_low = FMA(near, (F)LOG2E_LO, FMA(near, (F)LOG2E_HI, -first));
  F base = exponent + LOOK_UP(log2_steps, step), whole = base + first;
  F rest = ((base - whole) + first) + FMA(near_low, (F)LOG2E_HI, first_low + LOOK_UP(log2_steps_low, step));
  rest = rest < 1.0f ? rest : (F)1.0f;
  F sum = whole + rest;
  *low = (whole - sum) + rest;
  return sum;
}

HELPER F log2_parts(F x, __private F *low) {
  F m = MANTISSA(ABS(x)), exponent = EXPONENT(x);
  if (__mux_usefast()) {
    F f = m - 1.0f;
    *low = 0.0f;
    return FMA(f, POLY_NATIVE_LOG2(f), exponent - EXPONENT(m));
  }
  return exact_log2_parts(m, exponent, low);
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
