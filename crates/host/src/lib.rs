//! This machine's CPU: the backend that makes code for it, and the device that runs it.
//!
//! `info.rs` describes the compiler and `backend.rs` the machine, with a late stage whose passes
//! have a file each. The entry hooks that the late stage makes keep to `abi.rs`; `device.rs` loads
//! and calls them.

pub mod abi;
mod add_entry_hook;
mod backend;
mod blend_in_branches;
mod builtin_info;
mod classify_floats;
mod count_work;
pub mod cpu;
mod device;
mod fix_calling_conventions;
mod info;
mod inline_private_memory;
mod local_atomics;
mod mark_group_agnostic;
mod mark_steering_arguments;
mod optimize_kernels;
mod scratch;
mod shorten_chains;

pub use builtin_info::MathInstructions;
pub use device::{device, entry_hook};
pub use info::{compilers, host_info};
pub use optimize_kernels::{OptimizeKernels, register as register_optimize_kernels};
