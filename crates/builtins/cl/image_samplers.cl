// From coordinates to pixels, by the arithmetic of "Image Addressing and Filtering" in OpenCL's specification.
// Whatever the coordinates are, also where that leaves the result undefined, no memory outside of the image is touched.

#include "image.h"
#pragma OPENCL FP_CONTRACT ON

#define FLOOR(x) __builtin_elementwise_floor(x)
#define RINT(x) __builtin_elementwise_rint(x)

// The alpha of pixels outside of the image, all other channels of which are 0.
HELPER int border_alpha(uint word) {
  uint order = WORD_ORDER(word);
  return order == R || order == RG || order == RGB || order == LUMINANCE;
}

// The distance to the nearest even number, which is where a mirrored coordinate is.
HELPER float mirrored(float s) { return __builtin_elementwise_abs(s - 2.0f * RINT(0.5f * s)); }

// The pixel of a coordinate along one dimension.
HELPER int nearest(uint sampler, float s, int size, bool *inside) {
  float n = (float)size;
  switch (sampler & ADDRESSING) {
  case REPEAT: {
    float u = (s - FLOOR(s)) * n;
    u = u < n ? u : 0.0f;
    return (int)(u > 0.0f ? u : 0.0f);
  }
  case MIRRORED_REPEAT:
    return (int)limit(mirrored(s) * n, 0.0f, n - 1.0f);
  default: {
    float u = (sampler & NORMALIZED) ? s * n : s;
    if ((sampler & ADDRESSING) == CLAMP)
      *inside &= u >= 0.0f && u < n;
    // What is cut off here is the fraction of a number that is not negative.
    return (int)limit(u, 0.0f, n - 1.0f);
  }
  }
}

// The two pixels around a coordinate along one dimension, and how far it is from the first to the second.
struct between {
  int first, second;
  bool first_inside, second_inside;
  float weight;
};

HELPER struct between surroundings(uint sampler, float s, int size) {
  struct between b;
  float n = (float)size, last = n - 1.0f;
  b.first_inside = b.second_inside = true;
  float u;
  switch (sampler & ADDRESSING) {
  case REPEAT:
    u = (s - FLOOR(s)) * n;
    break;
  case MIRRORED_REPEAT:
    u = mirrored(s) * n;
    break;
  default:
    u = (sampler & NORMALIZED) ? s * n : s;
  }
  u -= 0.5f;
  float first = FLOOR(u), second = first + 1.0f;
  b.weight = u - first;
  if ((sampler & ADDRESSING) == REPEAT) {
    first = first < 0.0f ? last : first;
    second = second > last ? 0.0f : second;
  }
  if ((sampler & ADDRESSING) == CLAMP) {
    b.first_inside = first >= 0.0f && first < n;
    b.second_inside = second >= 0.0f && second < n;
  }
  b.first = (int)limit(first, 0.0f, last);
  b.second = (int)limit(second, 0.0f, last);
  return b;
}

// The mean of the 2, 4 or 8 pixels around a place, weighted by how near they are.
HELPER float4 filtered(int dims, uint word, uint sampler, Image image, float x, float y, float z, int layer) {
  struct between bx = surroundings(sampler, x, image->width), by, bz;
  if (dims >= 2)
    by = surroundings(sampler, y, image->height);
  if (dims == 3)
    bz = surroundings(sampler, z, image->depth);
  float4 sum = 0;
#pragma unroll
  for (int k = 0; k < 1 << dims; ++k) {
    bool sx = k & 1, sy = k & 2, sz = k & 4;
    int i = sx ? bx.second : bx.first, j = layer, l = layer;
    float weight = sx ? bx.weight : 1.0f - bx.weight;
    bool inside = sx ? bx.second_inside : bx.first_inside;
    if (dims >= 2) {
      j = sy ? by.second : by.first;
      weight *= sy ? by.weight : 1.0f - by.weight;
      inside &= sy ? by.second_inside : by.first_inside;
    }
    if (dims == 3) {
      l = sz ? bz.second : bz.first;
      weight *= sz ? bz.weight : 1.0f - bz.weight;
      inside &= sz ? bz.second_inside : bz.first_inside;
    }
    float4 texel = __lanewise_image_texel_f(word, place(word, image, i, j, dims == 1 ? 0 : l));
    if ((sampler & ADDRESSING) == CLAMP)
      texel = inside ? texel : (float4)(0.0f, 0.0f, 0.0f, (float)border_alpha(word));
    sum = k == 0 ? weight * texel : weight * texel + sum;
  }
  return sum;
}

// The pixel at a place: filters are for floating-point values only.
#define DEFINE_NEAREST(T, name) \
  HELPER T nearest_##name(int dims, uint word, uint sampler, Image image, float x, float y, float z, int layer) { \
    bool inside = true; \
    int i = nearest(sampler, x, image->width, &inside), j = layer, k = dims == 1 ? 0 : layer; \
    if (dims >= 2) \
      j = nearest(sampler, y, image->height, &inside); \
    if (dims == 3) \
      k = nearest(sampler, z, image->depth, &inside); \
    T texel = __lanewise_image_texel_##name(word, place(word, image, i, j, k)); \
    if ((sampler & ADDRESSING) == CLAMP) \
      texel = inside ? texel : (T)(0, 0, 0, border_alpha(word)); \
    return texel; \
  } \
  /* The same for whole numbers, which are not normalized. */ \
  HELPER T pick_##name(int dims, uint word, uint sampler, Image image, int x, int y, int z) { \
    bool inside = (uint)x < (uint)image->width; \
    int i = limit(x, 0, image->width - 1), j = 0, k = 0; \
    if (dims >= 2) { \
      inside &= (uint)y < (uint)image->height; \
      j = limit(y, 0, image->height - 1); \
    } \
    if (dims == 3) { \
      inside &= (uint)z < (uint)image->depth; \
      k = limit(z, 0, image->depth - 1); \
    } \
    T texel = __lanewise_image_texel_##name(word, place(word, image, i, j, k)); \
    if ((sampler & ADDRESSING) == CLAMP) \
      texel = inside ? texel : (T)(0, 0, 0, border_alpha(word)); \
    return texel; \
  }
DEFINE_NEAREST(float4, f)
DEFINE_NEAREST(int4, i)

HELPER float4 sample_f(int dims, uint word, uint sampler, Image image, float x, float y, float z, int layer) {
  if (sampler & LINEAR)
    return filtered(dims, word, sampler, image, x, y, z, layer);
  return nearest_f(dims, word, sampler, image, x, y, z, layer);
}
#define sample_i nearest_i

#define DEFINE_SAMPLERS(T, name) \
  T LATE __lanewise_image_sample_##name##_1(uint word, uint sampler, Image image, float x, int layer) { \
    return sample_##name(1, word, sampler, image, x, 0, 0, layer); \
  } \
  T LATE __lanewise_image_sample_##name##_2(uint word, uint sampler, Image image, float x, float y, int layer) { \
    return sample_##name(2, word, sampler, image, x, y, 0, layer); \
  } \
  T LATE __lanewise_image_sample_##name##_3(uint word, uint sampler, Image image, float x, float y, float z) { \
    return sample_##name(3, word, sampler, image, x, y, z, 0); \
  } \
  T LATE __lanewise_image_pick_##name##_1(uint word, uint sampler, Image image, int x) { \
    return pick_##name(1, word, sampler, image, x, 0, 0); \
  } \
  T LATE __lanewise_image_pick_##name##_2(uint word, uint sampler, Image image, int x, int y) { \
    return pick_##name(2, word, sampler, image, x, y, 0); \
  } \
  T LATE __lanewise_image_pick_##name##_3(uint word, uint sampler, Image image, int x, int y, int z) { \
    return pick_##name(3, word, sampler, image, x, y, z); \
  }
DEFINE_SAMPLERS(float4, f)
DEFINE_SAMPLERS(int4, i)
