//! Measures what a launch costs that does nothing.

use compiler::{KernelFacts, NdRange};
use host::abi::Slice;
use lanewise_runtime as runtime;
use runtime::{Command, Executable, Launch, Limits, PackedArgs, Queue};
use std::sync::Arc;
use std::time::{Duration, Instant};

unsafe extern "C" fn empty(_: *const u8, _: *const Slice) {}

unsafe extern "C" fn spin(_: *const u8, slice: *const Slice) {
    // SAFETY: the driver passes a slice.
    let slice = unsafe { &*slice };
    for _ in slice.begin[0]..slice.end[0] {
        let start = Instant::now();
        while start.elapsed() < Duration::from_micros(1) {}
    }
}

fn kernel(entry: host::abi::EntryHook, sees_groups: bool) -> Arc<Executable> {
    let facts = KernelFacts { sees_groups, ..KernelFacts::plain("empty") };
    // SAFETY: the entries above keep to the ABI.
    Arc::new(unsafe { host::entry_hook(entry, facts, Limits::of(host::device()), Box::new(())) })
}

fn launch(kernel: &Arc<Executable>, global: usize, local: usize) -> Command {
    let args = PackedArgs::pack(kernel.facts(), &[]).expect("no arguments");
    Command::launch(
        Launch::new(kernel.clone(), NdRange::new(&[global], &[local]), args).expect("a good range"),
    )
}

/// The median of many runs of `f`, in microseconds.
fn measure(name: &str, runs: usize, mut f: impl FnMut()) {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (median, worst) = (times[runs / 2], times[runs * 99 / 100]);
    println!("{name:55} {median:9.2} µs   (99 %: {worst:.2} µs)");
}

fn main() {
    println!("{:#?}", runtime::Properties::this_machine());
    for (order, queue) in [("in order", Queue::in_order()), ("out of order", Queue::out_of_order())] {
        for (groups, sees) in [("1 group", false), ("64 groups", true)] {
            let kernel = kernel(empty, sees);
            let one = || queue.enqueue(launch(&kernel, 64, 1), &[]).expect("enqueue");
            measure(&format!("{order}, {groups}: launch + wait"), 10_000, || {
                one().wait().expect("success");
            });
            measure(&format!("{order}, {groups}: launch + flush + wait"), 2_000, || {
                let event = one();
                queue.flush();
                event.wait().expect("success");
            });
            measure(&format!("{order}, {groups}: 100 launches + finish"), 1_000, || {
                (0..100).for_each(|_| drop(one()));
                queue.finish();
            });
        }
        let kernel = kernel(spin, true);
        for groups in [5, 20, 100, 1000] {
            measure(&format!("{order}, {groups} groups of 1 µs + wait"), 200, || {
                let event = queue.enqueue(launch(&kernel, groups, 1), &[]).expect("enqueue");
                event.wait().expect("success");
            });
        }
        measure(&format!("{order}: marker + wait"), 10_000, || {
            queue.enqueue(Command::Marker, &[]).expect("enqueue").wait().expect("success");
        });
    }
    // The workers sleep: the flush wakes one.
    let (queue, kernel) = (Queue::in_order(), kernel(empty, false));
    let (mut flush, mut wait) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(1));
        let start = Instant::now();
        let event = queue.enqueue(launch(&kernel, 64, 1), &[]).expect("enqueue");
        queue.flush();
        flush += start.elapsed();
        event.wait().expect("success");
        wait += start.elapsed();
    }
    println!("after 1 ms of sleep: launch + flush {:?}, + wait {:?} (mean)", flush / 200, wait / 200);
    measure("clock", 10_000, || {
        std::hint::black_box(runtime::now());
    });
    measure("process id", 10_000, || {
        std::hint::black_box(std::process::id());
    });
}
