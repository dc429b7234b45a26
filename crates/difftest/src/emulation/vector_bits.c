/* The length of vectors that a program has, as its CPU says. */
#include <stddef.h>
#include <stdlib.h>

static inline size_t vector_bits(void) {
  size_t bytes = 0;
#if defined(VECTOR_SVE)
  __asm__ volatile("rdvl %0, #1" : "=r"(bytes));
#elif defined(VECTOR_RVV)
  __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes));
#endif
  return 8 * bytes;
}
