"""GPU kernels on the CPU: compiled to vector code, run on all cores, over NumPy arrays without copies.

    >>> import lanewise, numpy as np
    >>> program = lanewise.compile('''
    ...     kernel void axpy(float a, global const float *x, global float *y) {
    ...         size_t i = get_global_id(0);
    ...         y[i] += a * x[i];
    ...     }''')
    >>> x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    >>> seconds = program.axpy(2.0, x, y, global_size=4)
    >>> y
    array([1., 3., 5., 7.], dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._driver import Error

if TYPE_CHECKING:
    from ._kernels import Kernel, Local, Parameter, Program, compile, device_name, driver_path

__all__ = ["Error", "Kernel", "Local", "Parameter", "Program", "compile", "device_name", "driver_path"]


def __getattr__(name: str) -> Any:
    """Loads NumPy when it is needed: the program `lanewise` starts in a third of the time without it."""
    if name not in __all__:
        raise AttributeError(f"module 'lanewise' has no attribute '{name}'")
    from . import _kernels

    return getattr(_kernels, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
