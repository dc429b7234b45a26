// Images as the library sees them: what the target has in the place of an image is the address of a `struct image`,
// and of a sampler its constant in OpenCL C. The description is written by crates/runtime/src/host_images.rs.

#include "common.h"

struct image {
  // The format, and whether offsets fit 31 bits. Code is made for its value: see WORD_… below.
  uint word;
  // The images of an array are rows or slices: an array of 1D images has their number as its height.
  int width, height, depth;
  ulong row_pitch, slice_pitch;
  global uchar *data;
};
typedef constant const struct image *Image;

#define WORD_TYPE(word) ((word) & 0xff)
#define WORD_ORDER(word) ((word) >> 8 & 0xff)
#define WORD_PIXEL_BYTES(word) ((word) >> 16 & 0xff)
// The size of a channel, or of the number that holds all of them, as a power of two.
#define WORD_CHANNEL(word) ((word) >> 24 & 3)
#define WORD_IS_SMALL(word) (((word) >> 28 & 1) != 0)

// Types and orders of channels, counted from CLK_SNORM_INT8 and CLK_R.
#define FIRST_TYPE 0x10d0
#define FIRST_ORDER 0x10b0
enum {
  SNORM8, SNORM16, UNORM8, UNORM16, UNORM_565, UNORM_555, UNORM_101010, SIGNED8, SIGNED16, SIGNED32,
  UNSIGNED8, UNSIGNED16, UNSIGNED32, HALF, FLOAT, UNORM24, UNORM_101010_2
};
enum {
  R, A, RG, RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE, Rx, RGx, RGBx, DEPTH, DEPTH_STENCIL, sRGB, sRGBx,
  sRGBA, sBGRA, ABGR
};

// A sampler's constant in OpenCL C.
#define NORMALIZED 1
#define ADDRESSING 0xe
#define ADDRESS_NONE 0
#define CLAMP 4
#define REPEAT 6
#define MIRRORED_REPEAT 8
#define LINEAR 0x20

// A function that stays a call until its format and sampler are known: InlineImages inlines it then, and
// with a constant for the word LLVM copies just the code for that.
#define LATE __attribute__((overloadable, noinline))

// Whether integers are signed is told by the format.
float4 LATE __lanewise_image_texel_f(uint word, const global uchar *p);
int4 LATE __lanewise_image_texel_i(uint word, const global uchar *p);
void LATE __lanewise_image_store_f(uint word, global uchar *p, float4 value);
void LATE __lanewise_image_store_i(uint word, global uchar *p, int4 value);

// Readings by a sampler, of one to three dimensions, from the image `layer` of an array.
#define SAMPLERS(T, name) \
  T LATE __lanewise_image_sample_##name##_1(uint word, uint sampler, Image image, float x, int layer); \
  T LATE __lanewise_image_sample_##name##_2(uint word, uint sampler, Image image, float x, float y, int layer); \
  T LATE __lanewise_image_sample_##name##_3(uint word, uint sampler, Image image, float x, float y, float z); \
  T LATE __lanewise_image_pick_##name##_1(uint word, uint sampler, Image image, int x); \
  T LATE __lanewise_image_pick_##name##_2(uint word, uint sampler, Image image, int x, int y); \
  T LATE __lanewise_image_pick_##name##_3(uint word, uint sampler, Image image, int x, int y, int z); \
  void LATE __lanewise_image_write_##name##_1(uint word, Image image, int x, T value); \
  void LATE __lanewise_image_write_##name##_2(uint word, Image image, int x, int y, T value); \
  void LATE __lanewise_image_write_##name##_3(uint word, Image image, int x, int y, int z, T value);
SAMPLERS(float4, f)
SAMPLERS(int4, i)

// M(access qualifier), for each kind of image.
#define IMAGE_KINDS(M, access) \
  M(access, 1d) M(access, 1d_buffer) M(access, 1d_array) M(access, 2d) M(access, 2d_array) M(access, 3d) \
  M(access, 2d_depth) M(access, 2d_array_depth)
#define ALL_IMAGES(M) IMAGE_KINDS(M, read_only) IMAGE_KINDS(M, write_only) IMAGE_KINDS(M, read_write)

// What the target has in the place of an image or sampler.
#define DECLARE_VALUE(access, kind) Image OVERLOAD __attribute__((const)) __mux_opaque_value(access image##kind##_t);
ALL_IMAGES(DECLARE_VALUE)
uint OVERLOAD __attribute__((const)) __mux_opaque_value(sampler_t);

// Numbers that are aligned to their channels only.
typedef uint __attribute__((aligned(1))) uint_of_bytes;
typedef ushort __attribute__((aligned(1))) ushort_of_bytes;
typedef uint __attribute__((aligned(2))) uint_of_shorts;

HELPER bool is_srgb(uint order) { return order == sRGBA || order == sBGRA; }

#define ENTRY __attribute__((overloadable, always_inline))

// Between two bounds; a NaN is the lower one. In this form each comparison is an instruction of its own on CPUs.
HELPER float limit(float x, float low, float high) {
  x = x > low ? x : low;
  return x < high ? x : high;
}

HELPER int limit(int x, int low, int high) {
  x = x > low ? x : low;
  return x < high ? x : high;
}

// Where a pixel is.
HELPER global uchar *place(uint word, Image image, int x, int y, int z) {
  int bytes = WORD_PIXEL_BYTES(word);
  if (WORD_IS_SMALL(word))
    return image->data + (x * bytes + y * (int)image->row_pitch + z * (int)image->slice_pitch);
  return image->data + ((long)x * bytes + (long)(y * image->row_pitch) + (long)(z * image->slice_pitch));
}
