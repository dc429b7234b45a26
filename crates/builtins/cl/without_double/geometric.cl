// Lengths and directions of floats, scaled by a power of two instead of squared as doubles.

#include "../common.h"
#include "../geometric.h"

DOT(float)
LARGEST(float)
GEOMETRY(DIRECTION, float, int)

// A power of two that brings the largest element to where its square is harmless.
HELPER float harmless(float size) {
  float scale = size > 0x1p60f ? 0x1p-80f : 1.0f;
  return size < 0x1p-50f ? 0x1p100f : scale;
}
GEOMETRY(LENGTH_SCALED, float, int, 0x1p120f)
