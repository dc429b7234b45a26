//! Work that several threads share: the work-groups of a launch, or the parts of a copy.
//!
//! A job has shares of the work (`shares.rs`) and a team of threads (`team.rs`), which take from
//! them until nothing is left. The last one to leave ends the command.

use crate::clock;
use crate::command::Parts;
use crate::driver::{Launch, Step, failed};
use crate::node::{Failure, Node};
use crate::pool::{Pool, Task};
use crate::shares::{Share, Shares};
use crate::succession;
use crate::team::{Member, Team};
use crate::topology::Topology;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

/// The work that is worth one more thread.
const HELPER_NS: u64 = 4_000;
/// The least work of a slice.
const SLICE_NS: u64 = 1_000;
/// A copy of fewer bytes is not worth another thread's wake-up.
const SHARE_FROM_BYTES: usize = 256 << 10;
/// The least bytes that a thread copies at a time.
const SLICE_BYTES: usize = 128 << 10;
/// Fewer helpers are called through the pool's list.
const TREE_FROM: usize = 4;

/// Shares the work-groups of a launch from `cursor` on, which should take `expected` nanoseconds.
pub(crate) fn share(
    node: &Arc<Node>,
    launch: Box<Launch>,
    started: u64,
    cursor: u64,
    expected: Option<u64>,
) -> Step {
    let threads = launch.threads() as u64;
    let total = launch.grid().total;
    let left = total - cursor;
    let helpers = (threads - 1).min(left - 1).min(expected.map_or(u64::MAX, |ns| ns / HELPER_NS));
    let least = expected.map_or(1, |ns| SLICE_NS / (ns / left).max(1)).min(left / threads);
    let work = SharedWork::Launch { launch, least };
    Job::start(node, work, total, started, cursor, helpers as usize)
}

/// Runs the parts of `node`, which started at `started`.
pub(crate) fn run_parts(node: &Arc<Node>, parts: Parts, started: u64) -> Step {
    let helpers = (node.cores.count() - 1).min(parts.bytes / SHARE_FROM_BYTES);
    if helpers == 0 || parts.count < 2 {
        // Dropped before the event ends, also if it panics.
        let run = AssertUnwindSafe(move || (parts.run)(0..parts.count));
        return Step::done(catch_unwind(run).map_err(|_| Failure::Panicked));
    }
    let helpers = helpers.min(parts.count - 1);
    let total = parts.count as u64;
    // At least as many parts as are worth taking, and no more than the thread's share.
    let slice = parts.count.saturating_mul(SLICE_BYTES).div_ceil(parts.bytes.max(1));
    let slice = slice.clamp(1, parts.count.div_ceil(helpers + 1));
    Job::start(node, SharedWork::Parts { parts, slice }, total, started, 0, helpers)
}

enum SharedWork {
    /// A slice has `least` work-groups at least.
    Launch { launch: Box<Launch>, least: u64 },
    /// A thread takes `slice` parts at a time.
    Parts { parts: Parts, slice: usize },
}

impl SharedWork {
    /// Works until all shares are used up.
    fn run(&self, shares: &Shares, topology: &Topology, thread: usize) -> Result<(), Failure> {
        match self {
            SharedWork::Launch { launch, least } => {
                let finer = if launch.kernel().succession().is_some() { succession::SLICES } else { 1 };
                let grid = *launch.grid();
                launch.run_boxes(|| {
                    shares.take(topology, thread, |share| {
                        grid.take(&share.cursor, share.end, share.threads * finer, *least)
                    })
                })
            }
            SharedWork::Parts { parts, slice } => {
                let slice_of = |share: &Share| {
                    let begin = share.cursor.fetch_add(*slice as u64, Relaxed);
                    let end = share.end.min(begin.saturating_add(*slice as u64));
                    (begin < share.end).then_some(begin as usize..end as usize)
                };
                while let Some(slice) = shares.take(topology, thread, slice_of) {
                    let run = || (parts.run)(slice);
                    catch_unwind(AssertUnwindSafe(run)).map_err(|_| Failure::Panicked)?;
                }
                Ok(())
            }
        }
    }
}

/// Work that several threads share. It lives until the last of its team has left: those who were
/// called have no count of it.
pub(crate) struct Job {
    node: Arc<Node>,
    /// When the work began.
    started: u64,
    /// Taken by the thread that leaves last, so that nothing of it is left when the command ends.
    work: UnsafeCell<Option<SharedWork>>,
    shares: Shares,
    team: Team,
    pool: &'static Pool,
    failure: OnceLock<Failure>,
}

// SAFETY: `work` is only read by members of the team, and taken by the last one.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Shares work with `helpers` of the pool's workers, and does some of it.
    fn start(
        node: &Arc<Node>,
        work: SharedWork,
        total: u64,
        started: u64,
        cursor: u64,
        helpers: usize,
    ) -> Step {
        let pool = Pool::of(node.cores);
        let topology = node.cores.topology();
        let team = Team::new(topology, pool.thread_here(), helpers.min(topology.threads() - 1));
        let shares = Shares::new(topology, team.threads(), cursor, total);
        let failure = OnceLock::new();
        let work = UnsafeCell::new(Some(work));
        let job = Arc::new(Job { node: node.clone(), started, work, shares, team, pool, failure });
        // This count is that of the team.
        std::mem::forget(job.clone());
        job.work(0);
        // SAFETY: this thread is of the team, and the job lives on in `job`.
        let last = unsafe { Job::leave(Arc::as_ptr(&job), 0) };
        last.map_or(Step::Shared, |job| Step::done(job.finish()))
    }

    pub fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// Joins, if there is still something to do. The outcome if this was the last thread to leave.
    pub fn help(self: &Arc<Job>) -> Option<Result<(), Failure>> {
        if self.shares.are_used_up() || !self.team.join() {
            return None;
        }
        let started = clock::now();
        self.run(self.pool.thread_here());
        self.team.member(0).busy_ns.fetch_add(clock::now() - started, Relaxed);
        // SAFETY: this thread has joined, and the job lives on in `self`.
        unsafe { Job::leave(Arc::as_ptr(self), 0) }.map(|job| job.finish())
    }

    /// Takes the part that was offered to a member; the outcome, and the node that ends with it, if
    /// this was the last thread to leave.
    ///
    /// # Safety
    /// The member must be an offer that the caller has taken from a seat.
    pub unsafe fn take_part(member: *const Member) -> Option<(Arc<Node>, Result<(), Failure>)> {
        // SAFETY: the offer was counted, so that the job lives until this thread leaves.
        let (job, position) = unsafe { ((*member).job().cast::<Job>(), (*member).position()) };
        // SAFETY: as above.
        unsafe { &*job }.work(position);
        // SAFETY: this thread was of the team.
        let job = unsafe { Job::leave(job, position) }?;
        Some((job.node.clone(), job.finish()))
    }

    /// Works as the member at a position, which counts already.
    fn work(&self, position: usize) {
        let started = clock::now();
        let called = self.call(position);
        self.run(self.team.threads()[position]);
        self.team.revoke(position, &called, |thread, member| self.pool.revoke(thread, member));
        self.team.member(position).busy_ns.fetch_add(clock::now() - started, Relaxed);
    }

    /// Calls the threads that the member at a position sees to. Few threads are called through the
    /// pool's list, where waiting threads of the program find them, too, and so are busy ones.
    fn call(&self, position: usize) -> Vec<usize> {
        let mut called = Vec::new();
        let count = self.team.threads().len();
        let listed = match count - 1 {
            few @ ..TREE_FROM => few,
            _ => {
                let job = std::ptr::from_ref(self).cast();
                let offer = |thread, member: &Member| self.pool.offer(thread, member);
                self.team.call(self.node.cores.topology(), position, job, &mut called, offer)
            }
        };
        if listed > 0 {
            // SAFETY: the team's count is in an `Arc`, and this thread is of the team.
            let job = unsafe {
                Arc::increment_strong_count(self);
                Arc::from_raw(self)
            };
            self.pool.push(Task::Help(job), listed);
        }
        called
    }

    /// Works until all is taken. The caller is of the team.
    fn run(&self, thread: usize) {
        // SAFETY: the work is taken when all of the team have left.
        let work = unsafe { &*self.work.get() };
        let topology = self.node.cores.topology();
        let ran = work.as_ref().map_or(Ok(()), |work| work.run(&self.shares, topology, thread));
        if let Err(failure) = ran {
            let _ = self.failure.set(failure);
            self.shares.use_up();
        }
    }

    /// Leaves the team. The job, if this was the last thread of it.
    ///
    /// # Safety
    /// The caller is of the team, and does not use the job afterwards.
    unsafe fn leave(job: *const Job, position: usize) -> Option<Arc<Job>> {
        // SAFETY: the job lives until all have left.
        let last = Team::leave(unsafe { (*job).team.members() }, position);
        // SAFETY: the team's count, given up in `start`, is that of the last thread of it.
        last.then(|| unsafe { Arc::from_raw(job) })
    }

    /// Ends the job after all have left its team.
    fn finish(self: &Arc<Job>) -> Result<(), Failure> {
        // SAFETY: nobody else is of the team any more, and nobody can join.
        let work = unsafe { (*self.work.get()).take() };
        Pool::withdraw(self);
        #[cfg(test)]
        self.pool.counts.note(&self.team);
        let failure = self.failure.get().copied();
        if let Some(SharedWork::Launch { launch, .. }) = &work {
            match failure {
                Some(failure) => return Err(failed(&self.node, launch, failure)),
                None => launch.note(self.started, self.team.busy_ns()),
            }
        }
        failure.map_or(Ok(()), Err)
    }
}
