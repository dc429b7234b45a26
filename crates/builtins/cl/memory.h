// Loads and stores of vectors that are aligned as their elements only.

#define SPACES(M, ...) \
  M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__private, __VA_ARGS__) M(__generic, __VA_ARGS__)

// An access of three elements must not touch the fourth.
#define LOAD(space, n, T) \
  OVERLOAD T##n vload##n(size_t offset, const space T *p) { \
    return *(const space loose_##T##n *)(p + offset * n); \
  }
#define LOAD_3(space, T) \
  OVERLOAD T##3 vload3(size_t offset, const space T *p) { \
    const space T *q = p + offset * 3; \
    return (T##3)(q[0], q[1], q[2]); \
  }
#define STORE(space, n, T) \
  OVERLOAD void vstore##n(T##n value, size_t offset, space T *p) { \
    *(space loose_##T##n *)(p + offset * n) = value; \
  }
#define STORE_3(space, T) \
  OVERLOAD void vstore3(T##3 value, size_t offset, space T *p) { \
    space T *q = p + offset * 3; \
    q[0] = value.s0; \
    q[1] = value.s1; \
    q[2] = value.s2; \
  }
#define LOADS(space, T) LOAD(space, 2, T) LOAD_3(space, T) LOAD(space, 4, T) LOAD(space, 8, T) LOAD(space, 16, T)
#define STORES(space, T) \
  STORE(space, 2, T) STORE_3(space, T) STORE(space, 4, T) STORE(space, 8, T) STORE(space, 16, T)
#define LOOSE(n, T, A) typedef T##n loose_##T##n __attribute__((aligned(A)));

#define MEMORY(T, A) \
  VECTORS(LOOSE, T, A) \
  SPACES(LOADS, T) \
  LOADS(__constant, T) \
  SPACES(STORES, T)
