"""The driver's library, reached through OpenCL's own functions with ctypes."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_ulong, c_void_p

NAME = "liblanewise_opencl.so"

SUCCESS = 0
DEVICE_NAME = 0x102B
PROGRAM_BUILD_LOG = 0x1183
PROGRAM_KERNEL_NAMES = 0x1168
KERNEL_NUM_ARGS = 0x1191
KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196
KERNEL_ARG_TYPE_NAME = 0x1198
KERNEL_ARG_TYPE_QUALIFIER = 0x1199
KERNEL_ARG_NAME = 0x119A
ADDRESS_GLOBAL, ADDRESS_LOCAL, ADDRESS_CONSTANT, ADDRESS_PRIVATE = range(0x119B, 0x119F)
TYPE_CONST = 1
QUEUE_PROFILING_ENABLE = 2
PROFILING_COMMAND_START, PROFILING_COMMAND_END = 0x1282, 0x1283

# The functions that are called, each with the types of its parameters. All but the first kind return a code.
_CREATE = {
    "clCreateContext": [c_void_p, c_uint, POINTER(c_void_p), c_void_p, c_void_p, POINTER(c_int)],
    "clCreateCommandQueue": [c_void_p, c_void_p, c_ulong, POINTER(c_int)],
    "clCreateProgramWithSource": [c_void_p, c_uint, POINTER(c_char_p), POINTER(c_size_t), POINTER(c_int)],
    "clCreateProgramWithIL": [c_void_p, c_char_p, c_size_t, POINTER(c_int)],
    "clCreateKernel": [c_void_p, c_char_p, POINTER(c_int)],
}
_CALLS = {
    "clGetPlatformIDs": [c_uint, POINTER(c_void_p), POINTER(c_uint)],
    "clGetDeviceIDs": [c_void_p, c_ulong, c_uint, POINTER(c_void_p), POINTER(c_uint)],
    "clGetDeviceInfo": [c_void_p, c_uint, c_size_t, c_void_p, POINTER(c_size_t)],
    "clBuildProgram": [c_void_p, c_uint, POINTER(c_void_p), c_char_p, c_void_p, c_void_p],
    "clGetProgramInfo": [c_void_p, c_uint, c_size_t, c_void_p, POINTER(c_size_t)],
    "clGetProgramBuildInfo": [c_void_p, c_void_p, c_uint, c_size_t, c_void_p, POINTER(c_size_t)],
    "clGetKernelInfo": [c_void_p, c_uint, c_size_t, c_void_p, POINTER(c_size_t)],
    "clGetKernelArgInfo": [c_void_p, c_uint, c_uint, c_size_t, c_void_p, POINTER(c_size_t)],
    "clSetKernelArg": [c_void_p, c_uint, c_size_t, c_void_p],
    "clSetKernelArgSVMPointer": [c_void_p, c_uint, c_void_p],
    "clEnqueueNDRangeKernel": [c_void_p, c_void_p, c_uint, POINTER(c_size_t), POINTER(c_size_t), POINTER(c_size_t)]
    + [c_uint, POINTER(c_void_p), POINTER(c_void_p)],
    "clWaitForEvents": [c_uint, POINTER(c_void_p)],
    "clGetEventProfilingInfo": [c_void_p, c_uint, c_size_t, c_void_p, POINTER(c_size_t)],
    "clReleaseEvent": [c_void_p],
    "clReleaseKernel": [c_void_p],
    "clReleaseProgram": [c_void_p],
}


class Error(Exception):
    """What the driver refuses, with the reason."""


def path() -> pathlib.Path:
    """Where the driver is: the file LANEWISE_DRIVER names, or the one that came with this package."""
    own = pathlib.Path(__file__).resolve().parent.parent / "pyopencl" / ".libs" / NAME
    found = pathlib.Path(os.environ.get("LANEWISE_DRIVER") or own)
    if not found.is_file():
        raise Error(f"{found} does not exist: install the package again, or set LANEWISE_DRIVER to {NAME}")
    return found


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(path()))
    lib.clGetExtensionFunctionAddress.restype = c_void_p
    lib.clGetExtensionFunctionAddress.argtypes = [c_char_p]
    lib.clIcdGetFunctionAddressForPlatformKHR.restype = c_void_p
    lib.clIcdGetFunctionAddressForPlatformKHR.argtypes = [c_void_p, c_char_p]
    lib.clIcdGetPlatformIDsKHR.argtypes = [c_uint, POINTER(c_void_p), POINTER(c_uint)]
    return lib


class Api:
    """OpenCL's functions, as methods that raise `Error` where OpenCL returns a code."""

    def __init__(self) -> None:
        lib = library()
        platform = c_void_p()
        code = lib.clIcdGetPlatformIDsKHR(1, byref(platform), None)
        if code != SUCCESS:
            raise Error(f"the driver has no device (code {code}); LANEWISE_LOG=1 says why")

        def function(name: str, kind):
            address = lib.clIcdGetFunctionAddressForPlatformKHR(platform, name.encode())
            if not address:
                raise Error(f"{path()} has no {name}: it is the driver of another version")
            return kind(address)

        for name, types in _CREATE.items():
            setattr(self, name, self._creates(name, function(name, ctypes.CFUNCTYPE(c_void_p, *types))))
        for name, types in _CALLS.items():
            setattr(self, name, self._calls(name, function(name, ctypes.CFUNCTYPE(c_int, *types))))
        devices = c_void_p()
        self.clGetDeviceIDs(platform, 0xFFFFFFFF, 1, byref(devices), None)
        self.device = devices
        self.context = self.clCreateContext(None, 1, byref(devices), None, None)
        self.queue = self.clCreateCommandQueue(self.context, devices, QUEUE_PROFILING_ENABLE)

    @staticmethod
    def _creates(name, function):
        def call(*args):
            code = c_int()
            made = function(*args, byref(code))
            if code.value != SUCCESS:
                raise Error(f"{name} failed with code {code.value}; LANEWISE_LOG=1 says why")
            return c_void_p(made)

        return call

    @staticmethod
    def _calls(name, function):
        def call(*args):
            code = function(*args)
            if code != SUCCESS:
                raise Error(f"{name} failed with code {code}; LANEWISE_LOG=1 says why")

        return call

    def text(self, query, *args) -> str:
        """The answer of a query, as text."""
        size = c_size_t()
        query(*args, 0, None, byref(size))
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        query(*args, size.value, buffer, None)
        return buffer.value.decode("utf-8", "replace")

    def number(self, query, *args, kind=c_uint) -> int:
        """The answer of a query, as a number."""
        value = kind()
        query(*args, ctypes.sizeof(value), byref(value), None)
        return value.value


@functools.lru_cache(maxsize=None)
def _api_of(process: int) -> Api:
    return Api()


def api() -> Api:
    """One for each process: a child does not use its parent's."""
    return _api_of(os.getpid())
