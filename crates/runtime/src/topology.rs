//! The shape of a machine, as far as sharing work asks for it: which threads are near each other.
//!
//! A topology is plain data, made from the places of compute units. Production reads these from the
//! system (`cores.rs`); tests make up machines.

use std::ops::Range;

/// The parts of a machine that compute units can share, from the largest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    Numa,
    L4,
    L3,
    L2,
    L1,
}

impl Domain {
    pub const ALL: [Domain; 5] = [Domain::Numa, Domain::L4, Domain::L3, Domain::L2, Domain::L1];
}

/// The place of a CPU in the machine: for each of [`Domain::ALL`] the number of the domain it is
/// in; `None` if the system does not tell.
pub(crate) type Place = [Option<usize>; Domain::ALL.len()];

/// The most threads that share a cursor. Their third-level cache is one.
const MOST_IN_LEAF: usize = 8;

/// The threads of a set of compute units. Neighbours are near each other.
#[derive(Debug)]
pub(crate) struct Topology {
    places: Vec<Place>,
    /// Sets of neighbours that share a third-level cache.
    leaves: Vec<Range<usize>>,
}

impl Topology {
    /// The topology of threads at these places, which are sorted.
    pub fn new(places: Vec<Place>) -> Topology {
        let mut leaves: Vec<Range<usize>> = Vec::new();
        for (thread, place) in places.iter().enumerate() {
            match leaves.last_mut() {
                Some(leaf) if leaf.len() < MOST_IN_LEAF && places[leaf.start][..3] == place[..3] => {
                    leaf.end = thread + 1;
                }
                _ => leaves.push(thread..thread + 1),
            }
        }
        Topology { places, leaves }
    }

    pub fn threads(&self) -> usize {
        self.places.len()
    }

    pub fn leaves(&self) -> &[Range<usize>] {
        &self.leaves
    }

    /// The leaf that a thread is in.
    pub fn leaf_of(&self, thread: usize) -> usize {
        self.leaves.partition_point(|leaf| leaf.end <= thread)
    }

    /// The memory node of a thread.
    pub fn memory_node(&self, thread: usize) -> Option<usize> {
        self.places[thread][Domain::Numa as usize]
    }

    /// The memory nodes of all threads, in order; none if the system does not tell.
    pub fn memory_nodes(&self) -> Vec<usize> {
        let mut nodes: Vec<usize> = self.places.iter().filter_map(|place| place[0]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Whether threads have memory of their own, which others reach by way of them.
    pub fn has_memory_nodes(&self) -> bool {
        self.places.first().zip(self.places.last()).is_some_and(|(a, b)| a[0] != b[0])
    }

    /// How far apart two threads are: the number of domains that they do not share.
    pub fn distance(&self, one: usize, other: usize) -> usize {
        let shared = |(a, b): &(&Option<usize>, &Option<usize>)| a == b;
        let common = self.places[one].iter().zip(&self.places[other]).take_while(shared).count();
        Domain::ALL.len() - common
    }

    /// Where to cut a list of threads, after its first one, so that one hand on each side passes
    /// work on: at the largest step from neighbour to neighbour in the middle half, so that the
    /// parts are domains where these are of like size, and never much unlike each other.
    pub fn cut(&self, threads: &[usize]) -> usize {
        let count = threads.len();
        let (least, most) = ((count / 4).max(1), (count - count / 4).min(count - 1));
        let middle = count.div_ceil(2).min(most);
        let step = |at: &usize| {
            let size = self.distance(threads[at - 1], threads[*at]);
            (size, usize::MAX - at.abs_diff(middle))
        };
        (least..=most).max_by_key(step).unwrap_or(1)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Places of threads on so many memory nodes, with so many third-level caches each, and so many
    /// cores to a cache.
    pub fn made_up(nodes: usize, caches: usize, cores: usize) -> Vec<Place> {
        let place = |i: usize| {
            let (node, cache) = (i / (caches * cores), i / cores);
            [Some(node), None, Some(cache), Some(i), Some(i)]
        };
        (0..nodes * caches * cores).map(place).collect()
    }

    #[test]
    fn leaves_are_caches_or_parts_of_them() {
        let of = |places| Topology::new(places).leaves().to_vec();
        assert_eq!(of(made_up(1, 1, 2)).len(), 1);
        assert_eq!(of(made_up(2, 1, 3)), [0..3, 3..6]);
        assert_eq!(of(made_up(1, 1, 20)), [0..8, 8..16, 16..20]);
        assert_eq!(of(vec![[None; 5]; 3]).len(), 1);
        let large = Topology::new(made_up(8, 4, 8));
        assert_eq!(large.leaves().len(), 32);
        assert!((0..256).all(|i| large.leaf_of(i) == i / 8 && large.memory_node(i) == Some(i / 32)));
        assert_eq!(large.memory_nodes(), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(Topology::new(vec![[None; 5]; 3]).memory_nodes().is_empty());
        assert!(large.has_memory_nodes() && !Topology::new(made_up(1, 4, 8)).has_memory_nodes());
    }

    #[test]
    fn lists_are_cut_at_domains() {
        let topology = Topology::new(made_up(4, 2, 6));
        let all: Vec<usize> = (0..48).collect();
        assert_eq!(topology.cut(&all), 24);
        assert_eq!(topology.cut(&all[..12]), 6);
        // Two thirds are of one node: not in the middle, but a domain.
        assert_eq!(topology.cut(&all[..18]), 12);
        assert_eq!(topology.cut(&all[..2]), 1);
        assert_eq!(topology.cut(&all[..5]), 3);
    }
}
