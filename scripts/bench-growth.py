#!/usr/bin/env python3
"""Measures how the time until a kernel has run grows with the size of its program, on several OpenCL drivers side by side.

    bench-growth.py NAME=DRIVER.so [NAME=DRIVER.so …] [--ours NAME] [--rounds N] [--only CASE,CASE] [--lib DIR]

Needs pyopencl and numpy. A case is a shape of generated programs and a size, such as math_48: a kernel with 48 calls of functions of
mathematics. Figures are the milliseconds of building the program, launching its kernel once and waiting for it; caches on disk are
off, and no program is built twice. With --ours, the last column is the speed of that driver against the fastest of the others.
"""
import side_by_side

ITEMS = 256
FUNCTIONS = ["sin", "cos", "exp", "log", "sqrt", "tan", "atan", "exp2", "log2", "cbrt", "sinh", "tanh", "asin", "erf", "log1p",
             "expm1"]

# Each shape gives the program of a size. `x` is a float, `i` the work-item, `n` is ITEMS in an argument of the kernel.


def kernel(body, name="k", before=""):
    return f"""{before}kernel void {name}(global const float *in, global float *out, int n) {{
  int i = get_global_id(0);
  float x = in[i];
{body}
  out[i] = x;
}}
"""


def kernels(size):
    """Many kernels, of which one is launched."""
    return "".join(kernel(f"  for (int j = 0; j < n; ++j) x = x * 0.99f + in[(i + j) % n] + {i}.0f;", "k" if i == 0 else f"k{i}")
                   for i in range(size))


def math(size):
    """Calls of functions of mathematics."""
    lines = (f"  x = 0.5f * {FUNCTIONS[i % len(FUNCTIONS)]}(in[(i + {i}) % n]) + 0.25f * x;" for i in range(size))
    return kernel("\n".join(lines))


def loops(size):
    """A chain of loops that work-items leave at different times."""
    return kernel("\n".join(f"  for (int j = 0; j < (i + {i}) % 7; ++j) {{ x = x * 0.5f + in[(i + j) % n];"
                            f" if (x > {i + 5}.0f) break; }}" for i in range(size)))


def straight(size):
    """One long line of arithmetic."""
    lines = (f"  x = x * 0.{1 + i % 7}f + y * 1e-9f; y = y ^ as_int(x) + {i}; x = x > 4.0f ? x - {i}.5f : x;" for i in range(size))
    return kernel("  int y = i;\n" + "\n".join(lines))


def branches(size):
    """Branches inside of each other."""
    opening = "\n".join(f"  if (in[(i + {i}) % n] < {i + 0.5}f) {{ x += {i}.5f;" for i in range(size))
    closing = "\n".join(f"  }} else x -= {i}.25f;" for i in reversed(range(size)))
    return kernel(opening + "\n" + closing)


def switch(size):
    """A switch whose cases do work."""
    cases = "\n".join(f"  case {i}: x = x * {i}.5f + in[(i + {i}) % n]; break;" for i in range(size))
    return kernel(f"  switch ((i * 7) % {size}) {{\n{cases}\n  }}")


def barriers(size):
    """Barriers, with a value that lives across each."""
    steps = "\n".join(f"  s[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += s[(l + {i + 1}) & 63] * 0.5f;"
                      " barrier(CLK_LOCAL_MEM_FENCE);" for i in range(size))
    return kernel(f"  local float s[64]; int l = get_local_id(0);\n{steps}")


def unrolled(size):
    """A loop that is unrolled whole."""
    return kernel(f"  #pragma unroll\n  for (int j = 0; j < {size}; ++j) x = x * 0.99f + in[(i + j * j) % n];")


def private(size):
    """Private arrays, each indexed by a value of the launch."""
    return kernel("\n".join(f"  {{ float a[8]; for (int j = 0; j < 8; ++j) a[j] = x * j + {i}; x += a[(i + n) & 7]; }}"
                            for i in range(size)))


SHAPES = {kernels: (16, 64, 256), math: (12, 48, 192), loops: (10, 100, 300), straight: (100, 1000, 10000), branches: (10, 100, 300),
          switch: (50, 500, 5000), barriers: (4, 16, 64), unrolled: (64, 512, 4096), private: (4, 16, 64)}
CASES = {f"{shape.__name__}_{size}": (shape, size) for shape, sizes in SHAPES.items() for size in sizes}


class Bench:
    def __init__(self):
        import numpy
        import pyopencl

        self.np, self.cl = numpy, pyopencl
        device = pyopencl.get_platforms()[0].get_devices()[0]
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)
        values = numpy.random.default_rng(20).random(ITEMS, dtype="f4")
        self.source = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_ONLY, ITEMS * 4)
        self.result = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, ITEMS * 4)
        pyopencl.enqueue_copy(self.queue, self.source, values)
        self.built = 0
        # What a process does once is not counted.
        self.run(kernel(""))

    def run(self, source):
        self.built += 1
        program = self.cl.Program(self.context, f"constant int built = {self.built};\n{source}").build()
        run = program.k
        run.set_args(self.source, self.result, self.np.int32(ITEMS))
        self.cl.enqueue_nd_range_kernel(self.queue, run, (ITEMS,), (64,))
        self.queue.finish()

    def ran(self):
        got = self.np.empty(ITEMS, "f4")
        self.cl.enqueue_copy(self.queue, got, self.result)
        return self.np.unique(got).size > 1

    def __getattr__(self, case):
        shape, size = CASES[case]
        source = shape(size)
        return lambda: (lambda: self.run(source), self.ran)


if __name__ == "__main__":
    side_by_side.main(__file__, __doc__, Bench, list(CASES))
