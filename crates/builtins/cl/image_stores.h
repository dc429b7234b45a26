// One pixel from what kernels see to memory, by the format in its image's word, and the writings of kernels: those
// outside of the image do nothing. TO_HALF(x) are the bits of the half that is nearest to a float.

#include "image.h"
#include "srgb_tables.h"

// Writes the bits of each channel, in the order they have in memory.
HELPER void store_bits(uint word, global uchar *p, uint4 b) {
  uint bytes = WORD_PIXEL_BYTES(word);
  switch (WORD_CHANNEL(word)) {
  case 0:
    if (bytes == 4) {
      *(global uint_of_bytes *)p = (b.x & 0xff) | (b.y & 0xff) << 8 | (b.z & 0xff) << 16 | b.w << 24;
    } else if (bytes == 2) {
      *(global ushort_of_bytes *)p = (ushort)((b.x & 0xff) | (b.y & 0xff) << 8);
    } else {
      p[0] = (uchar)b.x;
      if (bytes == 3) {
        p[1] = (uchar)b.y;
        p[2] = (uchar)b.z;
      }
    }
    break;
  case 1: {
    global ushort *q = (global ushort *)p;
    if (bytes == 8) {
      *(global uint_of_shorts *)p = (b.x & 0xffff) | b.y << 16;
      *(global uint_of_shorts *)(p + 4) = (b.z & 0xffff) | b.w << 16;
    } else if (bytes == 4) {
      *(global uint_of_shorts *)p = (b.x & 0xffff) | b.y << 16;
    } else {
      q[0] = (ushort)b.x;
      if (bytes == 6) {
        q[1] = (ushort)b.y;
        q[2] = (ushort)b.z;
      }
    }
    break;
  }
  default: {
    global uint *q = (global uint *)p;
    q[0] = b.x;
    if (bytes >= 8)
      q[1] = b.y;
    if (bytes >= 12)
      q[2] = b.z;
    if (bytes >= 16)
      q[3] = b.w;
  }
  }
}

// From red, green, blue and alpha to the order in memory.
#define DISARRANGE(T) \
  HELPER T##4 disarrange(uint order, T##4 c) { \
    switch (order) { \
    case A: return c.wwww; \
    case RA: return c.xwww; \
    case BGRA: case sBGRA: return c.zyxw; \
    case ARGB: return c.wxyz; \
    case ABGR: return c.wzyx; \
    default: return c; \
    } \
  }
DISARRANGE(float)
DISARRANGE(int)

// The nearest integer, even where two are as near, of x times the largest one: numbers of up to 16 bits are the low bits
// of what they are after the addition. A NaN is 0.
HELPER uint4 unorm(float4 x, float4 most) {
  x *= most;
  x = x > 0.0f ? x : (float4)0.0f;
  x = x < most ? x : most;
  return AS(uint4, x + 0x1p23f) & 0xffff;
}

HELPER uint4 snorm(float4 x, float most) {
  x = x == x ? x * most : (float4)0.0f;
  x = x > -most - 1.0f ? x : (float4)(-most - 1.0f);
  x = x < most ? x : (float4)most;
  return AS(uint4, AS(int4, x + 0x1.8p23f) - 0x4b400000);
}

// The number of sRGB that is nearest to a linear value.
HELPER uint to_srgb(float x) {
  uint n = 0;
  for (uint step = 128; step != 0; step >>= 1)
    n += x >= srgb_bounds[n + step] ? step : 0;
  return n;
}

void LATE __lanewise_image_store_f(uint word, global uchar *p, float4 value) {
  uint order = WORD_ORDER(word);
  float4 c = disarrange(order, value);
  switch (WORD_TYPE(word)) {
  case UNORM8: {
    uint4 b = unorm(c, 255.0f);
    if (is_srgb(order))
      b.xyz = (uint3)(to_srgb(c.x), to_srgb(c.y), to_srgb(c.z));
    store_bits(word, p, b);
    break;
  }
  case UNORM16:
    store_bits(word, p, unorm(c, 65535.0f));
    break;
  case SNORM8:
    store_bits(word, p, snorm(c, 127.0f));
    break;
  case SNORM16:
    store_bits(word, p, snorm(c, 32767.0f));
    break;
  case HALF:
    store_bits(word, p, (uint4)(TO_HALF(c.x), TO_HALF(c.y), TO_HALF(c.z), TO_HALF(c.w)));
    break;
  case FLOAT:
    store_bits(word, p, AS(uint4, c));
    break;
  case UNORM_565: {
    uint4 b = unorm(c, (float4)(31.0f, 63.0f, 31.0f, 1.0f));
    *(global ushort *)p = (ushort)(b.x << 11 | b.y << 5 | b.z);
    break;
  }
  case UNORM_555: {
    uint4 b = unorm(c, 31.0f);
    *(global ushort *)p = (ushort)(b.x << 10 | b.y << 5 | b.z);
    break;
  }
  case UNORM_101010: {
    uint4 b = unorm(c, 1023.0f);
    *(global uint *)p = b.x << 20 | b.y << 10 | b.z;
    break;
  }
  case UNORM_101010_2: {
    uint4 b = unorm(c, (float4)(1023.0f, 1023.0f, 1023.0f, 3.0f));
    *(global uint *)p = b.x << 22 | b.y << 12 | b.z << 2 | b.w;
    break;
  }
  default:
    break;
  }
}

HELPER int4 saturated(int4 c, int low, int high) {
  c = c > low ? c : (int4)low;
  return c < high ? c : (int4)high;
}

void LATE __lanewise_image_store_i(uint word, global uchar *p, int4 value) {
  int4 c = disarrange(WORD_ORDER(word), value);
  switch (WORD_TYPE(word)) {
  case SIGNED8:
    store_bits(word, p, AS(uint4, saturated(c, -0x80, 0x7f)));
    break;
  case SIGNED16:
    store_bits(word, p, AS(uint4, saturated(c, -0x8000, 0x7fff)));
    break;
  case SIGNED32:
  case UNSIGNED32:
    store_bits(word, p, AS(uint4, c));
    break;
  case UNSIGNED8:
    store_bits(word, p, AS(uint4, c) < 0xff ? AS(uint4, c) : (uint4)0xff);
    break;
  case UNSIGNED16:
    store_bits(word, p, AS(uint4, c) < 0xffff ? AS(uint4, c) : (uint4)0xffff);
    break;
  default:
    break;
  }
}

#define DEFINE_WRITES(T, name) \
  void LATE __lanewise_image_write_##name##_1(uint word, Image image, int x, T value) { \
    if ((uint)x < (uint)image->width) \
      __lanewise_image_store_##name(word, place(word, image, x, 0, 0), value); \
  } \
  void LATE __lanewise_image_write_##name##_2(uint word, Image image, int x, int y, T value) { \
    if ((uint)x < (uint)image->width && (uint)y < (uint)image->height) \
      __lanewise_image_store_##name(word, place(word, image, x, y, 0), value); \
  } \
  void LATE __lanewise_image_write_##name##_3(uint word, Image image, int x, int y, int z, T value) { \
    if ((uint)x < (uint)image->width && (uint)y < (uint)image->height && (uint)z < (uint)image->depth) \
      __lanewise_image_store_##name(word, place(word, image, x, y, z), value); \
  }
DEFINE_WRITES(float4, f)
DEFINE_WRITES(int4, i)
