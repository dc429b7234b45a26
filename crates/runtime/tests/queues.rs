//! Queues and events: order, dependencies, failures, callbacks, many commands, many threads.

mod common;

use common::{facts, launch, load, word, words};
use compiler::{ArgKind::*, NdRange};
use lanewise_runtime::*;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn queues() -> [Queue; 2] {
    [Queue::in_order(), Queue::out_of_order()]
}

/// A native command that adds `id` to `log`.
fn note(log: &Arc<Mutex<Vec<usize>>>, id: usize) -> Command {
    let log = log.clone();
    Command::native(move || {
        log.lock().unwrap().push(id);
        Ok(())
    })
}

kernel!(add_one, g, {
    g.items(|_, global| {
        // SAFETY: the tests pass a buffer with a word for each work-item; no two touch one at a
        // time.
        let place = unsafe { &mut *(g.arg(0) as *mut u64).add(global[0] as usize) };
        *place = *place * g.arg(1) + 1;
    })
});

#[test]
fn everything_is_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<(Queue, Event, Arc<Buffer>, Arc<Executable>, Launch, PackedArgs, ArgValue)>();
}

#[test]
fn in_order_commands_see_each_others_effects() {
    let kernel = load(add_one, facts(&[Global, Value]));
    let queue = Queue::in_order();
    for items in [1, 5000] {
        let buffer = Buffer::new(8 * items).unwrap();
        let mut expected = 0u64;
        for factor in 0..300 {
            let args = [ArgValue::Buffer(buffer.clone(), 0), word(factor % 3)];
            queue.enqueue(launch(&kernel, NdRange::new(&[items], &[7]), &args), &[]).unwrap();
            expected = expected.wrapping_mul(factor as u64 % 3) + 1;
        }
        queue.finish();
        assert!(words(&buffer).iter().all(|&n| n == expected));
    }
}

#[test]
fn buffers_are_written_copied_filled_and_read() {
    let queue = Queue::in_order();
    let (a, b) = (Buffer::new(1000).unwrap(), Buffer::new(1000).unwrap());
    let transfer = |command| queue.enqueue(command, &[]).map(|event| event.wait().unwrap());
    let write = |offset, from: &[u8]| Command::Write {
        buffer: a.clone(),
        offset,
        // SAFETY: the bytes outlive the command, which is waited for.
        from: unsafe { HostRef::new(from.as_ptr(), from.len()) },
    };
    let read = |buffer: &Arc<Buffer>, offset, to: &mut [u8]| Command::Read {
        buffer: buffer.clone(),
        offset,
        // SAFETY: as above.
        to: unsafe { HostMut::new(to.as_mut_ptr(), to.len()) },
    };
    transfer(write(10, &[1, 2, 3, 4])).unwrap();
    let copy = Command::Copy { from: a.clone(), from_offset: 8, to: b.clone(), to_offset: 100, bytes: 20 };
    queue.enqueue(copy, &[]).unwrap();
    queue
        .enqueue(Command::Fill { buffer: b.clone(), offset: 104, bytes: 4, pattern: vec![7, 8] }, &[])
        .unwrap();
    let mut out = [9; 10];
    transfer(read(&b, 100, &mut out)).unwrap();
    assert_eq!(out, [0, 0, 1, 2, 7, 8, 7, 8, 0, 0]);

    let range = |offset, bytes| Err(MemoryError::Range { offset, bytes, len: 1000 });
    assert_eq!(transfer(read(&a, 995, &mut out)), range(995, 10));
    assert_eq!(transfer(write(usize::MAX, &out)), range(usize::MAX, 10));
    let copy = Command::Copy { from: a.clone(), from_offset: 0, to: b.clone(), to_offset: 999, bytes: 2 };
    assert_eq!(transfer(copy), range(999, 2));
    let fill = Command::Fill { buffer: b, offset: 0, bytes: 9, pattern: vec![0; 2] };
    let error = MemoryError::Pattern { pattern: 2, bytes: 9 };
    assert_eq!(queue.enqueue(fill, &[]).unwrap_err(), error);
    // SAFETY: the null pointer is refused.
    let to = unsafe { HostMut::new(std::ptr::null_mut(), 1) };
    let read = Command::Read { buffer: a, offset: 0, to };
    assert_eq!(queue.enqueue(read, &[]).unwrap_err(), MemoryError::NullPointer);
}

#[test]
fn a_flush_alone_makes_progress() {
    for queue in queues() {
        let kernel = load(add_one, facts(&[Global, Value]));
        let buffer = Buffer::new(8 * 5000).unwrap();
        let args = [ArgValue::Buffer(buffer.clone(), 0), word(0)];
        let launched = queue.enqueue(launch(&kernel, NdRange::new(&[5000], &[64]), &args), &[]).unwrap();
        let marker = queue.enqueue(Command::Marker, &[]).unwrap();
        assert_eq!(marker.state(), EventState::Queued);
        queue.flush();
        eventually("flushed", || marker.has_ended() && launched.has_ended());
        assert!(words(&buffer).iter().all(|&n| n == 1));
    }
}

#[test]
fn dropping_a_queue_flushes_it() {
    for queue in queues() {
        let gate = Event::user();
        let log = Arc::default();
        let event = queue.enqueue(note(&log, 1), std::slice::from_ref(&gate)).unwrap();
        queue.enqueue(note(&log, 2), std::slice::from_ref(&event)).unwrap();
        drop(queue);
        drop(event);
        gate.set(Ok(())).unwrap();
        eventually("ran", || *log.lock().unwrap() == [1, 2]);
    }
}

#[test]
fn waiting_for_one_lets_the_later_ones_run() {
    for queue in queues() {
        let log = Arc::default();
        let first = queue.enqueue(note(&log, 1), &[]).unwrap();
        let second = queue.enqueue(note(&log, 2), std::slice::from_ref(&first)).unwrap();
        first.wait().unwrap();
        eventually("second", || second.has_ended());
    }
}

#[test]
fn out_of_order_respects_dependencies_only() {
    let queue = Queue::out_of_order();
    let (gate, log) = (Event::user(), Arc::default());
    let held = queue.enqueue(note(&log, 1), std::slice::from_ref(&gate)).unwrap();
    let after = queue.enqueue(note(&log, 2), std::slice::from_ref(&held)).unwrap();
    let free = queue.enqueue(note(&log, 3), &[]).unwrap();
    free.wait().unwrap();
    assert!(!held.has_ended() && !after.has_ended());
    gate.set(Ok(())).unwrap();
    after.wait().unwrap();
    assert_eq!(*log.lock().unwrap(), [3, 1, 2]);
}

#[test]
fn markers_and_barriers() {
    let queue = Queue::out_of_order();
    let (gate, log) = (Event::user(), Arc::default());
    queue.enqueue(note(&log, 1), std::slice::from_ref(&gate)).unwrap();
    let marker = queue.enqueue(Command::Marker, &[]).unwrap();
    let free = queue.enqueue(note(&log, 2), &[]).unwrap();
    let listed = queue.enqueue(Command::Marker, std::slice::from_ref(&free)).unwrap();
    listed.wait().unwrap();
    assert!(!marker.has_ended());
    let barrier = queue.enqueue(Command::Barrier, &[]).unwrap();
    let behind = queue.enqueue(note(&log, 3), &[]).unwrap();
    queue.flush();
    std::thread::sleep(Duration::from_millis(5));
    assert!(!barrier.has_ended() && !behind.has_ended());
    gate.set(Ok(())).unwrap();
    behind.wait().unwrap();
    assert!(barrier.has_ended() && marker.has_ended());
    assert_eq!(*log.lock().unwrap(), [2, 1, 3]);
}

#[test]
fn wait_lists_reach_across_queues_without_a_flush() {
    let queues: Vec<Queue> =
        (0..10).map(|i| if i % 2 == 0 { Queue::in_order() } else { Queue::out_of_order() }).collect();
    let log = Arc::default();
    let mut last: Option<Event> = None;
    for id in 0..1000 {
        let queue = &queues[id * 7 % 10];
        last = Some(queue.enqueue(note(&log, id), last.as_slice()).unwrap());
    }
    last.unwrap().wait().unwrap();
    assert_eq!(*log.lock().unwrap(), (0..1000).collect::<Vec<_>>());
}

#[test]
fn user_events() {
    let event = Event::user();
    assert!(event.is_user());
    assert_eq!(event.state(), EventState::Submitted);
    let waiter = std::thread::spawn({
        let event = event.clone();
        move || event.wait()
    });
    std::thread::sleep(Duration::from_millis(2));
    event.set(Err(-5)).unwrap();
    assert_eq!(waiter.join().unwrap(), Err(Failure::ErrorCode(-5)));
    assert_eq!(event.set(Ok(())), Err(UserEventError::AlreadySet));
    let command = Queue::in_order().enqueue(Command::Marker, &[]).unwrap();
    assert_eq!(command.set(Ok(())), Err(UserEventError::NotUser));
    assert!(command.same(&command.clone()) && !command.same(&event));
}

#[test]
fn failures_reach_dependents_and_nobody_else() {
    for queue in queues() {
        let log = Arc::default();
        let panics =
            queue.enqueue(Command::native(|| std::panic::resume_unwind(Box::new("test"))), &[]).unwrap();
        let fails = queue.enqueue(Command::native(|| Err(-42)), &[]).unwrap();
        let one = queue.enqueue(note(&log, 1), std::slice::from_ref(&panics)).unwrap();
        let two = queue.enqueue(note(&log, 2), &[one.clone(), fails.clone()]).unwrap();
        let fine = queue.enqueue(note(&log, 3), &[]).unwrap();
        queue.finish();
        assert_eq!(panics.wait(), Err(Failure::Panicked));
        assert_eq!(fails.wait(), Err(Failure::ErrorCode(-42)));
        assert_eq!((one.wait(), two.wait()), (Err(Failure::Dependency), Err(Failure::Dependency)));
        assert_eq!(fine.wait(), Ok(()));
        assert_eq!(Event::wait_all(&[fine.clone(), fails.clone(), fine]), Err(Failure::ErrorCode(-42)));
        // Also when the failure lies in the past.
        let late = queue.enqueue(note(&log, 4), &[fails]).unwrap();
        assert_eq!(late.wait(), Err(Failure::Dependency));
        assert_eq!(*log.lock().unwrap(), [3]);
    }
}

#[test]
fn a_dropped_user_event_fails_what_waits() {
    for queue in queues() {
        let gate = Event::user();
        let mut last = queue.enqueue(Command::Marker, std::slice::from_ref(&gate)).unwrap();
        for _ in 0..100_000 {
            last = queue.enqueue(Command::native(|| Ok(())), &[last]).unwrap();
        }
        queue.flush();
        drop(gate);
        assert_eq!(last.wait(), Err(Failure::Dependency));
        queue.finish();
    }
}

#[test]
fn what_a_command_owns_is_gone_when_it_ends() {
    struct Loud;
    impl Drop for Loud {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("test"));
        }
    }
    let queue = Queue::in_order();
    let kernel = load(add_one, facts(&[Global, Value]));
    let buffer = Buffer::new(8 * 100_000).unwrap();
    for _ in 0..50 {
        let args = [ArgValue::Buffer(buffer.clone(), 0), word(1)];
        let command = launch(&kernel, NdRange::new(&[100_000], &[10]), &args);
        drop(args);
        queue.enqueue(command, &[]).unwrap().wait().unwrap();
        assert_eq!(Arc::strong_count(&buffer), 1);
    }
    let gate = Event::user();
    let loud = Loud;
    let command = Command::native(move || {
        let _loud = &loud;
        Ok(())
    });
    let event = queue.enqueue(command, std::slice::from_ref(&gate)).unwrap();
    gate.set(Err(-1)).unwrap();
    assert_eq!(event.wait(), Err(Failure::Dependency));
}

#[test]
fn callbacks_come_at_their_states() {
    for queue in queues() {
        let (sender, calls) = mpsc::channel();
        let gate = Event::user();
        let event = queue.enqueue(Command::native(|| Ok(())), std::slice::from_ref(&gate)).unwrap();
        for state in [EventState::Complete, EventState::Running, EventState::Submitted] {
            let sender = sender.clone();
            event.on(state, move |reached| sender.send((state, reached)).unwrap());
        }
        let next = || calls.recv_timeout(Duration::from_secs(20)).unwrap();
        queue.flush();
        assert_eq!(next(), (EventState::Submitted, EventState::Submitted));
        gate.set(Ok(())).unwrap();
        assert_eq!(next(), (EventState::Running, EventState::Running));
        assert_eq!(next(), (EventState::Complete, EventState::Complete));
        // Afterwards, and after a callback that panics.
        event.on(EventState::Complete, |_| std::panic::resume_unwind(Box::new("test")));
        event.on(EventState::Running, move |reached| sender.send((EventState::Running, reached)).unwrap());
        assert_eq!(next(), (EventState::Running, EventState::Complete));
    }
}

#[test]
fn callbacks_hear_of_failures() {
    let (sender, calls) = mpsc::channel();
    let gate = Event::user();
    let event = Queue::in_order().enqueue(Command::Marker, std::slice::from_ref(&gate)).unwrap();
    event.on(EventState::Running, move |state| sender.send(state).unwrap());
    gate.set(Err(-1)).unwrap();
    let failed = EventState::Failed(Failure::Dependency);
    assert_eq!(calls.recv_timeout(Duration::from_secs(20)).unwrap(), failed);
    assert_eq!(event.state(), failed);
}

#[test]
fn a_callback_may_need_a_lock_the_waiting_thread_holds() {
    let queue = Queue::in_order();
    let shared = Arc::new(Mutex::new(0));
    let held = shared.lock().unwrap();
    let first = queue.enqueue(Command::Marker, &[]).unwrap();
    let other = shared.clone();
    first.on(EventState::Complete, move |_| *other.lock().unwrap() += 1);
    queue.enqueue(Command::native(|| Ok(())), &[]).unwrap().wait().unwrap();
    drop(held);
    eventually("called", || *shared.lock().unwrap() == 1);
}

#[test]
fn a_waiting_thread_does_not_run_unrelated_code() {
    let queue = Queue::out_of_order();
    let shared = Arc::new(Mutex::new(0));
    let held = shared.lock().unwrap();
    let other = shared.clone();
    let set = Event::user();
    set.set(Ok(())).unwrap();
    let unrelated = queue
        .enqueue(
            Command::native(move || {
                *other.lock().unwrap() += 1;
                Ok(())
            }),
            &[],
        )
        .unwrap();
    queue.enqueue(Command::Marker, std::slice::from_ref(&set)).unwrap().wait().unwrap();
    if Properties::this_machine().compute_units > 1 {
        queue.enqueue(Command::native(|| Ok(())), &[]).unwrap().wait().unwrap();
    }
    drop(held);
    unrelated.wait().unwrap();
}

#[test]
fn native_commands_may_wait_for_other_queues() {
    // More of them than there are workers, each waiting for one that only a further worker can run.
    let outer = Queue::out_of_order();
    let inner = Arc::new(Queue::out_of_order());
    let events: Vec<Event> = (0..20)
        .map(|_| {
            let inner = inner.clone();
            let command = Command::native(move || {
                let elsewhere = Queue::in_order().enqueue(Command::native(|| Ok(())), &[]).unwrap();
                inner.enqueue(Command::Marker, &[elsewhere]).unwrap().wait().map_err(|_| -1)
            });
            outer.enqueue(command, &[]).unwrap()
        })
        .collect();
    outer.flush();
    Event::wait_all(&events).unwrap();
}

#[test]
fn time_stamps_are_in_order() {
    let queue = Queue::in_order();
    let before = now();
    let mut last = 0;
    for _ in 0..100 {
        let event = queue.enqueue(Command::native(|| Ok(())), &[]).unwrap();
        event.wait().unwrap();
        let Times { queued, submitted, started, ended } = event.times();
        assert!(before <= queued && queued <= submitted && submitted <= started && started <= ended);
        assert!(last <= started && ended <= now());
        last = ended;
    }
    // Queued while the one before ends, on another thread.
    let queued = (0..50_000).map(|_| {
        let event = queue.enqueue(Command::native(|| Ok(())), &[]).unwrap();
        queue.flush();
        event
    });
    let events: Vec<Event> = queued.collect();
    Event::wait_all(&events).unwrap();
    for event in events {
        let Times { queued, submitted, started, ended } = event.times();
        assert!(queued <= submitted && submitted <= started && started <= ended);
        assert!(last <= started);
        last = ended;
    }
    let gate = Event::user();
    let event = queue.enqueue(Command::Marker, std::slice::from_ref(&gate)).unwrap();
    assert_eq!((event.times().submitted, event.times().ended), (0, 0));
}

#[test]
fn a_hundred_thousand_commands() {
    let kernel = load(add_one, facts(&[Global, Value]));
    let buffer = Buffer::new(8).unwrap();
    for queue in queues() {
        for held in [false, true] {
            let gate = Event::user();
            if !held {
                gate.set(Ok(())).unwrap();
            }
            queue.enqueue(Command::Barrier, std::slice::from_ref(&gate)).unwrap();
            let mut last = None;
            buffer.fill(0, 8, &[0]).unwrap();
            for _ in 0..100_000 {
                let args = [ArgValue::Buffer(buffer.clone(), 0), word(1)];
                let command = launch(&kernel, NdRange::new(&[1], &[1]), &args);
                last = Some(queue.enqueue(command, last.as_slice()).unwrap());
            }
            if held {
                queue.flush();
                gate.set(Ok(())).unwrap();
            }
            queue.finish();
            assert_eq!(words(&buffer), [100_000]);
            assert_eq!(Arc::strong_count(&buffer), 1);
        }
    }
}

#[test]
fn many_threads_use_one_queue() {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    kernel!(count_runs, g, g.items(|_, _| _ = RUNS.fetch_add(1, SeqCst)));
    let kernel = load(count_runs, facts(&[]));
    for queue in queues() {
        RUNS.store(0, SeqCst);
        let natives = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (queue, kernel, natives) = (&queue, &kernel, natives.clone());
                scope.spawn(move || {
                    for round in 0..500usize {
                        let items = [1, 100, 3000][round % 3];
                        let command = launch(kernel, NdRange::new(&[items], &[50]), &[]);
                        let event = queue.enqueue(command, &[]).unwrap();
                        let natives = natives.clone();
                        let native = Command::native(move || {
                            natives.fetch_add(1, SeqCst);
                            Ok(())
                        });
                        let native = queue.enqueue(native, std::slice::from_ref(&event)).unwrap();
                        match (round + thread) % 5 {
                            0 => event.wait().unwrap(),
                            1 => native.wait().unwrap(),
                            2 => queue.flush(),
                            3 => queue.finish(),
                            _ => {}
                        }
                    }
                });
            }
        });
        queue.finish();
        assert_eq!(natives.load(SeqCst), 8 * 500);
        assert_eq!(RUNS.load(SeqCst), 8 * (167 + 167 * 100 + 166 * 3000));
    }
}

#[test]
fn in_order_commands_never_overlap() {
    let queue = Queue::in_order();
    let busy = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..300 {
                    let busy = busy.clone();
                    let command = Command::native(move || {
                        assert!(!busy.swap(true, SeqCst));
                        std::hint::spin_loop();
                        busy.store(false, SeqCst);
                        Ok(())
                    });
                    queue.enqueue(command, &[]).unwrap().wait().unwrap();
                }
            });
        }
    });
}

#[test]
fn again() {
    common::again();
}
