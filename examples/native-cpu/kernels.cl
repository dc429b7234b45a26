// Kernels for main.c: a plain one, and one whose work-items work together.

kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

kernel void sums(global const int *in, global int *out, local int *scratch) {
  size_t i = get_local_id(0);
  scratch[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int left = i > 0 ? scratch[i - 1] : 0;
  int all = work_group_reduce_add(scratch[i] + left);
  if (i == 0) out[get_group_id(0)] = all;
}
