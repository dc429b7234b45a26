// What sub-groups have beyond the operations that passes know (reductions, scans, votes, broadcasts and shuffles over the
// work-items that take part): made of those. A sub-group has at most 64 work-items, so that a ballot fits two words.

#include "common.h"

#define TOGETHER __attribute__((overloadable, convergent))
#define PURE __attribute__((overloadable, const))

#define EACH_TYPE(M) \
  M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong) M(half) M(float) M(double)

// Passes define these.
PURE uint get_max_sub_group_size(void);
PURE uint get_sub_group_local_id(void);
TOGETHER ulong sub_group_non_uniform_reduce_or(ulong x);
TOGETHER uint sub_group_non_uniform_reduce_min(uint x);
TOGETHER int sub_group_non_uniform_all(int predicate);
#define DECLARED(T) \
  TOGETHER T sub_group_non_uniform_broadcast(T value, uint from); \
  TOGETHER T sub_group_shuffle(T value, uint from);
EACH_TYPE(DECLARED)

// ---- Ballots ----------------------------------------------------------------------------------------------------------

HELPER ulong bits_of(uint4 ballot) { return (ulong)ballot.y << 32 | ballot.x; }
HELPER uint4 ballot_of(ulong bits) { return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0); }

// The lowest n bits.
HELPER ulong low_bits(uint n) { return n >= 64 ? ~0ul : (1ul << n) - 1; }

// Those that a sub-group has bits for, a smaller last one as well.
HELPER ulong present(uint4 ballot) { return bits_of(ballot) & low_bits(get_max_sub_group_size()); }

HELPER ulong own_bit(void) { return 1ul << get_sub_group_local_id(); }
HELPER ulong voted(bool yes) { return sub_group_non_uniform_reduce_or(yes ? own_bit() : 0ul); }

OVERLOAD uint4 sub_group_ballot(int predicate) { return ballot_of(voted(predicate != 0)); }
OVERLOAD int sub_group_inverse_ballot(uint4 value) { return (bits_of(value) & own_bit()) != 0; }
OVERLOAD int sub_group_ballot_bit_extract(uint4 value, uint index) { return index < 64 && (bits_of(value) >> index & 1); }
OVERLOAD uint sub_group_ballot_bit_count(uint4 value) { return __builtin_popcountg(present(value)); }

OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 value) {
  return __builtin_popcountg(bits_of(value) & low_bits(get_sub_group_local_id() + 1));
}

OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 value) {
  return __builtin_popcountg(bits_of(value) & low_bits(get_sub_group_local_id()));
}

OVERLOAD uint sub_group_ballot_find_lsb(uint4 value) { return __builtin_ctzg(present(value), 64); }
OVERLOAD uint sub_group_ballot_find_msb(uint4 value) { return 63 - __builtin_clzg(present(value), 64); }

OVERLOAD uint4 get_sub_group_eq_mask(void) { return ballot_of(own_bit()); }
OVERLOAD uint4 get_sub_group_lt_mask(void) { return ballot_of(low_bits(get_sub_group_local_id())); }
OVERLOAD uint4 get_sub_group_le_mask(void) { return ballot_of(low_bits(get_sub_group_local_id() + 1)); }

OVERLOAD uint4 get_sub_group_ge_mask(void) {
  return ballot_of(low_bits(get_max_sub_group_size()) & ~low_bits(get_sub_group_local_id()));
}

OVERLOAD uint4 get_sub_group_gt_mask(void) {
  return ballot_of(low_bits(get_max_sub_group_size()) & ~low_bits(get_sub_group_local_id() + 1));
}

// ---- Votes and broadcasts ---------------------------------------------------------------------------------------------

// The first work-item that takes part.
HELPER uint first_of_all(void) { return sub_group_non_uniform_reduce_min(get_sub_group_local_id()); }

OVERLOAD int sub_group_elect(void) { return first_of_all() == get_sub_group_local_id(); }

#define FIRST(T) \
  OVERLOAD T sub_group_broadcast_first(T value) { return sub_group_non_uniform_broadcast(value, first_of_all()); } \
  OVERLOAD int sub_group_non_uniform_all_equal(T value) { \
    return sub_group_non_uniform_all(value == sub_group_broadcast_first(value)); \
  }

EACH_TYPE(FIRST)

// ---- Clusters and rotations -------------------------------------------------------------------------------------------

// Only work-items that take part have a value.
#define CLUSTERED(T, name, start, combine) \
  OVERLOAD T sub_group_clustered_reduce_##name(T value, uint size) { \
    ulong here = voted(true); \
    uint base = get_sub_group_local_id() & ~(size - 1); \
    T sum = start; \
    for (uint i = 0; i < size; i++) { \
      T other = sub_group_shuffle(value, base + i); \
      T x = sum, y = other; \
      sum = here >> (base + i) & 1 ? (T)(combine) : sum; \
    } \
    return sum; \
  }

#define CLUSTERED_INTEGER(T, least, most) \
  CLUSTERED(T, add, 0, x + y) \
  CLUSTERED(T, mul, 1, x * y) \
  CLUSTERED(T, min, most, x < y ? x : y) \
  CLUSTERED(T, max, least, x < y ? y : x) \
  CLUSTERED(T, and, ~(T)0, x & y) \
  CLUSTERED(T, or, 0, x | y) \
  CLUSTERED(T, xor, 0, x ^ y)

#define CLUSTERED_FLOAT(T) \
  CLUSTERED(T, add, 0, x + y) \
  CLUSTERED(T, mul, 1, x * y) \
  CLUSTERED(T, min, (T)INFINITY, x < y || y != y ? x : y) \
  CLUSTERED(T, max, -(T)INFINITY, y < x || y != y ? x : y)

CLUSTERED_INTEGER(char, CHAR_MIN, CHAR_MAX)
CLUSTERED_INTEGER(uchar, 0, UCHAR_MAX)
CLUSTERED_INTEGER(short, SHRT_MIN, SHRT_MAX)
CLUSTERED_INTEGER(ushort, 0, USHRT_MAX)
CLUSTERED_INTEGER(int, INT_MIN, INT_MAX)
CLUSTERED_INTEGER(uint, 0, UINT_MAX)
CLUSTERED_INTEGER(long, LONG_MIN, LONG_MAX)
CLUSTERED_INTEGER(ulong, 0, ULONG_MAX)
CLUSTERED_FLOAT(half)
CLUSTERED_FLOAT(float)
CLUSTERED_FLOAT(double)
CLUSTERED(int, logical_and, 1, x && y)
CLUSTERED(int, logical_or, 0, x || y)
CLUSTERED(int, logical_xor, 0, !x != !y)

#define ROTATED(T) \
  OVERLOAD T sub_group_rotate(T value, int delta) { \
    int most = (int)get_max_sub_group_size(); \
    int from = ((int)get_sub_group_local_id() + delta % most) % most; \
    return sub_group_shuffle(value, (uint)(from < 0 ? from + most : from)); \
  } \
  OVERLOAD T sub_group_clustered_rotate(T value, int delta, uint size) { \
    uint id = get_sub_group_local_id(); \
    return sub_group_shuffle(value, (id & ~(size - 1)) + (id + (uint)delta & size - 1)); \
  }

EACH_TYPE(ROTATED)
