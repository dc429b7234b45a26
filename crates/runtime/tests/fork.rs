//! A forked child has no worker threads: it must neither hang nor miss results.

#[path = "common/child.rs"]
mod child;
mod common;

use child::in_child;
use common::{facts, launch, load, words};
use compiler::{ArgKind::*, NdRange};
use lanewise_runtime::*;
use std::time::Duration;

kernel!(count, g, {
    g.items(|_, global| {
        // SAFETY: the tests pass a buffer with a word for each work-item.
        unsafe { *(g.arg(0) as *mut u64).add(global[0] as usize) += 1 };
    })
});

/// Runs a launch that is shared with workers and looks at the result.
fn works(queue: &Queue, flush: bool) -> bool {
    let kernel = load(count, facts(&[Global]));
    let buffer = Buffer::new(8 * 300_000).unwrap();
    let command = launch(&kernel, NdRange::new(&[300_000], &[3]), &[ArgValue::Buffer(buffer.clone(), 0)]);
    let event = queue.enqueue(command, &[]).unwrap();
    if flush {
        queue.flush();
        while !event.has_ended() {
            std::thread::yield_now();
        }
    }
    event.wait().is_ok() && words(&buffer).iter().all(|&n| n == 1)
}

// One test: others would run on threads that hold locks while this one forks.
#[test]
fn children_work() {
    if std::env::var_os("LANEWISE_THREADS").is_none() {
        common::again();
    }
    let (in_order, out_of_order) = (Queue::in_order(), Queue::out_of_order());
    // Before any thread was started.
    in_child(|| works(&in_order, false) && works(&Queue::in_order(), true));
    for queue in [&in_order, &out_of_order] {
        assert!(works(queue, false) && works(queue, true));
        std::thread::sleep(Duration::from_millis(5));
        in_child(|| works(queue, false) && works(queue, true) && works(&Queue::out_of_order(), true));

        // While commands are under way, held up or not even flushed.
        let gate = Event::user();
        let held = queue.enqueue(Command::Marker, std::slice::from_ref(&gate)).unwrap();
        queue.flush();
        let unflushed = queue.enqueue(Command::native(|| Ok(())), &[]).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        in_child(|| {
            let late = queue.enqueue(Command::Marker, std::slice::from_ref(&held)).unwrap();
            gate.set(Ok(())).unwrap();
            queue.finish();
            held.wait() == Err(Failure::Orphaned)
                && unflushed.wait() == Err(Failure::Orphaned)
                && late.wait() == Err(Failure::Dependency)
                && works(queue, false)
                && works(queue, true)
        });
        gate.set(Ok(())).unwrap();
        held.wait().unwrap();
        unflushed.wait().unwrap();

        // A callback in the child.
        let event = Queue::in_order().enqueue(Command::Marker, &[]).unwrap();
        let (sender, calls) = std::sync::mpsc::channel();
        event.on(EventState::Complete, move |_| sender.send(()).unwrap());
        event.wait().unwrap();
        calls.recv().unwrap();
        in_child(|| {
            let event = queue.enqueue(Command::Marker, &[]).unwrap();
            let (sender, calls) = std::sync::mpsc::channel();
            event.on(EventState::Complete, move |_| sender.send(()).unwrap());
            event.wait().unwrap();
            calls.recv_timeout(Duration::from_secs(20)).is_ok()
        });
    }
}
