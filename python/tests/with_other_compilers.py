"""Our compiler and others' in one process, each with an LLVM of its own: `with_other_compilers.py lanewise|others`."""

import sys

import numpy as np


def ours():
    import lanewise

    x = np.ones(100, np.float32)
    lanewise.compile("kernel void f(global float *x) { x[get_global_id(0)] = exp(x[get_global_id(0)]); }").f(
        x, global_size=100
    )
    assert np.allclose(x, np.e)


def pyopencl():
    import pyopencl

    ours = next(p for p in pyopencl.get_platforms() if p.name == "Lanewise")
    context = pyopencl.Context(ours.get_devices())
    queue = pyopencl.CommandQueue(context)
    program = pyopencl.Program(context, "kernel void f(global float *x) { x[get_global_id(0)] *= 2; }").build()
    x = np.ones(100, np.float32)
    buffer = pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    program.f(queue, x.shape, None, buffer)
    pyopencl.enqueue_copy(queue, x, buffer)
    assert np.all(x == 2)


def numba():
    import numba

    @numba.njit
    def f(x):
        s = 0.0
        for v in x:
            s += v
        return s

    assert f(np.ones(10)) == 10


def llvmlite():
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly("define i32 @f(i32 %x) { %y = add i32 %x, 1\n ret i32 %y }")
    machine = binding.Target.from_default_triple().create_target_machine()
    assert "f:" in machine.emit_assembly(module)


def fused(x):
    return (x * 2 + 1) * x


def torch():
    try:
        import torch
    except ImportError:
        return print("torch is not installed")
    # Its fuser makes machine code by an LLVM of its own, when a function is called for the third time.
    torch._C._jit_override_can_fuse_on_cpu(True)
    torch._C._jit_set_texpr_fuser_enabled(True)
    script, x = torch.jit.script(fused), torch.ones(1000)
    with torch.no_grad():
        assert all(script(x).sum() == 3000 for _ in range(4))
    graph = str(torch.jit.last_executed_optimized_graph())
    assert "TensorExpr" in graph or not torch._C._llvm_enabled(), graph


others = [llvmlite, numba, torch]
mine = [ours, pyopencl]
for step in [*mine, *others, *mine] if sys.argv[1] == "lanewise" else [*others, *mine, *others]:
    step()
print(f"{sys.argv[1]} first: all compile")
