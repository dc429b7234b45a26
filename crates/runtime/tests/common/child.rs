//! Forked children of a test.

use std::time::{Duration, Instant};

/// Forks a child that does `check`, and waits until it has ended well.
pub fn in_child(check: impl FnOnce() -> bool) {
    // SAFETY: the child calls `check` and leaves without unwinding or running destructors.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let ok = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_or(false);
        // SAFETY: ends the child.
        unsafe { libc::_exit(if ok { 0 } else { 1 }) };
    }
    let (start, mut status) = (Instant::now(), 0);
    // SAFETY: asks for the child made above.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
        if start.elapsed() > Duration::from_secs(30) {
            // SAFETY: ends the child made above.
            unsafe { libc::kill(child, libc::SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(status, 0);
}
