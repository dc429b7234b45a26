/* How a program calls kernels that `lanewise compile --target native-cpu` made.
 *
 * A kernel NAME of the source is two functions of the object:
 *
 *   void   NAME(void *const args[], lanewise_native_cpu_state *state);
 *   size_t NAME_scratch_bytes(size_t work_items);
 *
 * The first runs one work-group: the one that `state->group_id` names. Call it for each work-group of the range, in any order, and
 * from several threads at once if each has a state and scratch memory of its own.
 *
 * `args` has one entry for each argument of the kernel, in the order of the source. For a pointer to global or constant memory it
 * is that pointer. For local memory it is memory of the caller, for this work-group alone. For a value or a struct it points to
 * the value. An argument that the kernel does not use is not looked at. No argument points into the state or into `args` itself.
 *
 * The second says how much scratch memory a work-group of so many work-items takes: local variables of the kernel, and what its
 * work-items keep across barriers.
 *
 * A kernel that has arguments in local memory and asks of a generic pointer where it points (`to_local`, `get_fence`) takes all from
 * the first of these arguments to the end of the scratch memory for local memory: give it one block, the arguments in order and then
 * the scratch memory, with nothing of the program's in between. */

#ifndef LANEWISE_NATIVE_CPU_H
#define LANEWISE_NATIVE_CPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lanewise_native_cpu_state {
  size_t group_id[3];            /* the work-group to run */
  size_t num_groups[3];          /* of the range */
  size_t local_size[3];          /* of this work-group: smaller than the next for a last, smaller one */
  size_t enqueued_local_size[3]; /* of all others */
  size_t global_size[3];         /* of the range */
  size_t global_offset[3];
  size_t local_id[3];            /* the kernel's own, written while it runs */
  void *scratch;                 /* NAME_scratch_bytes bytes, aligned to 128; written while it runs */
  uint32_t work_dim;             /* 1 to 3; sizes of other dimensions are 1, IDs and offsets 0 */
} lanewise_native_cpu_state;

typedef void (*lanewise_native_cpu_kernel)(void *const args[], lanewise_native_cpu_state *state);

/* Runs all work-groups of a range, one after the other. `scratch` is for the largest of them. */
static inline void lanewise_native_cpu_run(lanewise_native_cpu_kernel kernel, void *const args[], uint32_t work_dim,
                                           const size_t global_size[3], const size_t local_size[3], void *scratch) {
  lanewise_native_cpu_state state = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, 0, 0};
  size_t x, y, z;
  int d;
  state.work_dim = work_dim;
  for (d = 0; d < 3; d++) {
    state.global_size[d] = global_size[d];
    state.enqueued_local_size[d] = local_size[d];
    state.num_groups[d] = (global_size[d] + local_size[d] - 1) / local_size[d];
  }
  for (z = 0; z < state.num_groups[2]; z++)
    for (y = 0; y < state.num_groups[1]; y++)
      for (x = 0; x < state.num_groups[0]; x++) {
        state.group_id[0] = x;
        state.group_id[1] = y;
        state.group_id[2] = z;
        for (d = 0; d < 3; d++) {
          size_t left = global_size[d] - state.group_id[d] * local_size[d];
          state.local_size[d] = left < local_size[d] ? left : local_size[d];
        }
        state.scratch = scratch;
        kernel(args, &state);
      }
}

#ifdef __cplusplus
}
#endif

#endif
