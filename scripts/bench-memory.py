#!/usr/bin/env python3
"""Measures kernels that are bound by memory on several OpenCL drivers side by side, over arrays of 256 MB.

    bench-memory.py NAME=DRIVER.so [NAME=DRIVER.so …] [--ours NAME] [--rounds N] [--only CASE,CASE] [--lib DIR]

Needs pyopencl and numpy. Figures are GB/s, of the bytes that the kernel reads and writes. With --ours, the last column is the
speed of that driver against the fastest of the others: above 1 it is faster.
"""
import side_by_side

COUNT = 64 << 20
SIDE = 8192
PRODUCT = 1024

SOURCE = """
kernel void copy(global const float *in, global float *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
kernel void triad(global const float *in, global float *out) { out[get_global_id(0)] += 3.0f * in[get_global_id(0)]; }
kernel void fill(global float *out) { out[get_global_id(0)] = 1.0f; }
kernel void sum_of_steps(global const float *in, global float *out, uint n) {
  float sum = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  out[get_global_id(0)] = sum;
}
kernel void sum_of_rows(global const float *in, global float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[get_global_id(0) * n + i];
  out[get_global_id(0)] = sum;
}
kernel void sum_of_columns(global const float *in, global float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i * n + get_global_id(0)];
  out[get_global_id(0)] = sum;
}
kernel void transpose_writes(global const float *in, global float *out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * n + y] = in[y * n + x];
}
kernel void transpose_reads(global const float *in, global float *out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * n + x] = in[x * n + y];
}
kernel void product(global const float *a, global float *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[x * n + k] * a[k * n + y];
  c[x * n + y] = sum;
}
"""


class Bench:
    def __init__(self):
        import numpy
        import pyopencl

        self.np, self.cl = numpy, pyopencl
        device = pyopencl.get_platforms()[0].get_devices()[0]
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)
        self.values = numpy.random.default_rng(20).random(COUNT, dtype="f4")
        self.a, self.b = (self.buffer() for _ in range(2))
        pyopencl.enqueue_copy(self.queue, self.a, self.values)
        pyopencl.enqueue_fill_buffer(self.queue, self.b, numpy.float32(0), 0, COUNT * 4)
        self.program = pyopencl.Program(self.context, SOURCE).build()

    def buffer(self):
        return self.cl.Buffer(self.context, self.cl.mem_flags.READ_WRITE, COUNT * 4)

    def launch(self, name, size, *values):
        kernel = self.cl.Kernel(self.program, name)
        kernel.set_args(*values)
        return lambda: self.cl.enqueue_nd_range_kernel(self.queue, kernel, size, None)

    def starts_with(self, expected, tolerance=1e-6):
        got = self.np.empty(expected.size, "f4")
        self.cl.enqueue_copy(self.queue, got, self.b)
        return self.np.allclose(got, expected.ravel(), rtol=tolerance)

    # Each case gives what is measured, and what is asked afterwards whether the result is right.

    def copy(self):
        return self.launch("copy", (COUNT,), self.a, self.b), lambda: self.starts_with(self.values)

    def triad(self):
        run = self.launch("triad", (COUNT,), self.a, self.b)
        count = 0

        def counted():
            nonlocal count
            count += 1
            run()
        return counted, lambda: self.starts_with(self.values[:1000] * (3.0 * count), 1e-3)

    def fill(self):
        return self.launch("fill", (COUNT,), self.b), lambda: self.starts_with(self.np.ones(COUNT, "f4"))

    def steps(self, items):
        run = self.launch("sum_of_steps", (items,), self.a, self.b, self.np.uint32(COUNT))
        return run, lambda: self.starts_with(self.values.reshape(-1, items).sum(0), 1e-3)

    def sum_of_16384(self):
        return self.steps(16384)

    def sum_of_1048576(self):
        return self.steps(1 << 20)

    def sum_of_rows(self):
        run = self.launch("sum_of_rows", (SIDE,), self.a, self.b, self.np.int32(SIDE))
        return run, lambda: self.starts_with(self.values.reshape(SIDE, SIDE).sum(1), 1e-3)

    def sum_of_columns(self):
        run = self.launch("sum_of_columns", (SIDE,), self.a, self.b, self.np.int32(SIDE))
        return run, lambda: self.starts_with(self.values.reshape(SIDE, SIDE).sum(0), 1e-3)

    def transpose(self, name):
        run = self.launch(name, (SIDE, SIDE), self.a, self.b, self.np.int32(SIDE))
        return run, lambda: self.starts_with(self.np.ascontiguousarray(self.values.reshape(SIDE, SIDE).T))

    def transpose_writes(self):
        return self.transpose("transpose_writes")

    def transpose_reads(self):
        return self.transpose("transpose_reads")

    def product_along_y(self):
        run = self.launch("product", (PRODUCT, PRODUCT), self.a, self.b, self.np.int32(PRODUCT))
        a = self.values[:PRODUCT * PRODUCT].reshape(PRODUCT, PRODUCT)
        return run, lambda: self.starts_with(a @ a, 1e-3)

    def copy_buffer(self):
        return (lambda: self.cl.enqueue_copy(self.queue, self.b, self.a), lambda: self.starts_with(self.values))

    def fill_buffer(self):
        one = self.np.float32(1)
        return (lambda: self.cl.enqueue_fill_buffer(self.queue, self.b, one, 0, COUNT * 4),
                lambda: self.starts_with(self.np.ones(COUNT, "f4")))

    def read_back(self):
        out = self.np.empty_like(self.values)
        return (lambda: self.cl.enqueue_copy(self.queue, out, self.a), lambda: (out == self.values).all())


# How many times the bytes of the array each case reads or writes. The product counts its operations instead.
CASES = {"copy": 2, "triad": 3, "fill": 1, "sum_of_16384": 1, "sum_of_1048576": 1, "sum_of_rows": 1, "sum_of_columns": 1,
         "transpose_writes": 2, "transpose_reads": 2, "product_along_y": 8 * PRODUCT ** 3 / (4 * COUNT), "copy_buffer": 2,
         "fill_buffer": 1, "read_back": 1}

if __name__ == "__main__":
    side_by_side.main(__file__, __doc__, Bench, list(CASES), "GB/s",
                      lambda case, seconds: CASES[case] * COUNT * 4 / seconds / 1e9)
