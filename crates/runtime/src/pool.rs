//! The worker threads.
//!
//! They are started one by one as work asks for them, look out for more work for a moment after
//! each task, then sleep. Nothing joins them: they end with the process. Each set of compute units
//! has workers of its own, bound to its CPUs; those of the whole machine run where the system lets
//! them. A forked child has none of its parent's threads, so it gets a new pool, known by the
//! process it was made in.

use crate::clock;
use crate::cores::Cores;
use crate::driver::Job;
use crate::exec;
use crate::fork::{Condvar, Inside, process};
use crate::lock;
use crate::queue::QueueInner;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicPtr, AtomicUsize};
use std::sync::{Arc, Mutex};
use std::thread;

/// How long a worker looks out for work before it sleeps.
const SPIN_NS: u64 = 30_000;

/// The tasks of a worker.
#[derive(Clone)]
pub(crate) enum Task {
    /// Run what is ready in a queue.
    Drain(Arc<QueueInner>),
    /// Take part in a launch.
    Help(Arc<Job>),
}

type Call = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    /// Each with the number of workers it asks for.
    tasks: VecDeque<(Task, usize)>,
    /// Workers that sleep and were not woken.
    asleep: usize,
    /// Workers that were woken but are not yet up.
    woken: usize,
    /// Workers that were started but have not yet begun.
    arriving: usize,
    started: usize,
    /// Workers whose task waits for something else.
    blocked: usize,
}

#[derive(Default)]
struct Calls {
    queue: VecDeque<Call>,
    started: bool,
}

pub(crate) struct Pool {
    pid: u32,
    cores: &'static Cores,
    /// The pool that was made before.
    next: *const Pool,
    threads: usize,
    state: Mutex<State>,
    wake: Condvar,
    /// The number of workers that all tasks ask for together; changed under the lock.
    demand: AtomicUsize,
    /// Workers that look out for work without holding the lock.
    spinning: AtomicUsize,
    calls: Mutex<Calls>,
    call: Condvar,
}

// SAFETY: `next` is null or points to a pool that is never freed.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

/// The stack of a worker. Code that LLVM optimizes little has frames of some megabytes where many
/// work-items run at once; memory is taken only for what is touched.
const STACK: usize = 16 << 20;

/// The pool that was made last.
static POOLS: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// The compute units a worker belongs to; `None` on other threads.
    static WORKS_FOR: Cell<Option<&'static Cores>> = const { Cell::new(None) };
}

impl Pool {
    /// The workers of these compute units in this process.
    pub fn of(cores: &'static Cores) -> &'static Pool {
        let pid = process();
        loop {
            let newest = POOLS.load(Acquire);
            if let Some(pool) = Pool::find(newest, pid, cores) {
                return pool;
            }
            let fresh = Box::into_raw(Box::new(Pool::new(pid, cores, newest)));
            if POOLS.compare_exchange(newest, fresh, AcqRel, Relaxed).is_err() {
                // SAFETY: made above and not published.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }

    fn find(newest: *const Pool, pid: u32, cores: &'static Cores) -> Option<&'static Pool> {
        let mut at = newest;
        // SAFETY: null or a pool that was published in `of` and is never freed.
        while let Some(pool) = unsafe { at.as_ref() } {
            if pool.pid == pid && std::ptr::eq(pool.cores, cores) {
                return Some(pool);
            }
            at = pool.next;
        }
        None
    }

    /// The compute units that the calling thread works for: a worker's own, else those of the whole
    /// machine.
    pub fn cores_here() -> &'static Cores {
        WORKS_FOR.get().unwrap_or_else(Cores::all)
    }

    fn new(pid: u32, cores: &'static Cores, next: *const Pool) -> Pool {
        Pool {
            pid,
            cores,
            next,
            threads: cores.count(),
            state: Mutex::default(),
            wake: Condvar::new(),
            demand: AtomicUsize::new(0),
            spinning: AtomicUsize::new(0),
            calls: Mutex::default(),
            call: Condvar::new(),
        }
    }

    /// Asks for `count` workers. False if there is none and none can be started.
    pub fn push(&'static self, task: Task, count: usize) -> bool {
        let mut state = lock(&self.state);
        // A worker drains a whole queue, so all of them are enough.
        let mut more = count.min(self.threads);
        match (&task, state.tasks.back_mut()) {
            (Task::Drain(queue), Some((Task::Drain(last), asked))) if Arc::ptr_eq(queue, last) => {
                more = more.min(self.threads.saturating_sub(*asked));
                *asked += more;
            }
            (Task::Drain(_), _) => state.tasks.push_back((task, more)),
            // Launches that have begun come first.
            (Task::Help(_), _) => state.tasks.push_front((task, more)),
        }
        self.demand.fetch_add(more, SeqCst);
        let (wakes, staffed) = self.staff(&mut state);
        drop(state);
        for _ in 0..wakes {
            self.wake.notify_one();
        }
        staffed
    }

    /// Sees to it that there are workers for the demand: how many to wake, and whether there is any
    /// at all.
    fn staff(&'static self, state: &mut State) -> (usize, bool) {
        // A worker that stops looking out takes the lock before it sleeps, so it sees what was
        // pushed.
        let coming = self.spinning.load(SeqCst) + state.woken + state.arriving;
        let mut need = self.demand.load(Relaxed).saturating_sub(coming);
        let wakes = need.min(state.asleep);
        state.asleep -= wakes;
        state.woken += wakes;
        need -= wakes;
        while need > 0 && state.started < self.threads + state.blocked {
            let worker = thread::Builder::new().name("lanewise".into()).stack_size(STACK);
            let worker = worker.spawn(move || self.work());
            if worker.is_err() {
                break;
            }
            state.started += 1;
            state.arriving += 1;
            need -= 1;
        }
        (wakes, state.started > state.blocked)
    }

    /// A worker's life.
    fn work(&'static self) {
        let _inside = Inside::enter();
        WORKS_FOR.set(Some(self.cores));
        self.cores.bind_thread();
        lock(&self.state).arriving -= 1;
        loop {
            while let Some(task) = self.pop() {
                match task {
                    Task::Drain(queue) => {
                        while let Some(node) = queue.pop_ready(|_| true) {
                            exec::run(node, None);
                        }
                    }
                    Task::Help(job) => {
                        if let Some(outcome) = job.help() {
                            exec::finish_and_run(job.node(), outcome, None);
                        }
                    }
                }
            }
            self.spinning.fetch_add(1, SeqCst);
            self.spin();
            self.spinning.fetch_sub(1, SeqCst);
            let mut state = lock(&self.state);
            if self.demand.load(Relaxed) > 0 {
                continue;
            }
            if state.started > self.threads + state.blocked {
                state.started -= 1;
                return;
            }
            state.asleep += 1;
            while state.woken == 0 {
                state = self.wake.wait(&self.state, state);
            }
            state.woken -= 1;
        }
    }

    fn spin(&self) {
        let end = clock::now() + SPIN_NS;
        while clock::now() < end {
            for _ in 0..64 {
                if self.demand.load(Relaxed) > 0 {
                    return;
                }
                std::hint::spin_loop();
            }
        }
    }

    fn pop(&self) -> Option<Task> {
        if self.demand.load(SeqCst) == 0 {
            return None;
        }
        let mut state = lock(&self.state);
        (!state.tasks.is_empty()).then(|| self.take(&mut state, 0))
    }

    fn take(&self, state: &mut State, index: usize) -> Task {
        self.demand.fetch_sub(1, SeqCst);
        let (task, asked) = &mut state.tasks[index];
        *asked -= 1;
        let task = task.clone();
        if state.tasks[index].1 == 0 {
            state.tasks.remove(index);
        }
        task
    }

    /// The pool of these compute units if it was ever needed in this process and somebody is asked
    /// for.
    fn in_demand(cores: &'static Cores) -> Option<&'static Pool> {
        let pool = Pool::find(POOLS.load(Acquire), process(), cores)?;
        (pool.demand.load(Relaxed) > 0).then_some(pool)
    }

    /// A launch of the queue with this id that asks for help.
    pub fn take_help(cores: &'static Cores, queue_id: usize) -> Option<Arc<Job>> {
        let pool = Pool::in_demand(cores)?;
        let mut state = lock(&pool.state);
        let index = state
            .tasks
            .iter()
            .position(|(task, _)| matches!(task, Task::Help(job) if job.node().queue_id == queue_id))?;
        match pool.take(&mut state, index) {
            Task::Help(job) => Some(job),
            Task::Drain(_) => None,
        }
    }

    /// Withdraws the demand of `job`.
    pub fn withdraw(job: &Arc<Job>) {
        let Some(pool) = Pool::in_demand(job.node().cores) else { return };
        let mut state = lock(&pool.state);
        let found = state.tasks.iter().position(|(t, _)| matches!(t, Task::Help(j) if Arc::ptr_eq(j, job)));
        if let Some((_, asked)) = found.and_then(|index| state.tasks.remove(index)) {
            pool.demand.fetch_sub(asked, SeqCst);
        }
    }

    /// Calls `f`, which sleeps. If this is a worker, another one may be started for the time.
    pub fn while_blocked(f: impl FnOnce()) {
        let Some(cores) = WORKS_FOR.get() else { return f() };
        let pool = Pool::of(cores);
        let mut state = lock(&pool.state);
        state.blocked += 1;
        let (wakes, _) = pool.staff(&mut state);
        drop(state);
        for _ in 0..wakes {
            pool.wake.notify_one();
        }
        f();
        lock(&pool.state).blocked -= 1;
    }

    /// Lets the thread for callbacks call `call`, after those before it.
    pub fn call_back(&'static self, call: Call) {
        let mut calls = lock(&self.calls);
        if !calls.started {
            let name = "lanewise-calls".to_owned();
            if thread::Builder::new().name(name).spawn(move || self.serve_calls()).is_err() {
                drop(calls);
                let _ = catch_unwind(AssertUnwindSafe(call));
                return;
            }
            calls.started = true;
        }
        calls.queue.push_back(call);
        drop(calls);
        self.call.notify_one();
    }

    fn serve_calls(&self) {
        let _inside = Inside::enter();
        let mut calls = lock(&self.calls);
        loop {
            match calls.queue.pop_front() {
                Some(call) => {
                    drop(calls);
                    let _ = catch_unwind(AssertUnwindSafe(call));
                    calls = lock(&self.calls);
                }
                None => calls = self.call.wait(&self.calls, calls),
            }
        }
    }
}
