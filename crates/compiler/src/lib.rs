//! The compiler API of the specification (`mux-compiler-spec`) as Rust traits and types.
//!
//! A target describes itself with an [`Info`] and implements [`Target`]: the steps of a compilation that are its own. What is
//! common to all targets is in [`Module`]: front ends, linking, bringing kernels into canonical form (`pipeline.rs`). A
//! [`Kernel`] is one kernel of a finalized module, for which machine code is made when its first NDRange is known.

#![forbid(unsafe_code)]

mod context;
mod error;
mod info;
mod kernel;
mod module;
mod ndrange;
pub mod pipeline;
mod program_info;
mod serial;
mod target;
mod unsupported;

pub use clc::{DeviceSetting, Header, Options, Profile, VecMode, Wfv};
pub use context::{Context, ContextGuard};
pub use error::{Error, Result};
pub use info::{
    AddCompiler, BuiltinCapabilities, CompilationOption, DeviceInfo, Info, parse_compilation_options,
};
pub use kernel::{Descriptor, Kernel, NdRangeOptions, check_local_size};
pub use module::{Finalized, Module, State};
pub use ndrange::NdRange;
pub use program_info::{
    ArgKind, KernelArg, KernelInfo, PrintfDescriptor, ProgramInfo, global_variables, vec_type_hint,
};
pub use serial::{Reader, Writer, checksum};
pub use spirv::{
    DeviceInfo as SpirvDeviceInfo, SpecializableConstant, SpecializableConstants, SpecializationInfo,
};
pub use target::{NotifyCallback, PassMachinery, Target};

/// The builtin library for a device with every optional type, for [`Target::init_with_builtins`].
pub const BUILTIN_LIBRARY: passes::Library = builtins::link;

/// The builtin library for a device with these capabilities, for [`Target::init_with_builtins`].
pub fn builtin_library(capabilities: BuiltinCapabilities) -> passes::Library {
    builtins::library(capabilities.fp16, capabilities.fp64)
}
