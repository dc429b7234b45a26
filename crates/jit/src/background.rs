//! Background compilation: code that no launch waits for, to replace slower code.
//!
//! One thread, of low priority unless a launch under way may go on with the code, runs the queued
//! compilations one after the other, and ends when the queue is empty. The end of the process waits
//! for the compilation that is under way, as for any build; compilations that have not begun are
//! dropped.

use crate::exit::Busy;
use runtime::{Inside, lock};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// How much lower the thread's priority is than that of the thread that started it.
const NICER: libc::c_int = 10;

type Work = Box<dyn FnOnce() + Send>;

/// The thread and its queue of work.
#[derive(Default)]
pub struct Background {
    state: Mutex<State>,
    nicer: libc::c_int,
}

#[derive(Default)]
struct State {
    /// The process whose thread it is: a forked child has neither the thread nor the parent's
    /// queue.
    pid: u32,
    running: bool,
    waiting: VecDeque<Work>,
}

impl Background {
    pub fn of_low_priority() -> Arc<Background> {
        Arc::new(Background { nicer: NICER, ..Background::default() })
    }

    /// Queues work for the background thread, which is started if it does not run.
    pub fn later(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.state);
        let pid = runtime::process();
        if state.pid != pid {
            // The parent's queue is leaked: its work may hold locks.
            std::mem::forget(std::mem::take(&mut state.waiting));
            (state.pid, state.running) = (pid, false);
        }
        state.waiting.push_back(Box::new(work));
        if !state.running {
            let thread = std::thread::Builder::new().name("lanewise-later".to_owned());
            // LLVM recurses over large kernels.
            let thread = thread.stack_size(16 << 20);
            let background = self.clone();
            state.running = thread.spawn(move || background.work_until_done()).is_ok();
        }
    }

    fn work_until_done(&self) {
        if self.nicer > 0 {
            // SAFETY: changes the priority of this thread only: Linux has one for each.
            unsafe {
                let priority = libc::getpriority(libc::PRIO_PROCESS, 0);
                libc::setpriority(libc::PRIO_PROCESS, 0, priority + self.nicer);
            }
        }
        loop {
            // No fork may happen meanwhile: the child would inherit a lock held by a thread that it
            // does not have.
            let _inside = Inside::enter();
            let work = {
                let mut state = lock(&self.state);
                let next = state.waiting.pop_front();
                state.running = next.is_some();
                next
            };
            let Some(work) = work else { return };
            let _busy = Busy::new();
            let _ = catch_unwind(AssertUnwindSafe(work));
        }
    }
}
