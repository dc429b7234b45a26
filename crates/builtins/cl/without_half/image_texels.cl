// Pixels from memory, with halves converted by convert.cl.

float __attribute__((overloadable)) __of_half_bits(ushort bits);
#define FROM_HALF(bits) __of_half_bits((ushort)(bits))
#include "../image_texels.h"
