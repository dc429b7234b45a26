/* Runs launches of Native CPU kernels: reads them from a file, and writes what their buffers hold afterwards.
 *
 * runner INPUT OUTPUT BITS: ends with code 3 if the CPU's vector registers have not BITS bits (0: there are none to ask for).
 * `kernels` is made for each set of objects. All numbers of a file are 64 bits, as the CPU has them. */

#include <lanewise_native_cpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
  lanewise_native_cpu_kernel run;
  size_t (*scratch_bytes)(size_t);
};
extern const struct kernel kernels[];

static FILE *input, *output;

static size_t number(void) {
  uint64_t n;
  if (fread(&n, 8, 1, input) != 1) exit(4);
  return n;
}

enum { GUARD = 256 };

/* What memory of so many bytes takes with some more before and after it that a kernel has no business in. */
static size_t guarded(size_t bytes) { return (bytes + 3 * GUARD - 1) / GUARD * GUARD; }

static unsigned char *guard(unsigned char *memory, size_t bytes) {
  memset(memory, 0xa5, GUARD);
  memset(memory + GUARD + bytes, 0xa5, GUARD);
  return memory + GUARD;
}

static unsigned char *allocate(size_t bytes) { return guard(aligned_alloc(GUARD, guarded(bytes)), bytes); }

static int intact(const unsigned char *memory, size_t bytes) {
  for (size_t i = 0; i < GUARD; i++)
    if (memory[(ptrdiff_t)i - GUARD] != 0xa5 || memory[bytes + i] != 0xa5) return 0;
  return 1;
}

static void launch(size_t which) {
  lanewise_native_cpu_state state;
  size_t dims, count, items = 1, g[3];
  memset(&state, 0, sizeof state);
  dims = number();
  state.work_dim = (uint32_t)dims;
  for (int d = 0; d < 3; d++) state.global_size[d] = number();
  for (int d = 0; d < 3; d++) state.global_offset[d] = number();
  for (int d = 0; d < 3; d++) {
    state.enqueued_local_size[d] = number();
    state.num_groups[d] =
        (state.global_size[d] + state.enqueued_local_size[d] - 1) / state.enqueued_local_size[d];
    items *= state.enqueued_local_size[d];
  }
  count = number();
  void **args = calloc(count + 1, sizeof *args);
  size_t *kinds = calloc(count + 1, sizeof *kinds), *sizes = calloc(count + 1, sizeof *sizes);
  size_t scratch_bytes = kernels[which].scratch_bytes(items), group_bytes = guarded(scratch_bytes);
  for (size_t i = 0; i < count; i++) {
    kinds[i] = number();
    sizes[i] = number();
    if (kinds[i] == 1) {
      group_bytes += guarded(sizes[i]);
      continue;
    }
    args[i] = allocate(sizes[i]);
    if (sizes[i] && fread(args[i], sizes[i], 1, input) != 1) exit(4);
  }
  /* The memory of a work-group is one block, at whose end is the scratch memory. */
  unsigned char *group = aligned_alloc(GUARD, group_bytes), *rest = group;
  for (size_t i = 0; i < count; i++)
    if (kinds[i] == 1) {
      args[i] = guard(rest, sizes[i]);
      rest += guarded(sizes[i]);
    }
  unsigned char *scratch = guard(rest, scratch_bytes);
  for (g[2] = 0; g[2] < state.num_groups[2]; g[2]++)
    for (g[1] = 0; g[1] < state.num_groups[1]; g[1]++)
      for (g[0] = 0; g[0] < state.num_groups[0]; g[0]++) {
        for (int d = 0; d < 3; d++) {
          size_t left = state.global_size[d] - g[d] * state.enqueued_local_size[d];
          state.group_id[d] = g[d];
          state.local_size[d] = left < state.enqueued_local_size[d] ? left : state.enqueued_local_size[d];
        }
        state.scratch = scratch;
        kernels[which].run(args, &state);
      }
  uint64_t good = intact(scratch, scratch_bytes);
  for (size_t i = 0; i < count; i++) good &= intact(args[i], sizes[i]);
  fwrite(&good, 8, 1, output);
  for (size_t i = 0; i < count; i++)
    if (kinds[i] == 0) fwrite(args[i], 1, sizes[i], output);
  for (size_t i = 0; i < count; i++)
    if (kinds[i] != 1) free((unsigned char *)args[i] - GUARD);
  free(group);
  free(args);
  free(kinds);
  free(sizes);
  fflush(output);
}

int main(int argc, char **argv) {
  if (argc != 4 || !(input = fopen(argv[1], "rb")) || !(output = fopen(argv[2], "wb"))) return 2;
  size_t bits = strtoul(argv[3], 0, 10);
  if (bits && vector_bits() != bits) {
    fprintf(stderr, "vectors of %zu bits were asked for, and there are %zu\n", bits, vector_bits());
    return 3;
  }
  for (size_t left = number(); left; left--) launch(number());
  return fclose(output) ? 5 : 0;
}
