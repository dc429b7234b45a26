//! Runs launches, and copies in parts: alone on the calling thread if they are small, else shared
//! with the pool's workers.

use crate::args::PackedArgs;
use crate::checks::{self, Record};
use crate::clock;
use crate::device::Executable;
use crate::fork::outside;
use crate::grid::{Grid, GroupBox};
use crate::job::share;
use crate::node::{Failure, Node};
use crate::profile;
use crate::queue::LaunchFailure;
use crate::succession;
use compiler::{KernelFacts, NdRange, SMALL_RANGE_END};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// A launch shorter than this is not worth another thread's wake-up.
const SHARE_FROM_NS: u64 = 10_000;
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
    Scratch {
        per_item: usize,
        per_group: usize,
    },
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
            LaunchError::Scratch { per_item, per_group } => write!(
                f,
                "the work-group needs more memory than there is: {per_item} bytes for the private variables \
                 of each work-item that live across barriers, and {per_group} for local memory and large \
                 private variables"
            ),
        }
    }
}

impl std::error::Error for LaunchError {}

/// A kernel with all it needs to run once.
#[derive(Debug)]
pub struct Launch {
    kernel: Arc<Executable>,
    range: NdRange,
    args: PackedArgs,
    grid: Grid,
    group_memory_bytes: AtomicUsize,
    /// How many threads may work on it.
    threads: usize,
    /// Receives the time of the launch.
    timing: Option<Arc<dyn Timing>>,
    /// Of checked code. Boxed, so that launches without it are small.
    checks: Option<Box<Record>>,
}

/// Receives the time that a launch took.
pub trait Timing: Send + Sync + fmt::Debug {
    /// A launch of so many work-items kept threads busy for so long in all.
    fn note(&self, items: usize, nanoseconds: u64);
}

impl Launch {
    /// The bytes and floating-point operations of all work-items, if the compiler could count them.
    pub fn work(&self) -> Option<(f64, f64)> {
        let (facts, items) = (self.kernel().facts(), self.range().work_items() as f64);
        let work = facts.work.as_ref()?;
        let argument = |n: u32| self.args().integer(facts.args.get(n as usize)?);
        Some((items * work.bytes.value(argument)?, items * work.operations.value(argument)?))
    }

    /// The bytes of all work-items by the source lines of their accesses, where the compiler knew
    /// these.
    pub fn bytes_by_line(&self) -> Vec<(u32, f64)> {
        let (facts, items) = (self.kernel().facts(), self.range().work_items() as f64);
        let argument = |n: u32| self.args().integer(facts.args.get(n as usize)?);
        let lines = facts.work.iter().flat_map(|work| &work.lines);
        lines.filter_map(|(line, bytes)| Some((*line, items * bytes.value(argument)?))).collect()
    }

    pub fn new(kernel: Arc<Executable>, range: NdRange, mut args: PackedArgs) -> Result<Launch, LaunchError> {
        let (facts, limits) = (kernel.facts(), *kernel.limits());
        if !args.fits(facts) {
            return Err(LaunchError::Args);
        }
        check_range(&range, limits.max_work_group_size)?;
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
        let most = limits.local_memory_bytes;
        if args.local_bytes() > most {
            return Err(LaunchError::LocalMemory { bytes: args.local_bytes(), most });
        }
        let expected_ns = kernel.cost().expect(range.work_items());
        let grid = Grid::new(&range, facts, limits.threads, expected_ns).ok_or(LaunchError::TooManyGroups)?;
        let items = grid.local.iter().product::<usize>();
        if !needs_possible_memory(facts, items) {
            let (per_item, per_group) = (facts.scratch_per_item, facts.scratch_fixed);
            return Err(LaunchError::Scratch { per_item, per_group });
        }
        let group_memory_bytes = AtomicUsize::new(facts.scratch_bytes(items, args.group_bytes()));
        let threads = limits.threads;
        let checks = args.take_checked().map(|arguments| Box::new(Record::new(arguments, range)));
        Ok(Launch { kernel, range, args, grid, group_memory_bytes, threads, timing: None, checks })
    }

    /// How many threads may work on it.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Lets at most `threads` threads work on it, at least one.
    pub fn limit_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, self.threads);
    }

    /// Tells `timing` the time of the launch when it has ended.
    pub fn report_to(&mut self, timing: Option<Arc<dyn Timing>>) {
        self.timing = timing;
    }

    /// Gives the reports of checked code to `listener`, too.
    pub fn report_checks_to(&mut self, listener: checks::Listener) {
        if let Some(record) = &mut self.checks {
            record.listen(listener);
        }
    }

    /// Notes what it took since it started: the time of all threads.
    pub(crate) fn note(&self, started: u64, nanoseconds: u64) {
        let items = self.range.work_items();
        // The time of a launch on two kinds of code says nothing about either.
        if self.kernel.succession().is_none_or(|succession| succession.successor().is_none()) {
            self.kernel.cost().note(items, nanoseconds);
        }
        if let Some(timing) = &self.timing {
            timing.note(items, nanoseconds);
        }
        profile::note(self, started, nanoseconds);
        if let Some(record) = &self.checks {
            record.finish();
        }
    }

    pub fn kernel(&self) -> &Arc<Executable> {
        &self.kernel
    }

    pub fn range(&self) -> &NdRange {
        &self.range
    }

    /// The estimated time on one thread.
    pub(crate) fn expected_ns(&self) -> Option<u64> {
        self.kernel.cost().expect(self.range.work_items())
    }

    /// Whether it should be done before another thread is awake.
    pub(crate) fn is_short(&self) -> bool {
        self.expected_ns().is_some_and(|ns| ns < SHARE_FROM_NS)
    }

    pub fn args(&self) -> &PackedArgs {
        &self.args
    }

    /// The work-groups of the launch: of the local size that was asked for, or of the driver's
    /// choice.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The bytes of memory that a work-group needs, with the alignment
    /// [`compiler::GROUP_MEMORY_ALIGN`]: local memory, and the live variables across barriers.
    pub fn group_memory_bytes(&self) -> usize {
        self.group_memory_bytes.load(Relaxed)
    }

    /// Whether better code can run the rest of the work-groups. If so, these have memory for both.
    pub(crate) fn may_go_on_with(&self, better: &Executable) -> bool {
        let facts = better.facts();
        let items = self.grid.local.iter().product::<usize>();
        let fits = needs_possible_memory(facts, items) && self.args.fits(facts);
        if fits {
            self.group_memory_bytes.fetch_max(facts.scratch_bytes(items, self.args.group_bytes()), Relaxed);
        }
        fits
    }

    /// The groups that the calling thread takes at a time if no other thread takes part.
    fn serial_slice(&self) -> u64 {
        match self.kernel.succession() {
            Some(_) => (self.grid.total / (4 * succession::SLICES)).max(1),
            None => u64::MAX,
        }
    }

    /// Runs the work-groups that `next` gives.
    pub(crate) fn run_boxes(&self, next: impl FnMut() -> Option<GroupBox>) -> Result<(), Failure> {
        // A kernel may take any time, and so may its `printf`.
        checks::with(self.checks.as_deref(), || outside(|| succession::run(self, next)))
    }
}

/// Whether the memory of a work-group of so many work-items can be counted.
fn needs_possible_memory(facts: &KernelFacts, items: usize) -> bool {
    let half = isize::MAX as usize / 2;
    facts.scratch_per_item.checked_mul(items).is_some_and(|n| n <= half) && facts.scratch_fixed <= half / 2
}

fn check_range(range: &NdRange, most: usize) -> Result<(), LaunchError> {
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
    if items > most {
        return Err(LaunchError::GroupTooLarge { items, most });
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
pub(crate) fn run(node: &Arc<Node>, mut launch: Box<Launch>, started: u64) -> Step {
    let Grid { total, .. } = launch.grid;
    let mut cursor = 0;
    if let Some(record) = &mut launch.checks
        && launch.kernel.facts().checks.has(compiler::Checks::RACES)
        && node.queue().is_some_and(|queue| queue.may_overlap())
        && let Some(order) = node.take_order()
    {
        record.take_off(order);
    }
    // Races of different work-groups are found by the order in which these run, which should not
    // depend on threads. The first work-group says whether that matters.
    if launch.threads > 1 && total > 1 && launch.kernel.facts().checks.has(compiler::Checks::RACES) {
        let first = || if cursor == 0 { launch.grid.take_serial(&mut cursor, 1) } else { None };
        if let Err(failure) = launch.run_boxes(first) {
            return Step::done(Err(failed(node, &launch, failure)));
        }
        if launch.checks.as_ref().is_none_or(|record| record.is_serial()) {
            launch.threads = 1;
        }
    }
    if launch.threads > 1 && total > cursor + 1 {
        let expected = launch.expected_ns();
        if expected.is_none_or(|ns| ns >= SHARE_FROM_NS) {
            return share(node, launch, started, cursor, expected);
        }
        // Seems little. Try a bit, as its cost may depend on the arguments.
        let begin = cursor;
        let first = || if cursor == begin { launch.grid.take_serial(&mut cursor, total / 8) } else { None };
        if let Err(failure) = launch.run_boxes(first) {
            return Step::done(Err(failed(node, &launch, failure)));
        }
        let rest = (clock::now() - started).saturating_mul((total - cursor).div_ceil(cursor));
        if rest >= SHARE_FROM_NS && cursor < total {
            return share(node, launch, started, cursor, Some(rest));
        }
    }
    let slice = launch.serial_slice();
    if let Err(failure) = launch.run_boxes(|| launch.grid.take_serial(&mut cursor, slice)) {
        return Step::done(Err(failed(node, &launch, failure)));
    }
    let at = clock::now();
    if total > 0 {
        launch.note(started, at - started);
    }
    Step::Done { outcome: Ok(()), at }
}

/// Tells the queue of `node` that its launch failed, and gives the failure back.
pub(crate) fn failed(node: &Node, launch: &Launch, failure: Failure) -> Failure {
    if let Some(queue) = node.queue() {
        let bytes = launch.group_memory_bytes();
        let reason = format!(
            "{failure}: a work-group needs {bytes} bytes for local memory and for private variables that are \
             large or live across barriers"
        );
        queue.note_failure(&launch.kernel.facts().name, LaunchFailure { failure, reason });
    }
    failure
}
