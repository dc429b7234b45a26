// Halves in memory, which are moved as integers and converted by convert.cl.

#include "../common.h"

// Vectors of the bits of halves in memory, for this source alone.
#undef OVERLOAD
#define OVERLOAD HELPER
#include "../memory.h"
MEMORY(ushort, 2)
#undef OVERLOAD
#define OVERLOAD __attribute__((overloadable))

#define CONVERSIONS(n, X) \
  OVERLOAD float##n __of_half_bits(ushort##n bits); \
  OVERLOAD ushort##n __half_bits_rte(float##n x), __half_bits_rte(double##n x); \
  OVERLOAD ushort##n __half_bits_rtz(float##n x), __half_bits_rtz(double##n x); \
  OVERLOAD ushort##n __half_bits_rtp(float##n x), __half_bits_rtp(double##n x); \
  OVERLOAD ushort##n __half_bits_rtn(float##n x), __half_bits_rtn(double##n x);
WIDTHS(CONVERSIONS, )

#define BITS ushort
#define WIDE(n, x) __of_half_bits(x)
#define NARROW_rte(x) __half_bits_rte(x)
#define NARROW_rtz(x) __half_bits_rtz(x)
#define NARROW_rtp(x) __half_bits_rtp(x)
#define NARROW_rtn(x) __half_bits_rtn(x)
#include "../half_memory.h"
