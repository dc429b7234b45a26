//! The compiler API of the specification (`mux-compiler-spec`) as Rust traits and types.
#![forbid(unsafe_code)]

mod ndrange;

pub use ndrange::NdRange;
