//! The end of the process: builds that run on threads of ours are waited for, since LLVM's own data is gone afterwards.

use crate::objects::lock;
use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// A build takes no longer; whatever does is left alone.
const PATIENCE: Duration = Duration::from_secs(30);

/// The process and how many builds it has under way.
static BUILDS: Mutex<(u32, usize)> = Mutex::new((0, 0));
static ENDED: Condvar = Condvar::new();

/// While it lives, the process waits for it before it ends.
pub struct Busy(());

impl Busy {
    pub fn new() -> Busy {
        static REGISTER: Once = Once::new();
        REGISTER.call_once(|| {
            // SAFETY: the function may be called at any time, and stays: the library is never unloaded.
            unsafe { libc::atexit(wait) };
        });
        let mut builds = lock(&BUILDS);
        let pid = std::process::id();
        // A forked child has none of its parent's threads.
        *builds = if builds.0 == pid { (pid, builds.1 + 1) } else { (pid, 1) };
        Busy(())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut builds = lock(&BUILDS);
        if builds.0 == std::process::id() {
            builds.1 -= 1;
            ENDED.notify_all();
        }
    }
}

extern "C" fn wait() {
    let until = Instant::now() + PATIENCE;
    let mut builds = lock(&BUILDS);
    while builds.0 == std::process::id() && builds.1 > 0 {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        builds = ENDED.wait_timeout(builds, left).unwrap_or_else(PoisonError::into_inner).0;
    }
}
