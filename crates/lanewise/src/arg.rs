//! The arguments of a launch.

use crate::{Pod, Scalar};
use std::fmt;
use std::marker::PhantomData;

/// Bytes of local memory for a parameter `local T *`, which the work-items of a work-group share.
///
/// ```
/// # fn main() -> Result<(), lanewise::Error> {
/// use lanewise::{Local, NdRange, Program, args};
///
/// let source = "kernel void reverse(global int *data, local int *group) {
///     size_t l = get_local_id(0), n = get_local_size(0);
///     group[l] = data[get_global_id(0)];
///     barrier(CLK_LOCAL_MEM_FENCE);
///     data[get_global_id(0)] = group[n - 1 - l];
/// }";
/// let reverse = Program::new(source)?.kernel("reverse")?;
/// let mut data = [1, 2, 3, 4, 5, 6];
/// let range = NdRange::new([6]).local([3]);
/// // SAFETY: work-items access their own element, and those of `group` that there are.
/// unsafe { reverse.launch(range, args![&mut data, Local(3 * size_of::<i32>())]) }?;
/// assert_eq!(data, [3, 2, 1, 6, 5, 4]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local(
    /// How many bytes each work-group has.
    pub usize,
);

/// An argument of a launch; mostly made by [`args!`](crate::args!).
///
/// It holds the borrow of its slice, mutable for `&mut [T]`, and can be used for any number of
/// launches:
///
/// ```
/// # fn main() -> Result<(), lanewise::Error> {
/// # use lanewise::{Program, args};
/// let source = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }";
/// let twice = Program::new(source)?.kernel("twice")?;
/// let mut data = vec![1; 100];
/// let args = args![&mut data];
/// for _ in 0..5 {
///     // SAFETY: each work-item accesses an element of its own.
///     unsafe { twice.launch([100], args) }?;
/// }
/// assert_eq!(data, [32; 100]);
/// # Ok(())
/// # }
/// ```
pub struct Arg<'a> {
    pub(crate) value: Value,
    borrow: PhantomData<&'a mut [u8]>,
}

/// The kind and the memory of an argument.
pub(crate) enum Value {
    Bytes { bytes: Vec<u8>, of: Rust },
    Slice { start: *mut u8, bytes: usize, of: Rust, writable: bool },
    Local(usize),
}

/// A Rust type.
#[derive(Clone, Copy)]
pub(crate) struct Rust {
    pub name: fn() -> &'static str,
    pub scalar: Option<Scalar>,
    pub size: usize,
}

impl Rust {
    fn of<T: Pod>() -> Rust {
        Rust { name: std::any::type_name::<T>, scalar: T::SCALAR, size: size_of::<T>() }
    }
}

impl<'a> Arg<'a> {
    fn new(value: Value) -> Arg<'a> {
        Arg { value, borrow: PhantomData }
    }
}

/// The Rust type that was given, as errors show it: `&mut [f32]`.
impl fmt::Display for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::Bytes { of, .. } => write!(f, "a value of type {}", (of.name)()),
            Value::Slice { of, writable, .. } => {
                write!(f, "&{}[{}]", if *writable { "mut " } else { "" }, (of.name)())
            }
            Value::Local(bytes) => write!(f, "Local({bytes})"),
        }
    }
}

impl fmt::Debug for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arg({self})")
    }
}

impl<T: Pod> From<T> for Arg<'_> {
    fn from(value: T) -> Self {
        // SAFETY: `value` stays on the stack while its bytes are read, and a `Pod` has no
        // uninitialized bytes.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>()) };
        Arg::new(Value::Bytes { bytes: bytes.to_vec(), of: Rust::of::<T>() })
    }
}

impl From<Local> for Arg<'_> {
    fn from(local: Local) -> Self {
        Arg::new(Value::Local(local.0))
    }
}

impl<'a, T: Pod> From<&'a [T]> for Arg<'a> {
    fn from(slice: &'a [T]) -> Self {
        let start = slice.as_ptr().cast_mut().cast();
        Arg::new(Value::Slice { start, bytes: size_of_val(slice), of: Rust::of::<T>(), writable: false })
    }
}

impl<'a, T: Pod> From<&'a mut [T]> for Arg<'a> {
    fn from(slice: &'a mut [T]) -> Self {
        let start = slice.as_mut_ptr().cast();
        Arg::new(Value::Slice { start, bytes: size_of_val(slice), of: Rust::of::<T>(), writable: true })
    }
}

impl<'a, T: Pod> From<&'a Vec<T>> for Arg<'a> {
    fn from(vec: &'a Vec<T>) -> Self {
        Arg::from(vec.as_slice())
    }
}

impl<'a, T: Pod> From<&'a mut Vec<T>> for Arg<'a> {
    fn from(vec: &'a mut Vec<T>) -> Self {
        Arg::from(vec.as_mut_slice())
    }
}

impl<'a, T: Pod, const N: usize> From<&'a [T; N]> for Arg<'a> {
    fn from(array: &'a [T; N]) -> Self {
        Arg::from(array.as_slice())
    }
}

impl<'a, T: Pod, const N: usize> From<&'a mut [T; N]> for Arg<'a> {
    fn from(array: &'a mut [T; N]) -> Self {
        Arg::from(array.as_mut_slice())
    }
}
