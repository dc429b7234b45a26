//! The end of the process. It destroys LLVM's static data, so the ending thread waits for the
//! builds that are under way on other threads, and no other thread begins a new one.
//!
//! The wait must come before the destructors of LLVM's statics. A thread that calls `exit` first
//! drops its thread-local data, so the main thread, which usually calls it, holds some of ours. For
//! other threads there is `atexit`, whose handlers are called in reverse order of registration: so
//! statics that a build creates while the process ends are destroyed first.

use runtime::{Condvar, Inside, lock};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long the end of the process waits for builds. No build takes as long; one that hangs is not
/// waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a new build waits for the process to end. If the process still exists by then, only its
/// main thread ended, and the build goes on.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// How many builds register the handler again. The handler that is registered last is called first,
/// and the first builds create more of LLVM's statics, whose destructors would otherwise run before
/// it.
const REGISTER_AFTER: usize = 24;

struct State {
    /// The process the rest belongs to: a forked child has none of its parent's threads.
    pid: u32,
    builds: usize,
    /// The thread that ends the process, and when it began to.
    ending: Option<(libc::pid_t, Instant)>,
    /// How often [`wait`] has been registered.
    registered: usize,
}

static STATE: Mutex<State> = Mutex::new(State { pid: 0, builds: 0, ending: None, registered: 0 });
static ENDED: Condvar = Condvar::new();

/// Marks a build as under way: the process does not end while one exists.
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

/// The ID of the calling thread. Rust's own IDs are not available while a thread ends.
fn this_thread() -> libc::pid_t {
    // SAFETY: asks for a number.
    unsafe { libc::gettid() }
}

/// Registers the calling thread's end as that of the process, if it is the main thread.
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
