"""The applications of bench-apps.py: each function measures cases of one and prints a line of JSON for each.

    apps.py opencv|openmm|lightgbm|tinygrad|dpnp|clblast [SECONDS]

Cases run on the only OpenCL driver there is. A time is that of one call, the best of those that fit into SECONDS.
"""
import ctypes
import json
import math
import os
import sys
import time

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 0.5


def report(case, seconds):
    print(json.dumps({"case": case, "seconds": seconds}), flush=True)


def best(run, wait=lambda: None):
    run()
    wait()
    least, end = math.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        run()
        wait()
        least = min(least, time.perf_counter() - start)
    return least


def each(cases, wait):
    """Measures the cases by their names; one that fails is named as such."""
    for name, run in cases.items():
        try:
            report(name, best(run, wait))
        except Exception as error:  # of any of the libraries: a result, not ours
            print(json.dumps({"case": name, "error": f"{type(error).__name__}: {error}"[:200]}), flush=True)


def opencv():
    import cv2
    import numpy as np

    cv2.ocl.setUseOpenCL(True)
    assert cv2.ocl.useOpenCL() and cv2.ocl.Device.getDefault().available(), "OpenCV finds no device"
    random = np.random.default_rng(1)
    picture = cv2.GaussianBlur(random.integers(0, 256, (1080, 1920, 3), dtype="u1"), (9, 9), 3)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    p, g = cv2.UMat(picture), cv2.UMat(grey)
    f = cv2.UMat(grey.astype("f4"))
    h = cv2.UMat(cv2.resize(grey, (640, 360)))
    a, b = (cv2.UMat(random.random((512, 512), dtype="f4")) for _ in range(2))
    turn = cv2.getRotationMatrix2D((960, 540), 20, 0.9)
    kernel = np.ones((5, 5), "u1")
    taps = random.random((5, 5)).astype("f4") / 12
    cases = {
        "resize half": lambda: cv2.resize(p, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_LINEAR),
        "resize area": lambda: cv2.resize(p, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA),
        "resize cubic": lambda: cv2.resize(g, None, fx=1.5, fy=1.5, interpolation=cv2.INTER_CUBIC),
        "cvtColor grey": lambda: cv2.cvtColor(p, cv2.COLOR_BGR2GRAY),
        "cvtColor HSV": lambda: cv2.cvtColor(p, cv2.COLOR_BGR2HSV),
        "GaussianBlur": lambda: cv2.GaussianBlur(g, (7, 7), 1.5),
        "medianBlur": lambda: cv2.medianBlur(g, 5),
        "bilateralFilter": lambda: cv2.bilateralFilter(h, 7, 40, 40),
        "filter2D": lambda: cv2.filter2D(g, -1, taps),
        "Sobel": lambda: cv2.Sobel(g, cv2.CV_16S, 1, 0),
        "Canny": lambda: cv2.Canny(g, 50, 150),
        "erode": lambda: cv2.erode(g, kernel),
        "threshold": lambda: cv2.threshold(g, 100, 255, cv2.THRESH_BINARY),
        "boxFilter": lambda: cv2.boxFilter(g, -1, (11, 11)),
        "equalizeHist": lambda: cv2.equalizeHist(g),
        "calcHist": lambda: cv2.calcHist([g], [0], None, [256], [0, 256]),
        "warpAffine": lambda: cv2.warpAffine(p, turn, (1920, 1080)),
        "pyrDown": lambda: cv2.pyrDown(g),
        "integral": lambda: cv2.integral(g),
        "matchTemplate": lambda: cv2.matchTemplate(h, cv2.UMat(h, (100, 116), (100, 116)), cv2.TM_SQDIFF),
        "addWeighted": lambda: cv2.addWeighted(p, 0.5, p, 0.5, 0),
        "multiply": lambda: cv2.multiply(f, f),
        "exp": lambda: cv2.exp(a),
        "pow": lambda: cv2.pow(a, 1.7),
        "magnitude": lambda: cv2.magnitude(f, f),
        "gemm": lambda: cv2.gemm(a, b, 1, None, 0),
        "dft": lambda: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT),
        "reduce": lambda: cv2.reduce(f, 0, cv2.REDUCE_SUM),
        "minMaxLoc": lambda: cv2.minMaxLoc(f),
        "merge": lambda: cv2.merge([g, g, g]),
        "transpose": lambda: cv2.transpose(g),
        "flip": lambda: cv2.flip(g, 1),
        "CLAHE": lambda: clahe.apply(g),
        "calcOpticalFlowFarneback": lambda: cv2.calcOpticalFlowFarneback(h, h, None, 0.5, 3, 15, 3, 5, 1.2, 0),
    }
    clahe = cv2.createCLAHE(2.0, (8, 8))
    each(cases, cv2.ocl.finish)


def openmm():
    import openmm
    from openmm import unit

    def argon(count, cutoff, charge):
        """A cubic lattice of charged particles that attract and repel each other, at the density of a liquid."""
        side = round(count ** (1 / 3))
        spacing, system = 0.4, openmm.System()
        force = openmm.NonbondedForce()
        force.setNonbondedMethod(openmm.NonbondedForce.PME if charge else openmm.NonbondedForce.CutoffPeriodic)
        force.setCutoffDistance(cutoff)
        edge = side * spacing
        system.setDefaultPeriodicBoxVectors((edge, 0, 0), (0, edge, 0), (0, 0, edge))
        places = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)]
        for x, y, z in places:
            system.addParticle(39.9)
            force.addParticle(charge * (-1) ** (x + y + z), 0.34, 0.996)
        system.addForce(force)
        integrator = openmm.LangevinMiddleIntegrator(120, 1, 0.002)
        context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("OpenCL"))
        context.setPositions([openmm.Vec3(*place) * spacing for place in places] * unit.nanometer)
        return context, integrator

    def steps(name, *how):
        context, integrator = argon(*how)

        def run():
            integrator.step(20)
            context.getState(getEnergy=True)
        report(name, best(run) / 20)

    steps("liquid, 8,000 particles", 8000, 1.0, 0)
    steps("ions by PME, 8,000 particles", 8000, 1.0, 0.4)


def lightgbm():
    import lightgbm
    import numpy as np

    random = np.random.default_rng(2)
    x = random.random((50_000, 28), dtype="f4")
    y = (x[:, 0] * x[:, 1] + np.sin(6 * x[:, 2]) > 0.6).astype("f4")
    for bins in (63, 255):
        options = {"objective": "binary", "device_type": "gpu", "max_bin": bins, "num_leaves": 31, "verbose": -1,
                   "num_threads": os.cpu_count()}
        booster = lightgbm.Booster(options, lightgbm.Dataset(x, y, params=options))
        report(f"a tree, {bins} bins", best(booster.update))


def tinygrad():
    os.environ.update(CL="1", DEV="CL")
    from tinygrad import Tensor, TinyJit
    from tinygrad.device import Device

    wait = Device[Device.DEFAULT].synchronize
    a, b = Tensor.rand(512, 512).realize(), Tensor.rand(512, 512).realize()
    image, taps = Tensor.rand(4, 16, 64, 64).realize(), Tensor.rand(32, 16, 3, 3).realize()
    rows = Tensor.rand(1024, 1024).realize()
    cases = {
        "matmul 512": lambda: a.matmul(b).realize(),
        "conv2d 3x3": lambda: image.conv2d(taps).relu().realize(),
        "softmax": lambda: rows.softmax().realize(),
        "layernorm": lambda: rows.layernorm().realize(),
        "sum of an axis": lambda: rows.sum(0).realize(),
        "gelu": lambda: rows.gelu().realize(),
    }
    for name, run in cases.items():
        jitted = TinyJit(run)
        jitted(), jitted()
        report(name, best(jitted, wait))


def dpnp():
    import dpnp as np

    n = 1 << 20
    np.random.seed(3)
    x, y = np.random.rand(n), np.random.rand(n)
    f = x.astype("f4")
    i = np.random.randint(0, n, n)
    square = np.random.rand(1024, 1024)
    cases = {
        "add": lambda: x + y, "multiply float": lambda: f * f, "sqrt": lambda: np.sqrt(x), "exp": lambda: np.exp(x),
        "log": lambda: np.log(x), "sin": lambda: np.sin(x), "tanh float": lambda: np.tanh(f), "power": lambda: x ** y,
        "sum": lambda: x.sum(), "sum of rows": lambda: square.sum(axis=1), "sum of columns": lambda: square.sum(axis=0),
        "max": lambda: x.max(), "argmax": lambda: x.argmax(), "mean": lambda: x.mean(), "var": lambda: x.var(),
        "cumsum": lambda: x.cumsum(), "take": lambda: x[i], "where": lambda: np.where(x > y, x, y),
        "sort": lambda: np.sort(f), "argsort": lambda: np.argsort(f), "histogram": lambda: np.histogram(f, 256),
        "unique": lambda: np.unique(i), "transpose": lambda: np.ascontiguousarray(square.T), "astype": lambda: x.astype("f4"),
        "comparison": lambda: x < y, "any": lambda: (x > 2).any(), "ones": lambda: np.ones(n), "clip": lambda: np.clip(x, 0.2, 0.8),
    }
    each(cases, lambda: x.sycl_queue.wait())


def clblast():
    import numpy as np
    import pyopencl as cl

    library = ctypes.CDLL("libclblast.so.1")
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    random = np.random.default_rng(4)
    size_t, pointer = ctypes.c_size_t, ctypes.c_void_p

    def buffer(*shape, dtype="f4"):
        array = random.random(shape).astype(dtype)
        return cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=array)

    def call(name, *arguments):
        own = ctypes.c_void_p(queue.int_ptr)
        status = getattr(library, name)(*arguments, ctypes.byref(own), None)
        assert status == 0, f"{name} returned {status}"

    def place(memory, *rest):
        return (pointer(memory.int_ptr), size_t(0), *map(size_t, rest))

    row, no, yes = 101, 111, 112
    real, double = ctypes.c_float, ctypes.c_double

    def gemm(letter, kind, m, n, k, transposed):
        dtype = {"S": "f4", "D": "f8"}[letter]
        a, b, c = buffer(m, k, dtype=dtype), buffer(k, n, dtype=dtype), buffer(m, n, dtype=dtype)
        return lambda: call(f"CLBlast{letter}gemm", row, no, transposed, *map(size_t, (m, n, k)), kind(1), *place(a, k),
                            *place(b, k if transposed == yes else n), kind(0), *place(c, n))

    vector, other, result, matrix = buffer(1 << 22), buffer(1 << 22), buffer(1 << 22), buffer(2048, 2048)
    n = size_t(1 << 22)
    side = size_t(2048)
    cases = {
        "sgemm 1024": gemm("S", real, 1024, 1024, 1024, no),
        "sgemm 1024, transposed": gemm("S", real, 1024, 1024, 1024, yes),
        "sgemm 100": gemm("S", real, 100, 100, 100, no),
        "dgemm 512": gemm("D", double, 512, 512, 512, no),
        "saxpy": lambda: call("CLBlastSaxpy", n, real(0), *place(vector, 1), *place(other, 1)),
        "sdot": lambda: call("CLBlastSdot", n, *place(result), *place(vector, 1), *place(other, 1)),
        "snrm2": lambda: call("CLBlastSnrm2", n, *place(result), *place(vector, 1)),
        "isamax": lambda: call("CLBlastiSamax", n, *place(result), *place(vector, 1)),
        "sgemv": lambda: call("CLBlastSgemv", row, no, side, side, real(1), *place(matrix, 2048), *place(vector, 1), real(0),
                              *place(result, 1)),
        "sgemv, transposed": lambda: call("CLBlastSgemv", row, yes, side, side, real(1), *place(matrix, 2048),
                                          *place(vector, 1), real(0), *place(result, 1)),
        "sger": lambda: call("CLBlastSger", row, side, side, real(0), *place(vector, 1), *place(other, 1),
                             *place(matrix, 2048)),
        "somatcopy": lambda: call("CLBlastSomatcopy", row, yes, side, side, real(1), *place(matrix, 2048),
                                  *place(result, 2048)),
    }
    each(cases, queue.finish)


if __name__ == "__main__":
    {f.__name__: f for f in (opencv, openmm, lightgbm, tinygrad, dpnp, clblast)}[sys.argv[1]]()
