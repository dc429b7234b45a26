//! Queues: in which order commands run, and when they begin.

use crate::checks::order::{self, Clock, Order, Place, Waiting};
use crate::command::{Command, Work};
use crate::cores::Cores;
use crate::event::Event;
use crate::exec;
use crate::fork::{Condvar, process};
use crate::lock;
use crate::memory::{HostMemory, Memory, MemoryError};
use crate::node::{Failure, Kind, Node, Passes};
use crate::pool::{Pool, Task};
use crate::{checks, clock};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

/// So many commands are flushed without being asked.
const FLUSH_AT: usize = 128;
/// An out-of-order queue forgets ended commands when it holds so many or twice what was left the
/// last time.
const PRUNE_AT: usize = 64;

/// Whose commands workers run first. Commands that have begun are not interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Low,
    #[default]
    Medium,
    High,
}

#[derive(Clone, Copy)]
pub struct QueueOptions {
    /// Commands wait only for their wait lists and for barriers. Else each waits for the one before
    /// it.
    pub out_of_order: bool,
    /// The compute units that run its commands; all of the machine's without.
    pub cores: Option<&'static Cores>,
    /// The memory of the device it is for.
    pub memory: &'static dyn Memory,
    /// A number for the context, whose queues share memory.
    pub context: usize,
    /// Against the other queues of the same compute units.
    pub priority: Priority,
}

impl Default for QueueOptions {
    fn default() -> Self {
        QueueOptions {
            out_of_order: false,
            cores: None,
            memory: HostMemory::get(),
            context: 0,
            priority: Priority::Medium,
        }
    }
}

impl QueueOptions {
    pub(crate) fn cores(&self) -> &'static Cores {
        self.cores.unwrap_or_else(Cores::all)
    }
}

/// A queue of commands. They begin at the latest when the queue is flushed, waited for or dropped.
///
/// A command fails if an event of its wait list failed. The order of a queue alone does not pass
/// failures on, but for launches that could not be run: what comes after one in an in-order queue
/// fails with [`Failure::Predecessor`], until the program has asked for the failure
/// ([`Queue::take_failure`]).
///
/// In a forked child a queue starts anew: commands of the parent that had not ended are
/// [`Failure::Orphaned`].
pub struct Queue {
    inner: Arc<QueueInner>,
}

pub(crate) struct QueueInner {
    options: QueueOptions,
    number: u64,
    state: Mutex<State>,
    /// `state.ready.len()`, to look at without the lock.
    ready: AtomicUsize,
    /// Of the first launch that failed since it was asked for.
    failure: Mutex<Option<LaunchFailure>>,
    on_failure: OnceLock<FailureHandler>,
}

/// Is told in words which launch failed and why.
type FailureHandler = Arc<dyn Fn(&str) + Send + Sync>;

/// A failed launch ends when the failure handler has returned, or after this time.
const HANDLER_TIME: Duration = Duration::from_secs(1);

/// Why a launch could not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchFailure {
    pub failure: Failure,
    /// The failure in words, with what the launch asked for.
    pub reason: String,
}

impl fmt::Display for LaunchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

struct State {
    /// The process the nodes belong to.
    pid: u32,
    unflushed: Vec<Arc<Node>>,
    ready: VecDeque<Arc<Node>>,
    /// In order: the command before. Out of order: the last barrier.
    last: Option<Arc<Node>>,
    /// Out of order: all commands that may not have ended.
    outstanding: Vec<Arc<Node>>,
    prune_at: usize,
    /// How many commands there were.
    count: u64,
    /// In checked mode: what came before commands that were forgotten.
    forgotten: Clock,
}

impl State {
    fn new(pid: u32) -> State {
        State {
            pid,
            unflushed: Vec::new(),
            ready: VecDeque::new(),
            last: None,
            outstanding: Vec::new(),
            prune_at: PRUNE_AT,
            count: 0,
            forgotten: Clock::default(),
        }
    }

    /// Forgets commands that have ended.
    fn prune(&mut self) {
        let forgotten = &mut self.forgotten;
        self.outstanding.retain(|node| {
            let ended = node.has_ended();
            if ended {
                node.with_clock(|clock| forgotten.join(clock));
            }
            !ended
        });
    }
}

impl Queue {
    pub fn new(options: QueueOptions) -> Queue {
        let state = Mutex::new(State::new(process()));
        let (ready, failure, on_failure) = (AtomicUsize::new(0), Mutex::new(None), OnceLock::new());
        order::queue_was_made(options.context);
        let number = order::queue_number();
        Queue { inner: Arc::new(QueueInner { options, number, state, ready, failure, on_failure }) }
    }

    pub fn in_order() -> Queue {
        Queue::new(QueueOptions::default())
    }

    pub fn out_of_order() -> Queue {
        Queue::new(QueueOptions { out_of_order: true, ..QueueOptions::default() })
    }

    pub fn options(&self) -> QueueOptions {
        self.inner.options
    }

    /// Adds a command that begins after all of `wait_list` has ended.
    pub fn enqueue(&self, command: Command, wait_list: &[Event]) -> Result<Event, MemoryError> {
        let inner = &self.inner;
        let marks = matches!(command, Command::Marker | Command::Barrier);
        let bars = matches!(command, Command::Barrier);
        let work = Work::new(command)?;
        // Commands of other queues that this one waits for must be flushed.
        for event in wait_list {
            let elsewhere = event.node.is_queued() && event.node.queue_id != inner.id();
            if let Some(queue) = elsewhere.then(|| event.node.queue()).flatten() {
                queue.flush();
            }
        }
        let pid = process();
        let launches = matches!(work, Work::Launch(_));
        let node = Arc::new(Node::command(work, inner, pid));
        let mut state = inner.lock_in(pid);
        if checks::is_in_use() {
            node.begin_order(inner.order(&mut state, marks && wait_list.is_empty(), launches));
        }
        for event in wait_list {
            node.wait_for(&event.node, Passes::All);
        }
        if inner.options.out_of_order {
            if marks && wait_list.is_empty() {
                for earlier in &state.outstanding {
                    node.wait_for(earlier, Passes::Nothing);
                }
            }
            if let Some(barrier) = &state.last {
                node.wait_for(barrier, Passes::Nothing);
            }
            if bars {
                state.last = Some(node.clone());
            }
            state.outstanding.push(node.clone());
            if state.outstanding.len() >= state.prune_at {
                state.prune();
                state.prune_at = PRUNE_AT.max(2 * state.outstanding.len());
            }
        } else if let Some(before) = state.last.replace(node.clone()) {
            node.wait_for(&before, Passes::Launches);
        }
        state.unflushed.push(node.clone());
        let many = state.unflushed.len() >= FLUSH_AT;
        drop(state);
        if many {
            inner.flush();
        }
        Ok(Event { node })
    }

    /// Lets all commands so far begin, without waiting for them.
    pub fn flush(&self) {
        self.inner.flush();
    }

    /// Waits until all commands so far have ended, whether they failed or not.
    pub fn finish(&self) {
        let mut state = self.inner.lock_in(process());
        let mut before = Clock::default();
        let nodes: Vec<_> = if self.inner.options.out_of_order {
            state.prune();
            if checks::is_in_use() {
                before = state.forgotten.clone();
                before.add_before(Place { queue: self.inner.number, index: state.count });
            }
            state.outstanding.clone()
        } else {
            state.last.iter().cloned().collect()
        };
        drop(state);
        // The last first: while it waits for that one, this thread runs the others too.
        for node in nodes.iter().rev() {
            exec::wait(node);
        }
        if checks::is_in_use() {
            order::program_waited(&before);
        }
    }

    /// The failure of the first launch that failed since this was asked last. Commands that are
    /// enqueued from now on are not concerned by failures of earlier ones.
    pub fn take_failure(&self) -> Option<LaunchFailure> {
        let mut state = self.inner.lock_in(process());
        let failure = lock(&self.inner.failure).take();
        if failure.is_some() && state.last.as_ref().is_some_and(|last| last.has_ended()) {
            state.last = None;
        }
        failure
    }

    /// Sets the handler that is told of failed launches, on a thread for callbacks. A call that
    /// waits for the launch returns after the handler, unless that takes longer than a second. The
    /// first handler stays.
    pub fn on_failure(&self, handler: impl Fn(&str) + Send + Sync + 'static) {
        let _ = self.inner.on_failure.set(Arc::new(handler));
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        order::queue_was_dropped(self.inner.options.context);
        self.inner.flush();
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let out_of_order = self.inner.options.out_of_order;
        f.debug_struct("Queue").field("out_of_order", &out_of_order).finish_non_exhaustive()
    }
}

impl QueueInner {
    pub fn id(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    pub fn out_of_order(&self) -> bool {
        self.options.out_of_order
    }

    pub fn cores(&self) -> &'static Cores {
        self.options.cores()
    }

    pub fn options(&self) -> QueueOptions {
        self.options
    }

    /// What comes before a new command as far as its queue and the program order it; all commands
    /// of the queue before a marker that waits for them.
    fn order(&self, state: &mut State, marks: bool, launches: bool) -> Order {
        let place = Place { queue: self.number, index: state.count };
        state.count += 1;
        let mut clock = order::program();
        if marks || !self.options.out_of_order {
            clock.add_before(place);
            clock.join(&state.forgotten);
        }
        Order { place, clock, waiting: launches.then(Waiting::new) }
    }

    /// Whether launches may overlap with others that use the same memory.
    pub fn may_overlap(&self) -> bool {
        self.options.out_of_order || order::has_several_queues(self.options.context)
    }

    /// Locks the state in process `pid`, and begins anew if it is the parent's.
    fn lock_in(&self, pid: u32) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        if state.pid != pid {
            // Not dropped: a lock inside may be held by a thread of the parent.
            std::mem::forget(std::mem::replace(&mut *state, State::new(pid)));
            self.ready.store(0, SeqCst);
        }
        state
    }

    /// Lets all commands so far begin, here or on a worker.
    pub fn flush(self: &Arc<Self>) {
        self.submit(process());
        self.call_workers();
    }

    /// Lets all commands so far begin, for a thread that goes on to run what is ready.
    pub fn submit_for_waiter(self: &Arc<Self>, pid: u32) {
        if self.submit(pid) {
            self.call_workers();
        }
    }

    /// Makes ready what can be. Whether that is too much for one waiting thread.
    fn submit(self: &Arc<Self>, pid: u32) -> bool {
        let mut failing = Vec::new();
        let (mut long, mut native) = (0, 0);
        let mut state = self.lock_in(pid);
        if !state.unflushed.is_empty() {
            let time = clock::now();
            let State { unflushed, ready, .. } = &mut *state;
            for node in unflushed.drain(..) {
                node.submit(time);
                if node.release(None) {
                    if let Some(failure) = node.due_failure() {
                        failing.push((node, failure));
                    } else {
                        long += usize::from(!node.short);
                        native += usize::from(node.kind == Kind::Native);
                        ready.push_back(node);
                    }
                }
            }
            self.ready.store(state.ready.len(), SeqCst);
        }
        drop(state);
        exec::fail(failing);
        long > 1 || (self.options.out_of_order && native > 0)
    }

    /// Notes that a launch of the kernel `name` failed, and has the failure handler called. Waits
    /// until the handler returns, but not for ever: it may wait for this very launch, or for a lock
    /// of the thread that waits for the launch.
    pub fn note_failure(&self, name: &str, failure: LaunchFailure) {
        let message = format!("kernel '{name}' could not run: {failure}");
        lock(&self.failure).get_or_insert(failure);
        let Some(handler) = self.on_failure.get().cloned() else { return };
        let called = Arc::new((Mutex::new(false), Condvar::new()));
        let done = called.clone();
        Pool::of(Cores::all()).call_back(Box::new(move || {
            let _ = catch_unwind(AssertUnwindSafe(|| handler(&message)));
            *lock(&done.0) = true;
            done.1.notify_all();
        }));
        let (is_done, changed) = &*called;
        let (start, mut guard) = (Instant::now(), lock(is_done));
        while let Some(left) = HANDLER_TIME.checked_sub(start.elapsed()).filter(|_| !*guard) {
            guard = changed.wait_at_most(is_done, guard, Some(left));
        }
    }

    pub fn has_ready(&self) -> bool {
        self.ready.load(SeqCst) > 0
    }

    pub fn push_ready(&self, node: Arc<Node>) {
        let mut state = lock(&self.state);
        state.ready.push_back(node);
        self.ready.store(state.ready.len(), SeqCst);
    }

    /// The first ready node that the caller may run.
    pub fn pop_ready(&self, may_run: impl Fn(&Node) -> bool) -> Option<Arc<Node>> {
        if !self.has_ready() {
            return None;
        }
        let mut state = lock(&self.state);
        let index = state.ready.iter().position(|node| may_run(node))?;
        let node = state.ready.remove(index);
        self.ready.store(state.ready.len(), SeqCst);
        node
    }

    /// Calls workers for what is ready. If there can be none, runs it here.
    pub fn call_workers(self: &Arc<Self>) {
        let ready = self.ready.load(Relaxed);
        if ready > 0 && !Pool::of(self.options.cores()).push(Task::Drain(self.clone()), ready) {
            while let Some(node) = self.pop_ready(|_| true) {
                exec::run(node, None);
            }
        }
    }
}
