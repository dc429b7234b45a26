// y = a * x + y, the hello world of throughput.
//
//   lanewise run examples/saxpy.cl -k saxpy -g 1000000 --arg 2.5 --arg iota:1000000 --arg zeros:1000000

__kernel void saxpy(float a, __global const float *x, __global float *y) {
  const size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
