//! A command as a node of the dependency graph: its state, its predecessors and its successors.
//!
//! A node counts the predecessors that have not ended and each predecessor holds its successors.
//! Nothing points backwards, and a node that ends lets go of its successors, so a node held by the
//! program holds nothing else.

use crate::checks::order::{self, Clock, Order};
use crate::command::Work;
use crate::cores::Cores;
use crate::exec;
use crate::fork::{Condvar, process};
use crate::lock;
use crate::memory::Memory;
use crate::pool::Pool;
use crate::queue::{Priority, QueueInner, QueueOptions};
use crate::{checks, clock};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock};

/// Why a command did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The program's own code: from a native command or a user event.
    ErrorCode(i32),
    /// A native command panicked.
    Panicked,
    /// An event it waited for failed.
    Dependency,
    /// A launch before it in its in-order queue failed.
    Predecessor,
    /// A user event was dropped before it was set.
    Abandoned,
    /// It was under way in the parent when this process was forked.
    Orphaned,
    /// There was no memory for its work-groups.
    OutOfMemory,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::ErrorCode(code) => write!(f, "failed with code {code}"),
            Failure::Panicked => f.write_str("panicked"),
            Failure::Dependency => f.write_str("an event it waited for failed"),
            Failure::Predecessor => f.write_str("a launch before it in its queue failed"),
            Failure::Abandoned => f.write_str("the user event was dropped before it was set"),
            Failure::Orphaned => f.write_str("it belongs to the process this one was forked from"),
            Failure::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// Whether the later commands of an in-order queue fail, too: they would read results that a
    /// failed launch did not compute.
    fn ends_in_order_queue(self) -> bool {
        matches!(self, Failure::OutOfMemory | Failure::Predecessor)
    }
}

/// Where a command is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventState {
    Queued,
    Submitted,
    Running,
    Complete,
    Failed(Failure),
}

impl EventState {
    /// The rank of the state; complete and failed share the last.
    fn rank(self) -> u8 {
        match self {
            EventState::Queued => 0,
            EventState::Submitted => 1,
            EventState::Running => 2,
            EventState::Complete | EventState::Failed(_) => ENDED,
        }
    }
}

const ENDED: u8 = 3;

/// When a command reached its states, in nanoseconds of [`crate::now`]; 0 for a state not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub queued: u64,
    pub submitted: u64,
    pub started: u64,
    pub ended: u64,
}

pub(crate) type Callback = Box<dyn FnOnce(EventState) + Send>;

/// Which failures of a command an edge passes on to its successor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passes {
    /// All: the predecessor is in the wait list.
    All,
    /// Those of launches: the predecessor comes before in an in-order queue.
    Launches,
    /// None: only the order matters.
    Nothing,
}

impl Passes {
    /// The failure of the successor after a predecessor with this failure.
    fn on(self, failure: Option<Failure>) -> Option<Failure> {
        match (self, failure?) {
            (Passes::All, _) => Some(Failure::Dependency),
            (Passes::Launches, failure) => failure.ends_in_order_queue().then_some(Failure::Predecessor),
            (Passes::Nothing, _) => None,
        }
    }
}

/// A successor, and which failures reach it.
pub(crate) struct Edge {
    pub node: Arc<Node>,
    passes: Passes,
}

impl Edge {
    /// Its predecessor has ended. Whether that was the last one.
    pub fn release(&self, failure: Option<Failure>) -> bool {
        self.node.release(self.passes.on(failure))
    }
}

/// The successors of a node; most have one.
#[derive(Default)]
pub(crate) struct Edges {
    first: Option<Edge>,
    more: Vec<Edge>,
}

impl Edges {
    fn push(&mut self, edge: Edge) {
        match self.first {
            None => self.first = Some(edge),
            Some(_) => self.more.push(edge),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.first.iter().chain(&self.more)
    }

    pub fn into_iter(self) -> impl Iterator<Item = Edge> {
        self.first.into_iter().chain(self.more)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    /// Runs code of the program's.
    Native,
    /// Anything else.
    Own,
}

#[derive(Default)]
struct Inner {
    work: Option<Work>,
    /// Held until the end: a program may drop its queue before.
    queue: Option<Arc<QueueInner>>,
    successors: Edges,
    callbacks: Vec<(u8, Callback)>,
    sleepers: usize,
}

pub(crate) struct Node {
    pub kind: Kind,
    /// The address of its queue's state, to compare with.
    pub queue_id: usize,
    /// The compute units that run it.
    pub cores: &'static Cores,
    /// The memory it works on.
    pub memory: &'static dyn Memory,
    pub priority: Priority,
    /// Whether it should be done in a few microseconds.
    pub short: bool,
    /// The process it was made in.
    pid: u32,
    rank: AtomicU8,
    failure: OnceLock<Failure>,
    /// How many predecessors have not ended, and one until it is flushed.
    pending: AtomicUsize,
    dependency_failed: AtomicBool,
    predecessor_failed: AtomicBool,
    /// Whether there are callbacks for a state before the end.
    watched: AtomicBool,
    times: [AtomicU64; 4],
    /// In checked mode. Complete when it starts.
    order: Mutex<Option<Box<Order>>>,
    inner: Mutex<Inner>,
    ended: Condvar,
}

impl Node {
    fn new(kind: Kind, queue_id: usize, options: QueueOptions, short: bool, pid: u32, inner: Inner) -> Node {
        Node {
            kind,
            queue_id,
            cores: options.cores(),
            memory: options.memory,
            priority: options.priority,
            short,
            pid,
            rank: AtomicU8::new(0),
            failure: OnceLock::new(),
            pending: AtomicUsize::new(1),
            dependency_failed: AtomicBool::new(false),
            predecessor_failed: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            times: [clock::now().into(), 0.into(), 0.into(), 0.into()],
            order: Mutex::new(None),
            inner: Mutex::new(inner),
            ended: Condvar::new(),
        }
    }

    pub fn command(work: Work, queue: &Arc<QueueInner>, pid: u32) -> Node {
        let kind = if matches!(work, Work::Native(_)) { Kind::Native } else { Kind::Own };
        let short = work.is_short();
        let inner = Inner { work: Some(work), queue: Some(queue.clone()), ..Inner::default() };
        Node::new(kind, queue.id(), queue.options(), short, pid, inner)
    }

    pub fn user() -> Node {
        let node = Node::new(Kind::User, 0, QueueOptions::default(), true, process(), Inner::default());
        node.rank.store(EventState::Submitted.rank(), Relaxed);
        node.times[1].store(node.times[0].load(Relaxed), Relaxed);
        node
    }

    /// Notes what comes before it.
    pub fn begin_order(&self, order: Order) {
        *lock(&self.order) = Some(Box::new(order));
    }

    /// A command that comes before it, with what comes before that.
    fn comes_after(&self, clock: &Clock) {
        if let Some(order) = &mut *lock(&self.order) {
            order.clock.join(clock);
        }
    }

    /// The order of a command that starts.
    pub fn take_order(&self) -> Option<Order> {
        let mut own = lock(&self.order);
        let order = own.as_mut()?;
        let (place, clock, waiting) = (order.place, order.clock.clone(), order.waiting.take());
        Some(Order { place, clock, waiting })
    }

    /// Shows what comes before it, and it itself, to what comes after it.
    pub fn with_clock(&self, show: impl FnOnce(&Clock)) {
        if let Some(order) = &mut *lock(&self.order) {
            order.clock.add(order.place);
            show(&order.clock);
        }
    }

    pub fn has_ended(&self) -> bool {
        self.rank.load(Acquire) == ENDED
    }

    pub fn is_queued(&self) -> bool {
        self.rank.load(Relaxed) == 0
    }

    /// Whether it will never end, because the thread that would do it exists only in the parent of
    /// process `pid`.
    pub fn is_orphan(&self, pid: u32) -> bool {
        self.pid != pid && !self.has_ended()
    }

    pub fn state(&self) -> EventState {
        match self.rank.load(Acquire) {
            0 => EventState::Queued,
            1 => EventState::Submitted,
            2 => EventState::Running,
            _ => self.failure.get().map_or(EventState::Complete, |&f| EventState::Failed(f)),
        }
    }

    pub fn times(&self) -> Times {
        let [queued, submitted, started, ended] = self.times.each_ref().map(|t| t.load(Relaxed));
        Times { queued, submitted, started, ended }
    }

    pub fn queue(&self) -> Option<Arc<QueueInner>> {
        lock(&self.inner).queue.clone()
    }

    /// Lets `self` wait for `earlier`. Only before it is flushed.
    pub fn wait_for(self: &Arc<Node>, earlier: &Node, passes: Passes) {
        if earlier.is_orphan(self.pid) {
            self.note_failed(passes.on(Some(Failure::Orphaned)));
            return;
        }
        let mut inner = lock(&earlier.inner);
        if earlier.has_ended() {
            drop(inner);
            if checks::is_in_use() {
                earlier.with_clock(|clock| self.comes_after(clock));
            }
            self.note_failed(passes.on(earlier.failure.get().copied()));
        } else {
            self.pending.fetch_add(1, Relaxed);
            inner.successors.push(Edge { node: self.clone(), passes });
        }
    }

    /// A predecessor has ended. Returns whether it was the last.
    pub fn release(&self, failure: Option<Failure>) -> bool {
        self.note_failed(failure);
        self.pending.fetch_sub(1, AcqRel) == 1
    }

    /// Notes the failure of a predecessor.
    fn note_failed(&self, failure: Option<Failure>) {
        match failure {
            Some(Failure::Predecessor) => self.predecessor_failed.store(true, Relaxed),
            Some(_) => self.dependency_failed.store(true, Relaxed),
            None => {}
        }
    }

    /// The failure it ends with instead of running, if a predecessor failed. A failed
    /// predecessor comes first, since it concerns the rest of the queue.
    pub fn due_failure(&self) -> Option<Failure> {
        if self.predecessor_failed.load(Relaxed) {
            return Some(Failure::Predecessor);
        }
        self.dependency_failed.load(Relaxed).then_some(Failure::Dependency)
    }

    /// Tells successors what comes before them.
    fn order_successors(&self, successors: &Edges) {
        let tell = |clock: &Clock| successors.iter().for_each(|edge| edge.node.comes_after(clock));
        match self.kind {
            // What the program has waited for before it set the event.
            Kind::User => tell(&order::program()),
            _ => self.with_clock(tell),
        }
    }

    /// The program knows that it has ended.
    pub fn program_waited(&self) {
        if checks::is_in_use() {
            self.with_clock(order::program_waited);
        }
    }

    /// Its queue was flushed at `time`.
    pub fn submit(&self, time: u64) {
        self.advance(EventState::Submitted, time);
    }

    /// It runs from now on: its work.
    pub fn start(&self, time: u64) -> Option<Work> {
        self.advance(EventState::Running, time);
        lock(&self.inner).work.take()
    }

    fn advance(&self, state: EventState, time: u64) {
        self.note_time(state.rank() as usize, time);
        // Ordered against `call_at`: either this sees `watched` or that sees the new state.
        self.rank.store(state.rank(), SeqCst);
        if self.watched.load(SeqCst) {
            let mut inner = lock(&self.inner);
            let (due, later) =
                std::mem::take(&mut inner.callbacks).into_iter().partition(|(rank, _)| *rank <= state.rank());
            inner.callbacks = later;
            drop(inner);
            dispatch(due, state);
        }
    }

    /// A command that follows another starts as that one ends, and may have been queued just then:
    /// no time is before the last.
    fn note_time(&self, rank: usize, time: u64) {
        let last = self.times[rank - 1].load(Relaxed);
        self.times[rank].store(time.max(last), Relaxed);
    }

    /// Calls `callback` once `state` is reached, on a thread of its own.
    pub fn call_at(&self, state: EventState, callback: Callback) {
        let mut inner = lock(&self.inner);
        if state.rank() < ENDED {
            self.watched.store(true, SeqCst);
        }
        let now = self.rank.load(SeqCst);
        if now < state.rank() {
            inner.callbacks.push((state.rank(), callback));
        } else {
            drop(inner);
            let reached = if now == ENDED { self.state() } else { state };
            dispatch(vec![(0, callback)], reached);
        }
    }

    /// Ends it at a time, unless it has ended. Its successors are released by the caller.
    pub fn end(&self, outcome: Result<(), Failure>, time: u64) -> Option<Edges> {
        let mut inner = lock(&self.inner);
        if let Some(work) = inner.work.take() {
            drop(inner);
            // Objects that the program gave to the command may panic when they are dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(work)));
            inner = lock(&self.inner);
        }
        if self.has_ended() {
            return None;
        }
        for rank in 1..self.times.len() {
            if self.times[rank].load(Relaxed) == 0 {
                self.note_time(rank, time);
            }
        }
        if let Err(failure) = outcome {
            let _ = self.failure.set(failure);
        }
        self.rank.store(ENDED, SeqCst);
        let sleepers = inner.sleepers;
        let last = Inner { sleepers, ..Inner::default() };
        let Inner { successors, callbacks, queue, .. } = std::mem::replace(&mut *inner, last);
        drop(inner);
        if checks::is_in_use() {
            self.order_successors(&successors);
        }
        if sleepers > 0 {
            self.ended.notify_all();
        }
        if !callbacks.is_empty() {
            self.program_waited();
            dispatch(callbacks, self.state());
        }
        drop(queue);
        Some(successors)
    }

    /// Sleeps until it has ended.
    pub fn sleep(&self) {
        let mut inner = lock(&self.inner);
        inner.sleepers += 1;
        while !self.has_ended() {
            inner = self.ended.wait(&self.inner, inner);
        }
        inner.sleepers -= 1;
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Only a user event can be dropped while others wait for it: then it will never be set.
        if !self.has_ended() && !lock(&self.inner).successors.is_empty() {
            exec::end(self, Err(Failure::Abandoned));
        }
    }
}

/// Callbacks may take locks that a thread holds while it waits for a later command, so they get a
/// thread of their own.
fn dispatch(callbacks: Vec<(u8, Callback)>, state: EventState) {
    for (_, callback) in callbacks {
        Pool::of(Cores::all()).call_back(Box::new(move || callback(state)));
    }
}
