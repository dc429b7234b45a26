//! The OpenCL 3.1 driver: `liblanewise_opencl.so`, which programs reach through the ICD loader.
//!
//! `dispatch` has the symbols that the loader finds, `api` are the entry points, which check
//! arguments in the order of the specification, and `objects` are the objects behind the handles
//! (`handle`). `build` builds programs, `cache` keeps the results on disk. Which devices there are
//! is listed in `devices`, and which code runs a launch is decided in `jit`.

pub mod api;
mod binary;
mod build;
mod cache;
pub mod cl;
mod complaint;
pub mod dispatch;
pub mod ffi;
mod handle;
mod il;
mod objects;
mod reserve;
