/* A plugin of the emulator (QEMU 7.2, version 1 of its interface) that counts the instructions of a program, and writes their number
 * to the file that its argument FILE=PATH names. Distributions do not have the header. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id;
enum qemu_plugin_op { ADD_U64 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id, void (*)(qemu_plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum qemu_plugin_op, void *, uint64_t);
void qemu_plugin_register_atexit_cb(qemu_plugin_id, void (*)(qemu_plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t count;
static char path[4096];

/* When a block is translated: its code adds to the count each time that it runs. */
static void translated(qemu_plugin_id id, struct qemu_plugin_tb *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, &count, qemu_plugin_tb_n_insns(block));
}

static void ended(qemu_plugin_id id, void *data) {
  (void)id;
  (void)data;
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%llu\n", (unsigned long long)count);
  fclose(file);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id id, const void *info, int argc, char **argv) {
  (void)info;
  if (argc != 1 || strncmp(argv[0], "FILE=", 5) || strlen(argv[0]) >= sizeof path) return 1;
  strcpy(path, argv[0] + 5);
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, 0);
  return 0;
}
