//! The order of commands: which of them come before which, so that of launches without an order
//! races are found.
//!
//! Commands are ordered by wait lists, by in-order queues and barriers, and by what the program has
//! waited for before it enqueued a command. Each command has a clock, the set of commands before
//! it, which grows as its predecessors end, and is complete when it starts. The program's own clock
//! is one for all its threads.

use crate::lock;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A command: the number of its queue, and its own there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Place {
    pub queue: u64,
    pub index: u64,
}

/// Commands of one queue.
#[derive(Clone, Debug, Default)]
struct Known {
    /// All with a lower number.
    before: u64,
    others: BTreeSet<u64>,
}

/// A set of commands that have ended.
#[derive(Clone, Debug, Default)]
pub struct Clock(BTreeMap<u64, Known>);

impl Known {
    /// Keeps the set small: single commands become part of those before.
    fn tidy(&mut self) {
        self.others = self.others.split_off(&self.before);
        while self.others.remove(&self.before) {
            self.before += 1;
        }
    }
}

impl Clock {
    pub fn has(&self, place: Place) -> bool {
        let known = self.0.get(&place.queue);
        known.is_some_and(|known| place.index < known.before || known.others.contains(&place.index))
    }

    pub fn add(&mut self, place: Place) {
        let known = self.0.entry(place.queue).or_default();
        known.others.insert(place.index);
        known.tidy();
    }

    /// Adds all commands of a queue that come before a place.
    pub fn add_before(&mut self, place: Place) {
        let known = self.0.entry(place.queue).or_default();
        known.before = known.before.max(place.index);
        known.tidy();
    }

    pub fn join(&mut self, other: &Clock) {
        for (queue, theirs) in &other.0 {
            let known = self.0.entry(*queue).or_default();
            known.before = known.before.max(theirs.before);
            known.others.extend(&theirs.others);
            known.tidy();
        }
    }
}

/// What the program has waited for.
static PROGRAM: Mutex<Clock> = Mutex::new(Clock(BTreeMap::new()));

/// The launches that were enqueued and have not started.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// What the program has waited for so far.
pub fn program() -> Clock {
    lock(&PROGRAM).clone()
}

/// The program has waited for commands.
pub fn program_waited(clock: &Clock) {
    lock(&PROGRAM).join(clock);
}

/// Forgets what the program has waited for, when nothing remembers a command any more.
pub fn forget() {
    lock(&PROGRAM).0.clear();
}

pub fn launches_wait() -> bool {
    WAITING.load(Relaxed) > 0
}

/// A launch that has not started.
#[derive(Debug)]
pub struct Waiting(());

impl Waiting {
    pub fn new() -> Waiting {
        WAITING.fetch_add(1, Relaxed);
        Waiting(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Relaxed);
    }
}

/// A number for a queue, which no other has.
pub fn queue_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Relaxed)
}

/// How many queues each context has.
static QUEUES: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

pub fn queue_was_made(context: usize) {
    *lock(&QUEUES).entry(context).or_default() += 1;
}

pub fn queue_was_dropped(context: usize) {
    let mut queues = lock(&QUEUES);
    if let Some(count) = queues.get_mut(&context) {
        *count -= 1;
        if *count == 0 {
            queues.remove(&context);
        }
    }
}

pub fn has_several_queues(context: usize) -> bool {
    lock(&QUEUES).get(&context).is_some_and(|count| *count > 1)
}

/// The order of one command.
#[derive(Debug)]
pub struct Order {
    pub place: Place,
    /// What comes before it.
    pub clock: Clock,
    /// Of a launch that has not started.
    pub waiting: Option<Waiting>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_knows_whole_queues_and_single_commands() {
        let at = |queue, index| Place { queue, index };
        let mut clock = Clock::default();
        clock.add_before(at(1, 3));
        assert!(clock.has(at(1, 2)) && !clock.has(at(1, 3)) && !clock.has(at(2, 0)));
        clock.add(at(1, 4));
        assert!(clock.has(at(1, 4)) && !clock.has(at(1, 3)));
        let mut other = Clock::default();
        other.add(at(1, 3));
        other.add(at(2, 0));
        clock.join(&other);
        assert!((0..5).all(|i| clock.has(at(1, i))) && clock.has(at(2, 0)));
        assert_eq!((clock.0[&1].before, clock.0[&1].others.len()), (5, 0));
    }
}
