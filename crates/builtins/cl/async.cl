// Copies between global and local memory, through the specification's DMA builtins.

#include "common.h"

// The target defines these. Sizes and strides are in bytes.
event_t __mux_dma_read_1D(__local void *to, const __global void *from, size_t width, event_t event);
event_t __mux_dma_read_2D(__local void *to, const __global void *from, size_t width, size_t to_stride,
                          size_t from_stride, size_t height, event_t event);
event_t __mux_dma_write_1D(__global void *to, const __local void *from, size_t width, event_t event);
event_t __mux_dma_write_2D(__global void *to, const __local void *from, size_t width, size_t to_stride,
                           size_t from_stride, size_t height, event_t event);
void __mux_dma_wait(int count, __private event_t *events);
OVERLOAD void __attribute__((convergent)) barrier(cl_mem_fence_flags flags);

// The first lines of the cache that are asked for: those behind come by themselves once they are read in order.
HELPER void fetch_lines(const __global void *p, size_t bytes) {
  const __global char *first = p;
  size_t last = bytes > 0 ? bytes - 1 : 0, next = last < 64 ? last : 64;
  __builtin_prefetch(first, 0, 3);
  __builtin_prefetch(first + next, 0, 3);
}

#define COPY(n, T) \
  OVERLOAD event_t async_work_group_copy(__local T##n *to, const __global T##n *from, size_t count, event_t event) { \
    return __mux_dma_read_1D(to, from, count * sizeof(T##n), event); \
  } \
  OVERLOAD event_t async_work_group_copy(__global T##n *to, const __local T##n *from, size_t count, event_t event) { \
    return __mux_dma_write_1D(to, from, count * sizeof(T##n), event); \
  } \
  OVERLOAD event_t async_work_group_strided_copy(__local T##n *to, const __global T##n *from, size_t count, \
                                                 size_t stride, event_t event) { \
    return __mux_dma_read_2D(to, from, sizeof(T##n), sizeof(T##n), stride * sizeof(T##n), count, event); \
  } \
  OVERLOAD event_t async_work_group_strided_copy(__global T##n *to, const __local T##n *from, size_t count, \
                                                 size_t stride, event_t event) { \
    return __mux_dma_write_2D(to, from, sizeof(T##n), stride * sizeof(T##n), sizeof(T##n), count, event); \
  } \
  OVERLOAD void prefetch(const __global T##n *p, size_t count) { fetch_lines(p, count * sizeof(T##n)); }
#define COPIES(M, T, ...) WIDTHS(COPY, T)
INTEGERS(COPIES, )
FLOATS(COPIES, )

// All work-items wait for the events, and then for each other: the copies may have been made by any of them.
#define WAIT(space) \
  OVERLOAD void wait_group_events(int count, space event_t *events) { \
    __mux_dma_wait(count, (__private event_t *)events); \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
  }
WAIT(__private)
WAIT(__generic)
