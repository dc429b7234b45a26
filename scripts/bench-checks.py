#!/usr/bin/env python3
"""Measures what checked mode costs, and how far it is from Oclgrind, which interprets.

    bench-checks.py DRIVER.so [--suite PROGRAM] [--oclgrind LIBRARY.so] [--rounds N] [--only CASE,CASE]

DRIVER.so is ours. Without --suite, the cases are six kernels of this script. A suite is a Python program that measures the one
OpenCL driver there is, prints one JSON object a line for each case (`case`, `ok`, `best_s`), and takes `--only CASE,CASE`. The
table has the time without checks, and what bounds and barriers, and everything, take of it; each round measures all three in
turn, and the best time counts. With --oclgrind, the ICD of Oclgrind, the script's own kernels run on it, too, once: with bounds
alone, and with `--data-races --uninitialized`. Needs pyopencl and numpy.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

MODES = {"without": "0", "bounds, barriers": "bounds,barriers", "everything": "1"}

SOURCE = """
kernel void saxpy(float a, global const float *x, global float *y) { size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }
kernel void nbody(global const float4 *p, global float4 *a, int n, float eps) {
  int i = get_global_id(0);
  float4 pi = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 pj = p[j];
    float dx = pj.x - pi.x, dy = pj.y - pi.y, dz = pj.z - pi.z;
    float inv = rsqrt(dx * dx + dy * dy + dz * dz + eps), s = pj.w * inv * inv * inv;
    ax += dx * s; ay += dy * s; az += dz * s;
  }
  a[i] = (float4)(ax, ay, az, 0);
}
kernel void product(int n, global const float *a, global const float *b, global float *c) {
  local float at[16][16], bt[16][16];
  int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < n / 16; t++) {
    at[ly][lx] = a[y * n + t * 16 + lx];
    bt[ly][lx] = b[(t * 16 + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) sum += at[ly][k] * bt[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
kernel void reduce(global const float *in, global float *out, local float *s) {
  int l = get_local_id(0), n = get_local_size(0);
  s[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = n / 2; d > 0; d >>= 1) {
    if (l < d) s[l] += s[l + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = s[0];
}
kernel void transpose(global const float *in, global float *out, int n) {
  local float t[16][17];
  int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
  t[ly][lx] = in[(gy + ly) * n + gx + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(gx + ly) * n + gy + lx] = t[lx][ly];
}
kernel void histogram(global const uchar *in, global int *out) {
  local int h[256];
  int l = get_local_id(0);
  h[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&h[in[get_global_id(0)]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&out[l], h[l]);
}
"""
CASES = ["saxpy", "nbody", "product", "reduce", "transpose", "histogram"]


def launch_of(cl, np, context, queue, case):
    """What launches a case."""
    program = cl.Program(context, SOURCE).build(options=["-cl-std=CL1.2"], cache_dir=False)
    random = np.random.default_rng(7)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    floats = lambda n: cl.Buffer(context, flags, hostbuf=random.random(n, dtype="f4"))
    n = 16384
    if case == "saxpy":
        return cl.enqueue_nd_range_kernel, program.saxpy, [np.float32(2), floats(n), floats(n)], (n,), (64,)
    if case == "nbody":
        arguments = [floats(4 * 512), floats(4 * 512), np.int32(512), np.float32(0.01)]
        return cl.enqueue_nd_range_kernel, program.nbody, arguments, (512,), (64,)
    if case == "product":
        arguments = [np.int32(64), floats(4096), floats(4096), floats(4096)]
        return cl.enqueue_nd_range_kernel, program.product, arguments, (64, 64), (16, 16)
    if case == "reduce":
        return cl.enqueue_nd_range_kernel, program.reduce, [floats(n), floats(n), cl.LocalMemory(1024)], (n,), (256,)
    if case == "transpose":
        return cl.enqueue_nd_range_kernel, program.transpose, [floats(n), floats(n), np.int32(128)], (128, 128), (16, 16)
    bytes = cl.Buffer(context, flags, hostbuf=random.integers(0, 256, n, np.uint8))
    counts = cl.Buffer(context, flags, hostbuf=np.zeros(256, np.int32))
    return cl.enqueue_nd_range_kernel, program.histogram, [bytes, counts], (n,), (256,)


def measure(cases, seconds):
    """Runs the script's own cases on the one driver there is."""
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    for case in cases:
        enqueue, kernel, arguments, size, local = launch_of(cl, np, context, queue, case)
        kernel.set_args(*arguments)
        # What compiles late does it in the first launch. An interpreter needs none.
        if seconds > 0:
            enqueue(queue, kernel, size, local)
            queue.finish()
        best, end, first = math.inf, time.perf_counter() + seconds, True
        while first or time.perf_counter() < end:
            start = time.perf_counter()
            enqueue(queue, kernel, size, local)
            queue.finish()
            best, first = min(best, time.perf_counter() - start), False
        print(json.dumps({"case": case, "ok": True, "best_s": best}), flush=True)


def start(suite, driver, only, seconds, more):
    """The times of cases on a driver, measured by a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "one.icd"), "w") as icd:
            icd.write(driver + "\n")
        env = dict(os.environ, OCL_ICD_VENDORS=place, PYOPENCL_NO_CACHE="1", LANEWISE_CACHE="0", **more)
        words = [sys.executable, suite or __file__, "--seconds", str(seconds)] + ([] if suite else ["--measure"])
        words += ["--only", only] if only else []
        done = subprocess.run(words, env=env, capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not found:
        sys.exit(f"{driver}: {done.stderr.strip()[-500:]}")
    return {one["case"]: one["best_s"] if one["ok"] else math.nan for one in found}


def best(old, new):
    return {case: min(time, old.get(case, math.inf)) for case, time in new.items()}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("driver", nargs="?", metavar="DRIVER.so")
    options.add_argument("--suite")
    options.add_argument("--oclgrind", metavar="LIBRARY.so")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", default="")
    options.add_argument("--seconds", type=float, default=0.2, help="how long a case runs in each round")
    options.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        return measure(given.only.split(",") if given.only else CASES, given.seconds)
    if not given.driver:
        options.error("the driver is missing")
    times = {mode: {} for mode in MODES}
    for _ in range(given.rounds):
        for mode, checks in MODES.items():
            found = start(given.suite, given.driver, given.only, given.seconds, {"LANEWISE_CHECK": checks})
            times[mode] = best(times[mode], found)
    without, *checked = times.values()
    print("| case | without | bounds, barriers | everything |\n| --- | ---: | ---: | ---: |")
    for case, time in without.items():
        shown = " | ".join(f"{mode[case] / time:.1f}" for mode in checked)
        print(f"| {case} | {time * 1e3:.3f} ms | {shown} |")
    means = " | ".join(f"{mean([mode[case] / without[case] for case in without]):.1f}" for mode in checked)
    print(f"| geometric mean | | {means} |")
    if not given.oclgrind:
        return
    ours = [start(None, given.driver, "", given.seconds, {"LANEWISE_CHECK": checks}) for checks in ("bounds,barriers", "1")]
    all_checks = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_UNINITIALIZED": "1"}
    theirs = [start(None, given.oclgrind, "", 0, more) for more in ({}, all_checks)]
    print("\n| case | ours, bounds | Oclgrind | times | ours, everything | Oclgrind | times |")
    print("| --- |" + " ---: |" * 6)
    for case in CASES:
        cells = [f"{o[case] * 1e3:.3f} ms | {t[case] * 1e3:.0f} ms | {t[case] / o[case]:.0f}" for o, t in zip(ours, theirs)]
        print(f"| {case} | {' | '.join(cells)} |")
    means = [f"| | | {mean([t[case] / o[case] for case in CASES]):.0f} " for o, t in zip(ours, theirs)]
    print(f"| geometric mean {''.join(means)}|")


main()
