//! Rust types that kernels can be given.

use std::fmt;

/// A scalar type of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the type of this name")]
pub enum Scalar {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

use Scalar::*;

/// The scalar types with their names in OpenCL C and Rust. Stable Rust has no half: its bits are a
/// `u16`.
const NAMES: [(Scalar, &str, &str); 11] = [
    (Char, "char", "i8"),
    (UChar, "uchar", "u8"),
    (Short, "short", "i16"),
    (UShort, "ushort", "u16"),
    (Int, "int", "i32"),
    (UInt, "uint", "u32"),
    (Long, "long", "i64"),
    (ULong, "ulong", "u64"),
    (Half, "half", "u16"),
    (Float, "float", "f32"),
    (Double, "double", "f64"),
];

impl Scalar {
    /// The size in bytes.
    pub const fn size(self) -> usize {
        match self {
            Char | UChar => 1,
            Short | UShort | Half => 2,
            Int | UInt | Float => 4,
            Long | ULong | Double => 8,
        }
    }

    /// The type of this name in OpenCL C, or as clang writes it.
    pub(crate) fn named(name: &str) -> Option<Scalar> {
        let name = match name {
            "unsigned char" | "bool" => "uchar",
            "unsigned short" => "ushort",
            "unsigned int" | "unsigned" => "uint",
            "unsigned long" => "ulong",
            other => other,
        };
        NAMES.iter().find(|(_, opencl, _)| *opencl == name).map(|(scalar, _, _)| *scalar)
    }

    fn names(self) -> (&'static str, &'static str) {
        let found = NAMES.iter().find(|(scalar, _, _)| *scalar == self);
        found.map_or(("", ""), |&(_, opencl, rust)| (opencl, rust))
    }

    pub(crate) fn rust_name(self) -> &'static str {
        self.names().1
    }

    /// The signed type of the same size, for an integer.
    pub(crate) fn signed(self) -> Scalar {
        match self {
            UChar => Char,
            UShort => Short,
            UInt => Int,
            ULong => Long,
            other => other,
        }
    }
}

/// The name in OpenCL C: `uint`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().0)
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
