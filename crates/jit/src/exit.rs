//! The end of the process. LLVM's own data is gone then, so builds that are under way on other
//! threads are waited for, and no other thread begins a new one.
//!
//! That must happen before LLVM's data goes. A thread that calls `exit` first drops its
//! thread-local data, so the main thread, which mostly does it, holds some of ours. For others
//! there is `atexit`, whose functions are called the last one first: what LLVM makes in a build
//! that goes on at the end goes before us then.

use runtime::{Condvar, Inside, lock};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A build takes no longer; whatever does is left alone.
const PATIENCE: Duration = Duration::from_secs(30);

/// The process is gone by then, if it ends: a main thread may also end alone.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// Handlers that are registered last are called first. The first builds make more of LLVM's data,
/// which is registered as it is made, so that we must follow it so many times.
const REGISTER_AFTER: usize = 24;

struct State {
    /// The process the rest belongs to: a forked child has none of its parent's threads.
    pid: u32,
    builds: usize,
    /// The thread that ends the process, and since when.
    ending: Option<(libc::pid_t, Instant)>,
    /// How often [`wait`] is registered.
    registered: usize,
}

static STATE: Mutex<State> = Mutex::new(State { pid: 0, builds: 0, ending: None, registered: 0 });
static ENDED: Condvar = Condvar::new();

/// While it lives, the process waits for it before it ends.
pub struct Busy(());

impl Busy {
    pub fn new() -> Busy {
        let mut state = lock(&STATE);
        let pid = std::process::id();
        if state.pid != pid {
            *state = State { pid, builds: 0, ending: None, registered: state.registered };
        }
        if state.registered == 0 {
            state.registered = 1;
            // SAFETY: as below.
            unsafe { libc::atexit(wait) };
        }
        let me = this_thread();
        while let Some((_, since)) = state.ending.filter(|(ending, _)| *ending != me) {
            let left = LAST_MOMENTS.saturating_sub(since.elapsed());
            if left.is_zero() {
                state.ending = None;
                break;
            }
            state = ENDED.wait_at_most(&STATE, state, Some(left));
        }
        state.builds += 1;
        Busy(())
    }
}

impl Default for Busy {
    fn default() -> Self {
        Busy::new()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = lock(&STATE);
        if state.ending.is_none() && state.registered < REGISTER_AFTER {
            state.registered += 1;
            // SAFETY: the function may be called at any time, and stays: the library is never
            // unloaded.
            unsafe { libc::atexit(wait) };
        }
        if state.pid == std::process::id() {
            state.builds -= 1;
            ENDED.notify_all();
        }
    }
}

thread_local! {
    static AT_ITS_END: AtItsEnd = const { AtItsEnd };
}

struct AtItsEnd;

impl Drop for AtItsEnd {
    fn drop(&mut self) {
        wait();
    }
}

/// Rust's own number of a thread is not to be had at its end.
fn this_thread() -> libc::pid_t {
    // SAFETY: asks for a number.
    unsafe { libc::gettid() }
}

/// Sees to it that the end of the main thread, if that is the caller, is noticed.
pub fn watch_main_thread() {
    if std::process::id() as libc::pid_t == this_thread() {
        let _ = AT_ITS_END.try_with(|_| ());
    }
}

extern "C" fn wait() {
    let _inside = Inside::enter();
    let until = Instant::now() + PATIENCE;
    let mut state = lock(&STATE);
    if state.pid != std::process::id() {
        return;
    }
    let since = state.ending.map_or_else(Instant::now, |(_, since)| since);
    state.ending = Some((this_thread(), since));
    while state.builds > 0 {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        state = ENDED.wait_at_most(&STATE, state, Some(left));
    }
}
