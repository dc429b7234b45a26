//! The in-tree target: code generation for this CPU, the ELF binary and its notes, the loader.
//!
//! [`compilers`] lists it for the compiler API. A kernel's way here: `late.rs` runs the late passes and makes an ELF object,
//! `notes.rs` says what is in it, `loader.rs` brings it into memory, and the driver calls it as `abi.rs` says.

pub mod abi;
mod add_entry_hook;
mod add_metadata;
mod builtin_info;
pub mod cpu;
mod fix_calling_conventions;
mod info;
mod kernel;
mod late;
mod loaded;
mod loader;
mod local_atomics;
mod mark_group_agnostic;
mod mark_steering_arguments;
mod notes;
mod optimize_kernels;
mod printf;
mod seal;
mod specialized;
mod support;
mod target;
mod variables;

pub use info::{MAX_WORK_GROUP_SIZE, compilers, host_info};
pub use ir::attributes::SMALL_RANGE_END;
pub use kernel::{Choice, CodeCache, HostKernel, Order, set_code_cache};
pub use late::{Code, Lowered, lower};
pub use loaded::{ArgFact, ArgKind, KernelFacts, LoadedKernel};
pub use loader::load;
pub use notes::describe;
pub use printf::flush_printf;
pub use seal::seal;
pub use specialized::{Timing, Value};
pub use target::{HostTarget, stage_of};
