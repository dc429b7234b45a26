"""The package against the driver that LANEWISE_DRIVER names, or the installed one."""

import os
import subprocess
import sys

import numpy as np
import pytest

import lanewise

AXPY = """
kernel void axpy(float a, global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}"""


def test_arrays_are_used_where_they_are():
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    seconds = lanewise.compile(AXPY).axpy(2.0, x, y, global_size=1000)
    assert np.array_equal(y, 1 + 2 * np.arange(1000, dtype=np.float32))
    assert 0 < seconds < 10


def test_a_part_of_an_array_is_where_it_is():
    y = np.zeros(100, np.float32)
    lanewise.compile(AXPY).axpy(1.0, np.ones(10, np.float32), y[50:60], global_size=10)
    assert y[50:60].tolist() == [1] * 10 and y.sum() == 10


def test_values_vectors_and_structures():
    program = lanewise.compile("""
        typedef struct { int a; float b; } Pair;
        kernel void k(global float *out, float4 v, uchar c, Pair p, long3 t, double d) {
            out[0] = v.x + v.w; out[1] = c; out[2] = p.a + p.b; out[3] = t.x + t.y + t.z; out[4] = d;
        }""")
    pair = np.array((7, 0.5), np.dtype([("a", np.int32), ("b", np.float32)]))[()]
    out = np.zeros(5, np.float32)
    program.k(out, (1, 2, 3, 4), 255, pair, (1, 2, 3), 1.25, global_size=1)
    assert out.tolist() == [5, 255, 7.5, 6, 1.25]


def test_ranges_and_local_memory():
    program = lanewise.compile("""
        kernel void rows(global int *out, local int *t) {
            size_t l = get_local_id(0);
            t[l] = get_global_id(0) + 100 * get_global_id(1);
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(1) * 8 + get_global_id(0)] = t[3 - l];
        }""")
    out = np.zeros((2, 8), np.int32)
    program.rows(out, lanewise.Local(16), global_size=(8, 2), local_size=(4, 1))
    assert out[1].tolist() == [103, 102, 101, 100, 107, 106, 105, 104]
    moved = np.zeros(4, np.int32)
    ids = lanewise.compile("kernel void id(global int *o) { o[get_global_id(0) - 7] = get_global_id(0); }")
    ids.id(moved, global_size=4, global_offset=7)
    assert moved.tolist() == [7, 8, 9, 10]


def test_what_the_compiler_finds_wrong():
    with pytest.raises(lanewise.Error, match="undeclared identifier"):
        lanewise.compile("kernel void k(global int *o) { o[0] = nothing; }")
    assert "unused" in lanewise.compile("kernel void k(global int *o) { int unused; o[0] = 1; }", "-Wall").log


@pytest.mark.parametrize(
    "args, error, text",
    [
        ((1.0, np.zeros(4, np.float64), np.zeros(4, np.float32)), TypeError, "float64, not float32"),
        ((1.0, np.zeros(4, np.float32)), TypeError, "takes 3 arguments, 2 were given"),
        ((1.0, [1, 2], np.zeros(4, np.float32)), TypeError, "should be a NumPy array, not list"),
        (("a", np.zeros(4, np.float32), np.zeros(4, np.float32)), TypeError, "should be a number"),
        ((1.0, np.zeros(8, np.float32)[::2], np.zeros(4, np.float32)), ValueError, "not contiguous"),
        ((1.0, np.zeros(4, np.float32), np.broadcast_to(np.float32(0), 1)), ValueError, "read-only"),
    ],
)
def test_wrong_arguments(args, error, text):
    with pytest.raises(error, match=text):
        lanewise.compile(AXPY).axpy(*args, global_size=4)


def test_numbers_that_do_not_fit():
    program = lanewise.compile("kernel void k(global int *o, uchar c) { o[0] = c; }")
    with pytest.raises(OverflowError, match="does not fit uint8"):
        program.k(np.zeros(1, np.int32), 256, global_size=1)
    with pytest.raises(TypeError, match="whole number"):
        program.k(np.zeros(1, np.int32), 1.5, global_size=1)


def test_kernels_are_attributes():
    program = lanewise.compile(AXPY)
    assert program.kernel_names == ["axpy"] and "axpy" in dir(program)
    assert repr(program.axpy) == "<kernel axpy(float a, global float* x, global float* y)>"
    assert [p.is_const for p in program.axpy.parameters] == [False, True, False]
    with pytest.raises(AttributeError, match="there is no kernel 'other'; there are: axpy"):
        program.other


def test_remarks_assembly_and_ir():
    program = lanewise.compile(AXPY)
    assert "axpy" in program.remarks()
    assert "axpy" in program.assembly("axpy")
    assert "define" in program.ir()


def test_the_program_and_the_hints():
    def say(*words):
        return subprocess.run([sys.executable, "-m", "lanewise", *words], capture_output=True, text=True)

    assert say("--version").stdout.startswith("lanewise ")
    assert say("run", "no-such-file.cl", "-g", "1").returncode == 1
    hints = say().stdout
    assert "OCL_ICD_VENDORS=" in hints and "OCL_ICD_FILENAMES=" in hints and lanewise.driver_path() in hints


def test_a_child_has_a_device_of_its_own():
    assert lanewise.device_name()
    child = os.fork()
    if child == 0:
        y = np.ones(4, np.float32)
        lanewise.compile(AXPY).axpy(1.0, y.copy(), y, global_size=4)
        os._exit(0 if y.tolist() == [2] * 4 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_call_at_the_same_time():
    from concurrent.futures import ThreadPoolExecutor

    def work(n):
        program = lanewise.compile(AXPY)
        y = np.zeros(1000, np.float32)
        for _ in range(20):
            program.axpy(float(n), np.ones(1000, np.float32), y, global_size=1000)
        return bool((y == 20 * n).all())

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_numpy_is_loaded_when_it_is_needed():
    code = "import sys, lanewise.__main__; assert 'numpy' not in sys.modules; lanewise.Local(4); assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lanewise.nothing
