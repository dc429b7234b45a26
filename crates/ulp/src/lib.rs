//! Measures the mathematical functions of the library, as kernels call them, against MPFR.

#![forbid(unsafe_code)]

mod dd;
mod estimate;
mod functions;
mod kernel;
mod measure;
mod relaxed;
pub mod report;
mod sample;
mod special;
mod sweep;
mod value;

pub use functions::{Form, Function, Unit, functions};
pub use measure::{Plan, Worst, measure};
pub use relaxed::relaxed_functions;
pub use value::Type;
