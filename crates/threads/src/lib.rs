//! A second device, as small as one can be that still runs everything: each work-item is a thread.
//!
//! It shows what a device is free to decide, and that the compiler, the passes, the runtime and the
//! OpenCL driver know nothing of the CPU: its scheduling parameter is one pointer to what a thread
//! knows (`builtins.rs`), its barriers and its operations over a work-group are real ones between
//! threads, there are no work-item loops and no vectors, its late stage ends with a pass of its own
//! (`ExportKernels`), and its `device.rs` starts the threads. `LANEWISE_DEVICES=threads` has
//! programs run on it. Kernels that race with themselves are more likely to show it here.
//! `docs/new-target.md` builds such a device step by step.

mod backend;
mod builtins;
mod device;
mod export_kernels;

pub use backend::{compilers, threads_info};
pub use builtins::{BARRIER, ThreadBuiltins};
pub use device::device;
pub use export_kernels::ExportKernels;
