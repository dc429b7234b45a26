//! The OpenCL C front end: build options and source in, a module or good diagnostics out.
//!
//! Clang runs in process and sees only memory, but for the directories of `-I`: its OpenCL header
//! is embedded here. The module is for `spir64-unknown-unknown`, or `spir-unknown-unknown` for
//! 32-bit addresses, not optimised, and ready to be (no `optnone`).
#![forbid(unsafe_code)]

mod compile;
mod device;
mod features;
mod options;
mod words;

pub use compile::{Header, NO_THREAD, Output, Profile, UNNAMED, compile, events_as_pointers};
pub use device::Device;
pub use features::{Capability, Kind, TABLE, extensions, features, float_atomics};
pub use llvm::{Found, Lookup};
pub use options::{
    CHECKS, Define, DeviceOption, DeviceSetting, OptionError, Options, Standard, VecMode, Wfv,
};
