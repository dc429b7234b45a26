// A little of everything that a range has, for ranges of one to three dimensions.

kernel void ids(global ulong *out, ulong first) {
  const size_t x = get_global_id(0) - get_global_offset(0);
  const size_t y = get_global_id(1) - get_global_offset(1);
  const size_t z = get_global_id(2) - get_global_offset(2);
  const size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  out[at] = first + get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
}

// The sum of the group's numbers before the work-item's own, through local memory of a given size.
kernel void prefix(global const int *in, global int *out, local int *tile) {
  const size_t l = get_local_id(0);
  tile[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (size_t i = 0; i < l; ++i)
    sum += tile[i];
  out[get_global_id(0)] = sum;
}

typedef struct {
  int x;
  short y;
} pair;

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef float4 colour;

kernel void types(global colour *out, uchar4 bytes, double d, pair p, half h, constant short3 *table) {
  const size_t i = get_global_id(0);
  out[i] = (float4)(bytes.x + bytes.w, (float)d, p.x + p.y, table[i].z);
}
