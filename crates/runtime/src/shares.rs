//! The cut of a command's work-groups or parts among the threads that share it.
//!
//! Each leaf of the topology has a share, with a cursor of its own: so what a thread takes is near
//! what its neighbours take. The map from work to shares follows from the number of threads alone:
//! launches of the same size touch the same memory from the same place, as first touch assumes. A
//! thread whose share is used up takes from others, the nearest first.

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;
use crate::topology::Topology;

/// A part of the work, alone on its cache line.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Share {
    pub cursor: AtomicU64,
    pub end: u64,
    /// How many threads begin with this share.
    pub threads: u64,
    leaf: usize,
}

impl Share {
    fn is_used_up(&self) -> bool {
        self.cursor.load(Relaxed) >= self.end
    }
}

/// All of the work.
#[derive(Debug)]
pub(crate) struct Shares(Box<[Share]>);

impl Shares {
    /// Cuts `begin..end` for these threads.
    pub fn new(topology: &Topology, threads: &[usize], begin: u64, end: u64) -> Shares {
        let mut counts = vec![0; topology.leaves().len()];
        threads.iter().for_each(|thread| counts[topology.leaf_of(*thread)] += 1);
        let of = |before: u64| {
            begin + (u128::from(end - begin) * u128::from(before) / threads.len().max(1) as u128) as u64
        };
        let mut before = 0;
        let share = |(leaf, count): (usize, u64)| {
            let first = of(before);
            before += count;
            Share { cursor: AtomicU64::new(first), end: of(before), threads: count, leaf }
        };
        Shares(counts.into_iter().enumerate().filter(|(_, count)| *count > 0).map(share).collect())
    }

    /// Whether there is nothing left.
    pub fn are_used_up(&self) -> bool {
        self.0.iter().all(Share::is_used_up)
    }

    /// Leaves nothing.
    pub fn use_up(&self) {
        self.0.iter().for_each(|share| share.cursor.store(share.end, Relaxed));
    }

    /// What `take` takes for a thread of the share nearest to it that has some left.
    pub fn take<T>(
        &self,
        topology: &Topology,
        thread: usize,
        mut take: impl FnMut(&Share) -> Option<T>,
    ) -> Option<T> {
        let leaf = topology.leaf_of(thread);
        let home = self.0.partition_point(|share| share.leaf < leaf).min(self.0.len() - 1);
        if let Some(taken) = take(&self.0[home]) {
            return Some(taken);
        }
        let distance = |share: &Share| topology.distance(thread, topology.leaves()[share.leaf].start);
        let from_home = |i: usize| (home + i) % self.0.len();
        let others = || (1..self.0.len()).map(|i| &self.0[from_home(i)]).filter(|share| !share.is_used_up());
        // Another thread may use up the nearest one meanwhile.
        while let Some(nearest) = others().min_by_key(|share| distance(share)) {
            if let Some(taken) = take(nearest) {
                return Some(taken);
            }
        }
        None
    }

    #[cfg(test)]
    pub fn all(&self) -> &[Share] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tests::made_up;

    #[test]
    fn shares_follow_from_the_number_of_threads() {
        let topology = Topology::new(made_up(2, 2, 4));
        let ends = |threads: &[usize]| -> Vec<(u64, u64)> {
            let shares = Shares::new(&topology, threads, 10, 110);
            shares.all().iter().map(|s| (s.cursor.load(Relaxed), s.end)).collect()
        };
        let all: Vec<usize> = (0..16).collect();
        assert_eq!(ends(&all), [(10, 35), (35, 60), (60, 85), (85, 110)]);
        let rotated: Vec<usize> = (0..16).map(|i| (i + 5) % 16).collect();
        assert_eq!(ends(&rotated), ends(&all));
        assert_eq!(ends(&[0, 8, 9]), [(10, 43), (43, 110)]);
        assert_eq!(ends(&[3]), [(10, 110)]);
    }

    #[test]
    fn the_nearest_share_is_taken_from_first() {
        let topology = Topology::new(made_up(2, 2, 4));
        let all: Vec<usize> = (0..16).collect();
        let shares = Shares::new(&topology, &all, 0, 16);
        let one = |share: &Share| {
            let at = share.cursor.fetch_add(1, Relaxed);
            (at < share.end).then_some(at)
        };
        let taken: Vec<u64> = std::iter::from_fn(|| shares.take(&topology, 13, one)).collect();
        assert_eq!(taken, [12, 13, 14, 15, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(shares.are_used_up());
        let shares = Shares::new(&topology, &all, 0, 16);
        shares.use_up();
        assert_eq!(shares.take(&topology, 0, one), None);
    }
}
