"""Programs and kernels over NumPy arrays: all of the package that needs NumPy."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _driver
from ._driver import Error

Size = Union[int, Sequence[int]]

_SCALARS = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32, "double": np.float64,
    "bool": np.uint8, "size_t": np.uint64, "ptrdiff_t": np.int64,
    "unsigned char": np.uint8, "unsigned short": np.uint16, "unsigned int": np.uint32, "unsigned long": np.uint64,
}  # fmt: skip
_WIDTHS = (2, 3, 4, 8, 16)


class Local(NamedTuple):
    """Local memory as an argument: so many bytes for each work-group."""

    size: int


class Parameter(NamedTuple):
    """A parameter of a kernel."""

    name: str
    #: As the source has it: "float*", "uint4".
    type_name: str
    #: "global", "constant", "local" or "private" (a value).
    space: str
    #: Whether the kernel only reads what it points to.
    is_const: bool

    @property
    def element(self) -> Optional[tuple[np.dtype, int]]:
        """The type of a number and how many make an element; None for structures and types of the program's own."""
        name = self.type_name.rstrip("* ").strip()
        for width in _WIDTHS:
            base = name[: -len(str(width))]
            if name.endswith(str(width)) and base in _SCALARS:
                return np.dtype(_SCALARS[base]), width
        return (np.dtype(_SCALARS[name]), 1) if name in _SCALARS else None


def driver_path() -> str:
    """The file of the OpenCL driver, for loaders that want to be told."""
    return str(_driver.path())


def device_name() -> str:
    """The name of the device that kernels run on."""
    api = _driver.api()
    return api.text(api.clGetDeviceInfo, api.device, _driver.DEVICE_NAME)


def compile(source: Union[str, bytes], options: str = "") -> Program:
    """Compiles OpenCL C, or SPIR-V if it is given as bytes. What the compiler finds wrong is the `Error`'s text."""
    return Program(source, options)


class Program:
    """Compiled kernels: attributes of their names."""

    def __init__(self, source: Union[str, bytes], options: str = "") -> None:
        self._api = api = _driver.api()
        self.source, self.options = source, options
        if isinstance(source, str):
            text = source.encode()
            self._handle = api.clCreateProgramWithSource(
                api.context, 1, ctypes.byref(ctypes.c_char_p(text)), ctypes.byref(ctypes.c_size_t(len(text)))
            )
        else:
            self._handle = api.clCreateProgramWithIL(api.context, source, len(source))
        try:
            api.clBuildProgram(self._handle, 1, ctypes.byref(api.device), options.encode(), None, None)
        except Error as error:
            raise Error(self.log.strip() or str(error)) from None
        names = api.text(api.clGetProgramInfo, self._handle, _driver.PROGRAM_KERNEL_NAMES)
        #: The names of the kernels.
        self.kernel_names = [name for name in names.split(";") if name]
        self._kernels: dict[str, Kernel] = {}

    @property
    def log(self) -> str:
        """What the compiler said: warnings, and errors where it failed."""
        api = self._api
        return api.text(api.clGetProgramBuildInfo, self._handle, api.device, _driver.PROGRAM_BUILD_LOG)

    def kernel(self, name: str) -> Kernel:
        """The kernel of this name."""
        if name not in self.kernel_names:
            raise Error(f"there is no kernel {name!r}; there are: {', '.join(self.kernel_names) or 'none'}")
        if name not in self._kernels:
            self._kernels[name] = Kernel(self, name)
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.kernel(name)
        except Error as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.kernel_names]

    def remarks(self, kernel: Optional[str] = None) -> str:
        """What the vectorizer made of each line."""
        return self._compiled("asm", kernel, "--remarks")[1]

    def assembly(self, kernel: Optional[str] = None) -> str:
        """The machine code for ranges of any size, as text."""
        return self._compiled("asm", kernel)[0]

    def ir(self, kernel: Optional[str] = None) -> str:
        """LLVM IR after all passes."""
        return self._compiled("ll", kernel)[0]

    def _compiled(self, kind: str, kernel: Optional[str], *more: str) -> tuple[str, str]:
        """The file that `lanewise compile` writes, and what it says."""
        is_text = isinstance(self.source, str)
        with tempfile.TemporaryDirectory() as folder:
            source, result = os.path.join(folder, "kernel.cl" if is_text else "kernel.spv"), os.path.join(folder, "out")
            with open(source, "wb") as file:
                file.write(self.source.encode() if is_text else self.source)
            words = ["compile", source, "-o", result, "--emit", kind, "--options", self.options, *more]
            words += ["-k", kernel] if kernel else []
            done = subprocess.run([sys.executable, "-m", "lanewise", *words], capture_output=True, text=True)
            if done.returncode != 0:
                raise Error(done.stderr.strip())
            with open(result) as file:
                return file.read(), (done.stdout + done.stderr).replace(folder + os.sep, "")

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and self._api is _driver.api():
            self._api.clReleaseProgram(self._handle)


class Kernel:
    """A kernel, called with its arguments: arrays and numbers."""

    def __init__(self, program: Program, name: str) -> None:
        self.program, self.name = program, name
        self._api = api = program._api
        self._handle = api.clCreateKernel(program._handle, name.encode())
        count = api.number(api.clGetKernelInfo, self._handle, _driver.KERNEL_NUM_ARGS)
        #: The parameters.
        self.parameters = [self._parameter(i) for i in range(count)]

    def _parameter(self, index: int) -> Parameter:
        api, query = self._api, self._api.clGetKernelArgInfo
        space = api.number(query, self._handle, index, _driver.KERNEL_ARG_ADDRESS_QUALIFIER)
        spaces = {_driver.ADDRESS_GLOBAL: "global", _driver.ADDRESS_CONSTANT: "constant", _driver.ADDRESS_LOCAL: "local"}
        qualifiers = api.number(query, self._handle, index, _driver.KERNEL_ARG_TYPE_QUALIFIER, kind=ctypes.c_ulong)
        return Parameter(
            api.text(query, self._handle, index, _driver.KERNEL_ARG_NAME),
            api.text(query, self._handle, index, _driver.KERNEL_ARG_TYPE_NAME),
            spaces.get(space, "private"),
            bool(qualifiers & _driver.TYPE_CONST),
        )

    def __repr__(self) -> str:
        words = (" ".join(filter(None, (p.space.replace("private", ""), p.type_name, p.name))) for p in self.parameters)
        return f"<kernel {self.name}({', '.join(words)})>"

    def __call__(
        self,
        *args: Any,
        global_size: Size,
        local_size: Optional[Size] = None,
        global_offset: Optional[Size] = None,
    ) -> float:
        """Runs the kernel and waits for it. Arrays are used where they are. Gives the seconds it took."""
        if len(args) != len(self.parameters):
            raise TypeError(f"{self!r} takes {len(self.parameters)} arguments, {len(args)} were given")
        api = self._api
        # Until the kernel has run.
        kept = [self._set(index, arg) for index, arg in enumerate(args)]
        sizes = [_size("global_size", global_size), _size("local_size", local_size), _size("global_offset", global_offset)]
        if any(size is not None and len(size) != len(sizes[0]) for size in sizes):
            raise ValueError("global_size, local_size and global_offset have different numbers of dimensions")
        event = ctypes.c_void_p()
        api.clEnqueueNDRangeKernel(
            api.queue, self._handle, len(sizes[0]), sizes[2], sizes[0], sizes[1], 0, None, ctypes.byref(event)
        )
        try:
            api.clWaitForEvents(1, ctypes.byref(event))
            times = [
                api.number(api.clGetEventProfilingInfo, event, what, kind=ctypes.c_ulong)
                for what in (_driver.PROFILING_COMMAND_START, _driver.PROFILING_COMMAND_END)
            ]
        finally:
            api.clReleaseEvent(event)
        del kept
        return (times[1] - times[0]) * 1e-9

    def _set(self, index: int, arg: Any) -> Any:
        api, parameter = self._api, self.parameters[index]
        where = f"argument {index} ({parameter.type_name} {parameter.name}) of {self.name}"
        if parameter.space == "local":
            if not isinstance(arg, Local):
                raise TypeError(f"{where} should be lanewise.Local(bytes)")
            api.clSetKernelArg(self._handle, index, arg.size, None)
            return None
        if parameter.space in ("global", "constant"):
            if arg is None:
                api.clSetKernelArgSVMPointer(self._handle, index, None)
                return None
            array = _array(where, arg, parameter)
            api.clSetKernelArgSVMPointer(self._handle, index, array.ctypes.data)
            return array
        value = _value(where, arg, parameter)
        try:
            api.clSetKernelArg(self._handle, index, len(value), value)
        except Error:
            raise TypeError(f"{where} does not take {len(value)} bytes") from None
        return None

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and self._api is _driver.api():
            self._api.clReleaseKernel(self._handle)


def _array(where: str, arg: Any, parameter: Parameter) -> np.ndarray:
    if not isinstance(arg, np.ndarray):
        raise TypeError(f"{where} should be a NumPy array, not {type(arg).__name__}")
    if not arg.flags.c_contiguous:
        raise ValueError(f"{where}: the array is not contiguous; numpy.ascontiguousarray makes a copy that is")
    if not arg.flags.writeable and not parameter.is_const and parameter.space == "global":
        raise ValueError(f"{where}: the array is read-only, and the parameter is not const")
    element = parameter.element
    if element is not None and arg.dtype != element[0] and arg.dtype.kind != "V":
        raise TypeError(f"{where}: the array is of {arg.dtype}, not {element[0]}")
    if element is not None and arg.size % element[1] and element[1] != 3:
        raise ValueError(f"{where}: {arg.size} numbers are no whole number of elements")
    return arg


def _value(where: str, arg: Any, parameter: Parameter) -> bytes:
    element = parameter.element
    if isinstance(arg, bytes):
        return arg
    if element is None:
        if isinstance(arg, (np.void, np.ndarray)):
            return arg.tobytes()
        raise TypeError(f"{where} should be bytes or a structured NumPy scalar, not {type(arg).__name__}")
    dtype, width = element
    try:
        numbers = np.asarray(arg)
        if dtype.kind in "iu" and numbers.dtype.kind not in "iub":
            raise TypeError(f"{where} should be a whole number, not {arg!r}")
        if dtype.kind in "iu" and numbers.size:
            limits = np.iinfo(dtype)
            if int(numbers.min()) < limits.min or int(numbers.max()) > limits.max:
                raise OverflowError(f"{where}: {arg!r} does not fit {dtype}")
        numbers = numbers.astype(dtype)
    except ValueError:
        raise TypeError(f"{where} should be a number, not {arg!r}") from None
    if numbers.size not in (1, width):
        raise TypeError(f"{where} takes {width} numbers, not {numbers.size}")
    numbers = np.broadcast_to(numbers.reshape(-1), width)
    # Vectors of three have the size of four.
    return np.concatenate([numbers, numbers[:1]]).tobytes() if width == 3 else numbers.tobytes()


def _size(what: str, size: Optional[Size]):
    if size is None:
        return None
    numbers = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
    if not 1 <= len(numbers) <= 3 or any(int(n) < 0 for n in numbers):
        raise ValueError(f"{what} should be one to three sizes, not {size!r}")
    return (ctypes.c_size_t * len(numbers))(*map(int, numbers))
