// Pixels to memory, with halves converted by convert.cl.

ushort __attribute__((overloadable)) __half_bits_rte(float x);
#define TO_HALF(x) ((uint)__half_bits_rte(x))
#include "../image_stores.h"
