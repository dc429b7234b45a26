//! Many threads create, build, enqueue, wait and release at once, with failures among it, and check
//! every result.
//!
//! `STRESS_SECONDS` says for how long. The time is spent in rounds: after each, nothing must be
//! left of what the threads made, so that the heap does not grow from round to round. A thread that
//! is stuck ends the test with the name of what it was doing.

#[path = "../common/mod.rs"]
mod common;
mod episodes;
mod random;

use episodes::{EPISODES, Shared};
use random::Random;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

const THREADS: usize = 8;
const ROUNDS: u64 = 10;
/// No episode takes longer, even on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);
/// What the heap may grow from the third round to the last: caches and tables that fill up, and
/// some bytes for each episode.
const GROWTH: u64 = 256 << 10;
const GROWTH_AN_EPISODE: u64 = 8;

/// The episode that a thread is in, for the watchdog.
#[derive(Default)]
struct Progress {
    done: AtomicU64,
    episode: AtomicUsize,
}

fn seconds() -> u64 {
    let text = std::env::var("STRESS_SECONDS").unwrap_or_else(|_| "45".to_owned());
    text.parse().unwrap_or_else(|_| panic!("STRESS_SECONDS={text:?} is no number of seconds"))
}

/// The bytes of the heap in use.
fn heap() -> u64 {
    // SAFETY: asks for numbers.
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as u64
}

/// Ends the process if a thread makes no progress.
fn watch(progress: &[Progress], over: &AtomicBool) {
    let mut seen: Vec<(u64, Instant)> = progress.iter().map(|_| (0, Instant::now())).collect();
    while !over.load(Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        for (i, (thread, seen)) in progress.iter().zip(&mut seen).enumerate() {
            let done = thread.done.load(Relaxed);
            if done != seen.0 {
                *seen = (done, Instant::now());
            } else if seen.1.elapsed() > PATIENCE {
                let (name, _) = EPISODES[thread.episode.load(Relaxed)];
                eprintln!("DEADLOCK: thread {i} has been in the episode '{name}' for {PATIENCE:?}");
                std::process::abort();
            }
        }
    }
}

/// A round of all threads.
fn round(seed: u64, until: Instant, shared: &Shared, progress: &[Progress]) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| watch(progress, &over));
        let workers: Vec<_> = (0..THREADS)
            .map(|i| {
                let progress = &progress[i];
                scope.spawn(move || {
                    let mut random = Random::new(seed * THREADS as u64 + i as u64);
                    while Instant::now() < until {
                        let which = random.below(EPISODES.len());
                        progress.episode.store(which, Relaxed);
                        EPISODES[which].1(shared, &mut random);
                        progress.done.fetch_add(1, Relaxed);
                    }
                })
            })
            .collect();
        let results: Vec<_> = workers.into_iter().map(|w| w.join()).collect();
        over.store(true, Relaxed);
        let failed = results.iter().filter(|r| r.is_err()).count();
        assert_eq!(failed, 0, "{failed} threads failed; the messages are above");
    });
}

#[test]
fn everything_at_once() {
    // One arena, so that the heap's size is that of all threads.
    // SAFETY: sets a number, before there are other threads that allocate.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    let dir = std::env::temp_dir().join(format!("lanewise-stress-{}", std::process::id()));
    // SAFETY: no other thread reads the environment yet.
    unsafe {
        std::env::set_var("LANEWISE_CACHE", "1");
        std::env::set_var("LANEWISE_CACHE_DIR", &dir);
    }
    let (start, seconds) = (Instant::now(), seconds());
    let progress: Vec<Progress> = (0..THREADS).map(|_| Progress::default()).collect();
    let episodes = || progress.iter().map(|p| p.done.load(Relaxed)).sum::<u64>();
    let mut sizes = Vec::new();
    for i in 0..ROUNDS {
        let until = start + Duration::from_millis(seconds * 1000 * (i + 1) / ROUNDS);
        {
            let shared = Shared::new();
            round(i, until, &shared, &progress);
        }
        sizes.push((episodes(), heap()));
        eprintln!("round {i}: {} episodes, {} KiB of heap", sizes[sizes.len() - 1].0, heap() >> 10);
    }
    let _ = std::fs::remove_dir_all(&dir);
    let ((before, small), (after, large)) = (sizes[2], sizes[sizes.len() - 1]);
    let allowed = GROWTH + GROWTH_AN_EPISODE * (after - before);
    assert!(
        large <= small + allowed,
        "a leak: the heap grew by {} bytes over {} episodes",
        large - small,
        after - before
    );
}
