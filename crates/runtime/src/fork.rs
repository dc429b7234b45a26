//! Forking while other threads work.
//!
//! A forked child has a copy of all memory but only the thread that forked. Data that another
//! thread was changing stays half changed for ever, and a lock it held is never released. So every
//! thread says when it is *inside* of our code, and `fork` waits until all are outside: workers are
//! inside but when they sleep or run code of the program's, other threads while they call us
//! ([`Inside`]). Whoever would come in meanwhile waits for the fork.
//!
//! Inside, nobody waits for what may never come: waiting is done outside ([`Condvar`]), and so is
//! all that the program gave us to run ([`outside`]). No lock is held there.

use crate::lock;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long a fork waits. Nothing takes longer inside but a build of a very large program.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_micros(20);

/// A count of threads, alone on its cache line.
#[repr(align(128))]
struct Count(AtomicUsize);

/// How many threads are inside. There are several, so that threads seldom meet at one.
static INSIDE: [Count; 32] = [const { Count(AtomicUsize::new(0)) }; 32];
/// How many threads are about to fork.
static FORKING: AtomicU32 = AtomicU32::new(0);
/// The process this is, if it was asked.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// How many times this thread came inside without having left.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// The count of this thread.
fn count() -> &'static AtomicUsize {
    // Threads have their own addresses, far apart from each other.
    let address = DEPTH.with(|depth| std::ptr::from_ref(depth) as usize);
    let hash = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    &INSIDE[(hash >> 59) as usize].0
}

/// While it lives, this thread is inside, and no thread forks.
pub struct Inside(PhantomData<*mut ()>);

impl Inside {
    #[inline]
    pub fn enter() -> Inside {
        let depth = DEPTH.get();
        if depth == 0 {
            come_in();
        }
        DEPTH.set(depth + 1);
        Inside(PhantomData)
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        let depth = DEPTH.get();
        DEPTH.set(depth - 1);
        if depth == 1 {
            count().fetch_sub(1, SeqCst);
        }
    }
}

fn come_in() {
    let count = count();
    loop {
        // Ordered against `before`: either this sees that somebody forks, or that sees this thread.
        count.fetch_add(1, SeqCst);
        let forking = FORKING.load(SeqCst);
        if forking == 0 {
            return;
        }
        count.fetch_sub(1, SeqCst);
        futex_wait(&FORKING, forking, None);
    }
}

/// Calls `f` with this thread outside, and comes back in.
#[inline]
pub fn outside<T>(f: impl FnOnce() -> T) -> T {
    struct Back(usize);
    impl Drop for Back {
        fn drop(&mut self) {
            if self.0 > 0 {
                come_in();
                DEPTH.set(self.0);
            }
        }
    }
    let back = Back(DEPTH.replace(0));
    if back.0 > 0 {
        count().fetch_sub(1, SeqCst);
    }
    f()
}

/// The ID of the process, without asking the system each time.
#[inline]
pub fn process() -> u32 {
    match PROCESS.load(Relaxed) {
        0 => {
            watch_forks();
            PROCESS.store(std::process::id(), Relaxed);
            std::process::id()
        }
        known => known,
    }
}

/// From now on forks wait as this file says.
pub fn watch_forks() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.load(Relaxed) && !WATCHED.swap(true, SeqCst) {
        // SAFETY: the functions may be called whenever a thread forks; this library is never
        // unloaded.
        unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after_in_child)) };
    }
}

/// The threads inside, but for this one: it would not fork if it were amid something.
fn others_inside() -> bool {
    INSIDE.iter().map(|count| count.0.load(SeqCst)).sum::<usize>() > usize::from(DEPTH.get() > 0)
}

extern "C" fn before() {
    FORKING.fetch_add(1, SeqCst);
    let start = Instant::now();
    while others_inside() && start.elapsed() < PATIENCE {
        std::thread::sleep(LOOK_EVERY);
    }
}

extern "C" fn after() {
    FORKING.fetch_sub(1, SeqCst);
    futex_wake(&FORKING, i32::MAX);
}

/// There are no other threads.
extern "C" fn after_in_child() {
    INSIDE.iter().for_each(|count| count.0.store(0, SeqCst));
    count().store(usize::from(DEPTH.get() > 0), SeqCst);
    FORKING.store(0, SeqCst);
    PROCESS.store(0, Relaxed);
}

/// A condition variable, whose waiters are outside while they wait. Unlike the standard library's
/// it does not take the lock again before they are inside.
#[derive(Default)]
pub struct Condvar {
    /// Changes with every notification.
    sequence: AtomicU32,
}

impl Condvar {
    pub const fn new() -> Condvar {
        Condvar { sequence: AtomicU32::new(0) }
    }

    /// Opens the lock, waits to be notified, or for no reason, and locks again.
    pub fn wait<'a, T>(&self, mutex: &'a Mutex<T>, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.wait_at_most(mutex, guard, None)
    }

    /// The same, for so long at most.
    pub fn wait_at_most<'a, T>(
        &self,
        mutex: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        most: Option<Duration>,
    ) -> MutexGuard<'a, T> {
        // Read under the lock, so that no notification after that is missed.
        let seen = self.sequence.load(Relaxed);
        drop(guard);
        outside(|| futex_wait(&self.sequence, seen, most));
        lock(mutex)
    }

    pub fn notify_one(&self) {
        self.sequence.fetch_add(1, Relaxed);
        futex_wake(&self.sequence, 1);
    }

    pub fn notify_all(&self) {
        self.sequence.fetch_add(1, Relaxed);
        futex_wake(&self.sequence, i32::MAX);
    }
}

/// Sleeps while `word` is `value`, or for no reason.
pub(crate) fn futex_wait(word: &AtomicU32, value: u32, most: Option<Duration>) {
    let most = most.map(|most| libc::timespec {
        tv_sec: most.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: most.subsec_nanos().into(),
    });
    let most = most.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: reads the word and the time, which live as long.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            value,
            most,
        )
    };
}

/// Wakes so many threads at most that sleep at `word`.
pub(crate) fn futex_wake(word: &AtomicU32, most: i32) {
    // SAFETY: the word is but an address to the system.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, most)
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// How many threads are inside.
    fn inside_now() -> usize {
        INSIDE.iter().map(|count| count.0.load(SeqCst)).sum()
    }

    // One test: the counts are of the process.
    #[test]
    fn a_fork_waits_until_all_are_outside() {
        let first = Inside::enter();
        let second = Inside::enter();
        assert_eq!((inside_now(), others_inside()), (1, false));
        outside(|| assert_eq!((inside_now(), DEPTH.get()), (0, 0)));
        assert_eq!((inside_now(), DEPTH.get()), (1, 2));
        let caught = std::panic::catch_unwind(|| outside(|| panic!("on the way")));
        assert!(caught.is_err());
        assert_eq!((inside_now(), DEPTH.get()), (1, 2));
        drop(second);
        assert_eq!(inside_now(), 1);
        drop(first);
        assert_eq!(inside_now(), 0);

        // A waiter is outside; once notified it has to wait for the fork.
        let pair = Arc::new((Mutex::new(false), Condvar::new(), AtomicBool::new(false)));
        let waiter = std::thread::spawn({
            let pair = pair.clone();
            move || {
                let _inside = Inside::enter();
                let mut done = lock(&pair.0);
                pair.2.store(true, SeqCst);
                while !*done {
                    done = pair.1.wait(&pair.0, done);
                }
            }
        });
        while !pair.2.load(SeqCst) || inside_now() > 0 {
            std::thread::yield_now();
        }
        before();
        *lock(&pair.0) = true;
        pair.1.notify_one();
        std::thread::sleep(Duration::from_millis(20));
        assert!(!waiter.is_finished() && inside_now() == 0);
        after();
        waiter.join().unwrap();

        let start = Instant::now();
        let mutex = Mutex::new(());
        drop(Condvar::new().wait_at_most(&mutex, lock(&mutex), Some(Duration::from_millis(10))));
        assert!(start.elapsed() >= Duration::from_millis(10));
    }
}
