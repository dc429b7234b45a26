//! Runs ready commands, ends them, and goes on with the successors that become ready.

use crate::clock;
use crate::command::Work;
use crate::driver::{self, Step};
use crate::fork::process;
use crate::job;
use crate::node::{Edges, Failure, Kind, Node};
use crate::pool::Pool;
use crate::queue::QueueInner;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// How long a waiting thread looks for the end before it sleeps.
const SPIN_NS: u64 = 20_000;
/// How long a waiting thread works alone on a launch that seemed short, before it calls for
/// workers.
const ALONE_NS: u64 = 100_000;

/// A thread of the program's that waits for `target` and runs commands of `queue` meanwhile.
pub(crate) struct Waiter<'a> {
    queue: &'a Arc<QueueInner>,
    target: &'a Node,
}

impl Waiter<'_> {
    /// Whether it may run `node`. Code of the program's could need a lock that this thread holds;
    /// that is only certain to be the program's mistake if the thread waits for just that code.
    pub fn may_run(&self, node: &Node) -> bool {
        node.kind != Kind::Native || !self.queue.out_of_order() || std::ptr::eq(node, self.target)
    }

    fn goes_on_with(&self, node: &Node) -> bool {
        !self.target.has_ended() && node.queue_id == self.queue.id() && self.may_run(node)
    }
}

/// Runs `node` and, one after the other, the successors that become ready.
pub(crate) fn run(node: Arc<Node>, waiter: Option<&Waiter>) {
    let mut ready = Vec::new();
    let mut next = Some(node);
    let mut now = clock::now();
    while let Some(node) = next {
        match step(&node, now) {
            Step::Done { outcome, at } => {
                finish(&node, outcome, at, &mut ready);
                // The next one starts as this one ends.
                now = at;
            }
            Step::Shared => now = clock::now(),
        }
        next = go_on(&mut ready, waiter);
    }
}

/// Ends `node`, whose work was done elsewhere, and runs the successors that become ready.
pub(crate) fn finish_and_run(node: &Node, outcome: Result<(), Failure>, waiter: Option<&Waiter>) {
    let mut ready = Vec::new();
    finish(node, outcome, clock::now(), &mut ready);
    if let Some(next) = go_on(&mut ready, waiter) {
        run(next, waiter);
    }
}

/// Ends `node` and leaves the successors that become ready to the pool. Whether it had not ended
/// before.
pub(crate) fn end(node: &Node, outcome: Result<(), Failure>) -> bool {
    let mut ready = Vec::new();
    let first = finish(node, outcome, clock::now(), &mut ready);
    for node in ready {
        hand_over(node);
    }
    first
}

/// Ends nodes whose predecessors failed.
pub(crate) fn fail(nodes: Vec<(Arc<Node>, Failure)>) {
    let mut ready = Vec::new();
    for (node, failure) in nodes {
        finish(&node, Err(failure), clock::now(), &mut ready);
    }
    for node in ready {
        hand_over(node);
    }
}

/// Takes one of the ready nodes to run next; the pool gets the others.
fn go_on(ready: &mut Vec<Arc<Node>>, waiter: Option<&Waiter>) -> Option<Arc<Node>> {
    let mut next = None;
    for node in ready.drain(..) {
        let here = std::ptr::eq(node.cores, Pool::cores_here());
        let goes_on = match waiter {
            Some(waiter) => waiter.goes_on_with(&node),
            None => !Pool::has_more_urgent(node.cores, node.priority),
        };
        if next.is_none() && here && goes_on {
            next = Some(node);
        } else {
            hand_over(node);
        }
    }
    next
}

fn hand_over(node: Arc<Node>) {
    if node.is_orphan(process()) {
        // The parent runs it. Not dropped: a lock inside may be held by a thread of the parent.
        std::mem::forget(node);
    } else if let Some(queue) = node.queue() {
        queue.push_ready(node);
        queue.call_workers();
    }
}

fn step(node: &Arc<Node>, started: u64) -> Step {
    let Some(work) = node.start(started) else { return Step::done(Ok(())) };
    match work {
        Work::Launch(launch) => driver::run(node, launch, started),
        Work::Parts(parts) => job::run_parts(node, parts, started),
        // The command's closure is dropped before the event ends, also if it panics.
        work => {
            let run = AssertUnwindSafe(|| work.run(node.memory));
            Step::done(catch_unwind(run).unwrap_or(Err(Failure::Panicked)))
        }
    }
}

/// Ends `node`, and the successors that fail with it; collects the successors that may run now. A
/// loop, not a recursion: chains can be long.
fn finish(node: &Node, outcome: Result<(), Failure>, at: u64, ready: &mut Vec<Arc<Node>>) -> bool {
    let mut failing = Vec::new();
    let Some(successors) = node.end(outcome, at) else { return false };
    release(successors, outcome.err(), ready, &mut failing);
    while let Some((node, failure)) = failing.pop() {
        if let Some(successors) = node.end(Err(failure), at) {
            release(successors, Some(failure), ready, &mut failing);
        }
    }
    true
}

fn release(
    successors: Edges,
    failure: Option<Failure>,
    ready: &mut Vec<Arc<Node>>,
    failing: &mut Vec<(Arc<Node>, Failure)>,
) {
    for edge in successors.into_iter() {
        if edge.release(failure) {
            match edge.node.due_failure() {
                Some(failure) => failing.push((edge.node, failure)),
                None => ready.push(edge.node),
            }
        }
    }
}

/// Waits until `target` has ended, or returns at once if it never will in this process.
pub(crate) fn wait(target: &Arc<Node>) {
    wait_for_end(target);
    if target.has_ended() {
        target.program_waited();
    }
}

fn wait_for_end(target: &Arc<Node>) {
    if target.has_ended() {
        return;
    }
    let pid = process();
    if target.is_orphan(pid) {
        return;
    }
    let Some(queue) = target.queue() else {
        if !target.has_ended() {
            Pool::while_blocked(|| target.sleep());
        }
        return;
    };
    let waiter = Waiter { queue: &queue, target };
    // A thread of the program is bound to no CPU: it leaves the work to workers, which are.
    let helps = !queue.cores().are_bound();
    if helps {
        queue.submit_for_waiter(pid);
    } else {
        queue.flush();
    }
    let began = clock::now();
    let mut spin_since = began;
    let mut called = false;
    while !target.has_ended() {
        if helps && waiter.help() {
            spin_since = clock::now();
            if !called && spin_since - began > ALONE_NS && queue.has_ready() {
                queue.call_workers();
                called = true;
            }
        } else if clock::now() - spin_since < SPIN_NS {
            for _ in 0..32 {
                if target.has_ended() {
                    break;
                }
                std::hint::spin_loop();
            }
        } else {
            queue.call_workers();
            Pool::while_blocked(|| target.sleep());
        }
    }
    // Waiting has flushed the queue: the commands that this thread does not run must run too.
    queue.call_workers();
}

impl Waiter<'_> {
    /// Does some of the work it waits for; whether there was any.
    fn help(&self) -> bool {
        if let Some(node) = self.queue.pop_ready(|node| self.may_run(node)) {
            run(node, Some(self));
            return true;
        }
        if let Some(job) = Pool::take_help(self.queue.cores(), self.queue.id()) {
            if let Some(outcome) = job.help() {
                finish_and_run(job.node(), outcome, Some(self));
            }
            return true;
        }
        false
    }
}
