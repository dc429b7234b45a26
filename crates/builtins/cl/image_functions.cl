// The functions of images of OpenCL C: their arguments as those of the functions that do the work.

#include "image.h"

#define RINT(x) __builtin_elementwise_rint(x)
#define VALUE(image) __mux_opaque_value(image)
#define HALF4(v) __builtin_convertvector(v, half4)

// The image of an array; those that are not there are the nearest.
HELPER int layer_at(float layer, int count) { return (int)limit(RINT(layer), 0.0f, (float)count - 1.0f); }
HELPER int layer_at(int layer, int count) { return limit(layer, 0, count - 1); }

// For each kind: the types of its coordinates, and its readings and writings as those of whole dimensions. An image of an
// array is a row or a slice.
#define INTS_1d int
#define INTS_1d_buffer int
#define INTS_1d_array int2
#define INTS_2d int2
#define INTS_2d_depth int2
#define INTS_2d_array int4
#define INTS_2d_array_depth int4
#define INTS_3d int4
#define FLOATS_1d float
#define FLOATS_1d_array float2
#define FLOATS_2d float2
#define FLOATS_2d_depth float2
#define FLOATS_2d_array float4
#define FLOATS_2d_array_depth float4
#define FLOATS_3d float4

#define SAMPLE_1d(name, d, s, c) __lanewise_image_sample_##name##_1(d->word, s, d, c, 0)
#define SAMPLE_1d_array(name, d, s, c) \
  __lanewise_image_sample_##name##_1(d->word, s, d, c.x, layer_at(c.y, d->height))
#define SAMPLE_2d(name, d, s, c) __lanewise_image_sample_##name##_2(d->word, s, d, c.x, c.y, 0)
#define SAMPLE_2d_array(name, d, s, c) \
  __lanewise_image_sample_##name##_2(d->word, s, d, c.x, c.y, layer_at(c.z, d->depth))
#define SAMPLE_3d(name, d, s, c) __lanewise_image_sample_##name##_3(d->word, s, d, c.x, c.y, c.z)

#define PICK_1d(name, d, s, c) __lanewise_image_pick_##name##_1(d->word, s, d, c)
#define PICK_1d_buffer PICK_1d
#define PICK_1d_array(name, d, s, c) \
  __lanewise_image_pick_##name##_2(d->word, s, d, c.x, layer_at(c.y, d->height))
#define PICK_2d(name, d, s, c) __lanewise_image_pick_##name##_2(d->word, s, d, c.x, c.y)
#define PICK_2d_array(name, d, s, c) \
  __lanewise_image_pick_##name##_3(d->word, s, d, c.x, c.y, layer_at(c.z, d->depth))
#define PICK_3d(name, d, s, c) __lanewise_image_pick_##name##_3(d->word, s, d, c.x, c.y, c.z)

// Without a sampler, as by one of CLK_ADDRESS_NONE.
#define NEAR_1d(name, d, c) PICK_1d(name, d, ADDRESS_NONE, c)
#define NEAR_1d_buffer NEAR_1d
#define NEAR_1d_array NEAR_2d
#define NEAR_2d(name, d, c) PICK_2d(name, d, ADDRESS_NONE, c)
#define NEAR_2d_array NEAR_3d
#define NEAR_3d(name, d, c) PICK_3d(name, d, ADDRESS_NONE, c)

#define WRITE_1d(name, d, c, v) __lanewise_image_write_##name##_1(d->word, d, c, v)
#define WRITE_1d_buffer WRITE_1d
#define WRITE_1d_array(name, d, c, v) __lanewise_image_write_##name##_2(d->word, d, c.x, c.y, v)
#define WRITE_2d WRITE_1d_array
#define WRITE_2d_array WRITE_3d
#define WRITE_3d(name, d, c, v) __lanewise_image_write_##name##_3(d->word, d, c.x, c.y, c.z, v)

// M(access qualifier, kind, …) for images of colours and of depths.
#define COLOUR_KINDS(M, ...) M(1d, __VA_ARGS__) M(1d_array, __VA_ARGS__) M(2d, __VA_ARGS__) M(2d_array, __VA_ARGS__) \
  M(3d, __VA_ARGS__)

#define SAMPLED(kind, _) \
  float4 ENTRY read_imagef(read_only image##kind##_t image, sampler_t sampler, FLOATS_##kind c) { \
    Image d = VALUE(image); \
    return SAMPLE_##kind(f, d, VALUE(sampler), c); \
  } \
  int4 ENTRY read_imagei(read_only image##kind##_t image, sampler_t sampler, FLOATS_##kind c) { \
    Image d = VALUE(image); \
    return SAMPLE_##kind(i, d, VALUE(sampler), c); \
  } \
  uint4 ENTRY read_imageui(read_only image##kind##_t image, sampler_t sampler, FLOATS_##kind c) { \
    Image d = VALUE(image); \
    return AS(uint4, SAMPLE_##kind(i, d, VALUE(sampler), c)); \
  } \
  half4 ENTRY read_imageh(read_only image##kind##_t image, sampler_t sampler, FLOATS_##kind c) { \
    return HALF4(read_imagef(image, sampler, c)); \
  } \
  float4 ENTRY read_imagef(read_only image##kind##_t image, sampler_t sampler, INTS_##kind c) { \
    Image d = VALUE(image); \
    return PICK_##kind(f, d, VALUE(sampler), c); \
  } \
  int4 ENTRY read_imagei(read_only image##kind##_t image, sampler_t sampler, INTS_##kind c) { \
    Image d = VALUE(image); \
    return PICK_##kind(i, d, VALUE(sampler), c); \
  } \
  uint4 ENTRY read_imageui(read_only image##kind##_t image, sampler_t sampler, INTS_##kind c) { \
    Image d = VALUE(image); \
    return AS(uint4, PICK_##kind(i, d, VALUE(sampler), c)); \
  } \
  half4 ENTRY read_imageh(read_only image##kind##_t image, sampler_t sampler, INTS_##kind c) { \
    return HALF4(read_imagef(image, sampler, c)); \
  }
COLOUR_KINDS(SAMPLED, )

// Without a sampler, places outside are undefined: they are the nearest ones inside.
#define UNSAMPLED(kind, access) \
  float4 ENTRY read_imagef(access image##kind##_t image, INTS_##kind c) { \
    Image d = VALUE(image); \
    return NEAR_##kind(f, d, c); \
  } \
  int4 ENTRY read_imagei(access image##kind##_t image, INTS_##kind c) { \
    Image d = VALUE(image); \
    return NEAR_##kind(i, d, c); \
  } \
  uint4 ENTRY read_imageui(access image##kind##_t image, INTS_##kind c) { \
    Image d = VALUE(image); \
    return AS(uint4, NEAR_##kind(i, d, c)); \
  } \
  half4 ENTRY read_imageh(access image##kind##_t image, INTS_##kind c) { return HALF4(read_imagef(image, c)); }
COLOUR_KINDS(UNSAMPLED, read_only)
COLOUR_KINDS(UNSAMPLED, read_write)
UNSAMPLED(1d_buffer, read_only)
UNSAMPLED(1d_buffer, read_write)

#define WRITTEN(kind, access) \
  void ENTRY write_imagef(access image##kind##_t image, INTS_##kind c, float4 v) { \
    Image d = VALUE(image); \
    WRITE_##kind(f, d, c, v); \
  } \
  void ENTRY write_imagei(access image##kind##_t image, INTS_##kind c, int4 v) { \
    Image d = VALUE(image); \
    WRITE_##kind(i, d, c, v); \
  } \
  void ENTRY write_imageui(access image##kind##_t image, INTS_##kind c, uint4 v) { \
    Image d = VALUE(image); \
    WRITE_##kind(i, d, c, AS(int4, v)); \
  } \
  void ENTRY write_imageh(access image##kind##_t image, INTS_##kind c, half4 v) { \
    write_imagef(image, c, __builtin_convertvector(v, float4)); \
  }
COLOUR_KINDS(WRITTEN, write_only)
COLOUR_KINDS(WRITTEN, read_write)
WRITTEN(1d_buffer, write_only)
WRITTEN(1d_buffer, read_write)

// A depth is one number.
#define DEPTHS(kind, colour) \
  float ENTRY read_imagef(read_only image##kind##_t image, sampler_t sampler, FLOATS_##kind c) { \
    Image d = VALUE(image); \
    return SAMPLE_##colour(f, d, VALUE(sampler), c).x; \
  } \
  float ENTRY read_imagef(read_only image##kind##_t image, sampler_t sampler, INTS_##kind c) { \
    Image d = VALUE(image); \
    return PICK_##colour(f, d, VALUE(sampler), c).x; \
  } \
  float ENTRY read_imagef(read_only image##kind##_t image, INTS_##kind c) { \
    Image d = VALUE(image); \
    return NEAR_##colour(f, d, c).x; \
  } \
  float ENTRY read_imagef(read_write image##kind##_t image, INTS_##kind c) { \
    Image d = VALUE(image); \
    return NEAR_##colour(f, d, c).x; \
  } \
  void ENTRY write_imagef(write_only image##kind##_t image, INTS_##kind c, float v) { \
    Image d = VALUE(image); \
    WRITE_##colour(f, d, c, (float4)v); \
  } \
  void ENTRY write_imagef(read_write image##kind##_t image, INTS_##kind c, float v) { \
    Image d = VALUE(image); \
    WRITE_##colour(f, d, c, (float4)v); \
  }
DEPTHS(2d_depth, 2d)
DEPTHS(2d_array_depth, 2d_array)
