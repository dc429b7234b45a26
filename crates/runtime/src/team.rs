//! The threads that share a job: how they are called, and how the last one to leave is found.
//!
//! Work is passed on as a tree over the topology. A member with a list of threads to see to gives
//! the farther half of it to one of them, which passes that on, and so forth: after about as many
//! steps as the number of threads has binary digits, all have been called, those across the machine
//! first. They leave by the same tree: a member counts itself and those it called, and the thread
//! that brings the count to 0 tells the member that called. An offer that was not taken in time is
//! taken back, so that nobody waits for a thread that still sleeps.

use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize};
use crate::topology::Topology;

/// A thread's part in a job, alone on its cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Member {
    /// The member itself, if it was called, and those that it called; none has left yet.
    pending: AtomicUsize,
    /// The position of who called it.
    caller: AtomicUsize,
    position: AtomicUsize,
    /// The end of the list that it sees to.
    end: AtomicUsize,
    pub busy_ns: AtomicU64,
    /// The job; an opaque pointer here.
    job: AtomicPtr<()>,
}

impl Member {
    pub fn job(&self) -> *const () {
        self.job.load(Acquire)
    }

    pub fn position(&self) -> usize {
        self.position.load(Relaxed)
    }
}

/// The members of a job by their positions. The first one is who began it.
#[derive(Debug)]
pub(crate) struct Team {
    members: Box<[Member]>,
    /// The threads at the positions.
    threads: Vec<usize>,
}

impl Team {
    /// A thread with so many helpers: those that follow it, round the machine.
    pub fn new(topology: &Topology, first: usize, helpers: usize) -> Team {
        let all = topology.threads();
        let threads: Vec<usize> = (0..=helpers).map(|i| (first + i) % all).collect();
        let members: Box<[Member]> = threads.iter().map(|_| Member::default()).collect();
        members[0].pending.store(1, Relaxed);
        members[0].end.store(threads.len(), Relaxed);
        Team { members, threads }
    }

    pub fn threads(&self) -> &[usize] {
        &self.threads
    }

    pub fn member(&self, position: usize) -> &Member {
        &self.members[position]
    }

    pub fn busy_ns(&self) -> u64 {
        self.members.iter().map(|member| member.busy_ns.load(Relaxed)).sum()
    }

    /// Calls those that the member at `position` sees to, by `offer`, which says whether the thread
    /// is idle. Adds the positions that took an offer to `called`; returns how many were busy.
    pub fn call(
        &self,
        topology: &Topology,
        position: usize,
        job: *const (),
        called: &mut Vec<usize>,
        offer: impl Fn(usize, &Member) -> bool,
    ) -> usize {
        let mut busy = 0;
        let mut end = self.members[position].end.load(Relaxed);
        while end - position > 1 {
            let middle = position + topology.cut(&self.threads[position..end]);
            let offered = (middle..end).find(|&to| {
                let member = &self.members[to];
                member.pending.store(1, Relaxed);
                member.caller.store(position, Relaxed);
                member.position.store(to, Relaxed);
                member.end.store(end, Relaxed);
                member.job.store(job.cast_mut(), Relaxed);
                self.members[position].pending.fetch_add(1, Relaxed);
                let taken = offer(self.threads[to], member);
                if !taken {
                    self.members[position].pending.fetch_sub(1, Relaxed);
                }
                taken
            });
            busy += offered.unwrap_or(end) - middle;
            called.extend(offered);
            end = middle;
        }
        busy
    }

    /// Lets a thread join that nobody called; not once the last one has left. It leaves as the
    /// first member does.
    pub fn join(&self) -> bool {
        let more = |n| (n > 0).then(|| n + 1);
        self.members[0].pending.fetch_update(Acquire, Relaxed, more).is_ok()
    }

    /// Takes back the offers that were not taken, by `revoke`.
    pub fn revoke(&self, position: usize, called: &[usize], revoke: impl Fn(usize, &Member) -> bool) {
        for &to in called {
            if revoke(self.threads[to], &self.members[to]) {
                self.members[position].pending.fetch_sub(1, Relaxed);
            }
        }
    }

    /// All members: what [`Team::leave`] needs, which the last thread may free while others return
    /// from there.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The member at a position leaves. Whether it was the last of all.
    pub fn leave(members: &[Member], mut position: usize) -> bool {
        loop {
            // Read before: once the count is 0 at the first member, the job may be gone.
            let caller = members[position].caller.load(Relaxed);
            if members[position].pending.fetch_sub(1, AcqRel) > 1 {
                return false;
            }
            if position == 0 {
                return true;
            }
            position = caller;
        }
    }

    /// For each position but the first: who called it, if anybody did.
    #[cfg(test)]
    pub fn callers(&self) -> Vec<Option<usize>> {
        let caller = |member: &Member| (!member.job().is_null()).then(|| member.caller.load(Relaxed));
        self.members[1..].iter().map(caller).collect()
    }
}
