/* Calls kernels that were compiled ahead of time:
 *
 *   lanewise compile --target native-cpu --options -cl-std=CL3.0 kernels.cl -o kernels.o
 *   cc -I ../../crates/native_cpu/include main.c kernels.o -lm -o main
 *   ./main
 */

#include <lanewise_native_cpu.h>
#include <stdio.h>
#include <stdlib.h>

void saxpy(void *const args[], lanewise_native_cpu_state *state);
void sums(void *const args[], lanewise_native_cpu_state *state);
size_t sums_scratch_bytes(size_t work_items);

enum { N = 1000, GROUP = 64 };

int main(void) {
  static float x[N], y[N];
  static int in[N], out[N], local_memory[GROUP];
  float a = 2;
  size_t global[3] = {N, 1, 1}, local[3] = {GROUP, 1, 1};
  int i, group, wrong = 0;
  for (i = 0; i < N; i++) {
    x[i] = (float)i;
    y[i] = 1;
    in[i] = i % 10;
  }

  void *saxpy_args[] = {&a, x, y};
  lanewise_native_cpu_run(saxpy, saxpy_args, 1, global, local, NULL);

  void *sums_args[] = {in, out, local_memory};
  /* aligned_alloc wants a multiple of the alignment. */
  void *scratch = aligned_alloc(128, (sums_scratch_bytes(GROUP) + 127) / 128 * 128 + 128);
  lanewise_native_cpu_run(sums, sums_args, 1, global, local, scratch);
  free(scratch);

  for (i = 0; i < N; i++) wrong += y[i] != 2.0f * (float)i + 1.0f;
  for (group = 0; group * GROUP < N; group++) {
    int all = 0;
    for (i = group * GROUP; i < N && i < (group + 1) * GROUP; i++) {
      all += in[i];
      if (i > group * GROUP) all += in[i - 1];
    }
    wrong += out[group] != all;
  }
  if (wrong) {
    printf("%d values are wrong\n", wrong);
    return 1;
  }
  printf("saxpy and sums are right\n");
  return 0;
}
