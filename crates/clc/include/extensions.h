// What programs see beyond clang's own header and its table of builtins: the functions of extensions that clang does
// not declare, each under its extension's macro. It stands after clang's header, with the macros of the table of features
// defined. Definitions are the library's, or a pass's.

// Functions of every version of the language, whose feature macros clang knows as of 3.0.
#ifdef cl_khr_integer_dot_product
#ifndef __opencl_c_integer_dot_product_input_4x8bit
#define __opencl_c_integer_dot_product_input_4x8bit 1
#define __opencl_c_integer_dot_product_input_4x8bit_packed 1
#endif
#endif

#ifdef cl_intel_bfloat16_conversions
#define LW_BFLOAT(n) \
  ushort##n __attribute__((overloadable, const)) intel_convert_bfloat16##n##_as_ushort##n(float##n value); \
  float##n __attribute__((overloadable, const)) intel_convert_as_bfloat16##n##_float##n(ushort##n bits);
LW_BFLOAT()
LW_BFLOAT(2)
LW_BFLOAT(3)
LW_BFLOAT(4)
LW_BFLOAT(8)
LW_BFLOAT(16)
#undef LW_BFLOAT
#endif

#ifdef cl_khr_kernel_clock
#define LW_CLOCK(scope) \
  ulong __attribute__((overloadable)) clock_read_##scope(void); \
  uint2 __attribute__((overloadable)) clock_read_hilo_##scope(void);
LW_CLOCK(device)
LW_CLOCK(work_group)
// Clang has cl_khr_subgroups as of OpenCL C 2.0.
#if defined(cl_khr_subgroups) || defined(cl_intel_subgroups)
LW_CLOCK(sub_group)
#endif
#undef LW_CLOCK
#endif
