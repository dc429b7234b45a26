//! The guard against crashes. LLVM ends the process on unexpected input: by a fatal error, a failed
//! assertion, a wild pointer, or stack overflow. The shim's entry points that see the input of
//! users are guarded (`shim/guard.h`), and come back instead.
//!
//! The IR is in an undefined state then. So the context of a call that crashed, with all its
//! modules, and the target machine are leaked and must not be used again: [`Context::has_crashed`]
//! tells. Functions of this crate that return a `Result` return the reason as an error. The others,
//! and those of [`crate::Function`], whose callers might otherwise go on with another attempt in
//! the same module, unwind to the nearest [`recover`].

use crate::Error;
use crate::ffi::*;
use crate::text::take;
use llvm_sys::prelude::LLVMContextRef;
use std::any::Any;
use std::collections::HashSet;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// The panic payload of a crash of LLVM.
struct Crash(Error);

/// The contexts and target machines of calls that crashed. They are never freed, so that no other
/// one gets their address.
static CRASHED: LazyLock<Mutex<HashSet<usize>>> = LazyLock::new(Mutex::default);
static ANY_CRASHED: AtomicBool = AtomicBool::new(false);

/// What errors begin with where LLVM got no memory.
pub const OUT_OF_MEMORY: &str = "LLVM gave up: out of memory";

fn condemn(object: *const c_void) {
    if !object.is_null() {
        CRASHED.lock().unwrap_or_else(PoisonError::into_inner).insert(object as usize);
        ANY_CRASHED.store(true, Ordering::Release);
    }
}

/// Whether a call that used this context or target machine crashed.
pub(crate) fn has_crashed(object: *const c_void) -> bool {
    ANY_CRASHED.load(Ordering::Acquire)
        && CRASHED.lock().unwrap_or_else(PoisonError::into_inner).contains(&(object as usize))
}

/// Notes that a call crashed which used this context and target machine.
pub(crate) fn note_crash(context: LLVMContextRef, machine: *const c_void) {
    condemn(context.cast());
    condemn(machine);
}

/// The message of a guarded call that crashed, as an error. `machine` is the target machine that
/// the call used, or null.
pub(crate) fn check(
    context: LLVMContextRef,
    machine: *const c_void,
    crash: *mut c_char,
) -> Result<(), Error> {
    if crash.is_null() {
        return Ok(());
    }
    note_crash(context, machine);
    Err(Error::new(take(crash)))
}

/// Unwinds if a guarded call crashed.
pub(crate) fn check_or_unwind(context: LLVMContextRef, machine: *const c_void, crash: *mut c_char) {
    if let Err(why) = check(context, machine, crash) {
        // Not `panic!`: its hook prints, and is for our own bugs.
        resume_unwind(Box::new(Crash(why)));
    }
}

/// Keeps the guard's signal handlers installed, which makes guarded calls cheaper.
struct Hold;

impl Hold {
    fn new() -> Self {
        ffi!(lw_guard_hold());
        Hold
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        ffi!(lw_guard_release());
    }
}

/// Runs a step of a compilation. A crash of LLVM and a panic in it are errors; what the step was
/// working on must be dropped.
///
/// Steps may be nested: the inner one has the error.
pub fn recover<T>(step: impl FnOnce() -> T) -> Result<T, Error> {
    let _hold = Hold::new();
    catch_unwind(AssertUnwindSafe(step)).map_err(error_of)
}

fn error_of(payload: Box<dyn Any + Send>) -> Error {
    match payload.downcast::<Crash>() {
        Ok(crash) => crash.0,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Error::new(format!(
                "internal error: {}",
                text.unwrap_or_else(|| "the compiler panicked".to_owned())
            ))
        }
    }
}

/// How [`crash_for_test`] crashes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum TestCrash {
    None = 0,
    FatalError = 1,
    Segfault = 2,
    Abort = 3,
    StackOverflow = 4,
    OutOfMemory = 5,
    /// A segmentation fault in a guarded call inside of another, which then has a fatal error.
    Nested = 6,
    /// By frames that are larger than the guard page of a stack.
    LargeFrames = 7,
}

/// Crashes in guarded C++ code: for tests of the guard.
#[doc(hidden)]
pub fn crash_for_test(kind: TestCrash) -> Result<(), Error> {
    let mut why = std::ptr::null_mut();
    if ffi!(lw_guard_crash(kind as i32, &mut why)) { Ok(()) } else { Err(Error::new(take(why))) }
}
