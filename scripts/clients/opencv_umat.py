"""OpenCV's functions on UMat, which are kernels, beside the same on Mat: the samples of pictures are no further apart than
rounding allows. Prints a line for each function, and ends with 1 if one was WRONG.
"""
import os
import sys

os.environ.update(OPENCV_OPENCL_RUNTIME="libOpenCL.so.1", OPENCV_OPENCL_DEVICE=":CPU:", OPENCV_OPENCL_RAISE_ERROR="1")

import cv2
import numpy as np

NEAREST = {"Canny", "warpAffine", "warpPerspective"}

cv2.ocl.setUseOpenCL(True)
device = cv2.ocl.Device.getDefault()
assert cv2.ocl.useOpenCL() and device.available(), "OpenCV finds no device"
assert "Lanewise" in device.version(), device.version()

random = np.random.default_rng(1)
# Sizes that no width divides.
HEIGHT, WIDTH = 237, 331
colour = cv2.GaussianBlur(random.integers(0, 256, (HEIGHT, WIDTH, 3), dtype="u1"), (5, 5), 2)
colour = cv2.normalize(colour, None, 0, 255, cv2.NORM_MINMAX)
grey = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY)
words = (grey.astype("u2") * 257) ^ random.integers(0, 256, grey.shape, dtype="u2")
real = random.standard_normal((HEIGHT, WIDTH)).astype("f4")
double = random.standard_normal((HEIGHT, WIDTH))
positive = np.abs(real) + np.float32(0.1)
a, b = (random.standard_normal((129, 129)).astype("f4") for _ in range(2))
kernel = np.ones((5, 3), "u1")
taps = random.random((5, 5)).astype("f4") / 12
turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 20, 0.9)
tilt = np.array([[1.05, 0.1, -9], [0.02, 0.95, 5], [1e-4, 2e-4, 1]])
rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH].astype("f4")
mask = (grey > 90).astype("u1") * 255
table = random.integers(0, 256, 256, dtype="u1")


# A name, a function of pictures, the pictures, and how far samples may be apart: numbers, or shares of the largest. Of
# NEAREST, one sample in a thousand may be any: Mat's and UMat's coordinates are rounded in other ways, and take the
# neighbour's. Mat's angles have an error of 0.3 degrees.
CASES = [
    ("add", cv2.add, (colour, colour[::-1].copy()), 0),
    ("subtract", cv2.subtract, (words, words[::-1].copy()), 0),
    ("multiply", cv2.multiply, (real, positive), 1e-6),
    ("divide", cv2.divide, (real, positive), 1e-5),
    ("absdiff", cv2.absdiff, (grey, grey[::-1].copy()), 0),
    ("addWeighted", lambda p, q: cv2.addWeighted(p, 0.3, q, 0.6, 4), (colour, colour[::-1].copy()), 1),
    ("bitwise_xor", cv2.bitwise_xor, (words, words[::-1].copy()), 0),
    ("bitwise_not", lambda p, m: cv2.bitwise_not(p, mask=m), (grey, mask), 0),
    ("min", cv2.min, (real, real[::-1].copy()), 0),
    ("max", cv2.max, (double, double[::-1].copy()), 0),
    ("compare", lambda p, q: cv2.compare(p, q, cv2.CMP_GE), (words, words[::-1].copy()), 0),
    ("inRange", lambda p: cv2.inRange(p, (40, 50, 60), (180, 200, 220)), (colour,), 0),
    ("convertScaleAbs", lambda p: cv2.convertScaleAbs(p, alpha=70.3, beta=3), (real,), 1),
    ("exp", cv2.exp, (real,), 1e-5),
    ("log", cv2.log, (positive,), 1e-5),
    ("sqrt", cv2.sqrt, (positive,), 1e-6),
    ("pow", lambda p: cv2.pow(p, 1.7), (positive,), 1e-5),
    ("magnitude", cv2.magnitude, (real, positive), 1e-5),
    ("phase", cv2.phase, (real, positive), 1e-3),
    ("cartToPolar", cv2.cartToPolar, (real, positive), 3e-3),
    ("polarToCart", cv2.polarToCart, (positive, real), 1e-4),
    ("sum", cv2.sumElems, (words,), 0),
    ("sum of reals", cv2.sumElems, (double,), 1e-9),
    ("mean", lambda p, m: cv2.mean(p, m), (colour, mask), 1e-9),
    ("meanStdDev", cv2.meanStdDev, (grey,), 1e-6),
    ("countNonZero", cv2.countNonZero, (mask,), 0),
    ("norm L1", lambda p: cv2.norm(p, cv2.NORM_L1), (words,), 0),
    ("norm L2", lambda p: cv2.norm(p, cv2.NORM_L2), (real,), 1e-5),
    ("norm of a difference", lambda p, q: cv2.norm(p, q, cv2.NORM_INF), (grey, grey[::-1].copy()), 0),
    ("minMaxLoc", cv2.minMaxLoc, (real,), 0),
    ("reduce to a row", lambda p: cv2.reduce(p, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S), (grey,), 0),
    ("reduce to a column", lambda p: cv2.reduce(p, 1, cv2.REDUCE_MAX), (real,), 0),
    ("normalize", lambda p: cv2.normalize(p, None, 0, 1, cv2.NORM_MINMAX), (real,), 1e-5),
    ("LUT", lambda p: cv2.LUT(p, table), (colour,), 0),
    ("split", cv2.split, (colour,), 0),
    ("merge", lambda p, q: cv2.merge([p, q, p]), (grey, mask), 0),
    ("extractChannel", lambda p: cv2.extractChannel(p, 1), (colour,), 0),
    ("transpose", cv2.transpose, (colour,), 0),
    ("flip", lambda p: cv2.flip(p, -1), (words,), 0),
    ("rotate", lambda p: cv2.rotate(p, cv2.ROTATE_90_CLOCKWISE), (grey,), 0),
    ("repeat", lambda p: cv2.repeat(p, 2, 3), (grey,), 0),
    ("copyMakeBorder", lambda p: cv2.copyMakeBorder(p, 3, 5, 7, 9, cv2.BORDER_REFLECT_101), (colour,), 0),
    ("gemm", lambda p, q: cv2.gemm(p, q, 1.5, None, 0), (a, b), 1e-4),
    ("gemm, transposed", lambda p, q: cv2.gemm(p, q, 1, p, 0.5, flags=cv2.GEMM_2_T), (a, b), 1e-4),
    ("mulSpectrums", lambda p, q: cv2.mulSpectrums(p, q, 0), (np.dstack([a, b]), np.dstack([b, a])), 1e-5),
    ("dft", lambda p: cv2.dft(p, flags=cv2.DFT_COMPLEX_OUTPUT), (a[:125, :120].copy(),), 1e-4),
    ("cvtColor grey", lambda p: cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), (colour,), 1),
    ("cvtColor HSV", lambda p: cv2.cvtColor(p, cv2.COLOR_BGR2HSV), (colour,), 1),
    ("cvtColor YUV", lambda p: cv2.cvtColor(p, cv2.COLOR_BGR2YUV), (colour,), 1),
    ("cvtColor YCrCb", lambda p: cv2.cvtColor(p, cv2.COLOR_BGR2YCrCb), (colour,), 1),
    ("cvtColor Lab", lambda p: cv2.cvtColor(p, cv2.COLOR_BGR2Lab), (colour,), 1),
    ("cvtColor RGBA", lambda p: cv2.cvtColor(p, cv2.COLOR_BGR2RGBA), (colour,), 0),
    ("threshold", lambda p: cv2.threshold(p, 100, 255, cv2.THRESH_TRUNC)[1], (grey,), 0),
    ("adaptiveThreshold", lambda p: cv2.adaptiveThreshold(p, 255, 0, 0, 11, 2), (grey,), 0),
    ("equalizeHist", cv2.equalizeHist, (grey,), 0),
    ("calcHist", lambda p: cv2.calcHist([p], [0], None, [64], [0, 256]), (grey,), 0),
    ("CLAHE", lambda p: cv2.createCLAHE(2.0, (8, 8)).apply(p), (grey,), 1),
    ("blur", lambda p: cv2.blur(p, (5, 7)), (colour,), 1),
    ("boxFilter", lambda p: cv2.boxFilter(p, cv2.CV_32F, (11, 3)), (real,), 1e-4),
    ("sqrBoxFilter", lambda p: cv2.sqrBoxFilter(p, cv2.CV_32F, (5, 5)), (grey,), 1e-4),
    ("GaussianBlur", lambda p: cv2.GaussianBlur(p, (7, 7), 1.5), (grey,), 1),
    ("medianBlur 3", lambda p: cv2.medianBlur(p, 3), (grey,), 0),
    ("medianBlur 5", lambda p: cv2.medianBlur(p, 5), (grey,), 0),
    ("bilateralFilter", lambda p: cv2.bilateralFilter(p, 7, 40, 40), (grey,), 1),
    ("filter2D", lambda p: cv2.filter2D(p, cv2.CV_32F, taps), (real,), 1e-4),
    ("sepFilter2D", lambda p: cv2.sepFilter2D(p, cv2.CV_32F, taps[0], taps[1]), (real,), 1e-4),
    ("Sobel", lambda p: cv2.Sobel(p, cv2.CV_16S, 1, 0), (grey,), 0),
    ("Scharr", lambda p: cv2.Scharr(p, cv2.CV_32F, 0, 1), (grey,), 1e-5),
    ("Laplacian", lambda p: cv2.Laplacian(p, cv2.CV_16S, ksize=3), (grey,), 0),
    ("Canny", lambda p: cv2.Canny(p, 40, 120), (grey,), 0),
    ("erode", lambda p: cv2.erode(p, kernel), (colour,), 0),
    ("dilate", lambda p: cv2.dilate(p, kernel, iterations=2), (grey,), 0),
    ("morphologyEx", lambda p: cv2.morphologyEx(p, cv2.MORPH_GRADIENT, kernel), (grey,), 0),
    ("pyrDown", cv2.pyrDown, (colour,), 1),
    ("pyrUp", cv2.pyrUp, (grey,), 1),
    ("integral", cv2.integral, (grey,), 0),
    ("cornerMinEigenVal", lambda p: cv2.cornerMinEigenVal(p, 3), (grey,), 1e-4),
    ("cornerHarris", lambda p: cv2.cornerHarris(p, 3, 3, 0.04), (grey,), 1e-4),
    ("resize to half", lambda p: cv2.resize(p, None, fx=0.5, fy=0.5), (colour,), 1),
    ("resize by area", lambda p: cv2.resize(p, (100, 70), interpolation=cv2.INTER_AREA), (colour,), 1),
    ("resize by cubics", lambda p: cv2.resize(p, None, fx=1.5, fy=1.3, interpolation=cv2.INTER_CUBIC), (grey,), 1),
    ("resize to the nearest", lambda p: cv2.resize(p, (500, 301), interpolation=cv2.INTER_NEAREST), (words,), 0),
    ("warpAffine", lambda p: cv2.warpAffine(p, turn, (WIDTH, HEIGHT), flags=cv2.INTER_NEAREST), (grey,), 0),
    ("warpPerspective", lambda p: cv2.warpPerspective(p, tilt, (WIDTH, HEIGHT), flags=cv2.INTER_NEAREST), (grey,), 0),
    ("remap", lambda p, x, y: cv2.remap(p, x, y, cv2.INTER_LINEAR), (real, columns * 0.9 + 3, rows * 0.8 + 5), 1e-2),
    ("matchTemplate", lambda p, q: cv2.matchTemplate(p, q, cv2.TM_SQDIFF), (grey, grey[40:71, 50:77].copy()), 1e-3),
    ("accumulateWeighted", lambda p, q: cv2.accumulateWeighted(p, q, 0.3), (grey, real), 1e-5),
    ("calcBackProject", lambda p: cv2.calcBackProject([p], [0], np.ones((64, 1), "f4") * 3, [0, 256], 2), (grey,), 0),
]


def arrays(results):
    """What a function gave, as arrays of doubles."""
    if isinstance(results, (tuple, list)):
        return [x for result in results for x in arrays(result)]
    if isinstance(results, cv2.UMat):
        results = results.get()
    return [np.asarray(results, dtype="f8").squeeze()]


failed = 0
for name, function, pictures, most in CASES:
    theirs = arrays(function(*[p.copy() for p in pictures]))
    ours = arrays(function(*[cv2.UMat(p.copy()) for p in pictures]))
    assert len(ours) == len(theirs), name
    # Whole numbers are as far apart as the figure says, others as the share of the largest.
    scale = [1 if most >= 1 else max(1.0, np.abs(t).max()) for t in theirs]
    share = 99.9 if name in NEAREST else 100
    apart = max(
        np.percentile(np.abs(o - t), share) / s if o.shape == t.shape else np.inf for o, t, s in zip(ours, theirs, scale)
    )
    wrong = not apart <= most
    failed += wrong
    print(f"{'WRONG' if wrong else 'right'}: {name}, {apart:.3g} apart")
sys.exit(failed > 0)
