// Pixels from memory, on devices that compute with halves.

#define FROM_HALF(bits) ((float)AS(half, (ushort)(bits)))
#include "image_texels.h"
