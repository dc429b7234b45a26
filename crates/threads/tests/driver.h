/* The driver: it starts a thread for each work-item of a work-group, and waits for them before the next one. */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  size_t local_id[3], group_id[3], num_groups[3], local_size[3], enqueued_local_size[3], global_size[3], global_offset[3];
  void *memory, *exchange, *barrier;
  uint32_t work_dim;
} thread_info;

typedef void (*kernel_function)(void *args, thread_info *info);

void lanewise_thread_barrier(void *barrier) { pthread_barrier_wait(barrier); }

typedef struct {
  kernel_function kernel;
  void *args;
  thread_info info;
} start;

static void *run_item(void *pointer) {
  start *own = pointer;
  own->kernel(own->args, &own->info);
  return NULL;
}

static void run_range(kernel_function kernel, void *args, uint32_t dim, const size_t global[3], const size_t local[3]) {
  static char memory[1 << 16] __attribute__((aligned(128)));
  static uint64_t exchange[256];
  static start starts[256];
  pthread_t threads[256];
  pthread_barrier_t barrier;
  thread_info info = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, memory, exchange, &barrier, 0};
  info.work_dim = dim;
  for (int d = 0; d < 3; d++) {
    info.global_size[d] = global[d];
    info.enqueued_local_size[d] = local[d];
    info.num_groups[d] = (global[d] + local[d] - 1) / local[d];
  }
  for (size_t g = 0; g < info.num_groups[0] * info.num_groups[1] * info.num_groups[2]; g++) {
    size_t items = 1;
    info.group_id[0] = g % info.num_groups[0];
    info.group_id[1] = g / info.num_groups[0] % info.num_groups[1];
    info.group_id[2] = g / info.num_groups[0] / info.num_groups[1];
    for (int d = 0; d < 3; d++) {
      size_t left = global[d] - info.group_id[d] * local[d];
      info.local_size[d] = left < local[d] ? left : local[d];
      items *= info.local_size[d];
    }
    pthread_barrier_init(&barrier, NULL, (unsigned)items);
    for (size_t i = 0; i < items; i++) {
      info.local_id[0] = i % info.local_size[0];
      info.local_id[1] = i / info.local_size[0] % info.local_size[1];
      info.local_id[2] = i / info.local_size[0] / info.local_size[1];
      starts[i] = (start){kernel, args, info};
      if (pthread_create(&threads[i], NULL, run_item, &starts[i])) abort();
    }
    for (size_t i = 0; i < items; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
  }
}
