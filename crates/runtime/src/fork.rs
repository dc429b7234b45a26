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
use crate::sync::Word;
use crate::sync::ordered::AtomicU32 as Count;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long a fork waits. Nothing takes longer inside but a build of a very large program.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_micros(20);

/// Where threads come in and leave, and whoever forks keeps them out. There are several places to
/// come in, so that threads seldom meet at one.
#[derive(Debug)]
pub(crate) struct Gate<const PLACES: usize> {
    /// How many threads came in at each place and are inside.
    inside: [Place; PLACES],
    /// How many threads are about to fork.
    forking: Word,
}

/// A count of threads, alone on its cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Place(Count);

impl<const PLACES: usize> Gate<PLACES> {
    #[cfg(not(feature = "models"))]
    const fn new() -> Self {
        Gate { inside: [const { Place(Count::new(0)) }; PLACES], forking: Word::new() }
    }

    #[cfg(feature = "models")]
    pub fn new() -> Self {
        Gate { inside: std::array::from_fn(|_| Place::default()), forking: Word::default() }
    }

    /// Comes in; waits while somebody forks.
    pub fn come_in(&self, place: usize) {
        let count = &self.inside[place].0;
        loop {
            // Ordered against `close`: either this sees that somebody forks, or that sees this
            // thread.
            count.fetch_add(1, SeqCst);
            let forking = self.forking.load(SeqCst);
            if forking == 0 {
                return;
            }
            count.fetch_sub(1, SeqCst);
            self.forking.wait(forking);
        }
    }

    pub fn leave(&self, place: usize) {
        self.inside[place].0.fetch_sub(1, SeqCst);
    }

    /// From now on nobody comes in.
    pub fn close(&self) {
        self.forking.fetch_add(1, SeqCst);
    }

    /// Those that [`Gate::close`] kept out may come in, unless another thread forks.
    pub fn open(&self) {
        self.forking.fetch_sub(1, SeqCst);
        self.forking.wake_all();
    }

    /// How many threads are inside.
    pub fn inside(&self) -> u32 {
        self.inside.iter().map(|place| place.0.load(SeqCst)).sum()
    }

    /// Open, with nobody inside but threads of one place.
    fn reset(&self, place: usize, threads: u32) {
        self.inside.iter().for_each(|place| place.0.store(0, SeqCst));
        self.inside[place].0.store(threads, SeqCst);
        self.forking.store(0, SeqCst);
    }
}

/// The places of [`GATE`].
const PLACES: usize = 32;

#[cfg(not(feature = "models"))]
static GATE: Gate<PLACES> = Gate::new();
/// Models have gates of their own.
#[cfg(feature = "models")]
static GATE: std::sync::LazyLock<Gate<PLACES>> = std::sync::LazyLock::new(Gate::new);

/// The process this is, if it was asked.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// How many times this thread came inside without having left.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Where this thread comes in.
fn place() -> usize {
    // Threads have their own addresses, far apart from each other.
    let address = DEPTH.with(|depth| std::ptr::from_ref(depth) as usize);
    let hash = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 59) as usize
}

/// While it lives, this thread is inside, and no thread forks.
pub struct Inside(PhantomData<*mut ()>);

impl Inside {
    #[inline]
    pub fn enter() -> Inside {
        let depth = DEPTH.get();
        if depth == 0 {
            GATE.come_in(place());
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
            GATE.leave(place());
        }
    }
}

/// Calls `f` with this thread outside, and comes back in.
#[inline]
pub fn outside<T>(f: impl FnOnce() -> T) -> T {
    struct Back(usize);
    impl Drop for Back {
        fn drop(&mut self) {
            if self.0 > 0 {
                GATE.come_in(place());
                DEPTH.set(self.0);
            }
        }
    }
    let back = Back(DEPTH.replace(0));
    if back.0 > 0 {
        GATE.leave(place());
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

/// Whether others are inside. This thread would not fork if it were amid something.
fn others_inside() -> bool {
    GATE.inside() > u32::from(DEPTH.get() > 0)
}

extern "C" fn before() {
    GATE.close();
    let start = Instant::now();
    while others_inside() && start.elapsed() < PATIENCE {
        std::thread::sleep(LOOK_EVERY);
    }
}

extern "C" fn after() {
    GATE.open();
}

/// There are no other threads.
extern "C" fn after_in_child() {
    GATE.reset(place(), u32::from(DEPTH.get() > 0));
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

    // One test: the counts are of the process.
    #[test]
    fn a_fork_waits_until_all_are_outside() {
        let first = Inside::enter();
        let second = Inside::enter();
        assert_eq!((GATE.inside(), others_inside()), (1, false));
        outside(|| assert_eq!((GATE.inside(), DEPTH.get()), (0, 0)));
        assert_eq!((GATE.inside(), DEPTH.get()), (1, 2));
        let caught = std::panic::catch_unwind(|| outside(|| panic!("on the way")));
        assert!(caught.is_err());
        assert_eq!((GATE.inside(), DEPTH.get()), (1, 2));
        drop(second);
        assert_eq!(GATE.inside(), 1);
        drop(first);
        assert_eq!(GATE.inside(), 0);

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
        while !pair.2.load(SeqCst) || GATE.inside() > 0 {
            std::thread::yield_now();
        }
        before();
        *lock(&pair.0) = true;
        pair.1.notify_one();
        std::thread::sleep(Duration::from_millis(20));
        assert!(!waiter.is_finished() && GATE.inside() == 0);
        after();
        waiter.join().unwrap();

        let start = Instant::now();
        let mutex = Mutex::new(());
        drop(Condvar::new().wait_at_most(&mutex, lock(&mutex), Some(Duration::from_millis(10))));
        assert!(start.elapsed() >= Duration::from_millis(10));
    }
}
