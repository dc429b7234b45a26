#!/usr/bin/env python3
"""The figures of docs/scaling.md: `lanewise.dask` over local workers of one thread each, against one process.

    pip install 'lanewise[dask]'; scripts/bench-scaling.py [WORKERS ...]

The kernels are a stencil, a reduction and a product of matrices as in `python/tests/test_dask.py`, and arithmetic without
memory. `tasks` is the time Dask itself takes for a task.
"""

import os
import sys
import time

import dask.array as da
import distributed
import lanewise.dask
import numpy as np

STENCIL = """kernel void blur(global const float *in, global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        s = in[y*w + x-1] + in[y*w + x+1] + in[(y-1)*w + x] + in[(y+1)*w + x] - 4 * in[y*w + x];
    out[y*w + x] = s;
}"""
SUM = """kernel void sum(global const float *in, global double *partial, int partials, ulong n) {
    double s = 0;
    for (ulong i = get_global_id(0); i < n; i += partials) s += in[i];
    partial[get_global_id(0)] = s;
}"""
PRODUCT = """kernel void product(global const float *a, global const float *b, global float *c, int n, int m, int k) {
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int i = 0; i < k; i++) s += a[y*k + i] * b[i*n + x];
    c[y*n + x] = s;
}"""
ARITHMETIC = """kernel void iterate(global const float *in, global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    float v = in[y*w + x];
    for (int i = 0; i < 20000; i++) v = v * 0.999f + 0.001f * v * v;
    out[y*w + x] = v;
}"""


def best(run, prepare=lambda: None):
    times = []
    for _ in range(3):
        prepared = prepare()
        start = time.perf_counter()
        run(prepared)
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    stencil, total, product, arithmetic = map(lanewise.dask.kernel, (STENCIL, SUM, PRODUCT, ARITHMETIC))
    picture = np.random.default_rng(0).random((8192, 8192), np.float32)
    small = np.ascontiguousarray(picture[:2048, :2048])
    flat = picture.reshape(-1)
    rows = {
        "arithmetic": best(lambda _: arithmetic(small)),
        "stencil": best(lambda _: stencil(picture)),
        "reduction": best(lambda _: total(flat, scalars=(flat.size,), dtype=np.float64, shape=(1024,))),
        "product": best(lambda _: product(small, small, scalars=(2048,))),
    }
    print("one process, all cores (ms):", {name: round(seconds * 1e3, 1) for name, seconds in rows.items()})
    for workers in map(int, sys.argv[1:] or [1, 2]):
        # Workers are processes, which take what is in the environment when they start.
        os.environ["LANEWISE_THREADS"] = "1"
        options = dict(n_workers=workers, threads_per_worker=1, dashboard_address=None)
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:

            def random(size, block):
                """A new array each time: Dask knows what it has computed."""
                array = client.persist(da.random.random((size, size), chunks=(block, block)).astype("f4"))
                distributed.wait(array)
                return array

            keep = lambda array: distributed.wait(client.persist(array))
            large, parts = lambda: random(8192, 2048), lambda: random(2048, 512)
            rows = {
                "arithmetic": best(lambda a: keep(arithmetic.map(a)), parts),
                "stencil": best(lambda a: keep(stencil.map(a, halo=1)), large),
                "reduction": best(lambda a: keep(total.reduce(a, dtype=np.float64)), large),
                "product": best(lambda a: keep(product.matmul(a, a)), parts),
                "tasks": best(lambda _: client.gather(client.map(abs, range(1000), pure=False))) / 1000,
            }
            print(f"{workers} workers (ms):", {name: round(seconds * 1e3, 2) for name, seconds in rows.items()})


if __name__ == "__main__":
    main()
