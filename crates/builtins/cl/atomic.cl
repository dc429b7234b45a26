// Atomic functions. An operation itself is always relaxed and without scope: any other order is made of fences.

#include "common.h"

#define RELAXED __ATOMIC_RELAXED

// ---- OpenCL 1 ----------------------------------------------------------------------------------------------------

#define OLD_FETCH(space, T, prefix, name, operation) \
  OVERLOAD T prefix##name(volatile space T *p, T value) { return operation((space T *)p, value, RELAXED); }
#define OLD(space, T, prefix) \
  OLD_FETCH(space, T, prefix, add, __atomic_fetch_add) \
  OLD_FETCH(space, T, prefix, sub, __atomic_fetch_sub) \
  OLD_FETCH(space, T, prefix, and, __atomic_fetch_and) \
  OLD_FETCH(space, T, prefix, or, __atomic_fetch_or) \
  OLD_FETCH(space, T, prefix, xor, __atomic_fetch_xor) \
  OLD_FETCH(space, T, prefix, min, __atomic_fetch_min) \
  OLD_FETCH(space, T, prefix, max, __atomic_fetch_max) \
  OLD_FETCH(space, T, prefix, xchg, __atomic_exchange_n) \
  OVERLOAD T prefix##inc(volatile space T *p) { return __atomic_fetch_add((space T *)p, (T)1, RELAXED); } \
  OVERLOAD T prefix##dec(volatile space T *p) { return __atomic_fetch_sub((space T *)p, (T)1, RELAXED); } \
  OVERLOAD T prefix##cmpxchg(volatile space T *p, T expected, T desired) { \
    __atomic_compare_exchange_n((space T *)p, &expected, desired, false, RELAXED, RELAXED); \
    return expected; \
  }
#define OLD_IN(space) \
  OLD(space, int, atomic_) OLD(space, uint, atomic_) OLD(space, int, atom_) OLD(space, uint, atom_) \
  OLD(space, long, atom_) OLD(space, ulong, atom_) OLD(space, long, atomic_) OLD(space, ulong, atomic_) \
  OVERLOAD float atomic_xchg(volatile space float *p, float value) { \
    return AS(float, __atomic_exchange_n((space int *)p, AS(int, value), RELAXED)); \
  }
OLD_IN(__global)
OLD_IN(__local)
OLD_IN(__generic)

// ---- C11 ---------------------------------------------------------------------------------------------------------

// The fences of an order that is stronger than relaxed. On the memory models of today's CPUs a read-modify-write between
// two acq_rel fences is sequentially consistent, so that no stronger fence is needed. All scopes are as the widest.
static inline void before(memory_order order) {
  if (order == memory_order_release)
    __atomic_thread_fence(__ATOMIC_RELEASE);
  else if (order == memory_order_acq_rel || order == memory_order_seq_cst)
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

static inline void after(memory_order order) {
  if (order == memory_order_acquire)
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  else if (order == memory_order_acq_rel || order == memory_order_seq_cst)
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

// Each function comes with an order and a scope, with an order, and with neither.
// A is the atomic type, V what it holds, I an integer of its bits, D what is added to it.
#define FETCH(space, A, V, D, name, operation) \
  OVERLOAD V name##_explicit(volatile space A *p, D value, memory_order order, memory_scope scope) { \
    before(order); \
    V old = operation((space V *)p, (V)value, RELAXED); \
    after(order); \
    return old; \
  } \
  OVERLOAD V name##_explicit(volatile space A *p, D value, memory_order order) { \
    return name##_explicit(p, value, order, memory_scope_device); \
  } \
  OVERLOAD V name(volatile space A *p, D value) { \
    return name##_explicit(p, value, memory_order_seq_cst, memory_scope_device); \
  }
#define FETCHES(space, A, V) \
  FETCH(space, A, V, V, atomic_fetch_add, __atomic_fetch_add) \
  FETCH(space, A, V, V, atomic_fetch_sub, __atomic_fetch_sub) \
  FETCH(space, A, V, V, atomic_fetch_and, __atomic_fetch_and) \
  FETCH(space, A, V, V, atomic_fetch_or, __atomic_fetch_or) \
  FETCH(space, A, V, V, atomic_fetch_xor, __atomic_fetch_xor) \
  FETCH(space, A, V, V, atomic_fetch_min, __atomic_fetch_min) \
  FETCH(space, A, V, V, atomic_fetch_max, __atomic_fetch_max)

// A sequentially consistent store must not be passed by a later load: it is an exchange. P is what clang declares as the
// type of what is stored.
#define MOVES(space, A, V, I, P) \
  OVERLOAD void atomic_init(volatile space A *p, V value) { *(volatile space V *)p = value; } \
  HELPER void store(volatile space A *p, V value, memory_order order) { \
    before(order); \
    if (order == memory_order_seq_cst) { \
      __atomic_exchange_n((space I *)p, AS(I, value), RELAXED); \
      after(order); \
    } else { \
      __atomic_store_n((space I *)p, AS(I, value), RELAXED); \
    } \
  } \
  OVERLOAD void atomic_store_explicit(volatile space A *p, P value, memory_order order, memory_scope scope) { \
    store(p, *(V *)&value, order); \
  } \
  OVERLOAD void atomic_store_explicit(volatile space A *p, P value, memory_order order) { \
    store(p, *(V *)&value, order); \
  } \
  OVERLOAD void atomic_store(volatile space A *p, P value) { store(p, *(V *)&value, memory_order_seq_cst); } \
  OVERLOAD V atomic_load_explicit(volatile space A *p, memory_order order, memory_scope scope) { \
    if (order == memory_order_seq_cst) before(order); \
    I value = __atomic_load_n((space I *)p, RELAXED); \
    after(order); \
    return AS(V, value); \
  } \
  OVERLOAD V atomic_load_explicit(volatile space A *p, memory_order order) { \
    return atomic_load_explicit(p, order, memory_scope_device); \
  } \
  OVERLOAD V atomic_load(volatile space A *p) { \
    return atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device); \
  } \
  OVERLOAD V atomic_exchange_explicit(volatile space A *p, V value, memory_order order, memory_scope scope) { \
    before(order); \
    I old = __atomic_exchange_n((space I *)p, AS(I, value), RELAXED); \
    after(order); \
    return AS(V, old); \
  } \
  OVERLOAD V atomic_exchange_explicit(volatile space A *p, V value, memory_order order) { \
    return atomic_exchange_explicit(p, value, order, memory_scope_device); \
  } \
  OVERLOAD V atomic_exchange(volatile space A *p, V value) { \
    return atomic_exchange_explicit(p, value, memory_order_seq_cst, memory_scope_device); \
  }

// A failure is a load; with the order of success it is never too weak.
#define COMPARE(space, other, A, V, I, name) \
  OVERLOAD bool name##_explicit(volatile space A *p, other V *expected, V desired, memory_order success, \
                                memory_order failure, memory_scope scope) { \
    I want = AS(I, *expected); \
    before(success); \
    bool done = __atomic_compare_exchange_n((space I *)p, &want, AS(I, desired), false, RELAXED, RELAXED); \
    after(success); \
    *expected = AS(V, want); \
    return done; \
  } \
  OVERLOAD bool name##_explicit(volatile space A *p, other V *expected, V desired, memory_order success, \
                                memory_order failure) { \
    return name##_explicit(p, expected, desired, success, failure, memory_scope_device); \
  } \
  OVERLOAD bool name(volatile space A *p, other V *expected, V desired) { \
    return name##_explicit(p, expected, desired, memory_order_seq_cst, memory_order_seq_cst, \
                           memory_scope_device); \
  }
#define COMPARES(space, other, A, V, I) \
  COMPARE(space, other, A, V, I, atomic_compare_exchange_strong) \
  COMPARE(space, other, A, V, I, atomic_compare_exchange_weak)

// Clang calls the forms for any address, but for cl_ext_float_atomics.
#define GENERIC(A, V, I) \
  MOVES(__generic, A, V, I, V) \
  COMPARES(__generic, __generic, A, V, I)
GENERIC(atomic_int, int, int)
GENERIC(atomic_uint, uint, uint)
GENERIC(atomic_long, long, long)
GENERIC(atomic_ulong, ulong, ulong)
GENERIC(atomic_float, float, int)
GENERIC(atomic_double, double, long)
FETCHES(__generic, atomic_int, int)
FETCHES(__generic, atomic_uint, uint)
FETCHES(__generic, atomic_long, long)
FETCHES(__generic, atomic_ulong, ulong)
// An address as an integer, of 64 or 32 bits, takes a signed distance.
FETCH(__generic, atomic_ulong, ulong, long, atomic_fetch_add, __atomic_fetch_add)
FETCH(__generic, atomic_ulong, ulong, long, atomic_fetch_sub, __atomic_fetch_sub)
FETCH(__generic, atomic_uint, uint, int, atomic_fetch_add, __atomic_fetch_add)
FETCH(__generic, atomic_uint, uint, int, atomic_fetch_sub, __atomic_fetch_sub)

// cl_ext_float_atomics. The specification's IR has these operations for integers only.
#define FLOAT_FETCH(space, A, V, I, name, operation) \
  OVERLOAD V name##_explicit(volatile space A *p, V value, memory_order order, memory_scope scope) { \
    before(order); \
    I old = __atomic_load_n((space I *)p, RELAXED), sum; \
    do { \
      V now = AS(V, old); \
      sum = AS(I, operation(now, value)); \
    } while (!__atomic_compare_exchange_n((space I *)p, &old, sum, false, RELAXED, RELAXED)); \
    after(order); \
    return AS(V, old); \
  } \
  OVERLOAD V name##_explicit(volatile space A *p, V value, memory_order order) { \
    return name##_explicit(p, value, order, memory_scope_device); \
  } \
  OVERLOAD V name(volatile space A *p, V value) { \
    return name##_explicit(p, value, memory_order_seq_cst, memory_scope_device); \
  }
#define PLUS(x, y) ((x) + (y))
#define MINUS(x, y) ((x) - (y))
#define FLOAT_FETCHES(space, A, V, I) \
  FLOAT_FETCH(space, A, V, I, atomic_fetch_add, PLUS) \
  FLOAT_FETCH(space, A, V, I, atomic_fetch_sub, MINUS) \
  FLOAT_FETCH(space, A, V, I, atomic_fetch_min, __builtin_elementwise_min) \
  FLOAT_FETCH(space, A, V, I, atomic_fetch_max, __builtin_elementwise_max)
#define FLOAT_ATOMICS(space) \
  MOVES(space, atomic_half, half, short, atomic_half) \
  FLOAT_FETCHES(space, atomic_half, half, short) \
  FLOAT_FETCHES(space, atomic_float, float, int) \
  FLOAT_FETCHES(space, atomic_double, double, long)
FLOAT_ATOMICS(__global)
FLOAT_ATOMICS(__local)
FLOAT_ATOMICS(__generic)

// ---- Flags -------------------------------------------------------------------------------------------------------

OVERLOAD bool atomic_flag_test_and_set_explicit(volatile atomic_flag *p, memory_order order, memory_scope scope) {
  return atomic_exchange_explicit((volatile atomic_int *)p, 1, order, scope) != 0;
}
OVERLOAD bool atomic_flag_test_and_set_explicit(volatile atomic_flag *p, memory_order order) {
  return atomic_flag_test_and_set_explicit(p, order, memory_scope_device);
}
OVERLOAD bool atomic_flag_test_and_set(volatile atomic_flag *p) {
  return atomic_flag_test_and_set_explicit(p, memory_order_seq_cst, memory_scope_device);
}
OVERLOAD void atomic_flag_clear_explicit(volatile atomic_flag *p, memory_order order, memory_scope scope) {
  atomic_store_explicit((volatile atomic_int *)p, 0, order, scope);
}
OVERLOAD void atomic_flag_clear_explicit(volatile atomic_flag *p, memory_order order) {
  atomic_flag_clear_explicit(p, order, memory_scope_device);
}
OVERLOAD void atomic_flag_clear(volatile atomic_flag *p) {
  atomic_flag_clear_explicit(p, memory_order_seq_cst, memory_scope_device);
}
