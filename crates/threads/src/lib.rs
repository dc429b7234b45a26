//! A second target, as small as one can be that still runs everything: each work-item is a thread of whoever drives it.
//!
//! It shows what a target is free to decide, and that the compiler, the passes and the vectorizer know nothing of the host: its
//! scheduling parameter is one pointer to what a thread knows (`builtins.rs`), its barriers and its operations over a work-group are
//! real ones between threads, there are no work-item loops and no vectors, and its late passes end with one of its own
//! (`ExportKernels`). `docs/new-target.md` builds such a target step by step. The driver is a C program in the tests.
#![forbid(unsafe_code)]

mod builtins;
mod export_kernels;
mod target;

pub use builtins::{BARRIER, ThreadBuiltins};
pub use export_kernels::ExportKernels;
pub use target::{ThreadsTarget, threads_info};
