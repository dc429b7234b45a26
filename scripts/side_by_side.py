"""Measures cases on several OpenCL drivers side by side: what the bench-*.py scripts share.

A script has a class whose methods are the cases. Each gives two functions: what is measured, and what is asked afterwards
whether the result is right. `main` runs each case on each driver in a process of its own, in turn, so that a noisy machine
is noisy for all of them; the best time counts.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time


def measure(bench, case, seconds):
    run, check = getattr(bench, case)()
    run()
    bench.queue.finish()
    ok = bool(check())
    best, end = math.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        run()
        bench.queue.finish()
        best = min(best, time.perf_counter() - start)
    ok = ok and bool(check())
    return {"ok": ok, "best": best, "error": None if ok else "the result is wrong"}


def start(script, driver, lib, case, seconds):
    """One case on one driver, in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "one.icd"), "w") as icd:
            icd.write(driver + "\n")
        env = dict(os.environ, OCL_ICD_VENDORS=place, POCL_KERNEL_CACHE="0", PYOPENCL_NO_CACHE="1", LANEWISE_CACHE="0")
        if lib:
            env["LD_LIBRARY_PATH"] = lib + ":" + env.get("LD_LIBRARY_PATH", "")
        done = subprocess.run([sys.executable, script, "--measure", case, "--seconds", str(seconds)], env=env,
                              capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    last = done.stderr.strip().splitlines()[-1:] or [f"the process ended with {done.returncode}"]
    return json.loads(lines[-1]) if lines else {"ok": False, "error": last[0]}


def main(script, doc, bench, cases, column="ms", value=lambda case, seconds: seconds * 1e3):
    """`value` is what the table shows for a case that took so many seconds."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("drivers", nargs="*", metavar="NAME=DRIVER.so")
    options.add_argument("--ours")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", default=",".join(cases))
    options.add_argument("--lib", default="", help="directory of libraries that drivers need")
    options.add_argument("--seconds", type=float, default=0.4, help="how long a case runs in each round")
    options.add_argument("--measure", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        print(json.dumps(measure(bench(), given.measure, given.seconds)))
        return
    drivers = dict(d.split("=", 1) for d in given.drivers)
    wanted = given.only.split(",")
    if not drivers or any(c not in cases for c in wanted) or given.ours not in [None, *drivers]:
        options.error(f"at least one NAME=DRIVER.so; --ours is one of the names; the cases are {', '.join(cases)}")
    print(f"{'case':24s}" + "".join(f"{name + ' ' + column:>14s}" for name in drivers))
    ratios = []
    for case in wanted:
        best = {}
        for _ in range(given.rounds):
            for name, driver in drivers.items():
                result = start(script, driver, given.lib, case, given.seconds)
                if not result["ok"]:
                    print(f"{case}: {name}: {result['error']}", file=sys.stderr)
                    result["best"] = math.inf
                best[name] = min(best.get(name, math.inf), result["best"])
        shown = [f"{value(case, best[n]):14.3f}" if best[n] < math.inf else f"{'fails':>14s}" for n in drivers]
        row = f"{case:24s}" + "".join(shown)
        peer = min((best[n] for n in drivers if n != given.ours), default=math.inf)
        if given.ours and peer < math.inf:
            ratios.append(peer / best[given.ours])
            row += f"{ratios[-1]:10.2f}x"
        print(row, flush=True)
    if ratios:
        mean = math.exp(sum(math.log(max(r, 1e-9)) for r in ratios) / len(ratios))
        print(f"geometric mean against the fastest of the others: {mean:.2f}x over {len(ratios)} cases")
