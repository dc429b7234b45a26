//! Runs kernels through the whole compiler and compares what they leave behind with a plain
//! reference.

#![deny(unsafe_code)]

mod capture;
pub mod emulation;
mod mistakes;
pub mod offline;
pub mod pictures;
mod random;
mod run;
pub mod spirv;
mod widths;

/// Why a kernel was not built or run. Tests print it, and nothing looks into it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

pub use mistakes::check_mistake;
pub use random::{Difference, Plan, QueueKind, Totals, check, check_emulated, check_module, report};
pub use run::{Program, buffer, contents, device, module, on_cpu, run, run_code, understands};
pub use widths::{Width, run_at};
