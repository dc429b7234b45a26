//! Work of the driver's own in a queue, and launches on a part of the machine.

mod common;

use common::{facts, launch, load};
use compiler::NdRange;
use lanewise_runtime::*;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

#[test]
fn own_commands_run_in_their_turn() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let queue = Queue::in_order();
    for id in 0..20 {
        let log = log.clone();
        let bytes = if id % 2 == 0 { 0 } else { 1 << 30 };
        queue.enqueue(Command::own(bytes, move || log.lock().unwrap().push(id)), &[]).unwrap();
    }
    queue.finish();
    assert!(log.lock().unwrap().iter().copied().eq(0..20));
}

#[test]
fn what_an_own_command_holds_is_gone_before_its_event_ends() {
    let queue = Queue::in_order();
    let held = Arc::new(());
    let gate = Event::user();
    for waits in [vec![], vec![gate.clone()]] {
        let kept = held.clone();
        let event = queue.enqueue(Command::own(0, move || drop(kept)), &waits).unwrap();
        if !waits.is_empty() {
            gate.set(Err(-1)).unwrap();
        }
        assert_eq!(event.wait().is_err(), !waits.is_empty());
        assert_eq!(Arc::strong_count(&held), 1);
    }
}

#[test]
fn parts_are_done_once_each_and_gone_before_the_event_ends() {
    let queue = Queue::in_order();
    for (bytes, count) in [(0, 0), (100, 1), (100, 7), (8 << 20, 1), (8 << 20, 3), (8 << 20, 1001)] {
        let seen: Arc<Vec<AtomicU32>> = Arc::new((0..count).map(|_| AtomicU32::new(0)).collect());
        let mine = seen.clone();
        let run = move |parts: Range<usize>| {
            parts.for_each(|part| {
                mine[part].fetch_add(1, Relaxed);
            });
        };
        queue.enqueue(Command::in_parts(bytes, count, run), &[]).unwrap().wait().unwrap();
        assert_eq!(Arc::strong_count(&seen), 1);
        assert!(seen.iter().all(|n| n.load(Relaxed) == 1), "{bytes} bytes in {count} parts");
    }
}

#[test]
fn a_part_that_panics_fails_the_command() {
    let queue = Queue::in_order();
    for bytes in [0, 8 << 20] {
        let command = Command::in_parts(bytes, 100, |parts| assert!(!parts.contains(&50)));
        let event = queue.enqueue(command, &[]).unwrap();
        assert_eq!(event.wait(), Err(Failure::Panicked));
    }
}

static THREADS: Mutex<Option<HashSet<ThreadId>>> = Mutex::new(None);

kernel!(slow, _g, {
    THREADS.lock().unwrap().get_or_insert_default().insert(std::thread::current().id());
    std::thread::sleep(Duration::from_micros(300));
});

#[test]
fn a_launch_keeps_to_its_threads() {
    let kernel = load(slow, facts(&[]));
    let queue = Queue::in_order();
    for _ in 0..5 {
        THREADS.lock().unwrap().take();
        let Command::Launch(mut launch) = launch(&kernel, NdRange::new(&[64], &[1]), &[]) else {
            unreachable!()
        };
        launch.limit_threads(1);
        queue.enqueue(Command::Launch(launch), &[]).unwrap().wait().unwrap();
        assert_eq!(THREADS.lock().unwrap().as_ref().map(HashSet::len), Some(1));
    }
}
