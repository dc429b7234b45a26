"""clEsperanto's filters over buffers and images beside scipy's: prints a line for each, and ends with 1 if one differs."""
import sys

import numpy as np
import pyclesperanto as cle
from scipy import ndimage

random = np.random.default_rng(3)
failed = False


def compare(name, want, source, call, most=1e-4):
    global failed
    for kind in ["buffer", "image"]:
        array = cle.push(source, mtype=kind)
        # Where the pixels beside the edge come in, the two libraries choose different ones.
        inside = tuple(slice(9, -9) if n > 20 else slice(None) for n in source.shape)
        got = cle.pull(call(array))
        apart = abs(got.astype("f8") - want)[inside].max() if got.shape == want.shape else np.inf
        ok = array.mtype == kind and apart <= most
        failed |= not ok
        print(f"{name} {source.ndim}D {source.dtype} {kind}: {apart:.2g} apart" + ("" if ok else " WRONG"))


flat = random.random((96, 128)).astype("f4")
volume = random.random((40, 48, 56)).astype("f4")
for a in [flat, volume, (flat * 200).astype("u1"), (volume * 60000).astype("u2")]:
    size, f = (5,) * a.ndim, a.astype("f8")
    z = 2 if a.ndim == 3 else 0
    relative = 1e-4 * a.max()
    compare("gaussian", ndimage.gaussian_filter(f, 1.5, truncate=4), a,
            lambda x: cle.gaussian_blur(x, cle.create(x.shape, np.float32, x.mtype), 1.5, 1.5, 1.5 if z else 0),
            relative)
    compare("mean", ndimage.uniform_filter(f, size), a,
            lambda x: cle.mean_filter(x, cle.create(x.shape, np.float32, x.mtype), 2, 2, z), relative)
    compare("maximum", ndimage.maximum_filter(a, size), a, lambda x: cle.maximum_filter(x, None, 2, 2, z), 0)
    compare("minimum", ndimage.minimum_filter(a, size), a, lambda x: cle.minimum_filter(x, None, 2, 2, z), 0)
    compare("median", ndimage.median_filter(a, (3,) * a.ndim), a,
            lambda x: cle.median(x, None, 1, 1, 1 if z else 0), 0)

# Samples between pixels.
compare("translate", ndimage.shift(flat, [0.25, 3.5], order=1), flat,
        lambda x: cle.translate(x, None, 3.5, 0.25, 0, interpolate=True))
sys.exit(failed)
