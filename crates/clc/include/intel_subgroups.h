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
  void LW_TOGETHER intel_sub_group_block_write##suffix##n(__global T *to, T##n value);

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
