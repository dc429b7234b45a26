//! The foreign-function interface to C: pointers in OpenCL's calls, error codes, answers to
//! queries.
//!
//! OpenCL's contract says which memory a pointer of an argument refers to. A program's call through
//! the API is its promise to keep that contract; in Rust, the promise is made where one of the
//! pointer types here is made from a raw pointer. Handles need no promise: they are checked
//! (`handle.rs`).

use crate::cl::*;
use crate::reserve::{NoRoom, room_for};
use crate::{complaint, reserve};
use runtime::Inside;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An OpenCL error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCode(pub cl_int);

pub type Res<T> = Result<T, ErrorCode>;

/// `Err` with this code.
pub fn err<T>(code: cl_int) -> Res<T> {
    Err(ErrorCode(code))
}

/// The code, with the reason in words.
pub fn because(code: cl_int, why: impl FnOnce() -> String) -> ErrorCode {
    complaint::note(why);
    ErrorCode(code)
}

/// The error `code` unless `good`, with the reason in words.
#[inline]
pub fn ensure_or(good: bool, code: cl_int, why: impl FnOnce() -> String) -> Res<()> {
    if good { Ok(()) } else { Err(because(code, why)) }
}

/// The error `code` unless `good`.
#[inline]
pub fn ensure(good: bool, code: cl_int) -> Res<()> {
    if good { Ok(()) } else { err(code) }
}

/// A pointer to values that a call reads.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T: Copy> In<T> {
    pub const NULL: In<T> = In(std::ptr::null());

    /// # Safety
    /// Null, or valid for the reads that OpenCL says of this argument.
    pub unsafe fn new(pointer: *const T) -> Self {
        In(pointer)
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The value pointed to; `None` for null.
    pub fn get(self) -> Option<T> {
        // SAFETY: promised where `self` was made.
        (!self.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// `count` values; none for null.
    pub fn list(self, count: usize) -> Vec<T> {
        if self.is_null() {
            return Vec::new();
        }
        let mut values = room_for(count);
        // SAFETY: promised where `self` was made.
        values.extend((0..count).map(|i| unsafe { self.0.add(i).read_unaligned() }));
        values
    }

    /// `count` values, at most three, filled up to three with `rest`; all three are `rest` for
    /// null.
    pub fn three(self, count: usize, rest: T) -> [T; 3] {
        std::array::from_fn(|i| match i < count && !self.is_null() {
            // SAFETY: promised where `self` was made.
            true => unsafe { self.0.add(i).read_unaligned() },
            false => rest,
        })
    }

    /// The values of a list that ends with `end`, without it; `None` for null.
    pub fn until(self, end: T) -> Option<Vec<T>>
    where
        T: PartialEq,
    {
        if self.is_null() {
            return None;
        }
        let mut values = Vec::new();
        loop {
            // SAFETY: the list goes on until `end`, as promised where `self` was made.
            let value = unsafe { self.0.add(values.len()).read_unaligned() };
            if value == end {
                return Some(values);
            }
            values.push(value);
        }
    }

    /// Values in pairs of key and value, with a last key of 0 that has no value.
    pub fn pairs(self) -> Option<Vec<(T, T)>>
    where
        T: PartialEq + Default,
    {
        if self.is_null() {
            return None;
        }
        let mut pairs = Vec::new();
        loop {
            let at = pairs.len() * 2;
            // SAFETY: the list goes on until a key of 0, as promised where `self` was made.
            let key = unsafe { self.0.add(at).read_unaligned() };
            if key == T::default() {
                return Some(pairs);
            }
            // SAFETY: a key that is not 0 has a value.
            pairs.push((key, unsafe { self.0.add(at + 1).read_unaligned() }));
        }
    }
}

impl In<c_char> {
    /// A NUL-terminated string; `None` for null.
    pub fn text(self) -> Option<String> {
        if self.is_null() {
            return None;
        }
        // SAFETY: promised where `self` was made.
        Some(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }

    /// A string of `len` bytes, or NUL-terminated if `len` is 0, in any encoding; `None` for null.
    pub fn bytes_of(self, len: usize) -> Option<Vec<u8>> {
        if self.is_null() {
            return None;
        }
        if len == 0 {
            // SAFETY: promised where `self` was made.
            let text = unsafe { CStr::from_ptr(self.0) }.to_bytes();
            let mut bytes = room_for(text.len());
            bytes.extend_from_slice(text);
            return Some(bytes);
        }
        Some(In(self.0.cast::<u8>()).list(len))
    }
}

impl<T> From<&[T]> for In<T> {
    /// The slice must live until the call is over; no entry point keeps an `In`.
    fn from(values: &[T]) -> Self {
        In(values.as_ptr())
    }
}

impl From<&CStr> for In<c_char> {
    fn from(text: &CStr) -> Self {
        In(text.as_ptr())
    }
}

/// A pointer to memory that a call writes results to.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T: Copy> Out<T> {
    pub const NULL: Out<T> = Out(std::ptr::null_mut());

    /// # Safety
    /// Null, or valid for the writes that OpenCL says of this argument.
    pub unsafe fn new(pointer: *mut T) -> Self {
        Out(pointer)
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes `value`, unless the pointer is null.
    pub fn put(self, value: T) {
        self.put_list(&[value]);
    }

    pub fn put_list(self, values: &[T]) {
        if self.is_null() {
            return;
        }
        for (i, value) in values.iter().enumerate() {
            // SAFETY: promised where `self` was made.
            unsafe { self.0.add(i).write_unaligned(*value) };
        }
    }
}

impl Out<u8> {
    /// The list of output pointers that this points to.
    pub fn as_places(self) -> In<Out<u8>> {
        In(self.0.cast_const().cast())
    }
}

impl<T> From<&mut [T]> for Out<T> {
    /// The slice must live until the call is over; no entry point keeps an `Out`.
    fn from(values: &mut [T]) -> Self {
        Out(values.as_mut_ptr())
    }
}

impl<T> From<&mut T> for Out<T> {
    fn from(value: &mut T) -> Self {
        Out(value)
    }
}

/// A pointer to the program's memory that a command reads or writes, or that is handed back as it
/// is.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(*mut c_void);

// SAFETY: `Memory::new` promises that commands may use it from any thread.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub const NULL: Memory = Memory(std::ptr::null_mut());

    /// # Safety
    /// Null, or valid for what OpenCL says of this argument, for as long as it says.
    pub unsafe fn new(pointer: *mut c_void) -> Self {
        Memory(pointer)
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub fn addr(self) -> usize {
        self.0 as usize
    }

    pub fn raw(self) -> *mut c_void {
        self.0
    }

    /// The handle that is stored there; `None` if it is null or there is none.
    pub fn as_handle(self) -> Option<Handle> {
        In(self.0.cast_const().cast::<Handle>()).get().filter(|handle| !handle.is_null())
    }

    /// Values of this type that are stored there.
    pub fn as_values<T: Copy>(self) -> In<T> {
        In(self.0.cast_const().cast())
    }

    /// The `bytes` bytes that are there now.
    pub fn bytes(self, bytes: usize) -> Vec<u8> {
        In(self.0.cast_const().cast::<u8>()).list(bytes)
    }
}

/// Runs the body of an entry point that returns a code. A panic is a bug of the driver; the program
/// gets an error code, not a crash. No other thread forks meanwhile.
pub fn status<F: FnOnce() -> Res<()>>(body: F) -> cl_int {
    run::<F>(body)
}

/// Runs the body of an entry point that returns a handle or pointer, and the code through `code`.
pub fn create<F: FnOnce() -> Res<*mut c_void>>(code: Out<cl_int>, body: F) -> *mut c_void {
    let mut made = std::ptr::null_mut();
    code.put(run::<F>(|| {
        made = body()?;
        Ok(())
    }));
    made
}

/// Runs `body` for an entry point whose closure is an `F`: the type tells the entry point's name.
fn run<F>(body: impl FnOnce() -> Res<()>) -> cl_int {
    let _inside = Inside::enter();
    complaint::forget();
    let result = match reserve::is_short() && !may_run_short(std::any::type_name::<F>()) {
        true => Err(Box::new(NoRoom) as _),
        false => catch_unwind(AssertUnwindSafe(body)),
    };
    match result {
        Ok(Ok(())) => CL_SUCCESS,
        Ok(Err(ErrorCode(code))) => {
            complaint::tell(std::any::type_name::<F>(), code);
            code
        }
        Err(why) => {
            let is_short = why.is::<NoRoom>();
            let what = if is_short { "there is not enough memory" } else { "an error of the driver's own" };
            complaint::note(|| what.to_owned());
            complaint::tell(std::any::type_name::<F>(), CL_OUT_OF_HOST_MEMORY);
            CL_OUT_OF_HOST_MEMORY
        }
    }
}

/// Whether an entry point, by the type name of its closure, works on when memory is short: those
/// that give memory back, those that wait, and queries.
fn may_run_short(closure: &str) -> bool {
    let mut names = closure.split("::").filter_map(|part| part.strip_prefix("cl"));
    names.any(|name| {
        let begins = ["Release", "Finish", "Flush", "WaitFor", "Get", "SVMFree", "MemFree", "UnloadPlatform"];
        begins.iter().any(|begin| name.starts_with(begin))
    })
}

/// The answer to a query, as bytes.
pub struct Answer(pub Vec<u8>);

macro_rules! plain_answers {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Answer {
            fn from(value: $ty) -> Self {
                Answer(value.to_ne_bytes().to_vec())
            }
        }

        impl From<&[$ty]> for Answer {
            fn from(values: &[$ty]) -> Self {
                Answer(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
            }
        }
    )*};
}

plain_answers!(i32, u32, u64, usize, isize);

impl From<bool> for Answer {
    fn from(value: bool) -> Self {
        u32::from(value).into()
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Answer::text(text.as_bytes())
    }
}

impl From<Handle> for Answer {
    fn from(handle: Handle) -> Self {
        (handle as usize).into()
    }
}

impl From<&[Handle]> for Answer {
    fn from(handles: &[Handle]) -> Self {
        Answer(handles.iter().flat_map(|h| (*h as usize).to_ne_bytes()).collect())
    }
}

impl Answer {
    /// Text in any encoding, with a NUL at its end and none before.
    pub fn text(bytes: &[u8]) -> Answer {
        Answer(bytes.iter().copied().filter(|b| *b != 0).chain([0]).collect())
    }

    /// Writes the answer as all `clGet…Info` do.
    pub fn give(self, size: usize, value: Out<u8>, size_ret: Out<usize>) -> Res<()> {
        if !value.is_null() {
            let needed = self.0.len();
            ensure_or(size >= needed, CL_INVALID_VALUE, || {
                format!("the answer has {needed} bytes, and there is room for {size}")
            })?;
            value.put_list(&self.0);
        }
        size_ret.put(self.0.len());
        Ok(())
    }
}
