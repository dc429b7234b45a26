// The functions of cl_intel_subgroups and its companions for char, short and long, which clang does not declare. They are many, so
// that only programs that may use them see this.

#define LW_TOGETHER __attribute__((overloadable, convergent))

#define LW_SHUFFLES(T) \
  T LW_TOGETHER intel_sub_group_shuffle(T value, uint from); \
  T LW_TOGETHER intel_sub_group_shuffle_down(T current, T next, uint by); \
  T LW_TOGETHER intel_sub_group_shuffle_up(T previous, T current, uint by); \
  T LW_TOGETHER intel_sub_group_shuffle_xor(T value, uint with);

#define LW_VECTORS(T) LW_SHUFFLES(T) \
  LW_SHUFFLES(T##2) LW_SHUFFLES(T##3) LW_SHUFFLES(T##4) LW_SHUFFLES(T##8) LW_SHUFFLES(T##16)

LW_VECTORS(char)
LW_VECTORS(uchar)
LW_VECTORS(short)
LW_VECTORS(ushort)
LW_VECTORS(int)
LW_VECTORS(uint)
LW_VECTORS(long)
LW_VECTORS(ulong)
LW_VECTORS(float)
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
LW_SHUFFLES(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#ifdef cl_khr_fp64
LW_SHUFFLES(double)
#endif

#define LW_BLOCK(T, n, suffix) \
  T##n LW_TOGETHER intel_sub_group_block_read##suffix##n(const __global T *from); \
  T##n LW_TOGETHER intel_sub_group_block_read##suffix##n(const __local T *from); \
  void LW_TOGETHER intel_sub_group_block_write##suffix##n(__global T *to, T##n value); \
  void LW_TOGETHER intel_sub_group_block_write##suffix##n(__local T *to, T##n value);

#ifdef __IMAGE_SUPPORT__
#define LW_READ_ROWS(access, T, n, suffix) \
  T##n LW_TOGETHER intel_sub_group_block_read##suffix##n(access image2d_t from, int2 at);
#define LW_WRITE_ROWS(access, T, n, suffix) \
  void LW_TOGETHER intel_sub_group_block_write##suffix##n(access image2d_t to, int2 at, T##n value);
#ifdef __opencl_c_read_write_images
#define LW_ROWS_BOTH(T, n, suffix) \
  LW_READ_ROWS(read_write, T, n, suffix) LW_WRITE_ROWS(read_write, T, n, suffix)
#else
#define LW_ROWS_BOTH(T, n, suffix)
#endif
#define LW_ROWS(T, n, suffix) \
  LW_READ_ROWS(read_only, T, n, suffix) LW_WRITE_ROWS(write_only, T, n, suffix) LW_ROWS_BOTH(T, n, suffix)
#define LW_ROWS_OF(T, suffix) \
  LW_ROWS(T, , suffix) LW_ROWS(T, 2, suffix) LW_ROWS(T, 4, suffix) LW_ROWS(T, 8, suffix)
LW_ROWS_OF(uint, )
LW_ROWS_OF(uint, _ui)
LW_ROWS_OF(ushort, _us)
LW_ROWS_OF(uchar, _uc)
LW_ROWS_OF(ulong, _ul)
LW_ROWS(ushort, 16, _us)
LW_ROWS(uchar, 16, _uc)
#undef LW_ROWS_OF
#undef LW_ROWS
#undef LW_ROWS_BOTH
#undef LW_WRITE_ROWS
#undef LW_READ_ROWS
#endif

#define LW_BLOCKS(T, suffix) \
  LW_BLOCK(T, , suffix) LW_BLOCK(T, 2, suffix) LW_BLOCK(T, 4, suffix) LW_BLOCK(T, 8, suffix)

LW_BLOCKS(uint, )
LW_BLOCKS(uint, _ui)
LW_BLOCKS(ushort, _us)
LW_BLOCKS(uchar, _uc)
LW_BLOCKS(ulong, _ul)
LW_BLOCK(ushort, 16, _us)
LW_BLOCK(uchar, 16, _uc)

#undef LW_BLOCKS
#undef LW_BLOCK
#undef LW_VECTORS
#undef LW_SHUFFLES
#undef LW_TOGETHER
