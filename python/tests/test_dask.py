"""Kernels over arrays that are cut into blocks, on several processes, one of which dies."""

import os
import signal

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import lanewise.dask  # noqa: E402

BLUR = """
kernel void blur(global const float *in, global float *out, int w, int h, float centre) {
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        s = in[y * w + x] * centre + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x];
    out[y * w + x] = s;
}"""
SUM = """
kernel void sum(global const float *in, global double *partial, int partials, ulong n) {
    double s = 0;
    for (size_t i = get_global_id(0); i < n; i += partials) s += in[i];
    partial[get_global_id(0)] = s;
}"""
PRODUCT = """
kernel void product(global const float *a, global const float *b, global float *c, int n, int m, int k) {
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int i = 0; i < k; i++) s += a[y * k + i] * b[i * n + x];
    c[y * n + x] = s;
}"""


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(1).random((300, 200), dtype=np.float32)


def blurred(a):
    p = np.pad(a, 1, mode="edge")
    return a * np.float32(2) + p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1]


def test_a_stencil_with_a_halo(client, data):
    kernel = lanewise.dask.kernel(BLUR)
    got = kernel.map(da.from_array(data, chunks=(70, 60)), scalars=(2.0,), halo=1).compute()
    assert np.allclose(got, blurred(data), rtol=1e-5)


def test_a_reduction(client, data):
    got = lanewise.dask.kernel(SUM).reduce(da.from_array(data, chunks=(64, 64)), dtype=np.float64).compute()
    assert np.isclose(got, data.sum(dtype=np.float64))


def test_a_product_of_matrices(client, data):
    left, right = da.from_array(data, chunks=(100, 50)), da.from_array(data.T.copy(), chunks=(64, 128))
    got = lanewise.dask.kernel(PRODUCT).matmul(left, right).compute()
    assert np.allclose(got, data @ data.T, rtol=1e-4)


def test_a_worker_that_dies_loses_nothing(data):
    """Eight steps of the stencil; a worker is killed in the middle."""
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            kernel, array = lanewise.dask.kernel(BLUR), da.from_array(data, chunks=(50, 50))
            for _ in range(8):
                array = kernel.map(array, scalars=(0.5,), halo=1) / 4
            future = client.compute(array)
            victim = next(iter(client.run(os.getpid).values()))
            os.kill(victim, signal.SIGKILL)
            got = future.result(timeout=120)
    want = data
    for _ in range(8):
        p = np.pad(want, 1, mode="edge")
        want = (want * np.float32(0.5) + p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1]) / 4
    assert np.allclose(got, want, rtol=1e-4)


def test_which_kernel():
    with pytest.raises(lanewise.Error, match="which kernel"):
        lanewise.dask.kernel(BLUR + SUM)
