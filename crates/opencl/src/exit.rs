//! The end of the process. LLVM's own data is gone then, so builds that are under way on other threads are waited for, and no
//! other thread begins a new one.

use crate::objects::lock;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// A build takes no longer; whatever does is left alone.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is registered last is called first. The first builds make more of LLVM's data, which is registered as it is made, so
/// that we must follow it so many times.
const REGISTER_AFTER: usize = 24;

struct State {
    /// The process the rest belongs to: a forked child has none of its parent's threads.
    pid: u32,
    builds: usize,
    /// The thread that ends the process.
    ending: Option<ThreadId>,
    /// How often [`wait`] is among what is called at the end.
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
        let me = thread::current().id();
        if state.ending.is_some_and(|ending| ending != me) {
            drop(state);
            loop {
                // Until the process is gone.
                thread::park();
            }
        }
        state.builds += 1;
        Busy(())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = lock(&STATE);
        if state.ending.is_none() && state.registered < REGISTER_AFTER {
            state.registered += 1;
            // SAFETY: the function may be called at any time, and stays: the library is never unloaded.
            unsafe { libc::atexit(wait) };
        }
        if state.pid == std::process::id() {
            state.builds -= 1;
            ENDED.notify_all();
        }
    }
}

extern "C" fn wait() {
    let until = Instant::now() + PATIENCE;
    let mut state = lock(&STATE);
    if state.pid != std::process::id() {
        return;
    }
    state.ending = Some(thread::current().id());
    while state.builds > 0 {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        state = ENDED.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
    }
}
