//! Work of the driver's own in a queue, and launches on a part of the machine.

mod common;

use common::{facts, launch, load};
use compiler::NdRange;
use lanewise_runtime::*;
use std::collections::HashSet;
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
