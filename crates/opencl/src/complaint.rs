//! Reports failed calls: the function, the error code, and the reason if it is known. Reports go to
//! standard error with `LANEWISE_LOG=1`, and to the callback of the context of the call.

use crate::cl::*;
use crate::handle::{self, Object};
use crate::objects::{CommandBuffer, Context, Event, Kernel, Mem, Program, Queue};
use std::cell::{Cell, RefCell};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

thread_local! {
    /// The handle of the last object of a context that the call looked up.
    static ABOUT: Cell<Handle> = const { Cell::new(std::ptr::null_mut()) };
    static REASON: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Whether any context has a callback: without one, and without the log, no reasons are recorded.
static HAS_CALLBACK: AtomicBool = AtomicBool::new(false);

/// Records that there is a context with a callback.
pub fn expect_callback() {
    HAS_CALLBACK.store(true, Relaxed);
}

/// Whether failures are reported to a callback or a log. Launches are short: without a listener,
/// calls pay for this test and not for thread-local variables.
#[inline]
fn is_heard() -> bool {
    HAS_CALLBACK.load(Relaxed) || is_logging()
}

/// Begins a call: forgets the reason and the object of the last one.
#[inline]
pub fn forget() {
    if is_heard() {
        forget_last_call();
    }
}

fn forget_last_call() {
    let _ = ABOUT.try_with(|about| about.set(std::ptr::null_mut()));
    // The last call may have recorded a reason and then succeeded.
    let _ = REASON.try_with(|reason| drop(reason.borrow_mut().take()));
}

/// Records the object of the call by its handle, which is valid.
#[inline]
pub fn is_about(handle: Handle) {
    if is_heard() {
        let _ = ABOUT.try_with(|about| about.set(handle));
    }
}

/// Records why the call is about to fail. The last reason is reported.
pub fn note(why: impl FnOnce() -> String) {
    if !is_heard() {
        return;
    }
    let why = why();
    let _ = REASON.try_with(|reason| *reason.borrow_mut() = Some(why));
}

/// Reports that a call failed with a code. `closure` is the type name of the entry point's closure.
pub fn tell(closure: &str, code: cl_int) {
    let reason = REASON.try_with(|reason| reason.borrow_mut().take()).ok().flatten();
    let about = ABOUT.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
    let context = context_of(about).filter(|context| context.notify.is_some());
    if !is_logging() && context.is_none() {
        return;
    }
    let message = message(closure, code, reason.as_deref());
    if is_logging() {
        eprintln!("lanewise: {message}");
    }
    if let Some(context) = context {
        context.tell(&message);
    }
}

fn message(closure: &str, code: cl_int, reason: Option<&str>) -> String {
    let function = closure.split("::").find(|part| part.starts_with("cl") && *part != "cl");
    let function = function.unwrap_or("a call");
    let name = match code_name(code) {
        "" => "a code of the program's own",
        name => name,
    };
    match reason {
        Some(reason) => format!("{function}: {name} ({code}): {reason}"),
        None => format!("{function}: {name} ({code})"),
    }
}

/// Whether `LANEWISE_LOG` turns the log on.
#[inline]
fn is_logging() -> bool {
    static LOGS: OnceLock<bool> = OnceLock::new();
    *LOGS.get_or_init(|| runtime::is_on("LANEWISE_LOG", false))
}

/// The context of the object behind a handle.
fn context_of(about: Handle) -> Option<Arc<Context>> {
    fn part<T: Object>(about: Handle, context: impl Fn(&T) -> &Arc<Context>) -> Option<Arc<Context>> {
        handle::find::<T>(about).map(|object| context(&object).clone())
    }
    if about.is_null() {
        return None;
    }
    handle::find::<Context>(about)
        .or_else(|| part::<Queue>(about, |queue| &queue.context))
        .or_else(|| part::<Kernel>(about, |kernel| &kernel.program.context))
        .or_else(|| part::<Program>(about, |program| &program.context))
        .or_else(|| part::<Mem>(about, |mem| &mem.context))
        .or_else(|| part::<Event>(about, |event| &event.context))
        .or_else(|| part::<CommandBuffer>(about, |commands| &commands.queues[0].context))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_function_and_the_code() {
        let closure = "lanewise_opencl::api::buffer::clCreateBuffer::{{closure}}";
        assert_eq!(message(closure, -61, None), "clCreateBuffer: CL_INVALID_BUFFER_SIZE (-61)");
        assert_eq!(message(closure, -30, Some("why")), "clCreateBuffer: CL_INVALID_VALUE (-30): why");
        assert!(message("x", -12345, None).contains("-12345"));
    }
}
