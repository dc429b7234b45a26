// Halves in memory: definitions of vload_half, vstore_half and their like. BITS is the type they are moved as, WIDE(n, x)
// makes floats of n of these, and NARROW_rte(x), NARROW_rtz(x) … make them of floats or doubles.

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#define LOAD_HALF_1(space, X) \
  OVERLOAD float vload_half(size_t offset, const space half *p) { \
    return WIDE(, ((const space BITS *)p)[offset]); \
  } \
  OVERLOAD float vloada_half(size_t offset, const space half *p) { \
    return WIDE(, ((const space BITS *)p)[offset]); \
  } \
  OVERLOAD float3 vload_half3(size_t offset, const space half *p) { \
    return WIDE(3, vload3(offset, (const space BITS *)p)); \
  } \
  OVERLOAD float3 vloada_half3(size_t offset, const space half *p) { \
    return WIDE(3, vload3(0, (const space BITS *)p + offset * 4)); \
  }
#define LOAD_HALF(space, n) \
  OVERLOAD float##n vload_half##n(size_t offset, const space half *p) { \
    return WIDE(n, vload##n(offset, (const space BITS *)p)); \
  } \
  OVERLOAD float##n vloada_half##n(size_t offset, const space half *p) { \
    return WIDE(n, ((const space CAT(BITS, n) *)p)[offset]); \
  }
#define LOAD_HALVES(space, X) \
  LOAD_HALF_1(space, ) LOAD_HALF(space, 2) LOAD_HALF(space, 4) LOAD_HALF(space, 8) LOAD_HALF(space, 16)
SPACES(LOAD_HALVES, )
LOAD_HALVES(__constant, )

// The default rounding is to the nearest.
#define STORE_HALF_1(space, T, suffix, rounding) \
  OVERLOAD void vstore_half##suffix(T value, size_t offset, space half *p) { \
    ((space BITS *)p)[offset] = NARROW##rounding(value); \
  } \
  OVERLOAD void vstorea_half##suffix(T value, size_t offset, space half *p) { \
    ((space BITS *)p)[offset] = NARROW##rounding(value); \
  } \
  OVERLOAD void vstore_half3##suffix(T##3 value, size_t offset, space half *p) { \
    vstore3(NARROW##rounding(value), offset, (space BITS *)p); \
  } \
  OVERLOAD void vstorea_half3##suffix(T##3 value, size_t offset, space half *p) { \
    vstore3(NARROW##rounding(value), 0, (space BITS *)p + offset * 4); \
  }
#define STORE_HALF(space, n, T, suffix, rounding) \
  OVERLOAD void vstore_half##n##suffix(T##n value, size_t offset, space half *p) { \
    vstore##n(NARROW##rounding(value), offset, (space BITS *)p); \
  } \
  OVERLOAD void vstorea_half##n##suffix(T##n value, size_t offset, space half *p) { \
    ((space CAT(BITS, n) *)p)[offset] = NARROW##rounding(value); \
  }
#define STORE_HALVES(space, T, suffix, rounding) \
  STORE_HALF_1(space, T, suffix, rounding) STORE_HALF(space, 2, T, suffix, rounding) \
  STORE_HALF(space, 4, T, suffix, rounding) STORE_HALF(space, 8, T, suffix, rounding) \
  STORE_HALF(space, 16, T, suffix, rounding)
#define STORE_ROUNDED(T) \
  SPACES(STORE_HALVES, T, , _rte) SPACES(STORE_HALVES, T, _rte, _rte) SPACES(STORE_HALVES, T, _rtz, _rtz) \
  SPACES(STORE_HALVES, T, _rtp, _rtp) SPACES(STORE_HALVES, T, _rtn, _rtn)
STORE_ROUNDED(float)
STORE_ROUNDED(double)
