// Pixels to memory, on devices that compute with halves.

#define TO_HALF(x) ((uint)AS(ushort, (half)(x)))
#include "image_stores.h"
