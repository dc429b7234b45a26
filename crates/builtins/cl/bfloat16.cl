// cl_intel_bfloat16_conversions. The bits of a bfloat16 are the upper half of those of a float.

#include "common.h"

#define DECLARE(n, suffix) __attribute__((const)) float##n __mux_brain_float_##suffix(float##n);
DECLARE(, f)
DECLARE(2, Dv2_f)
DECLARE(3, Dv3_f)
DECLARE(4, Dv4_f)
DECLARE(8, Dv8_f)
DECLARE(16, Dv16_f)

#define CONVERSIONS(n, suffix) \
  OVERLOAD ushort##n intel_convert_bfloat16##n##_as_ushort##n(float##n value) { \
    return CONVERT(n, ushort, AS(uint##n, __mux_brain_float_##suffix(value)) >> 16); \
  } \
  OVERLOAD float##n intel_convert_as_bfloat16##n##_float##n(ushort##n bits) { \
    return AS(float##n, CONVERT(n, uint, bits) << 16); \
  }
CONVERSIONS(, f)
CONVERSIONS(2, Dv2_f)
CONVERSIONS(3, Dv3_f)
CONVERSIONS(4, Dv4_f)
CONVERSIONS(8, Dv8_f)
CONVERSIONS(16, Dv16_f)
