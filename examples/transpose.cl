// A matrix of `height` rows and `width` columns, turned over its diagonal tile by tile, so that both the
// reads and the writes go along rows. The global size is the matrix's, rounded up to whole tiles.
//
//   lanewise run examples/transpose.cl -k transpose -g 1024,512 -l 16,16 --arg iota:512,1024 \
//       --arg zeros:1024,512 --arg 1024 --arg 512

#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(__global const float *input, __global float *output, uint width, uint height) {
  // One column more than needed, so that a column's elements lie in different banks of a cache.
  __local float tile[TILE][TILE + 1];
  const size_t tx = get_local_id(0), ty = get_local_id(1);

  size_t x = get_group_id(0) * TILE + tx;
  size_t y = get_group_id(1) * TILE + ty;
  if (x < width && y < height)
    tile[ty][tx] = input[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);

  x = get_group_id(1) * TILE + tx;
  y = get_group_id(0) * TILE + ty;
  if (x < height && y < width)
    output[y * height + x] = tile[tx][ty];
}
