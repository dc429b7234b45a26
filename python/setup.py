"""Puts the driver into the wheel, where PyOpenCL's own loader looks for drivers, and names the glibc it needs.

LANEWISE_DRIVER is the driver to pack: `make package` builds it and sets this.
"""

import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
DRIVER = "liblanewise_opencl.so"


def version():
    """The workspace's version: there is no other place for it."""
    manifest = (HERE.parent / "Cargo.toml").read_text()
    return re.search(r'^version = "(.*)"', manifest, re.MULTILINE)[1]


def driver():
    path = os.environ.get("LANEWISE_DRIVER")
    if not path:
        raise SystemExit("set LANEWISE_DRIVER to the driver that the wheel is to hold, or call `make package`")
    return pathlib.Path(path)


def glibc():
    """The newest version of glibc that the driver asks for."""
    text = subprocess.run(["readelf", "--version-info", driver()], capture_output=True, text=True, check=True).stdout
    return max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", text))


class BuildWithDriver(build_py):
    def run(self):
        super().run()
        folder = pathlib.Path(self.build_lib) / "pyopencl" / ".libs"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(driver(), folder / DRIVER)
        # The loader finds a bare name beside itself.
        (folder / "lanewise.icd").write_text(DRIVER + "\n")


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        major, minor = glibc()
        return "py3", "none", f"manylinux_{major}_{minor}_{os.uname().machine}"


setup(version=version(), cmdclass={"build_py": BuildWithDriver, "bdist_wheel": Wheel})
