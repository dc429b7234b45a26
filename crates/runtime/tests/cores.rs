//! Queues of some compute units run nothing on the CPUs of others.

mod common;

use common::{facts, launch, load};
use compiler::NdRange;
use lanewise_runtime::*;
use std::collections::BTreeSet;
use std::sync::Mutex;

static RAN_ON: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
static ALONE: Mutex<()> = Mutex::new(());

fn this_cpu() -> usize {
    // SAFETY: asks for a number.
    unsafe { libc::sched_getcpu() as usize }
}

// Long enough that every thread that may take part does.
kernel!(where_am_i, _g, {
    std::thread::sleep(std::time::Duration::from_micros(200));
    RAN_ON.lock().unwrap().insert(this_cpu());
});

fn queue_on(cores: &'static Cores, out_of_order: bool) -> Queue {
    Queue::new(QueueOptions { out_of_order, cores: Some(cores), ..QueueOptions::default() })
}

#[test]
fn kernels_and_native_commands_stay_on_their_cpus() {
    let _alone = ALONE.lock().unwrap();
    let kernel = load(where_am_i, facts(&[]));
    let all = Cores::all();
    for unit in 0..all.count().min(4) {
        let sizes: Vec<usize> = if unit == 0 { vec![1] } else { vec![unit, 1] };
        let cores = *all.cut(&sizes).unwrap().last().unwrap();
        let allowed: BTreeSet<usize> = cores.cpus().iter().copied().collect();
        for out_of_order in [false, true] {
            let queue = queue_on(cores, out_of_order);
            for _ in 0..4 {
                queue.enqueue(launch(&kernel, NdRange::new(&[40], &[1]), &[]), &[]).unwrap();
                let native = || {
                    RAN_ON.lock().unwrap().insert(this_cpu());
                    Ok(())
                };
                queue.enqueue(Command::native(native), &[]).unwrap();
            }
            queue.finish();
            let ran_on = std::mem::take(&mut *RAN_ON.lock().unwrap());
            assert!(!ran_on.is_empty() && ran_on.is_subset(&allowed), "{ran_on:?}, not {allowed:?}");
        }
    }
}

/// A command that another queue's command lets go is not run by the other queue's thread.
#[test]
fn what_waits_for_another_queue_stays_too() {
    let _alone = ALONE.lock().unwrap();
    let all = Cores::all();
    let Some(parts) = all.cut(&[1, 1]) else {
        eprintln!("SKIPPED: one compute unit");
        return;
    };
    let queues = [queue_on(parts[0], false), queue_on(parts[1], false), Queue::in_order()];
    let mut last: Option<Event> = None;
    for turn in 0..60 {
        let which = turn % 3;
        let allowed = parts.get(which).map(|part| part.cpus().to_vec());
        let command = Command::native(move || match allowed {
            Some(allowed) if !allowed.contains(&this_cpu()) => Err(this_cpu() as i32 + 1),
            _ => Ok(()),
        });
        last = Some(queues[which].enqueue(command, last.as_slice()).unwrap());
    }
    assert_eq!(last.unwrap().wait(), Ok(()));
}

/// Queues of one compute unit: the urgent one's commands come before those that others have not
/// begun, and a queue without urgency waits for all others.
#[test]
fn queues_of_higher_priority_go_first() {
    let _alone = ALONE.lock().unwrap();
    let cores = Cores::all().cut(&[1]).unwrap()[0];
    static ORDER: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let [low, medium, high] = [Priority::Low, Priority::Medium, Priority::High].map(|priority| {
        [false, true].map(|out_of_order| {
            let options = QueueOptions { out_of_order, cores: Some(cores), ..QueueOptions::default() };
            Queue::new(QueueOptions { priority, ..options })
        })
    });
    let note = |queue: &Queue, name: &'static str| {
        let note = move || {
            ORDER.lock().unwrap().push(name);
            Ok(())
        };
        queue.enqueue(Command::native(note), &[]).unwrap();
    };
    let (go, gone) = std::sync::mpsc::channel();
    let begins = move || {
        gone.recv().unwrap();
        Ok(())
    };
    low[0].enqueue(Command::native(begins), &[]).unwrap();
    for (queues, name) in [(&low, "low"), (&medium, "medium"), (&high, "high")] {
        for queue in queues {
            (0..3).for_each(|_| note(queue, name));
            queue.flush();
        }
    }
    go.send(()).unwrap();
    [low, medium, high].iter().flatten().for_each(Queue::finish);
    let order = std::mem::take(&mut *ORDER.lock().unwrap());
    assert_eq!(order, [["high"; 6], ["medium"; 6], ["low"; 6]].concat());
}
