"""PyOpenCL finds the device without being told, and runs a kernel there."""

import numpy as np
import pyopencl as cl

(platform,) = [p for p in cl.get_platforms() if p.name == "Lanewise"]
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, "kernel void f(global float *x) { x[get_global_id(0)] *= 2; }").build()
x = np.arange(1000, dtype=np.float32)
buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
program.f(queue, x.shape, None, buffer)
cl.enqueue_copy(queue, x, buffer)
assert np.array_equal(x, 2 * np.arange(1000, dtype=np.float32))
print("PyOpenCL runs a kernel on", platform.get_devices()[0].name)
