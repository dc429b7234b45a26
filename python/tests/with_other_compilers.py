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


def torch():
    try:
        import torch
    except ImportError:
        return print("torch is not installed")
    assert torch.jit.script(lambda x: x + 1)(torch.ones(3)).sum() == 6


others = [llvmlite, numba, torch]
for step in [ours, *others, ours] if sys.argv[1] == "lanewise" else [*others, ours, *others]:
    step()
print(f"{sys.argv[1]} first: all compile")
