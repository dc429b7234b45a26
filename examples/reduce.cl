// One sum a work-group, through local memory. Any local size will do, and `count` need not be a multiple
// of it.
//
//   lanewise run examples/reduce.cl -k reduce -g 1000000 -l 256 --arg iota:1000000 --arg zeros:3907 \
//       --arg local:1024 --arg 1000000

__kernel void reduce(__global const uint *input, __global uint *sums, __local uint *scratch, uint count) {
  const size_t i = get_global_id(0);
  const size_t lane = get_local_id(0);

  scratch[lane] = i < count ? input[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  // Fold the upper half onto the lower one; with an odd size the middle stays where it is.
  for (size_t size = get_local_size(0); size > 1;) {
    const size_t half_size = (size + 1) / 2;
    if (lane + half_size < size)
      scratch[lane] += scratch[lane + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
    size = half_size;
  }

  if (lane == 0)
    sums[get_group_id(0)] = scratch[0];
}
