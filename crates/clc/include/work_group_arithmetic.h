// The functions of cl_khr_work_group_uniform_arithmetic, which clang does not declare. They are many, so that only programs
// that may use them see this.

#define LW_COLLECTIVE(operation, T) \
  T __attribute__((overloadable, convergent)) work_group_reduce_##operation(T value); \
  T __attribute__((overloadable, convergent)) work_group_scan_inclusive_##operation(T value); \
  T __attribute__((overloadable, convergent)) work_group_scan_exclusive_##operation(T value);

#define LW_INTEGERS(operation) \
  LW_COLLECTIVE(operation, int) LW_COLLECTIVE(operation, uint) \
  LW_COLLECTIVE(operation, long) LW_COLLECTIVE(operation, ulong)

LW_INTEGERS(mul)
LW_INTEGERS(and)
LW_INTEGERS(or)
LW_INTEGERS(xor)
LW_COLLECTIVE(logical_and, int)
LW_COLLECTIVE(logical_or, int)
LW_COLLECTIVE(logical_xor, int)
LW_COLLECTIVE(mul, float)
#ifdef cl_khr_fp64
LW_COLLECTIVE(mul, double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
LW_COLLECTIVE(mul, half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

#undef LW_INTEGERS
#undef LW_COLLECTIVE
