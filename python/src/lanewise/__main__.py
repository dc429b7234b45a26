"""The `lanewise` program, and what to set so that OpenCL's loaders see the driver."""

from __future__ import annotations

import ctypes
import sys

from . import _driver

HINTS = """\
The OpenCL driver of this package is {driver}

PyOpenCL from PyPI has a loader of its own, which finds it without being told.
Other programs have one of these:
  ocl-icd (Debian's, conda's)   export OCL_ICD_VENDORS={driver}
  Khronos' loader               export OCL_ICD_FILENAMES={driver}
  for all programs              echo {driver} | sudo tee /etc/OpenCL/vendors/lanewise.icd
The program is `lanewise`, or `python -m lanewise WORDS`: `lanewise help` says what it can do.
"""


def run(words: list[str]) -> int:
    """Runs the program with these words, and gives its exit code."""
    address = _driver.library().clGetExtensionFunctionAddress(b"lanewiseProgramLANEWISE")
    if not address:
        print(f"lanewise: {_driver.path()} is the driver of another version", file=sys.stderr)
        return 1
    array = (ctypes.c_char_p * len(words))(*(word.encode(errors="surrogateescape") for word in words))
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
    return kind(address)(len(words), array)


def program() -> None:
    """What the command `lanewise` calls."""
    try:
        sys.exit(run(sys.argv[1:]))
    except _driver.Error as error:
        sys.exit(f"lanewise: {error}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        program()
    else:
        print(HINTS.format(driver=_driver.path()), end="")
