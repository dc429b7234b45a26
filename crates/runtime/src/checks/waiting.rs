//! Work-items that wait in a loop: when there is nobody left to wait for.
//!
//! A work-item may leave its loop once it has waited for a while and all threads that run the
//! launch wait as well: what it waits for would have to come from the program, or from a launch
//! that runs at the same time. The loop of one that has left is left by all others as soon as they
//! ask.

use std::collections::{HashMap, HashSet};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// How long a work-item waits at least, in time and rounds of its loop.
const PATIENCE: Duration = Duration::from_millis(500);
const ROUNDS: u64 = 1 << 16;

/// A thread that has asked within this time still waits.
const RECENT: Duration = Duration::from_millis(300);

/// A loop by its descriptor, and a work-item by its group and its place there.
type Waiting = (usize, u64, u64);

#[derive(Default)]
pub struct Waits {
    since: HashMap<Waiting, Instant>,
    /// When each thread asked last.
    threads: HashMap<ThreadId, Instant>,
    /// The loops that were left.
    left: HashSet<usize>,
    /// The groups whose work-items have left a loop: what they do then is not reported.
    groups: HashSet<u64>,
}

impl Waits {
    /// Whether a work-item is to leave the loop that it has gone round so often; `running` threads
    /// run its launch.
    pub fn leaves(&mut self, waiting: Waiting, rounds: u64, running: usize) -> bool {
        self.leaves_at(Instant::now(), std::thread::current().id(), waiting, rounds, running)
    }

    fn leaves_at(
        &mut self,
        now: Instant,
        thread: ThreadId,
        waiting: Waiting,
        rounds: u64,
        running: usize,
    ) -> bool {
        let (site, group, _) = waiting;
        self.threads.insert(thread, now);
        let since = *self.since.entry(waiting).or_insert(now);
        let wait = || self.threads.values().filter(|asked| now - **asked < RECENT).count();
        let hopeless = rounds >= ROUNDS && now - since >= PATIENCE && wait() >= running;
        if !hopeless && !self.left.contains(&site) {
            return false;
        }
        self.left.insert(site);
        self.groups.insert(group);
        true
    }

    /// Whether work-items of a group have left a loop.
    pub fn is_broken(&self, group: u64) -> bool {
        self.groups.contains(&group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_left_when_all_threads_wait() {
        let (start, thread) = (Instant::now(), std::thread::current().id());
        let other = std::thread::spawn(|| std::thread::current().id()).join().unwrap();
        let mut waits = Waits::default();
        let mut ask = |seconds: f64, thread, item, running| {
            let now = start + Duration::from_secs_f64(seconds);
            waits.leaves_at(now, thread, (10, 0, item), 1 << 20, running)
        };
        assert!(!ask(0.0, thread, 0, 2));
        assert!(!ask(1.5, thread, 0, 2), "the other thread may end it");
        assert!(!ask(1.6, other, 1, 2), "this one has just begun");
        assert!(ask(1.7, thread, 0, 2));
        assert!(ask(1.7, other, 1, 2), "nobody waits there any more");
        assert!(waits.is_broken(0) && !waits.is_broken(1));
    }
}
