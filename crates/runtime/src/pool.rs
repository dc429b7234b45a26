//! The worker threads.
//!
//! They are started one by one as work asks for them, look out for more work for a moment after
//! each task, then sleep. Nothing joins them: they end with the process. Each set of compute units
//! has workers of its own, bound to its CPUs; those of the whole machine run where the system lets
//! them. A forked child has none of its parent's threads, so it gets a new pool, known by the
//! process it was made in.

use crate::clock;
use crate::cores::Cores;
use crate::exec;
use crate::fork::{Condvar, Inside, process};
use crate::job::Job;
use crate::lock;
use crate::queue::{Priority, QueueInner};
use crate::seats::Seat;
use crate::team::Member;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicPtr, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread;

/// How long a worker looks out for work before it sleeps.
const SPIN_NS: u64 = 30_000;

/// The seats for workers that stand in for blocked ones.
const SPARE_SEATS: usize = 64;

/// The tasks of a worker.
#[derive(Clone)]
pub(crate) enum Task {
    /// Run what is ready in a queue.
    Drain(Arc<QueueInner>),
    /// Take part in a launch.
    Help(Arc<Job>),
}

impl Task {
    /// Whether a worker takes it before the commands of a queue of `priority` that come now.
    fn precedes(&self, priority: Priority) -> bool {
        match self {
            Task::Help(_) => true,
            Task::Drain(queue) => queue.options().priority >= priority,
        }
    }
}

type Call = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    /// Each with the number of workers it asks for.
    tasks: VecDeque<(Task, usize)>,
    /// Workers that were woken or started for the list and are not yet up.
    coming: usize,
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
    /// Those of the threads, and more for workers in the place of blocked ones; each is made when
    /// it is needed.
    seats: Box<[OnceLock<Box<Seat>>]>,
    state: Mutex<State>,
    /// The number of workers that all tasks ask for together; changed under the lock.
    demand: AtomicUsize,
    /// How many queues of each priority wait for workers; changed under the lock.
    waiting: [AtomicUsize; 3],
    calls: Mutex<Calls>,
    call: Condvar,
    #[cfg(test)]
    pub counts: crate::shape_tests::Counts,
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
    /// The compute units a worker belongs to, and its seat; `None` on other threads.
    static WORKS_FOR: Cell<Option<(&'static Cores, usize)>> = const { Cell::new(None) };
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
        WORKS_FOR.get().map_or_else(Cores::all, |(cores, _)| cores)
    }

    /// The number of the calling thread among those of the pool: a worker's own, else that of a
    /// worker near it.
    pub fn thread_here(&self) -> usize {
        let own =
            WORKS_FOR.get().filter(|(cores, seat)| std::ptr::eq(*cores, self.cores) && *seat < self.threads);
        own.map_or_else(|| self.cores.thread_here(), |(_, seat)| seat)
    }

    fn new(pid: u32, cores: &'static Cores, next: *const Pool) -> Pool {
        Pool {
            pid,
            cores,
            next,
            threads: cores.count(),
            seats: (0..cores.count() + SPARE_SEATS).map(|_| OnceLock::new()).collect(),
            state: Mutex::default(),
            demand: AtomicUsize::new(0),
            waiting: Default::default(),
            calls: Mutex::default(),
            call: Condvar::new(),
            #[cfg(test)]
            counts: Default::default(),
        }
    }

    /// Asks for `count` workers. False if there is none and none can be started.
    pub fn push(&'static self, task: Task, count: usize) -> bool {
        let mut state = self.lock();
        // A worker drains a whole queue, so all of them are enough.
        let mut more = count.min(self.threads);
        match &task {
            // Launches that have begun come first.
            Task::Help(_) => state.tasks.push_front((task, more)),
            Task::Drain(queue) => {
                let priority = queue.options().priority;
                let after = state.tasks.iter().rposition(|(task, _)| task.precedes(priority));
                let place = after.map_or(0, |index| index + 1);
                match place.checked_sub(1).and_then(|last| state.tasks.get_mut(last)) {
                    Some((Task::Drain(last), asked)) if Arc::ptr_eq(queue, last) => {
                        more = more.min(self.threads.saturating_sub(*asked));
                        *asked += more;
                    }
                    _ => {
                        state.tasks.insert(place, (task, more));
                        self.waiting[priority as usize].fetch_add(1, SeqCst);
                    }
                }
            }
        }
        self.demand.fetch_add(more, SeqCst);
        self.staff(state)
    }

    fn seat(&self, i: usize) -> &Seat {
        self.seats[i].get_or_init(Box::default)
    }

    /// The seats that were needed so far.
    fn seats(&self) -> impl Iterator<Item = &Seat> {
        self.seats.iter().filter_map(|seat| seat.get().map(|seat| &**seat))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        #[cfg(test)]
        self.counts.locks.fetch_add(1, Relaxed);
        lock(&self.state)
    }

    /// Whether all workers sleep.
    #[cfg(test)]
    pub fn is_asleep(&self) -> bool {
        self.seats().all(|seat| seat.is_vacant() || seat.is_asleep())
    }

    /// Sees to it that there are workers for the demand; whether there is any at all.
    fn staff(&'static self, mut state: MutexGuard<'_, State>) -> bool {
        // A worker that stops looking out looks at the demand once more before it sleeps.
        let looking = self.seats().filter(|seat| seat.is_looking()).count();
        let mut need = self.demand.load(SeqCst).saturating_sub(looking + state.coming);
        let mut called = Vec::new();
        for seat in self.seats() {
            if need > 0 && seat.wake_for_list() {
                called.push(seat);
                need -= 1;
            }
        }
        state.coming += called.len();
        while need > 0 && state.started < self.threads + state.blocked {
            let Some(seat) = (0..self.seats.len()).find(|&i| self.seat(i).take()) else { break };
            if !self.start(&mut state, seat, true) {
                break;
            }
            need -= 1;
        }
        let staffed = state.started > state.blocked;
        drop(state);
        called.into_iter().for_each(Seat::rouse);
        staffed
    }

    /// Starts the worker of a seat, which was taken for it.
    fn start(&'static self, state: &mut State, seat: usize, for_list: bool) -> bool {
        let work = move || self.work(seat, for_list);
        let worker = thread::Builder::new().name("lanewise".into()).stack_size(STACK);
        let is_up = worker.spawn(work).is_ok();
        if is_up {
            state.started += 1;
            state.coming += usize::from(for_list);
        } else {
            self.seat(seat).leave();
        }
        is_up
    }

    /// Offers part of a job to a thread; whether it is idle.
    pub fn offer(&'static self, thread: usize, member: &Member) -> bool {
        let seat = self.seat(thread);
        if seat.is_vacant() && seat.take() {
            // Before the worker is there: later it might be asleep.
            let given = seat.give(member);
            let mut state = self.lock();
            let may_start = state.started < self.threads + state.blocked;
            if may_start && self.start(&mut state, thread, false) {
                return given;
            }
            seat.revoke(member);
            seat.leave();
            return false;
        }
        seat.offer(member)
    }

    /// Takes an offer back, if it was not taken.
    pub fn revoke(&self, thread: usize, member: &Member) -> bool {
        self.seat(thread).revoke(member)
    }

    /// A worker's life. `for_list`: it was started for work of the list.
    fn work(&'static self, seat: usize, for_list: bool) {
        let _inside = Inside::enter();
        WORKS_FOR.set(Some((self.cores, seat)));
        self.cores.bind_thread(seat);
        let mut was_called = for_list;
        let own = self.seat(seat);
        loop {
            if std::mem::take(&mut was_called) {
                self.lock().coming -= 1;
            }
            while self.do_something(own) {}
            own.look_out(|| self.spin(own));
            if own.has_offer() || self.demand.load(SeqCst) > 0 {
                continue;
            }
            if seat >= self.threads {
                // The worker stood in for one that was blocked.
                let mut state = self.lock();
                if state.started > self.threads + state.blocked {
                    state.started -= 1;
                    own.leave();
                    return;
                }
            }
            was_called = own.sleep(|| self.demand.load(SeqCst) > 0);
        }
    }

    /// Does what is offered at a worker's seat, or something of the list; whether there was
    /// anything.
    fn do_something(&'static self, own: &Seat) -> bool {
        if let Some(member) = own.take_offer() {
            if self.demand.load(SeqCst) > 0 {
                // This worker may have been reckoned with.
                self.staff(self.lock());
            }
            // SAFETY: the offer was taken from the seat.
            if let Some((node, outcome)) = unsafe { Job::take_part(member) } {
                exec::finish_and_run(&node, outcome, None);
            }
            return true;
        }
        match self.pop() {
            Some(Task::Drain(queue)) => {
                while let Some(node) = queue.pop_ready(|_| true) {
                    exec::run(node, None);
                    if Pool::has_more_urgent(queue.cores(), queue.options().priority) {
                        queue.call_workers();
                        break;
                    }
                }
            }
            Some(Task::Help(job)) => {
                if let Some(outcome) = job.help() {
                    exec::finish_and_run(job.node(), outcome, None);
                }
            }
            None => return false,
        }
        true
    }

    fn spin(&self, own: &Seat) {
        let end = clock::now() + SPIN_NS;
        while clock::now() < end {
            for _ in 0..64 {
                if self.demand.load(Relaxed) > 0 || own.has_offer() {
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
        let mut state = self.lock();
        (!state.tasks.is_empty()).then(|| self.take(&mut state, 0))
    }

    fn take(&self, state: &mut State, index: usize) -> Task {
        self.demand.fetch_sub(1, SeqCst);
        let (task, asked) = &mut state.tasks[index];
        *asked -= 1;
        let task = task.clone();
        if state.tasks[index].1 == 0 {
            state.tasks.remove(index);
            if let Task::Drain(queue) = &task {
                self.waiting[queue.options().priority as usize].fetch_sub(1, SeqCst);
            }
        }
        task
    }

    /// The pool of these compute units if it was ever needed in this process and somebody is asked
    /// for.
    fn in_demand(cores: &'static Cores) -> Option<&'static Pool> {
        let pool = Pool::find(POOLS.load(Acquire), process(), cores)?;
        (pool.demand.load(Relaxed) > 0).then_some(pool)
    }

    /// Whether queues of a higher priority wait for the workers of these compute units.
    pub fn has_more_urgent(cores: &'static Cores, priority: Priority) -> bool {
        Pool::in_demand(cores)
            .is_some_and(|pool| pool.waiting[priority as usize + 1..].iter().any(|n| n.load(Relaxed) > 0))
    }

    /// A launch of the queue with this id that asks for help.
    pub fn take_help(cores: &'static Cores, queue_id: usize) -> Option<Arc<Job>> {
        let pool = Pool::in_demand(cores)?;
        let mut state = pool.lock();
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
        let mut state = pool.lock();
        // Each member of a team may have asked for helpers.
        state.tasks.retain(|(task, asked)| {
            let is_it = matches!(task, Task::Help(other) if Arc::ptr_eq(other, job));
            if is_it {
                pool.demand.fetch_sub(*asked, SeqCst);
            }
            !is_it
        });
    }

    /// Calls `f`, which sleeps. If this is a worker, another one may be started for the time.
    pub fn while_blocked(f: impl FnOnce()) {
        let Some((cores, _)) = WORKS_FOR.get() else { return f() };
        let pool = Pool::of(cores);
        let mut state = pool.lock();
        state.blocked += 1;
        pool.staff(state);
        f();
        pool.lock().blocked -= 1;
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
