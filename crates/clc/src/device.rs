//! The device a program is compiled for, as far as the language depends on it.

use crate::Standard;

/// The optional capabilities of a device that OpenCL C depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Its version of OpenCL, 3.0 or newer: the newest of OpenCL C that programs can ask for.
    pub version: Standard,
    /// The size of pointers and `size_t`: 32 or 64.
    pub address_bits: u32,
    /// Arithmetic of `half` (`cl_khr_fp16`). `vload_half` and its like need none.
    pub half: bool,
    /// The type `double` (`cl_khr_fp64`).
    pub double: bool,
    /// Atomic operations on 64-bit integers (`cl_khr_int64_*_atomics`).
    pub int64_atomics: bool,
    /// Sub-groups (`cl_khr_subgroups` and all that builds on them).
    pub sub_groups: bool,
    /// Images and samplers.
    pub images: bool,
}

impl Device {
    /// 64-bit addresses and everything that is optional.
    pub const FULL: Device = Device {
        version: Standard::Cl31,
        address_bits: 64,
        half: true,
        double: true,
        int64_atomics: true,
        sub_groups: true,
        images: true,
    };

    /// The triple clang compiles for.
    pub fn triple(&self) -> &'static str {
        if self.address_bits == 32 { "spir-unknown-unknown" } else { "spir64-unknown-unknown" }
    }
}

impl Default for Device {
    fn default() -> Self {
        Device::FULL
    }
}
