// Vectors in memory, which are aligned as their elements only.

#include "common.h"
#include "memory.h"
#include "rounding.h"

MEMORY(char, 1)
MEMORY(uchar, 1)
MEMORY(short, 2)
MEMORY(ushort, 2)
MEMORY(int, 4)
MEMORY(uint, 4)
MEMORY(long, 8)
MEMORY(ulong, 8)
MEMORY(half, 2)
MEMORY(float, 4)
MEMORY(double, 8)

// ---- Halves in memory --------------------------------------------------------------------------------------------

#define BITS half
#define WIDE(n, x) CONVERT(n, float, x)
#define NARROW_rte(x) narrow_half_rte(x)
#define NARROW_rtz(x) narrow_half_rtz(x)
#define NARROW_rtp(x) narrow_half_rtp(x)
#define NARROW_rtn(x) narrow_half_rtn(x)
#include "half_memory.h"
