"""Kernels over Dask arrays: each block is a launch on the device of the worker that holds it.

A `BlockKernel` is what travels to the workers: source and name, compiled once in each process. It is called with
NumPy blocks, so that all of Dask's own ways to cut, overlap and combine arrays work with it; `map`, `reduce` and
`matmul` are the common ones.

The kernel's parameters are the blocks in order, the result, then the sizes of the result from the last dimension
to the first (x, y, z) as `int`, then the scalars:

    kernel void blur(global const float *in, global float *out, int width, int height, float weight)
"""

from __future__ import annotations

import functools
from typing import Any, Optional, Sequence, Union

import numpy as np

import lanewise

try:
    import dask.array as da
except ImportError as error:  # pragma: no cover
    raise ImportError("lanewise.dask needs Dask: pip install 'lanewise[dask]'") from error

__all__ = ["BlockKernel", "kernel"]


@functools.lru_cache(maxsize=64)
def _compiled(source: str, options: str) -> lanewise.Program:
    return lanewise.compile(source, options)


class BlockKernel:
    """A kernel for blocks of arrays."""

    def __init__(self, source: str, name: Optional[str] = None, options: str = "") -> None:
        program = _compiled(source, options)
        if name is None and len(program.kernel_names) != 1:
            raise lanewise.Error(f"which kernel? There are: {', '.join(program.kernel_names)}")
        self.source, self.options = source, options
        self.name = name or program.kernel_names[0]
        program.kernel(self.name)

    def __dask_tokenize__(self) -> tuple[str, str, str]:
        return self.source, self.name, self.options

    def __call__(
        self,
        *blocks: np.ndarray,
        scalars: Sequence[Any] = (),
        dtype: Any = None,
        shape: Optional[Sequence[int]] = None,
        global_size: Optional[Sequence[int]] = None,
        local_size: Optional[Sequence[int]] = None,
    ) -> np.ndarray:
        """Runs the kernel over one block of each array. The result has the first block's shape and type unless said."""
        blocks = [np.ascontiguousarray(block) for block in blocks]
        shape = tuple(blocks[0].shape if shape is None else shape)
        result = np.zeros(shape, blocks[0].dtype if dtype is None else dtype)
        if result.size == 0:
            return result
        sizes = shape[::-1]
        kernel = _compiled(self.source, self.options).kernel(self.name)
        kernel(
            *blocks,
            result,
            *sizes,
            *scalars,
            global_size=tuple(global_size or sizes[:2] + (int(np.prod(sizes[2:])),) * (len(sizes) > 2)),
            local_size=local_size,
        )
        return result

    def map(
        self,
        *arrays: da.Array,
        scalars: Sequence[Any] = (),
        dtype: Any = None,
        halo: Union[int, Sequence[int], dict] = 0,
        boundary: Any = "nearest",
    ) -> da.Array:
        """A kernel for each element. With a halo, blocks are given so many elements of their neighbours on each
        side, or what `boundary` says beyond the ends (a number, "nearest", "reflect", "periodic"), and these are cut
        off the result.
        """
        dtype = np.dtype(arrays[0].dtype if dtype is None else dtype)
        options = dict(scalars=tuple(scalars), dtype=dtype)
        if not halo:
            return da.map_blocks(self, *arrays, meta=np.empty((0,) * arrays[0].ndim, dtype), **options)
        return da.map_overlap(
            self, *arrays, depth=halo, boundary=boundary, meta=np.empty((0,) * arrays[0].ndim, dtype), **options
        )

    def reduce(self, array: da.Array, combine=np.sum, scalars: Sequence[Any] = (), dtype: Any = None, partials: int = 1024):
        """One number of all elements: the kernel makes `partials` numbers of each block, which `combine` makes one,
        and then of those of all blocks. The kernel's second size is the number of elements:

            kernel void sum(global const float *in, global double *partial, int partials, ulong n)
        """
        dtype = np.dtype(array.dtype if dtype is None else dtype)

        def chunk(block, axis, keepdims):
            flat = np.ascontiguousarray(block).reshape(-1)
            many = self(flat, scalars=(flat.size, *scalars), dtype=dtype, shape=(min(partials, max(flat.size, 1)),))
            return np.asarray(combine(many)).reshape((1,) * block.ndim)

        def aggregate(parts, axis, keepdims):
            return np.asarray(combine(parts, axis=axis, keepdims=keepdims), dtype)

        return da.reduction(array, chunk, aggregate, dtype=dtype, concatenate=True)

    def matmul(self, left: da.Array, right: da.Array, dtype: Any = None) -> da.Array:
        """A product of matrices: the kernel makes the product of two blocks, whose sums are Dask's.

            kernel void product(global const float *a, global const float *b, global float *c, int n, int m, int k)
        """
        dtype = np.dtype(left.dtype if dtype is None else dtype)

        def product(a, b):
            return self(a, b, scalars=(a.shape[1],), dtype=dtype, shape=(a.shape[0], b.shape[1]))[None]

        if left.chunks[1] != right.chunks[0]:
            right = right.rechunk({0: left.chunks[1]})
        # The third dimension is the block of k, one number each, and summed away.
        parts = da.blockwise(
            product, "kij", left, "ik", right, "kj", adjust_chunks={"k": 1}, dtype=dtype, align_arrays=False
        )
        return parts.sum(axis=0)


def kernel(source: str, name: Optional[str] = None, options: str = "") -> BlockKernel:
    """A kernel for blocks of arrays, of the program's only kernel or the one of this name."""
    return BlockKernel(source, name, options)
