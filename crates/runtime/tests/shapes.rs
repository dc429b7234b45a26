//! Every work-item of a range runs exactly once and sees the right IDs, whatever the shape.

mod common;

use common::{facts, launch, load, word, words};
use compiler::{ArgKind::*, GROUP_MEMORY_ALIGN, KernelFacts, NdRange};
use lanewise_runtime::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// What a work-item writes: one over all it can ask. Adding shows a second run.
fn tell(
    local: [u64; 3],
    global: [u64; 3],
    group: [u64; 3],
    groups: [u64; 3],
    size: [u64; 3],
    dim: u32,
) -> u64 {
    [local, global, group, groups, size]
        .into_iter()
        .flatten()
        .chain([dim as u64])
        .fold(1u64, |hash, n| (hash ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
        | 1
}

fn add(address: u64, index: u64, value: u64) {
    // SAFETY: the tests pass a buffer with a word for each work-item.
    unsafe { (*(address as *const AtomicU64).add(index as usize)).fetch_add(value, Relaxed) };
}

kernel!(tell_all, g, {
    let i = &g.info;
    g.items(|local, global| {
        let [x, y, z] = std::array::from_fn(|d| global[d] - i.global_offset[d]);
        let index = (z * i.global_size[1] + y) * i.global_size[0] + x;
        let told = tell(local, global, i.group_id, i.num_groups, i.local_size, i.work_dim);
        add(g.arg(0), index, told);
    });
});

kernel!(count, g, {
    let i = &g.info;
    g.items(|_, global| {
        let [x, y, z] = std::array::from_fn(|d| global[d] - i.global_offset[d]);
        add(g.arg(0), (z * i.global_size[1] + y) * i.global_size[0] + x, 1);
    });
});

fn shapes() -> Vec<NdRange> {
    let mut shapes = Vec::new();
    for (global, local) in [(1, 1), (1, 64), (64, 1), (1000, 7), (4097, 4096), (65_536, 256), (200_003, 1)] {
        shapes.push(NdRange::new(&[global], &[local]));
        shapes.push(NdRange::new(&[global], &[local]).with_offset(&[12_345]));
    }
    for (global, local) in [([1, 1], [1, 1]), ([17, 33], [4, 5]), ([1, 5000], [1, 3]), ([640, 480], [16, 16])]
    {
        shapes.push(NdRange::new(&global, &local).with_offset(&[3, 1 << 40]));
    }
    for (global, local) in [
        ([1, 1, 77], [1, 1, 10]),
        ([5, 6, 7], [2, 2, 2]),
        ([33, 17, 65], [8, 8, 8]),
        ([3, 1, 900], [4, 4, 4]),
    ] {
        shapes.push(NdRange::new(&global, &local).with_offset(&[0, 9, 100]));
    }
    shapes
}

#[test]
fn every_item_once_with_its_ids() {
    let kernel = load(tell_all, facts(&[Global]));
    let queue = Queue::in_order();
    for range in shapes() {
        let buffer = Buffer::new(8 * range.work_items()).unwrap();
        for round in 1..=3 {
            let args = [ArgValue::Buffer(buffer.clone(), 0)];
            queue.enqueue(launch(&kernel, range, &args), &[]).unwrap().wait().unwrap();
            let told = words(&buffer);
            let [gx, gy, _] = range.global_size;
            for (index, &told) in told.iter().enumerate() {
                let id = [index % gx, index / gx % gy, index / gx / gy];
                let group = std::array::from_fn(|d| id[d] / range.local_size[d]);
                let wide = |n: [usize; 3]| n.map(|n| n as u64);
                let expected = tell(
                    wide(std::array::from_fn(|d| id[d] % range.local_size[d])),
                    wide(std::array::from_fn(|d| id[d] + range.global_offset[d])),
                    wide(group),
                    wide(range.num_groups()),
                    wide(std::array::from_fn(|d| {
                        range.local_size[d].min(range.global_size[d] - group[d] * range.local_size[d])
                    })),
                    range.work_dim,
                );
                assert_eq!(told, expected.wrapping_mul(round), "{range:?} {id:?}");
            }
        }
    }
}

#[test]
fn every_item_once_in_groups_of_the_drivers_choice() {
    let kernel = load(count, KernelFacts { sees_groups: false, ..facts(&[Global]) });
    let queue = Queue::in_order();
    for range in shapes() {
        let buffer = Buffer::new(8 * range.work_items()).unwrap();
        let args = [ArgValue::Buffer(buffer.clone(), 0)];
        queue.enqueue(launch(&kernel, range, &args), &[]).unwrap().wait().unwrap();
        assert!(words(&buffer).iter().all(|&n| n == 1), "{range:?}");
    }
}

unsafe extern "C" fn count_groups(args: *const u8, slice: *const host::abi::Slice) {
    // SAFETY: the driver passes both; the argument is a buffer of two words.
    let (address, slice) = unsafe { (*args.cast::<u64>(), &*slice) };
    add(address, 0, (0..3).map(|d| slice.end[d] - slice.begin[d]).product());
    add(address, 1, 1);
}

#[test]
fn huge_ranges_take_few_slices() {
    let buffer = Buffer::new(16).unwrap();
    let kernel = load(count_groups, facts(&[Global]));
    let range = NdRange::new(&[1 << 30, 1 << 10, 1 << 10], &[1, 1, 1]);
    let command = launch(&kernel, range, &[ArgValue::Buffer(buffer.clone(), 0)]);
    Queue::in_order().enqueue(command, &[]).unwrap().wait().unwrap();
    let [groups, slices] = words(&buffer)[..] else { unreachable!() };
    assert_eq!(groups, 1 << 50);
    assert!(slices < 1000 * Properties::this_machine().compute_units as u64, "{slices}");
}

#[test]
fn empty_ranges_complete() {
    let kernel = load(count_groups, facts(&[Global]));
    for global in [[0, 4, 4], [4, 0, 4], [4, 4, 0]] {
        let command = launch(&kernel, NdRange::new(&global, &[1; 3]), &[ArgValue::Null]);
        Queue::in_order().enqueue(command, &[]).unwrap().wait().unwrap();
    }
}

kernel!(use_scratch, g, {
    let items: u64 = g.info.enqueued_local_size.iter().product();
    let bytes = (1000 + 24 * items + g.arg(1) + g.arg(2)) as usize;
    assert_eq!(g.info.scratch as usize % GROUP_MEMORY_ALIGN, 0);
    let mark = g.info.group_id[0] as u8;
    // SAFETY: the facts ask for this much, and nobody else has it.
    let scratch = unsafe { std::slice::from_raw_parts_mut(g.info.scratch, bytes) };
    scratch.fill(mark);
    std::thread::yield_now();
    assert!(scratch.iter().all(|&b| b == mark));
    add(g.arg(0), 0, 1);
});

#[test]
fn scratch_is_large_aligned_and_the_threads_own() {
    let kernel = load(
        use_scratch,
        KernelFacts { scratch_fixed: 1000, scratch_per_item: 24, ..facts(&[Global, Local, Local]) },
    );
    let queue = Queue::out_of_order();
    let buffer = Buffer::new(8).unwrap();
    for local in [1, 16, 4096, 3] {
        for bytes in [1, 100_000] {
            let args =
                [ArgValue::Buffer(buffer.clone(), 0), ArgValue::Local(bytes), ArgValue::Local(2 * bytes)];
            queue.enqueue(launch(&kernel, NdRange::new(&[64 * local], &[local]), &args), &[]).unwrap();
        }
    }
    queue.finish();
    assert_eq!(words(&buffer), [64 * 8]);
    drop(queue);
    assert_eq!(Arc::strong_count(&buffer), 1);
}

#[test]
fn impossible_scratch_fails_the_command() {
    let fact = KernelFacts { scratch_fixed: isize::MAX as usize / 4, ..facts(&[]) };
    let (queue, told) = (Queue::in_order(), Arc::new(Mutex::new(Vec::new())));
    let tell = told.clone();
    queue.on_failure(move |message| {
        // Long enough for a waiting thread that does not wait for the handler to go on.
        std::thread::sleep(std::time::Duration::from_millis(20));
        tell.lock().unwrap().push(message.to_owned());
    });
    for groups in [1, 100] {
        let command = launch(&load(count_groups, fact.clone()), NdRange::new(&[groups], &[1]), &[]);
        assert_eq!(queue.enqueue(command, &[]).unwrap().wait(), Err(Failure::OutOfMemory));
        // The handler was called before the wait was over.
        assert_eq!(told.lock().unwrap().len(), 1);
        // What follows would work on what was not computed, until the failure was asked for.
        let after = || queue.enqueue(Command::Marker, &[]).unwrap().wait();
        assert_eq!((after(), after()), (Err(Failure::Predecessor), Err(Failure::Predecessor)));
        let (first, second) = (queue.take_failure().unwrap(), queue.take_failure());
        assert_eq!((first.failure, second), (Failure::OutOfMemory, None));
        let bytes = first.reason.split(' ').find_map(|word| word.parse::<usize>().ok());
        assert!(bytes >= Some(fact.scratch_fixed), "{first}");
        assert_eq!(
            told.lock().unwrap().drain(..).collect::<Vec<_>>(),
            [format!("kernel 'test' could not run: {first}")]
        );
        assert_eq!(after(), Ok(()));
    }
}

/// A handler that waits for the queue of the failed launch does not hang.
#[test]
fn a_failure_handler_may_wait_for_the_queue() {
    let fact = KernelFacts { scratch_fixed: isize::MAX as usize / 4, ..facts(&[]) };
    let queue = Arc::new(Queue::in_order());
    let (sender, finished) = std::sync::mpsc::channel();
    let own = Arc::downgrade(&queue);
    queue.on_failure(move |_| {
        own.upgrade().expect("the test holds it").finish();
        sender.send(()).unwrap();
    });
    let command = launch(&load(count_groups, fact), NdRange::new(&[1], &[1]), &[]);
    assert_eq!(queue.enqueue(command, &[]).unwrap().wait(), Err(Failure::OutOfMemory));
    finished.recv_timeout(std::time::Duration::from_secs(20)).expect("the handler returns");
}

#[test]
fn bad_launches_are_refused() {
    let kernel = load(count, facts(&[Value]));
    let try_with = |change: &dyn Fn(&mut NdRange)| {
        let mut range = NdRange::new(&[64, 64], &[8, 8]);
        change(&mut range);
        Launch::new(kernel.clone(), range, PackedArgs::pack(kernel.facts(), &[word(1)]).unwrap()).err()
    };
    assert_eq!(try_with(&|_| ()), None);
    assert_eq!(try_with(&|r| r.work_dim = 0), Some(LaunchError::Dimensions { work_dim: 0 }));
    assert_eq!(try_with(&|r| r.work_dim = 4), Some(LaunchError::Dimensions { work_dim: 4 }));
    assert_eq!(try_with(&|r| r.work_dim = 1), Some(LaunchError::UnusedDimension { dimension: 1 }));
    assert_eq!(try_with(&|r| r.local_size[1] = 0), Some(LaunchError::EmptyGroup { dimension: 1 }));
    let limits = *kernel.limits();
    assert_eq!(limits.max_work_group_size, host::host_info().device_info().max_work_group_size);
    let large = LaunchError::GroupTooLarge { items: 8000, most: limits.max_work_group_size };
    assert_eq!(try_with(&|r| r.local_size[1] = 1000), Some(large));
    assert_eq!(try_with(&|r| r.global_offset[1] = usize::MAX), Some(LaunchError::Offset { dimension: 1 }));
    assert_eq!(try_with(&|r| r.global_size[1] = usize::MAX), Some(LaunchError::TooManyGroups));

    let args = || PackedArgs::pack(kernel.facts(), &[word(1)]).unwrap();
    let range = NdRange::new(&[64], &[8]);
    let other = load(count, facts(&[Global]));
    assert_eq!(Launch::new(other, range, args()).unwrap_err(), LaunchError::Args);
    let fixed = load(count, KernelFacts { local_size: Some([4, 1, 1]), ..facts(&[Value]) });
    let error = LaunchError::LocalSize { expected: [4, 1, 1], given: [8, 1, 1] };
    assert_eq!(Launch::new(fixed, range, args()).unwrap_err(), error);
    let flat = load(count, KernelFacts { max_work_dim: 1, ..facts(&[Value]) });
    let error = LaunchError::TooManyDimensions { work_dim: 2, most: 1 };
    assert_eq!(Launch::new(flat, NdRange::new(&[8, 8], &[8, 1]), args()).unwrap_err(), error);
    let hungry = load(count, KernelFacts { scratch_per_item: usize::MAX / 2, ..facts(&[Value]) });
    let error = LaunchError::Scratch { per_item: usize::MAX / 2, per_group: 0 };
    assert_eq!(Launch::new(hungry, range, args()).unwrap_err(), error);
    let local = load(count, facts(&[Local]));
    let most = limits.local_memory_bytes;
    let args = PackedArgs::pack(local.facts(), &[ArgValue::Local(most + 1)]).unwrap();
    let error = LaunchError::LocalMemory { bytes: most + 1, most };
    assert_eq!(Launch::new(local, range, args).unwrap_err(), error);
}

#[test]
fn again() {
    common::again();
}
