// cl_khr_kernel_clock. One counter serves all scopes: the CPU's own, which runs at a constant rate on all of its cores.

#include "common.h"

#define CLOCK(scope) \
  OVERLOAD ulong clock_read_##scope(void) { return __builtin_readcyclecounter(); } \
  OVERLOAD uint2 clock_read_hilo_##scope(void) { return as_uint2((ulong)__builtin_readcyclecounter()); }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
