// One pixel as kernels see it, from memory, by the format in its image's word. FROM_HALF(bits) is the float of a half.

#include "image.h"
#include "srgb_tables.h"

// The bits of each channel, in the order they have in memory; 0 for those that the pixel does not have.
HELPER uint4 load_bits(uint word, const global uchar *p) {
  uint4 b = 0;
  uint bytes = WORD_PIXEL_BYTES(word);
  switch (WORD_CHANNEL(word)) {
  case 0:
    if (bytes == 4) {
      uint w = *(const global uint_of_bytes *)p;
      b = (uint4)(w & 0xff, w >> 8 & 0xff, w >> 16 & 0xff, w >> 24);
    } else if (bytes == 2) {
      uint w = *(const global ushort_of_bytes *)p;
      b.x = w & 0xff;
      b.y = w >> 8;
    } else {
      b.x = p[0];
      if (bytes == 3) {
        b.y = p[1];
        b.z = p[2];
      }
    }
    break;
  case 1: {
    const global ushort *q = (const global ushort *)p;
    if (bytes == 8) {
      uint w = *(const global uint_of_shorts *)p, w2 = *(const global uint_of_shorts *)(p + 4);
      b = (uint4)(w & 0xffff, w >> 16, w2 & 0xffff, w2 >> 16);
    } else if (bytes == 4) {
      uint w = *(const global uint_of_shorts *)p;
      b.x = w & 0xffff;
      b.y = w >> 16;
    } else {
      b.x = q[0];
      if (bytes == 6) {
        b.y = q[1];
        b.z = q[2];
      }
    }
    break;
  }
  default: {
    const global uint *q = (const global uint *)p;
    b.x = q[0];
    if (bytes >= 8)
      b.y = q[1];
    if (bytes >= 12)
      b.z = q[2];
    if (bytes >= 16)
      b.w = q[3];
  }
  }
  return b;
}

// From the order in memory to red, green, blue and alpha. Channels that a pixel lacks are 0, alpha is 1.
#define ARRANGE(T) \
  HELPER T##4 arrange(uint order, T##4 c) { \
    switch (order) { \
    case A: return (T##4)(0, 0, 0, c.x); \
    case RG: return (T##4)(c.x, c.y, 0, 1); \
    case RA: return (T##4)(c.x, 0, 0, c.y); \
    case RGB: return (T##4)(c.xyz, 1); \
    case RGBA: case sRGBA: return c; \
    case BGRA: case sBGRA: return c.zyxw; \
    case ARGB: return c.yzwx; \
    case ABGR: return c.wzyx; \
    case INTENSITY: return c.xxxx; \
    case LUMINANCE: return (T##4)(c.xxx, 1); \
    default: return (T##4)(c.x, 0, 0, 1); \
    } \
  }
ARRANGE(float)
ARRANGE(int)

#define TO_FLOAT(b) CONVERT(4, float, AS(int4, b))
// The sign of a number of fewer bits.
#define EXTEND(b, bits) (AS(int4, (b) << (32 - bits)) >> (32 - bits))

float4 LATE __lanewise_image_texel_f(uint word, const global uchar *p) {
  float4 c;
  uint order = WORD_ORDER(word);
  switch (WORD_TYPE(word)) {
  case UNORM8: {
    uint4 b = load_bits(word, p);
    c = TO_FLOAT(b) * (1.0f / 255.0f);
    if (is_srgb(order))
      c.xyz = (float3)(srgb_values[b.x & 0xff], srgb_values[b.y & 0xff], srgb_values[b.z & 0xff]);
    break;
  }
  case UNORM16:
    c = TO_FLOAT(load_bits(word, p)) * (1.0f / 65535.0f);
    break;
  case SNORM8:
    c = TO_FLOAT(EXTEND(load_bits(word, p), 8)) * (1.0f / 127.0f);
    c = c > -1.0f ? c : (float4)-1.0f;
    break;
  case SNORM16:
    c = TO_FLOAT(EXTEND(load_bits(word, p), 16)) * (1.0f / 32767.0f);
    c = c > -1.0f ? c : (float4)-1.0f;
    break;
  case HALF: {
    uint4 b = load_bits(word, p);
    c = (float4)(FROM_HALF(b.x), FROM_HALF(b.y), FROM_HALF(b.z), FROM_HALF(b.w));
    break;
  }
  case FLOAT:
    c = AS(float4, load_bits(word, p));
    break;
  case UNORM_565: {
    uint w = *(const global ushort *)p;
    c = TO_FLOAT((uint4)(w >> 11, w >> 5 & 0x3f, w & 0x1f, 0)) *
        (float4)(1.0f / 31.0f, 1.0f / 63.0f, 1.0f / 31.0f, 0.0f);
    break;
  }
  case UNORM_555: {
    uint w = *(const global ushort *)p;
    c = TO_FLOAT((uint4)(w >> 10 & 0x1f, w >> 5 & 0x1f, w & 0x1f, 0)) * (1.0f / 31.0f);
    break;
  }
  case UNORM_101010: {
    uint w = *(const global uint *)p;
    c = TO_FLOAT((uint4)(w >> 20 & 0x3ff, w >> 10 & 0x3ff, w & 0x3ff, 0)) * (1.0f / 1023.0f);
    break;
  }
  case UNORM_101010_2: {
    uint w = *(const global uint *)p;
    c = TO_FLOAT((uint4)(w >> 22, w >> 12 & 0x3ff, w >> 2 & 0x3ff, w & 3)) *
        (float4)(1.0f / 1023.0f, 1.0f / 1023.0f, 1.0f / 1023.0f, 1.0f / 3.0f);
    break;
  }
  default:
    c = 0;
  }
  return arrange(order, c);
}

int4 LATE __lanewise_image_texel_i(uint word, const global uchar *p) {
  int4 c;
  switch (WORD_TYPE(word)) {
  case SIGNED8:
    c = EXTEND(load_bits(word, p), 8);
    break;
  case SIGNED16:
    c = EXTEND(load_bits(word, p), 16);
    break;
  case SIGNED32:
  case UNSIGNED8:
  case UNSIGNED16:
  case UNSIGNED32:
    c = AS(int4, load_bits(word, p));
    break;
  default:
    c = 0;
  }
  return arrange(WORD_ORDER(word), c);
}
