// The functions of OpenCL C that ask what an image is.

#include "image.h"

#define VALUE(image) __mux_opaque_value(image)

#define ANY(access, kind) \
  int ENTRY get_image_width(access image##kind##_t image) { return VALUE(image)->width; } \
  int ENTRY get_image_channel_data_type(access image##kind##_t image) { \
    return FIRST_TYPE + WORD_TYPE(VALUE(image)->word); \
  } \
  int ENTRY get_image_channel_order(access image##kind##_t image) { \
    return FIRST_ORDER + WORD_ORDER(VALUE(image)->word); \
  }
ALL_IMAGES(ANY)

#define PLANES(access, kind) \
  int ENTRY get_image_height(access image##kind##_t image) { return VALUE(image)->height; }
#define FLAT(access, kind) \
  PLANES(access, kind) \
  int2 ENTRY get_image_dim(access image##kind##_t image) { \
    Image d = VALUE(image); \
    return (int2)(d->width, d->height); \
  }
#define ARRAYS(access, kind, layers) \
  size_t ENTRY get_image_array_size(access image##kind##_t image) { return VALUE(image)->layers; }

#define EACH(access) \
  FLAT(access, 2d) FLAT(access, 2d_array) FLAT(access, 2d_depth) FLAT(access, 2d_array_depth) PLANES(access, 3d) \
  ARRAYS(access, 1d_array, height) ARRAYS(access, 2d_array, depth) ARRAYS(access, 2d_array_depth, depth) \
  int ENTRY get_image_depth(access image3d_t image) { return VALUE(image)->depth; } \
  int4 ENTRY get_image_dim(access image3d_t image) { \
    Image d = VALUE(image); \
    return (int4)(d->width, d->height, d->depth, 0); \
  }
EACH(read_only)
EACH(write_only)
EACH(read_write)
