//! All threads take part in a launch, also if few groups hold most of its cost. Alone in its
//! binary: other tests would keep workers busy.

mod common;

use common::{facts, launch, load};
use compiler::NdRange;
use lanewise_runtime::*;
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

const GROUPS: u64 = 200;
const COSTLY: u64 = 16;
const COST: Duration = Duration::from_millis(10);

static RAN: Mutex<Vec<(u64, ThreadId)>> = Mutex::new(Vec::new());

// It sleeps, so that the test does not depend on how many CPUs are free.
kernel!(skewed, g, {
    let group = g.info.group_id[0];
    // The costly groups are the first ones, where slices are largest.
    std::thread::sleep(if group < COSTLY { COST } else { Duration::from_micros(50) });
    RAN.lock().unwrap().push((group, std::thread::current().id()));
});

#[test]
fn uneven_work_is_spread() {
    let kernel = load(skewed, facts(&[]));
    let queue = Queue::in_order();
    let units = Properties::this_machine().compute_units;
    for _ in 0..4 {
        let start = Instant::now();
        let command = launch(&kernel, NdRange::new(&[GROUPS as usize], &[1]), &[]);
        queue.enqueue(command, &[]).unwrap().wait().unwrap();
        let took = start.elapsed();
        let mut ran = std::mem::take(&mut *RAN.lock().unwrap());
        ran.sort_by_key(|&(group, _)| group);
        assert!(ran.iter().map(|&(group, _)| group).eq(0..GROUPS));
        let threads: HashSet<ThreadId> = ran.iter().map(|&(_, thread)| thread).collect();
        // With very many threads the cheap groups are gone before the last thread is up.
        assert!((units.min(9)..=units).contains(&threads.len()), "{}", threads.len());
        // The costly groups fill so many slices of the largest size. Half of the threads that
        // allows may come late.
        let slices = (COSTLY as usize).div_ceil((GROUPS as usize / (8 * units)).max(1));
        let costly: HashSet<ThreadId> = ran[..COSTLY as usize].iter().map(|&(_, thread)| thread).collect();
        assert!(costly.len() >= slices.min(units).div_ceil(2), "{}", costly.len());
        println!("{units} threads: {took:?}, alone {:?}", COST * COSTLY as u32);
    }
}

#[test]
fn again() {
    if std::env::var_os("LANEWISE_THREADS").is_none() {
        common::again();
    }
}
