//! Rust types that kernels can be given.

pub use compiler::Scalar;
use compiler::Scalar::*;

/// The Rust type of a scalar. Stable Rust has no half: its bits are a `u16`.
pub(crate) fn rust_name(scalar: Scalar) -> &'static str {
    match scalar {
        Char => "i8",
        UChar => "u8",
        Short => "i16",
        UShort | Half => "u16",
        Int => "i32",
        UInt => "u32",
        Long => "i64",
        ULong => "u64",
        Float => "f32",
        Double => "f64",
    }
}

/// Plain data that kernels read and write: a value, or an element of a slice.
///
/// | OpenCL C | Rust |
/// | --- | --- |
/// | `char` `short` `int` `long` | `i8` `i16` `i32` `i64` |
/// | `uchar` `ushort` `uint` `ulong` | `u8` `u16` `u32` `u64` |
/// | `float` `double` | `f32` `f64` |
/// | `half` | `u16`, its bits |
/// | `float4` as a value | `[f32; 4]` |
/// | `float3` as a value | `[f32; 3]`, or `[f32; 4]` of which the last is ignored |
/// | `float4 *` | a slice of `[f32; 4]`, `[f32; 2]` or `f32`, aligned to 16 bytes |
/// | `float3 *` | as `float4 *`: in memory, vectors of three take the place of four |
/// | `struct S` | a `#[repr(C)]` structure of yours, with the same fields |
///
/// A structure of the program's becomes one of the kernel's by an implementation without content:
///
/// ```
/// use lanewise::{Pod, Program, args};
///
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 2],
///     mass: f32,
/// }
/// // SAFETY: three floats without padding, any of which may have any bits.
/// unsafe impl Pod for Particle {}
///
/// # fn main() -> Result<(), lanewise::Error> {
/// let source = "struct particle { float x, y, mass; };
///     kernel void fall(global struct particle *all, float time) { all[get_global_id(0)].y -= time; }";
/// let fall = Program::new(source)?.kernel("fall")?;
/// let mut all = [Particle { position: [0.0, 10.0], mass: 1.0 }; 100];
/// // SAFETY: each work-item accesses a particle of its own.
/// unsafe { fall.launch([all.len()], args![&mut all, 3.0f32]) }?;
/// assert!(all.iter().all(|particle| particle.position == [0.0, 7.0]));
/// # Ok(())
/// # }
/// ```
///
/// A type that is nothing but numbers of one kind can say so, and then passes for vectors of them.
/// This one is always aligned as `float8 *` has to be:
///
/// ```
/// #[derive(Clone, Copy)]
/// #[repr(C, align(32))]
/// struct Float8([f32; 8]);
///
/// // SAFETY: eight floats, any of which may have any bits.
/// unsafe impl lanewise::Pod for Float8 {
///     const SCALAR: Option<lanewise::Scalar> = Some(lanewise::Scalar::Float);
/// }
/// ```
///
/// # Safety
///
/// Kernels read all bytes of such values, and write any bytes to them. So the type has no padding
/// and no bytes that may be uninitialized, every pattern of bits is a valid value, and it has
/// neither pointers that Rust code follows nor interior mutability. This is what `bytemuck::Pod`
/// asks for. What [`Pod::SCALAR`] says is true.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given to a kernel",
    note = "kernels take i8 to i64, u8 to u64, f32, f64, arrays of them, and what implements `lanewise::Pod`"
)]
pub unsafe trait Pod: Copy + 'static {
    /// The scalars that the type consists of, if they are all of one kind: `Some(Scalar::Float)`
    /// for `f32` and `[f32; 4]`. `None` for structures.
    const SCALAR: Option<Scalar> = None;
}

macro_rules! scalars {
    ($($rust:ty => $opencl:ident),*) => {$(
        // SAFETY: a number has no padding, and every bit pattern is valid.
        unsafe impl Pod for $rust {
            const SCALAR: Option<Scalar> = Some($opencl);
        }
    )*};
}

scalars!(i8 => Char, i16 => Short, i32 => Int, i64 => Long);
scalars!(u8 => UChar, u16 => UShort, u32 => UInt, u64 => ULong);
scalars!(f32 => Float, f64 => Double);

// SAFETY: an array has no bytes but those of its elements.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {
    const SCALAR: Option<Scalar> = T::SCALAR;
}
