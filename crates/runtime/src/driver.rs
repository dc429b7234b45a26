//! Runs launches: alone on the calling thread if they are small, else shared with the pool's workers.

use crate::args::PackedArgs;
use crate::clock;
use crate::device::{Device, LOCAL_MEMORY_BYTES, MAX_WORK_GROUP_SIZE};
use crate::estimate;
use crate::fork::outside;
use crate::fpenv::KernelMode;
use crate::grid::{Grid, GroupBox};
use crate::lock;
use crate::node::{Failure, Node};
use crate::pool::{Pool, Task};
use crate::scratch;
use compiler::NdRange;
use host::abi::{Slice, WorkGroupInfo};
use host::{LoadedKernel, SMALL_RANGE_END, Timing};
use std::fmt;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex};

/// A launch shorter than this is not worth another thread's wake-up.
const SHARE_FROM_NS: u64 = 10_000;
/// The work that is worth one more thread.
const HELPER_NS: u64 = 4_000;
/// The least work of a slice.
const SLICE_NS: u64 = 1_000;

/// Why a kernel cannot be launched so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The arguments were packed for another kernel.
    Args,
    Dimensions {
        work_dim: u32,
    },
    /// The kernel, or its code, is for fewer dimensions.
    TooManyDimensions {
        work_dim: u32,
        most: u32,
    },
    /// A dimension beyond `work_dim` is not of size 1 with offset 0.
    UnusedDimension {
        dimension: usize,
    },
    EmptyGroup {
        dimension: usize,
    },
    GroupTooLarge {
        items: usize,
        most: usize,
    },
    /// The code was made for another local size.
    LocalSize {
        expected: [usize; 3],
        given: [usize; 3],
    },
    /// The code was made for one local size, which does not divide the global size.
    NotUniform {
        local_size: [usize; 3],
    },
    /// The code was made for ranges that begin at 0.
    NotFromZero,
    /// The code was made for ranges that end before this.
    NotSmall {
        end: u64,
    },
    /// The offset plus the global size overflows.
    Offset {
        dimension: usize,
    },
    TooManyGroups,
    LocalMemory {
        bytes: usize,
        most: usize,
    },
    Scratch,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Args => f.write_str("the arguments were packed for another kernel"),
            LaunchError::Dimensions { work_dim } => write!(f, "1 to 3 dimensions expected, {work_dim} given"),
            LaunchError::TooManyDimensions { work_dim, most } => {
                write!(f, "{work_dim} dimensions given, but the kernel takes {most} at most")
            }
            LaunchError::UnusedDimension { dimension } => {
                write!(f, "dimension {dimension} is not in use but set")
            }
            LaunchError::EmptyGroup { dimension } => {
                write!(f, "the local size of dimension {dimension} is 0")
            }
            LaunchError::GroupTooLarge { items, most } => {
                write!(f, "a work-group of {items} work-items; at most {most}")
            }
            LaunchError::LocalSize { expected, given } => {
                write!(f, "local size {given:?} for code made for {expected:?}")
            }
            LaunchError::NotUniform { local_size } => {
                write!(
                    f,
                    "the local size {local_size:?} that the code was made for does not divide the global size"
                )
            }
            LaunchError::NotFromZero => {
                f.write_str("a global offset for code made for ranges that have none")
            }
            LaunchError::NotSmall { end } => {
                write!(f, "global IDs of {end} or more for code made for smaller ones")
            }
            LaunchError::Offset { dimension } => {
                write!(f, "offset and global size overflow in dimension {dimension}")
            }
            LaunchError::TooManyGroups => f.write_str("too many work-groups"),
            LaunchError::LocalMemory { bytes, most } => {
                write!(f, "{bytes} bytes of local memory; at most {most}")
            }
            LaunchError::Scratch => f.write_str("the work-group needs more memory than there is"),
        }
    }
}

impl std::error::Error for LaunchError {}

/// A kernel with all it needs to run once.
#[derive(Debug)]
pub struct Launch {
    kernel: Arc<LoadedKernel>,
    range: NdRange,
    args: PackedArgs,
    grid: Grid,
    scratch_bytes: usize,
    /// How many threads may work on it.
    threads: usize,
    /// To be told what it took.
    timing: Option<Arc<Timing>>,
}

impl Launch {
    pub fn new(kernel: Arc<LoadedKernel>, range: NdRange, args: PackedArgs) -> Result<Launch, LaunchError> {
        let facts = kernel.facts();
        if !args.fits(facts) {
            return Err(LaunchError::Args);
        }
        check_range(&range)?;
        if range.work_dim > facts.max_work_dim {
            return Err(LaunchError::TooManyDimensions {
                work_dim: range.work_dim,
                most: facts.max_work_dim,
            });
        }
        if let Some(expected) = facts.local_size.filter(|expected| *expected != range.local_size) {
            return Err(LaunchError::LocalSize { expected, given: range.local_size });
        }
        if let Some(local_size) = facts.local_size.filter(|_| !range.is_uniform()) {
            return Err(LaunchError::NotUniform { local_size });
        }
        if facts.zero_offset && range.global_offset != [0; 3] {
            return Err(LaunchError::NotFromZero);
        }
        if facts.small_range && !range.has_ids_below(SMALL_RANGE_END) {
            return Err(LaunchError::NotSmall { end: SMALL_RANGE_END });
        }
        if args.local_bytes() > LOCAL_MEMORY_BYTES {
            return Err(LaunchError::LocalMemory { bytes: args.local_bytes(), most: LOCAL_MEMORY_BYTES });
        }
        let grid = Grid::new(&range, facts, Device::get().compute_units).ok_or(LaunchError::TooManyGroups)?;
        let items = grid.local.iter().product::<usize>();
        let half = isize::MAX as usize / 2;
        if facts.scratch_per_item.checked_mul(items).is_none_or(|n| n > half)
            || facts.scratch_fixed > half / 2
        {
            return Err(LaunchError::Scratch);
        }
        let scratch_bytes = facts.scratch_bytes(items, args.local_bytes());
        let threads = Device::get().compute_units;
        Ok(Launch { kernel, range, args, grid, scratch_bytes, threads, timing: None })
    }

    /// Lets at most `threads` threads work on it, at least one.
    pub fn on_threads(mut self, threads: usize) -> Launch {
        self.threads = threads.clamp(1, self.threads);
        self
    }

    /// Tells what it took when it has ended.
    pub fn timed(mut self, timing: Option<Arc<Timing>>) -> Launch {
        self.timing = timing;
        self
    }

    /// Notes what it took: the time of all threads.
    fn note(&self, nanoseconds: u64) {
        let items = self.range.work_items();
        estimate::note(&self.kernel, items, nanoseconds);
        if let Some(timing) = &self.timing {
            timing.note(items, nanoseconds);
        }
    }

    pub fn kernel(&self) -> &Arc<LoadedKernel> {
        &self.kernel
    }

    pub fn range(&self) -> &NdRange {
        &self.range
    }

    /// What it should take on one thread.
    pub(crate) fn expected_ns(&self) -> Option<u64> {
        estimate::expect(&self.kernel, self.range.work_items())
    }

    /// Whether it should be done before another thread is awake.
    pub(crate) fn is_short(&self) -> bool {
        self.expected_ns().is_some_and(|ns| ns < SHARE_FROM_NS)
    }

    /// The slice of everything, to be narrowed.
    fn slice(&self, scratch: *mut u8) -> Slice {
        let wide = |sizes: [usize; 3]| sizes.map(|n| n as u64);
        let local_size = wide(self.grid.local);
        Slice {
            info: WorkGroupInfo {
                group_id: [0; 3],
                num_groups: self.grid.groups,
                local_size,
                enqueued_local_size: local_size,
                global_size: wide(self.range.global_size),
                global_offset: wide(self.range.global_offset),
                scratch,
                work_dim: self.range.work_dim,
            },
            begin: [0; 3],
            end: self.grid.groups,
        }
    }

    /// Runs all slices that `next` gives; false if there is no memory for it.
    fn run_slices(&self, next: impl FnMut() -> Option<GroupBox>) -> bool {
        // A kernel may take any time, and so may printing what it has to say.
        outside(|| self.run_them(next))
    }

    fn run_them(&self, mut next: impl FnMut() -> Option<GroupBox>) -> bool {
        let ran = scratch::with(self.scratch_bytes, |scratch| {
            let _mode = KernelMode::enter();
            let mut slice = self.slice(scratch);
            let mut run = |begin: [u64; 3], end: [u64; 3]| {
                (slice.begin, slice.end, slice.info.group_id) = (begin, end, begin);
                // SAFETY: the entry keeps to the ABI and the facts the arguments, the local size and the scratch
                // were made for; what the arguments point to is kept by them.
                unsafe { self.kernel.entry()(self.args.as_ptr(), &slice) };
            };
            while let Some(groups) = next() {
                if self.grid.free {
                    groups.groups().for_each(|group| run(group, group.map(|id| id + 1)));
                } else {
                    run(groups.begin, groups.end);
                }
            }
        });
        host::flush_printf();
        ran.is_some()
    }
}

fn check_range(range: &NdRange) -> Result<(), LaunchError> {
    let work_dim = range.work_dim;
    if !(1..=3).contains(&work_dim) {
        return Err(LaunchError::Dimensions { work_dim });
    }
    for dimension in 0..3 {
        let (global, offset, local) =
            (range.global_size[dimension], range.global_offset[dimension], range.local_size[dimension]);
        if dimension >= work_dim as usize && (global, offset, local) != (1, 0, 1) {
            return Err(LaunchError::UnusedDimension { dimension });
        }
        if local == 0 {
            return Err(LaunchError::EmptyGroup { dimension });
        }
        if global.checked_add(offset).is_none() {
            return Err(LaunchError::Offset { dimension });
        }
    }
    let items = range.local_size.iter().fold(1usize, |product, &n| product.saturating_mul(n));
    if items > MAX_WORK_GROUP_SIZE {
        return Err(LaunchError::GroupTooLarge { items, most: MAX_WORK_GROUP_SIZE });
    }
    if range.global_size.iter().try_fold(1usize, |product, &n| product.checked_mul(n)).is_none() {
        return Err(LaunchError::TooManyGroups);
    }
    Ok(())
}

/// How far a thread got with a command.
pub(crate) enum Step {
    Done {
        outcome: Result<(), Failure>,
        at: u64,
    },
    /// Other threads still work on it; the last one ends it.
    Shared,
}

impl Step {
    /// Done just now.
    pub fn done(outcome: Result<(), Failure>) -> Step {
        Step::Done { outcome, at: clock::now() }
    }
}

/// Runs the launch of `node`, which started at `started`.
pub(crate) fn run(node: &Arc<Node>, launch: Box<Launch>, started: u64) -> Step {
    let Grid { total, .. } = launch.grid;
    let mut cursor = 0;
    if launch.threads > 1 && total > 1 {
        let expected = launch.expected_ns();
        if expected.is_none_or(|ns| ns >= SHARE_FROM_NS) {
            return share(node, *launch, 0, expected);
        }
        // Seems little. Try a bit, as its cost may depend on the arguments.
        if !launch
            .run_slices(|| if cursor == 0 { launch.grid.take_serial(&mut cursor, total / 8) } else { None })
        {
            return Step::done(Err(Failure::OutOfMemory));
        }
        let rest = (clock::now() - started).saturating_mul((total - cursor).div_ceil(cursor));
        if rest >= SHARE_FROM_NS && cursor < total {
            return share(node, *launch, cursor, Some(rest));
        }
    }
    if !launch.run_slices(|| launch.grid.take_serial(&mut cursor, u64::MAX)) {
        return Step::done(Err(Failure::OutOfMemory));
    }
    let at = clock::now();
    if total > 0 {
        launch.note(at - started);
    }
    Step::Done { outcome: Ok(()), at }
}

fn share(node: &Arc<Node>, launch: Launch, cursor: u64, expected: Option<u64>) -> Step {
    let threads = launch.threads as u64;
    let left = launch.grid.total - cursor;
    let helpers = (threads - 1).min(left - 1).min(expected.map_or(u64::MAX, |ns| ns / HELPER_NS));
    let least = expected.map_or(1, |ns| SLICE_NS / (ns / left).max(1));
    let job = Arc::new(Job {
        node: node.clone(),
        grid: launch.grid,
        least: least.min(left / threads),
        launch: Mutex::new(Some(Arc::new(launch))),
        cursor: AtomicU64::new(cursor),
        active: AtomicUsize::new(1),
        busy_ns: AtomicU64::new(0),
        out_of_memory: AtomicBool::new(false),
    });
    if helpers > 0 {
        Pool::of(node.cores).push(Task::Help(job.clone()), helpers as usize);
    }
    job.work().map_or(Step::Shared, Step::done)
}

/// A launch that several threads work on.
pub(crate) struct Job {
    node: Arc<Node>,
    grid: Grid,
    least: u64,
    /// Taken by the last thread, so that nothing of it is left when the command ends.
    launch: Mutex<Option<Arc<Launch>>>,
    cursor: AtomicU64,
    /// How many threads work on it; nobody joins once it is 0.
    active: AtomicUsize,
    busy_ns: AtomicU64,
    out_of_memory: AtomicBool,
}

impl Job {
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Joins, if there is still something to do. The outcome if this was the last thread to leave.
    pub fn help(self: &Arc<Job>) -> Option<Result<(), Failure>> {
        if self.cursor.load(Relaxed) >= self.grid.total {
            return None;
        }
        self.active.fetch_update(Acquire, Relaxed, |n| (n > 0).then(|| n + 1)).ok()?;
        self.work()
    }

    /// Works until all slices are taken. The caller is counted in `active`.
    fn work(self: &Arc<Job>) -> Option<Result<(), Failure>> {
        let started = clock::now();
        let launch = lock(&self.launch).clone()?;
        let threads = launch.threads as u64;
        if !launch.run_slices(|| self.grid.take(&self.cursor, threads, self.least)) {
            self.out_of_memory.store(true, Relaxed);
            self.cursor.store(self.grid.total, Relaxed);
        }
        drop(launch);
        self.busy_ns.fetch_add(clock::now() - started, Relaxed);
        if self.active.fetch_sub(1, AcqRel) > 1 {
            return None;
        }
        let launch = lock(&self.launch).take()?;
        Pool::withdraw(self);
        if self.out_of_memory.load(Relaxed) {
            return Some(Err(Failure::OutOfMemory));
        }
        launch.note(self.busy_ns.load(Relaxed));
        Some(Ok(()))
    }
}
