//! An NDRange as a grid of work-groups, and how it is cut into slices.
//!
//! Groups are numbered along x, then y, then z. A slice is a run of that order that is also a box:
//! part of a row, whole rows of one plane, or whole planes. Slices are large at first and become
//! smaller as the work runs out (guided self-scheduling), so threads finish together even if groups
//! differ in cost.

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use compiler::{KernelFacts, NdRange};
use ir::attributes::GroupShape;

/// The most work-items of a group of the driver's own choosing.
const MOST_ITEMS: usize = ir::MAX_WORK_GROUP_SIZE;
/// The least where work-items are cheap: less would make the loops inside the kernel short.
const LEAST_ITEMS: usize = 256;
/// The least work of a group of fewer work-items than that.
const LEAST_NS: u64 = 2_000;
/// Groups along x are multiples of this, so that only the last one leaves a vector half full.
const ROUND_ITEMS: usize = 64;
/// How many groups of its own choosing the driver likes to have for each thread.
const GROUPS_A_THREAD: usize = 8;
/// The most scratch memory of a group whose size the driver chooses.
const SCRATCH_BUDGET: usize = 64 << 10;

/// The number of slices per thread that the rest of the work is cut into. With few, the first
/// slices could hold most of the cost.
const SLICES_A_THREAD: u64 = 8;

/// A box of work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupBox {
    pub begin: [u64; 3],
    pub end: [u64; 3],
}

impl GroupBox {
    /// The groups one by one.
    pub fn groups(self) -> impl Iterator<Item = [u64; 3]> {
        let [x, y, z] = std::array::from_fn(|d| self.begin[d]..self.end[d]);
        z.flat_map(move |z| {
            let x = x.clone();
            y.clone().flat_map(move |y| x.clone().map(move |x| [x, y, z]))
        })
    }
}

/// The work-groups of one launch.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// The groups are of the driver's choosing: the kernel runs one of them at a time.
    pub free: bool,
    pub local: [usize; 3],
    pub groups: [u64; 3],
    /// How many groups there are.
    pub total: u64,
}

impl Grid {
    /// The groups of `range`, or better ones if the kernel cannot tell, which should take
    /// `expected_ns` on one thread. `None` if there are too many to count.
    pub fn new(
        range: &NdRange,
        facts: &KernelFacts,
        threads: usize,
        expected_ns: Option<u64>,
    ) -> Option<Grid> {
        let free = !facts.sees_groups && facts.local_size.is_none();
        let local = if free { choose_local(range, facts, threads, expected_ns) } else { range.local_size };
        let groups: [u64; 3] = std::array::from_fn(|d| range.global_size[d].div_ceil(local[d]) as u64);
        let total = groups.iter().try_fold(1u64, |product, &n| product.checked_mul(n))?;
        // The cursor adds chunks to a count that may be at the end already.
        (total <= u64::MAX / 4).then_some(Grid { free, local, groups, total })
    }

    /// The largest box of at most `want` groups that begins at group `at`, and its number of
    /// groups.
    fn box_at(&self, at: u64, want: u64) -> (GroupBox, u64) {
        let [gx, gy, gz] = self.groups;
        if at == 0 && want >= self.total {
            // Most launches are small, and divisions are a good part of their time.
            return (GroupBox { begin: [0; 3], end: self.groups }, self.total);
        }
        let (x, row) = (at % gx, at / gx);
        let (y, z) = (row % gy, row / gy);
        let (dx, dy, dz) = if x != 0 || want < gx {
            (want.min(gx - x), 1, 1)
        } else if y != 0 || want < gx * gy {
            (gx, (want / gx).min(gy - y), 1)
        } else {
            (gx, gy, (want / (gx * gy)).min(gz - z))
        };
        (GroupBox { begin: [x, y, z], end: [x + dx, y + dy, z + dz] }, dx * dy * dz)
    }

    /// The next slice before `end` for one of `threads` threads that share `cursor`, of at least
    /// `least` groups if the shape allows it.
    pub fn take(&self, cursor: &AtomicU64, end: u64, threads: u64, least: u64) -> Option<GroupBox> {
        let mut at = cursor.load(Relaxed);
        while at < end {
            let want = ((end - at) / (SLICES_A_THREAD * threads)).max(least).clamp(1, end - at);
            let (slice, count) = self.box_at(at, want);
            match cursor.compare_exchange_weak(at, at + count, Relaxed, Relaxed) {
                Ok(_) => return Some(slice),
                Err(now) => at = now,
            }
        }
        None
    }

    /// The next slice of at most `want` groups; for one thread.
    pub fn take_serial(&self, cursor: &mut u64, want: u64) -> Option<GroupBox> {
        if *cursor >= self.total {
            return None;
        }
        let (slice, count) = self.box_at(*cursor, want.max(1));
        *cursor += count;
        Some(slice)
    }
}

/// A local size for a kernel that does not care: of the shape that suits it, with enough groups to
/// keep all threads busy.
fn choose_local(
    range: &NdRange,
    facts: &KernelFacts,
    threads: usize,
    expected_ns: Option<u64>,
) -> [usize; 3] {
    let items = range.global_size.iter().fold(1usize, |product, &n| product.saturating_mul(n));
    let wanted = items / (threads * GROUPS_A_THREAD);
    let mut most = wanted.min(MOST_ITEMS);
    let mut round = ROUND_ITEMS;
    if wanted < LEAST_ITEMS {
        most = wanted.max(least_items(items, facts.work_width, threads, expected_ns));
        round = round.min(facts.work_width);
    }
    if let Some(affordable) = SCRATCH_BUDGET.checked_div(facts.scratch_per_item) {
        most = most.min(affordable.max(1));
    }
    let [x, y, z] = [0, 1, 2];
    let (order, narrow) = match facts.group_shape {
        GroupShape::Rows => ([x, y, z], false),
        GroupShape::Columns => ([y, x, z], false),
        GroupShape::NarrowColumns => ([x, y, z], true),
        GroupShape::NarrowRows => ([y, x, z], true),
    };
    let mut local = [1; 3];
    for d in order {
        let size = range.global_size[d];
        let narrow = narrow && d == order[0];
        let part = if narrow { facts.work_width.min(most) } else { most };
        local[d] = even_part(size, part, if d == order[0] { round } else { 1 });
        if local[d] < size && !narrow {
            break;
        }
        most = (most / local[d]).max(1);
    }
    local
}

/// The fewest work-items of a group: as many as are worth a group of their own. For vector code
/// that is several vectors, whose instructions are interleaved, as long as each thread gets a
/// group. A kernel that has never run may be costly, and too many groups cost it little.
fn least_items(items: usize, work_width: usize, threads: usize, expected_ns: Option<u64>) -> usize {
    let worth = expected_ns.map_or(0, |ns| (LEAST_NS * items as u64).div_ceil(ns.max(1)) as usize);
    let vectors = (items / threads).clamp(1, ROUND_ITEMS).next_multiple_of(work_width);
    let least = if work_width > 1 { vectors } else { 1 };
    worth.clamp(least.min(LEAST_ITEMS), LEAST_ITEMS).next_multiple_of(work_width)
}

/// Cuts `size` into equal parts of at most `most`, rounded up to a multiple of `round` where that
/// fits.
fn even_part(size: usize, most: usize, round: usize) -> usize {
    if size <= most {
        return size.max(1);
    }
    let part = size.div_ceil(size.div_ceil(most));
    let rounded = part.next_multiple_of(round);
    if rounded <= most { rounded } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(groups: [u64; 3]) -> Grid {
        Grid { free: false, local: [1; 3], groups, total: groups.iter().product() }
    }

    fn facts(sees_groups: bool) -> KernelFacts {
        KernelFacts { sees_groups, ..KernelFacts::plain("k") }
    }

    #[test]
    fn slices_cover_every_group_once() {
        for groups in
            [[1, 1, 1], [7, 1, 1], [1, 9, 1], [1, 1, 5], [3, 5, 7], [64, 64, 1], [1000, 3, 2], [2, 2, 300]]
        {
            for threads in [1, 2, 7, 64] {
                for least in [1, 4, 100] {
                    let grid = grid(groups);
                    let cursor = AtomicU64::new(0);
                    let mut seen = vec![0u8; grid.total as usize];
                    while let Some(GroupBox { begin, end }) = grid.take(&cursor, grid.total, threads, least) {
                        for z in begin[2]..end[2] {
                            for y in begin[1]..end[1] {
                                for x in begin[0]..end[0] {
                                    seen[((z * groups[1] + y) * groups[0] + x) as usize] += 1;
                                }
                            }
                        }
                    }
                    assert!(seen.iter().all(|&n| n == 1), "{groups:?} {threads} {least}");
                }
            }
        }
    }

    #[test]
    fn slices_shrink_to_one_group() {
        let grid = grid([1 << 20, 1, 1]);
        let cursor = AtomicU64::new(0);
        let sizes: Vec<u64> = std::iter::from_fn(|| grid.take(&cursor, grid.total, 4, 1))
            .map(|b| b.end[0] - b.begin[0])
            .collect();
        assert_eq!((sizes[0], *sizes.last().unwrap()), (1 << 15, 1));
        assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes.len() < 500, "{}", sizes.len());
    }

    #[test]
    fn one_thread_takes_all_at_once() {
        let (grid, mut cursor) = (grid([10, 20, 30]), 0);
        let whole = grid.take_serial(&mut cursor, u64::MAX).unwrap();
        assert_eq!(whole, GroupBox { begin: [0; 3], end: [10, 20, 30] });
        assert_eq!(grid.take_serial(&mut cursor, u64::MAX), None);
    }

    #[test]
    fn chosen_groups_are_wide_and_many() {
        let chosen = |global: &[usize], threads| {
            let range = NdRange::new(global, &vec![1; global.len()]);
            Grid::new(&range, &facts(false), threads, Some(0)).unwrap()
        };
        assert_eq!(chosen(&[64], 8).local, [64, 1, 1]);
        assert_eq!(chosen(&[1 << 20], 4).local, [4096, 1, 1]);
        assert_eq!(chosen(&[16, 100_000], 2).local, [16, 256, 1]);
        assert_eq!(chosen(&[4, 4, 4], 2).local, [4, 4, 4]);
        let odd = chosen(&[10_007, 3], 2);
        assert!(odd.local[0] % 64 == 0 && odd.total >= 12, "{odd:?}");
        assert!(chosen(&[1 << 40], 64).total == 1 << 28);
        // The local size of the user stays if the kernel can observe it.
        let range = NdRange::new(&[100], &[3]);
        assert_eq!(Grid::new(&range, &facts(true), 2, Some(0)).unwrap().local, [3, 1, 1]);
        let fixed = KernelFacts { local_size: Some([3, 1, 1]), ..facts(false) };
        assert_eq!(Grid::new(&range, &fixed, 2, Some(0)).unwrap().local, [3, 1, 1]);
        let hungry = KernelFacts { scratch_per_item: 1 << 12, ..facts(false) };
        assert_eq!(Grid::new(&range, &hungry, 2, Some(0)).unwrap().local, [15, 1, 1]);
    }

    /// However few work-items there are: if they take long, all threads take part.
    #[test]
    fn costly_work_items_are_spread() {
        let chosen = |global: &[usize], lanes, expected_ns| {
            let range = NdRange::new(global, &vec![1; global.len()]);
            let facts = KernelFacts { work_width: lanes, ..facts(false) };
            Grid::new(&range, &facts, 4, expected_ns).unwrap().local
        };
        for expected_ns in [None, Some(40_000_000)] {
            assert_eq!(chosen(&[128], 16, expected_ns), [32, 1, 1]);
            assert_eq!(chosen(&[512], 16, expected_ns), [64, 1, 1]);
            assert_eq!(chosen(&[128], 1, expected_ns), [4, 1, 1]);
            assert_eq!(chosen(&[8], 1, expected_ns), [1; 3]);
            assert_eq!(chosen(&[1], 16, expected_ns), [1; 3]);
            assert_eq!(chosen(&[100], 16, expected_ns), [32, 1, 1]);
            assert_eq!(chosen(&[6, 10], 16, expected_ns), [6, 2, 1]);
            assert_eq!(chosen(&[1 << 20], 16, expected_ns), [4096, 1, 1]);
        }
        // Groups worth 2 µs, but not more work-items than if they were cheap.
        assert_eq!(chosen(&[128], 16, Some(8_000)), [32, 1, 1]);
        assert_eq!(chosen(&[128], 16, Some(3_000)), [64, 1, 1]);
        assert_eq!(chosen(&[128], 16, Some(100)), [128, 1, 1]);
        assert_eq!(chosen(&[6000], 16, Some(100)), [256, 1, 1]);
    }

    /// Groups have the shape that suits the accesses of the kernel.
    #[test]
    fn groups_have_the_shape_of_the_accesses() {
        let chosen = |global: &[usize], group_shape| {
            let range = NdRange::new(global, &vec![1; global.len()]);
            let facts = KernelFacts { work_width: 16, group_shape, ..facts(false) };
            Grid::new(&range, &facts, 2, Some(0)).unwrap().local
        };
        let large = [8192, 8192];
        assert_eq!(chosen(&large, GroupShape::Rows), [4096, 1, 1]);
        assert_eq!(chosen(&large, GroupShape::Columns), [1, 4096, 1]);
        assert_eq!(chosen(&large, GroupShape::NarrowColumns), [16, 256, 1]);
        assert_eq!(chosen(&large, GroupShape::NarrowRows), [256, 16, 1]);
        assert_eq!(chosen(&[8, 8192], GroupShape::NarrowColumns), [8, 512, 1]);
        assert_eq!(chosen(&[8192, 100], GroupShape::Columns), [40, 100, 1]);
    }

    #[test]
    fn too_many_groups() {
        let range = NdRange::new(&[usize::MAX, 2], &[1, 1]);
        assert!(Grid::new(&range, &facts(true), 2, Some(0)).is_none());
        assert!(Grid::new(&NdRange::new(&[usize::MAX; 3], &[1; 3]), &facts(false), 2, Some(0)).is_none());
        assert_eq!(Grid::new(&NdRange::new(&[5, 0], &[1, 1]), &facts(false), 2, Some(0)).unwrap().total, 0);
    }
}
