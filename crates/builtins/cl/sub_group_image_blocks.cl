// Blocks of images (cl_intel_subgroups): the rows of a 2D image as bytes. Element i of a work-item is in row i, and the
// work-items of a sub-group read and write numbers that lie side by side. Outside of the image a read gives what is at its
// edge, and a write does nothing.

#include "image.h"

// Passes define these.
__attribute__((overloadable, const)) uint get_sub_group_local_id(void);

typedef uchar __attribute__((aligned(1))) bytes_uchar;
typedef ushort __attribute__((aligned(1))) bytes_ushort;
typedef uint __attribute__((aligned(1))) bytes_uint;
typedef ulong __attribute__((aligned(1))) bytes_ulong;

HELPER int row_bytes(Image image) { return image->width * (int)WORD_PIXEL_BYTES(image->word); }

#define PLACE(image, x, y) ((image)->data + ((ulong)(y) * (image)->row_pitch + (ulong)(x)))

#define NUMBERS(T) \
  HELPER T load_##T(Image image, int2 at, int row) { \
    int last = row_bytes(image) - (int)sizeof(T); \
    int x = at.x + (int)(get_sub_group_local_id() * sizeof(T)); \
    /* A row may be too short for one number. */ \
    if (last < 0) \
      return 0; \
    return *(const global bytes_##T *)PLACE(image, limit(x, 0, last), limit(at.y + row, 0, image->height - 1)); \
  } \
  HELPER void store_##T(Image image, int2 at, int row, T value) { \
    int last = row_bytes(image) - (int)sizeof(T); \
    int x = at.x + (int)(get_sub_group_local_id() * sizeof(T)), y = at.y + row; \
    if (x >= 0 && x <= last && y >= 0 && y < image->height) \
      *(global bytes_##T *)PLACE(image, x, y) = value; \
  }
NUMBERS(uchar)
NUMBERS(ushort)
NUMBERS(uint)
NUMBERS(ulong)

#define READ2(T, i) load_##T(d, at, i), load_##T(d, at, i + 1)
#define READ4(T, i) READ2(T, i), READ2(T, i + 2)
#define READ8(T, i) READ4(T, i), READ4(T, i + 4)
#define READ16(T, i) READ8(T, i), READ8(T, i + 8)

#define WRITE2(T, v, i) store_##T(d, at, i, v.s0); store_##T(d, at, i + 1, v.s1);
#define WRITE4(T, v, i) WRITE2(T, v.lo, i) WRITE2(T, v.hi, i + 2)
#define WRITE8(T, v, i) WRITE4(T, v.lo, i) WRITE4(T, v.hi, i + 4)
#define WRITE16(T, v, i) WRITE8(T, v.lo, i) WRITE8(T, v.hi, i + 8)

#define READER(access, T, suffix, n) \
  T##n ENTRY intel_sub_group_block_read##suffix##n(access image2d_t image, int2 at) { \
    Image d = __mux_opaque_value(image); \
    return (T##n)(READ##n(T, 0)); \
  }
#define WRITER(access, T, suffix, n) \
  void ENTRY intel_sub_group_block_write##suffix##n(access image2d_t image, int2 at, T##n v) { \
    Image d = __mux_opaque_value(image); \
    WRITE##n(T, v, 0) \
  }

#define BLOCK(T, suffix, n) \
  READER(read_only, T, suffix, n) READER(read_write, T, suffix, n) \
  WRITER(write_only, T, suffix, n) WRITER(read_write, T, suffix, n)
#define ONE_READER(access, T, suffix) \
  T ENTRY intel_sub_group_block_read##suffix(access image2d_t image, int2 at) { \
    return load_##T(__mux_opaque_value(image), at, 0); \
  }
#define ONE_WRITER(access, T, suffix) \
  void ENTRY intel_sub_group_block_write##suffix(access image2d_t image, int2 at, T v) { \
    store_##T(__mux_opaque_value(image), at, 0, v); \
  }
#define BLOCKS(T, suffix) \
  ONE_READER(read_only, T, suffix) ONE_READER(read_write, T, suffix) \
  ONE_WRITER(write_only, T, suffix) ONE_WRITER(read_write, T, suffix) \
  BLOCK(T, suffix, 2) BLOCK(T, suffix, 4) BLOCK(T, suffix, 8)

BLOCKS(uint, )
BLOCKS(uint, _ui)
BLOCKS(ulong, _ul)
BLOCKS(ushort, _us)
BLOCKS(uchar, _uc)
BLOCK(ushort, _us, 16)
BLOCK(uchar, _uc, 16)
