//! The compiler API of the specification (`mux-compiler-spec`) as Rust traits and types.
//!
//! An [`Info`] describes a compiler: its device and its [`Backend`], which describes the machine. A
//! [`Target`] is an instance of a compiler, and makes [`Module`]s: front ends, linking, bringing
//! kernels into canonical form (`pipeline.rs`). A [`Kernel`] is one kernel of a finalized module,
//! for which machine code is generated when its first NDRange is known. Machine code is generated
//! in `codegen.rs`; the notes about the kernels in a binary are written and read in
//! `add_metadata.rs` and `notes.rs`.

#![forbid(unsafe_code)]

mod add_metadata;
mod address_spaces;
mod backend;
mod codegen;
mod context;
mod error;
mod facts;
mod image;
mod info;
mod kernel;
mod module;
mod ndrange;
mod notes;
mod outlook;
pub mod pipeline;
mod program_info;
mod scalar;
mod seal;
mod serial;
mod target;
mod tiers;
mod unsupported;
mod variables;

pub use add_metadata::{AddMetadata, MetadataHandler, register_add_metadata};
pub use address_spaces::AddressSpaces;
pub use backend::{Backend, Machine, PassMachinery, QUICK_OPTION, default_builtins};
pub use clc::{DeviceSetting, Found, Header, Lookup, Options, Profile, Standard, VecMode, Wfv};
pub use codegen::{Lowered, Output, lower};
pub use context::{Context, ContextGuard};
pub use error::{Error, Result};
pub use facts::{ArgFact, ArgKind, GROUP_MEMORY_ALIGN, KernelFacts};
pub use image::{Access, ImageArg, ImageKind};
pub use info::{
    AddCompiler, BuiltinCapabilities, CompilationOption, DeviceInfo, Info, opencl_version,
    parse_compilation_options,
};
pub use ir::Width;
pub use ir::attributes::SMALL_RANGE_END;
pub use ir::check::Checks;
pub use kernel::{Descriptor, Kernel, NdRangeOptions, Specialization};
pub use module::{Finalized, Module, State};
pub use ndrange::NdRange;
pub use notes::{NotedKernel, Notes, describe};
pub use outlook::Outlook;
pub use program_info::{KernelArg, KernelInfo, PrintfDescriptor, ProgramInfo};
pub use scalar::Scalar;
pub use seal::{open as open_seal, seal};
pub use serial::{Reader, Writer, checksum};
pub use spirv::{
    DeviceInfo as SpirvDeviceInfo, ModuleInfo as SpirvModuleInfo, SpecializableConstant,
    SpecializableConstants, SpecializationInfo,
};
pub use target::{NotifyCallback, Target};
pub use tiers::Tier;
pub use variables::SplitProgram;

/// The builtin library for a device with every optional type, for [`Target::init_with_builtins`].
pub const BUILTIN_LIBRARY: passes::Library = builtins::link;

/// The builtin library for a device with these capabilities, for [`Target::init_with_builtins`].
pub fn builtin_library(capabilities: BuiltinCapabilities) -> passes::Library {
    builtins::library(capabilities.fp16, capabilities.fp64)
}
