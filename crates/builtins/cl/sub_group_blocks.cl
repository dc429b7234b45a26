// Blocks that a sub-group reads or writes at once: element i of a work-item is its sub-group's distance apart from element
// i - 1, so that the work-items of a sub-group touch memory that lies side by side.

#include "common.h"

// Passes define these.
__attribute__((overloadable, const)) uint get_max_sub_group_size(void);
__attribute__((overloadable, const)) uint get_sub_group_local_id(void);

#define AT(p, i) (p)[get_sub_group_local_id() + (i) * get_max_sub_group_size()]

#define READ1(p) AT(p, 0)
#define READ2(p) AT(p, 0), AT(p, 1)
#define READ4(p) READ2(p), AT(p, 2), AT(p, 3)
#define READ8(p) READ4(p), AT(p, 4), AT(p, 5), AT(p, 6), AT(p, 7)
#define READ16(p) \
  READ8(p), AT(p, 8), AT(p, 9), AT(p, 10), AT(p, 11), AT(p, 12), AT(p, 13), AT(p, 14), AT(p, 15)

#define WRITE2(p, v) AT(p, 0) = v.s0; AT(p, 1) = v.s1;
#define WRITE4(p, v) WRITE2(p, v) AT(p, 2) = v.s2; AT(p, 3) = v.s3;
#define WRITE8(p, v) WRITE4(p, v) AT(p, 4) = v.s4; AT(p, 5) = v.s5; AT(p, 6) = v.s6; AT(p, 7) = v.s7;
#define WRITE16(p, v) \
  WRITE8(p, v) AT(p, 8) = v.s8; AT(p, 9) = v.s9; AT(p, 10) = v.sa; AT(p, 11) = v.sb; AT(p, 12) = v.sc; \
  AT(p, 13) = v.sd; AT(p, 14) = v.se; AT(p, 15) = v.sf;

#define BLOCK_IN(space, T, suffix, n) \
  OVERLOAD T##n intel_sub_group_block_read##suffix##n(const space T *p) { return (T##n)(READ##n(p)); } \
  OVERLOAD void intel_sub_group_block_write##suffix##n(space T *p, T##n v) { WRITE##n(p, v) }
#define BLOCK(T, suffix, n) BLOCK_IN(__global, T, suffix, n) BLOCK_IN(__local, T, suffix, n)

#define ONE_IN(space, T, suffix) \
  OVERLOAD T intel_sub_group_block_read##suffix(const space T *p) { return READ1(p); } \
  OVERLOAD void intel_sub_group_block_write##suffix(space T *p, T v) { AT(p, 0) = v; }
#define BLOCKS(T, suffix) \
  ONE_IN(__global, T, suffix) ONE_IN(__local, T, suffix) \
  BLOCK(T, suffix, 2) BLOCK(T, suffix, 4) BLOCK(T, suffix, 8)

BLOCKS(uint, )
BLOCKS(uint, _ui)
BLOCKS(ulong, _ul)
BLOCKS(ushort, _us)
BLOCKS(uchar, _uc)
BLOCK(ushort, _us, 16)
BLOCK(uchar, _uc, 16)
