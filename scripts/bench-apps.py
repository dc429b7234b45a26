#!/usr/bin/env python3
"""Measures applications, as their packages are, on several OpenCL drivers in turn.

    bench-apps.py DIRECTORY NAME=DRIVER.so [NAME=DRIVER.so …] [--ours NAME] [--rounds N] [--only APP,APP] [--lib DIR]

The applications: hashcat over twenty modes (Debian's package, or what --hashcat names), and by PyPI's packages, installed
into an environment in DIRECTORY, OpenCV's UMat functions, OpenMM, LightGBM, tinygrad, dpnp; CLBlast is Debian's
libclblast1. Without a driver named intel, that of PyPI's intel-opencl-rt is measured, too. Each application runs in a
process of its own for each driver and round; the best time counts. With --ours, the last column is the speed of that
driver against the fastest of the others: above 1 it is faster.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import time
import venv

HERE = os.path.dirname(os.path.abspath(__file__))

# MD5, SHA-1, SHA-2 raw and salted; NTLM; LM and DES; bcrypt, scrypt-less password stores; documents, archives, WPA.
MODES = [0, 10, 100, 900, 1000, 1100, 1400, 1410, 1500, 1700, 1800, 2100, 3000, 5500, 5600, 7500, 10900, 11600, 13100, 22000]
PACKAGES = {
    "opencv": ["opencv-python-headless"],
    "openmm": ["openmm"],
    "lightgbm": ["lightgbm"],
    "tinygrad": ["tinygrad"],
    "dpnp": ["dpnp"],
    "clblast": ["pyopencl"],
}
APPS = ["hashcat", *PACKAGES]


class Place:
    """The directory with the environment of packages, and what each driver writes."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.python = os.path.join(self.path, "venv", "bin", "python")

    def install(self, packages):
        if not os.path.exists(self.python):
            venv.create(os.path.dirname(os.path.dirname(self.python)), with_pip=True)
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "numpy", *packages], check=True)

    def libraries(self, lib):
        """A directory with the libraries of another one, but for the loader of OpenCL: two of them in one process do not
        understand each other's objects."""
        own = os.path.join(self.path, "lib")
        os.makedirs(own, exist_ok=True)
        for name in os.listdir(lib):
            link = os.path.join(own, name)
            if ".so" in name and not name.startswith("libOpenCL") and not os.path.lexists(link):
                os.symlink(os.path.join(os.path.abspath(lib), name), link)
        return own

    def environment(self, name, driver, lib):
        """The variables of a process in which this is the only driver."""
        own = os.path.join(self.path, name)
        os.makedirs(os.path.join(own, "vendors"), exist_ok=True)
        with open(os.path.join(own, "vendors", "one.icd"), "w") as icd:
            icd.write(driver + "\n")
        variables = dict(
            os.environ, OCL_ICD_VENDORS=os.path.join(own, "vendors"), OCL_ICD_FILENAMES=driver, PYOPENCL_NO_CACHE="1",
            XDG_CACHE_HOME=os.path.join(own, "cache"), HOME=own, LANEWISE_CACHE_DIR=os.path.join(own, "lanewise"),
            OPENCV_OPENCL_RUNTIME="libOpenCL.so.1", OPENCV_OPENCL_DEVICE=":CPU:", ONEAPI_DEVICE_SELECTOR="opencl:cpu",
        )
        if lib:
            variables["LD_LIBRARY_PATH"] = self.libraries(lib) + ":" + variables.get("LD_LIBRARY_PATH", "")
        return variables, own


def hashcat(program, variables, own, modes, limit):
    """The seconds that a billion hashes take, or how hashcat failed."""
    for mode in modes:
        command = [program, "-b", "-m", str(mode), "-D", "1", "--force", "--machine-readable"]
        try:
            done = subprocess.run(command, env=variables, cwd=own, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            yield f"hashcat {mode}", None, f"more than {limit} s"
            continue
        # device:mode:clock:clock:milliseconds:speed
        lines = [line.split(":") for line in done.stdout.splitlines() if re.fullmatch(rf"\d+:{mode}:.*:\d+", line)]
        if lines and float(lines[0][-1]) > 0:
            yield f"hashcat {mode}", 1e9 / float(lines[0][-1]), None
        else:
            last = (done.stderr + done.stdout).strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
            yield f"hashcat {mode}", None, last[0]


def packaged(app, python, variables, own, seconds, limit):
    command = [python, os.path.join(HERE, "clients", "apps.py"), app, str(seconds)]
    try:
        done = subprocess.run(command, env=variables, cwd=own, capture_output=True, text=True, timeout=limit)
        out, why = done.stdout, (done.stderr.strip().splitlines()[-1:] or [""])[0]
        code = done.returncode
    except subprocess.TimeoutExpired as late:
        out, why, code = (late.stdout or b"").decode(), f"more than {limit} s", 1
    for line in out.splitlines():
        if line.startswith("{"):
            found = json.loads(line)
            yield f"{app}: {found['case']}", found.get("seconds"), found.get("error")
    if code:
        yield f"{app} as a whole", None, why or f"it ended with {code}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory")
    options.add_argument("drivers", nargs="+", metavar="NAME=DRIVER.so")
    options.add_argument("--ours")
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--only", default=",".join(APPS), help="applications, or single modes: hashcat/22000")
    options.add_argument("--lib", default="", help="directory of libraries that drivers need")
    options.add_argument("--hashcat", default="hashcat", help="the program")
    options.add_argument("--seconds", type=float, default=0.5, help="how long a case runs in each round")
    options.add_argument("--limit", type=float, default=600, help="the most seconds for an application and a driver")
    given = options.parse_args()
    drivers = dict(d.split("=", 1) for d in given.drivers)
    chosen = {}
    for name in given.only.split(","):
        app, _, mode = name.partition("/")
        if app not in APPS or mode and (app != "hashcat" or not mode.isdigit()):
            options.error(f"{name} is none of {', '.join(APPS)}")
        chosen.setdefault(app, []).extend([int(mode)] if mode else [])
    if given.ours not in [None, *drivers]:
        options.error("--ours is the name of a driver")

    place = Place(given.directory)
    wanted = [package for app in chosen for package in PACKAGES.get(app, [])]
    with_intel = "intel" not in drivers
    place.install([*wanted, *(["intel-opencl-rt", "intel-cmplr-lib-rt"] if with_intel else [])])
    if with_intel:
        given.lib = given.lib or os.path.join(place.path, "venv", "lib")
        drivers["intel"] = os.path.join(place.path, "venv", "lib", "libintelocl.so")

    print(f"{'case':40s}" + "".join(f"{name + ' ms':>14s}" for name in drivers))
    ratios = []
    for app, modes in chosen.items():
        best, order = {}, []
        for _ in range(given.rounds):
            for name, driver in drivers.items():
                variables, own = place.environment(name, driver, given.lib)
                start = time.monotonic()
                cases = hashcat(given.hashcat, variables, own, modes or MODES, given.limit) if app == "hashcat" else \
                    packaged(app, place.python, variables, own, given.seconds, given.limit)
                for case, seconds, error in cases:
                    if error:
                        print(f"{case}: {name}: {error}", file=sys.stderr)
                    if case not in order:
                        order.append(case)
                    best[case, name] = min(best.get((case, name), math.inf), seconds or math.inf)
                print(f"{app} with {name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
        for case in order:
            times = {name: best.get((case, name), math.inf) for name in drivers}
            row = f"{case:40s}" + "".join(f"{t * 1e3:14.3f}" if t < math.inf else f"{'fails':>14s}" for t in times.values())
            peer = min((t for name, t in times.items() if name != given.ours), default=math.inf)
            if given.ours and peer < math.inf:
                ratios.append((peer / times[given.ours], app))
                row += f"{ratios[-1][0]:10.2f}x"
            print(row, flush=True)

    def mean(of):
        return math.exp(sum(math.log(max(ratio, 1e-3)) for ratio in of) / len(of))
    for app in chosen:
        own = [ratio for ratio, of in ratios if of == app]
        if own:
            print(f"geometric mean, {app}: {mean(own):.2f}x over {len(own)} cases")
    if ratios:
        all_ratios = [ratio for ratio, _ in ratios]
        below = sum(ratio < 1 for ratio in all_ratios)
        print(f"geometric mean of all: {mean(all_ratios):.2f}x over {len(ratios)} cases, {below} below 1")


if __name__ == "__main__":
    main()
