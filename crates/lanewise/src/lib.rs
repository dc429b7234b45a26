//! Runs OpenCL C and SPIR-V kernels on the CPU: on all cores, with one work-item in each vector
//! lane, over the slices of a Rust program, without copies.
//!
//! ```
//! use lanewise::{Program, args};
//!
//! # fn main() -> Result<(), lanewise::Error> {
//! let source = "kernel void saxpy(float a, global const float *x, global float *y) {
//!     size_t i = get_global_id(0);
//!     y[i] += a * x[i];
//! }";
//! let saxpy = Program::new(source)?.kernel("saxpy")?;
//! let (x, mut y) = (vec![1.0f32; 1000], vec![2.0f32; 1000]);
//! // SAFETY: work-item i accesses x[i] and y[i], and no other does.
//! unsafe { saxpy.launch([1000], args![3.0f32, &x, &mut y]) }?;
//! assert_eq!(y, [5.0; 1000]);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Program`] is built from source or SPIR-V for a [`Device`]. Its [`Kernel`]s are launched over
//! an [`NdRange`] with [arguments](args!): values, slices and [local memory](Local). A launch
//! returns when the kernel has run, so that borrows last as long as the kernel needs them and no
//! longer.
//!
//! # What is checked, and what is not
//!
//! Before anything runs, a launch compares the arguments with the kernel's parameters: their
//! number, the types of values and elements, the size of structures, lengths that are no multiple
//! of the element, alignment, and whether a slice that is borrowed shared goes to a parameter that
//! only reads. The range is checked against the kernel and the device. Whatever is wrong is an
//! [`Error`] that says which argument, what was expected and what was given.
//!
//! A kernel is like a C function, though: its indices are not checked. This is why
//! [`Kernel::launch`] is `unsafe`, and its documentation says what the caller promises.
//!
//! # When code is made
//!
//! Building a program runs the front end. Machine code for this CPU is made at a kernel's first
//! launch, for its local size and number of dimensions, and is kept in memory and on disk. Code for
//! argument values that steer loops is made in the background if that pays. The environment
//! variables of Lanewise (`LANEWISE_CACHE`, `LANEWISE_CACHE_DIR`, `LANEWISE_SPECIALIZE`,
//! `LANEWISE_THREADS`) apply.

#![deny(missing_docs)]

mod arg;
mod context;
mod device;
mod error;
mod kernel;
mod param;
mod pod;
mod program;
mod range;

pub use arg::{Arg, Local};
pub use context::Context;
pub use device::{Device, devices};
pub use error::{Error, Result};
pub use kernel::{Kernel, Launched, Remark};
pub use param::Param;
pub use pod::{Pod, Scalar};
pub use program::{Builder, Program};
pub use range::NdRange;

/// The arguments of a launch, as [`Kernel::launch`] takes them: a reference to an array of [`Arg`].
///
/// Each may be a [value](Pod), a slice, vector or array by reference, [`Local`] memory, or an
/// [`Arg`].
///
/// ```
/// let (input, mut output) = (vec![1u32, 2, 3], [0u32; 3]);
/// let args = lanewise::args![&input, &mut output, 7u32, [0.5f32, 1.5], lanewise::Local(256)];
/// assert_eq!(args.len(), 5);
/// ```
#[macro_export]
macro_rules! args {
    ($($argument:expr),* $(,)?) => {
        &[$($crate::Arg::from($argument)),*] as &[$crate::Arg<'_>]
    };
}
