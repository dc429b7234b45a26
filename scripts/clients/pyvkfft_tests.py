"""pyvkfft's own tests, which look for a GPU, on the CPU."""
import sys

import pyopencl

pyopencl.device_type.GPU = pyopencl.device_type.CPU

from pyvkfft.scripts.pyvkfft_test import main  # noqa: E402

sys.exit(main())
