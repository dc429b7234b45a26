//! The shape of sharing work on a machine of many threads: how often locks are taken, how many
//! steps follow each other, how many threads write a cache line. Two cores cannot show how fast it
//! is.
//!
//! The threads are real, and so is the pool; only the places that they are at are made up.

use crate::command;
use crate::cores::Cores;
use crate::lock;
use crate::pool::Pool;
use crate::queue::{Queue, QueueOptions};
use crate::team::Team;
use crate::topology::tests::made_up;
use std::collections::HashSet;
use std::process::Command;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// What a pool did.
#[derive(Default)]
pub(crate) struct Counts {
    /// How often its lock was taken.
    pub locks: AtomicUsize,
    /// Who called whom in the last job.
    callers: Mutex<Vec<Option<usize>>>,
}

impl Counts {
    pub fn note(&self, team: &Team) {
        *lock(&self.callers) = team.callers();
    }
}

/// Threads that wait for each other.
#[derive(Default)]
struct Meeting {
    threads: Mutex<HashSet<ThreadId>>,
    all: Condvar,
}

impl Meeting {
    /// Waits until so many different threads are here. Panics if they do not come.
    fn wait(&self, count: usize) {
        let mut threads = lock(&self.threads);
        threads.insert(std::thread::current().id());
        self.all.notify_all();
        while threads.len() < count {
            let (now, late) = self.all.wait_timeout(threads, Duration::from_secs(60)).unwrap();
            assert!(!late.timed_out(), "{} threads came", now.len());
            threads = now;
        }
    }
}

/// A command in which all threads take part at the same time.
fn meet(queue: &Queue, count: usize) {
    let meeting = Arc::new(Meeting::default());
    let run = move |parts: std::ops::Range<usize>| parts.for_each(|_| meeting.wait(count));
    queue.enqueue(command::Command::in_parts(count << 30, count, run), &[]).unwrap().wait().unwrap();
}

/// In a process of its own: other tests count the threads of theirs.
#[test]
fn the_steps_to_call_all_threads_are_logarithmic() {
    const ALONE: &str = "LANEWISE_TEST_SHAPE";
    if std::env::var_os(ALONE).is_none() {
        let name = "shape_tests::the_steps_to_call_all_threads_are_logarithmic";
        let mut alone = Command::new(std::env::current_exe().unwrap());
        let done = alone.args([name, "--exact", "--nocapture"]).env(ALONE, "1").output().unwrap();
        let said =
            [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        println!("{said}");
        assert!(done.status.success() && said.contains("256 threads"));
        return;
    }
    // On another CPU this thread would be in the place of another worker, which is not started yet.
    Cores::all().cut(&[1]).expect("there is a CPU")[0].bind_thread(0);
    for (nodes, caches, cores) in [(8, 4, 8), (2, 1, 8), (1, 1, 24)] {
        let machine = Cores::made_up(made_up(nodes, caches, cores));
        let (pool, count) = (Pool::of(machine), machine.count());
        let queue = Queue::new(QueueOptions { cores: Some(machine), ..QueueOptions::default() });
        // Starts the workers.
        meet(&queue, count);
        for _ in 0..3 {
            let until = Instant::now() + Duration::from_secs(60);
            while !pool.is_asleep() {
                assert!(Instant::now() < until, "workers do not fall asleep");
                std::thread::sleep(Duration::from_millis(1));
            }
            let locks = pool.counts.locks.load(Relaxed);
            meet(&queue, count);
            assert_eq!(pool.counts.locks.load(Relaxed), locks, "the pool's lock is taken");
            let callers = std::mem::take(&mut *lock(&pool.counts.callers));
            assert!(callers.iter().all(Option::is_some) && callers.len() == count - 1);
            // A thread calls one after the other, those with higher positions first.
            let mut steps = vec![0; count];
            let mut calls = vec![0; count];
            let mut order: Vec<usize> = (1..count).collect();
            let depth = |mut at: usize| {
                let mut depth = 0;
                while at > 0 {
                    at = callers[at - 1].unwrap();
                    depth += 1;
                }
                depth
            };
            order.sort_by_key(|at| (depth(*at), std::cmp::Reverse(*at)));
            for at in order {
                let caller = callers[at - 1].unwrap();
                calls[caller] += 1;
                steps[at] = steps[caller] + calls[caller];
            }
            let digits = count.ilog2() as usize + 1;
            let (most_steps, most_calls) = (steps.iter().max().unwrap(), calls.iter().max().unwrap());
            println!("{count} threads: {most_steps} steps, a line of {} threads", most_calls + 1);
            // Calling and leaving: each thread's line is written by itself and those it called.
            assert!(*most_steps <= digits + 2 && *most_calls <= digits + 1, "{most_steps} {most_calls}");
        }
    }
}
