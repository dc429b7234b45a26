//! The OpenCL 3.0 driver: `liblanewise_opencl.so`, which programs reach through the ICD loader.
//!
//! `dispatch` is what the loader finds, `api` are the entry points, which check arguments in the order of the specification,
//! and `objects` is what stands behind the handles (`handle`). `build` turns programs into code, `cache` remembers that.

pub mod api;
mod background;
mod binary;
mod build;
mod cache;
pub mod cl;
pub mod dispatch;
mod exit;
pub mod ffi;
mod handle;
#[doc(hidden)]
pub mod hash;
mod il;
mod includes;
mod objects;
