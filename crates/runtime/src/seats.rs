//! The seats of a pool's workers: by them one thread gives another work, without a lock.
//!
//! A worker that has nothing to do looks at its seat for a moment, then sleeps there. Work of a job
//! that many share is offered at seats ([`Seat::offer`]), from thread to thread; work for anybody
//! waits in the pool's list, and wakes whoever sleeps ([`Seat::wake_for_list`]).

use crate::fork::outside;
use crate::sync::Word;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use crate::sync::ordered::AtomicPtr;
use crate::team::Member;
use std::ptr;

/// Nobody has the seat.
const VACANT: u32 = 0;
/// Its worker works.
const BUSY: u32 = 1;
/// Its worker looks out for work.
const LOOKING: u32 = 2;
const ASLEEP: u32 = 3;
/// Its worker was woken for work of the list, and has not noticed yet.
const CALLED: u32 = 4;

/// A worker's place, alone on its cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Seat {
    state: Word,
    offer: AtomicPtr<Member>,
}

impl Seat {
    pub fn is_vacant(&self) -> bool {
        self.state.load(SeqCst) == VACANT
    }

    pub fn is_looking(&self) -> bool {
        self.state.load(SeqCst) == LOOKING
    }

    #[cfg(test)]
    pub fn is_asleep(&self) -> bool {
        self.state.load(SeqCst) == ASLEEP
    }

    /// Gives the seat to a worker that is started; whether it was vacant.
    pub fn take(&self) -> bool {
        self.state.compare_exchange(VACANT, BUSY, SeqCst, Relaxed).is_ok()
    }

    pub fn leave(&self) {
        self.state.store(VACANT, SeqCst);
    }

    /// Offers part of a job to an idle worker; whether it was idle.
    pub fn offer(&self, member: &Member) -> bool {
        if !matches!(self.state.load(SeqCst), LOOKING | ASLEEP) {
            return false;
        }
        if !self.give(member) {
            return false;
        }
        // A worker that falls asleep looks for an offer after it has said so.
        if self.state.compare_exchange(ASLEEP, BUSY, SeqCst, Relaxed).is_ok() {
            self.state.wake_one();
        }
        true
    }

    /// Gives part of a job to the worker that was started for it; whether there was no other offer.
    pub fn give(&self, member: &Member) -> bool {
        let offer = ptr::from_ref(member).cast_mut();
        self.offer.compare_exchange(ptr::null_mut(), offer, SeqCst, Relaxed).is_ok()
    }

    /// Takes an offer back, if the worker has not taken it.
    pub fn revoke(&self, member: &Member) -> bool {
        let offer = ptr::from_ref(member).cast_mut();
        self.offer.compare_exchange(offer, ptr::null_mut(), SeqCst, Relaxed).is_ok()
    }

    /// The offer, which is now the worker's: the job lives until the worker leaves it.
    pub fn take_offer(&self) -> Option<*const Member> {
        if self.offer.load(Relaxed).is_null() {
            return None;
        }
        let offer = self.offer.swap(ptr::null_mut(), SeqCst);
        (!offer.is_null()).then_some(offer.cast_const())
    }

    pub fn has_offer(&self) -> bool {
        !self.offer.load(SeqCst).is_null()
    }

    /// Chooses a sleeping worker for work of the list; whether it slept. [`Seat::rouse`] follows.
    pub fn wake_for_list(&self) -> bool {
        self.state.compare_exchange(ASLEEP, CALLED, SeqCst, Relaxed).is_ok()
    }

    pub fn rouse(&self) {
        self.state.wake_one();
    }

    /// Looks out until there is work, as `look` says.
    pub fn look_out(&self, look: impl FnOnce()) {
        self.state.store(LOOKING, SeqCst);
        look();
        self.state.store(BUSY, SeqCst);
    }

    /// Sleeps until there is an offer or somebody calls, unless `has_work` of the list. Whether the
    /// worker was called for that.
    pub fn sleep(&self, has_work: impl FnOnce() -> bool) -> bool {
        self.state.store(ASLEEP, SeqCst);
        if (self.has_offer() || has_work())
            && self.state.compare_exchange(ASLEEP, BUSY, SeqCst, Relaxed).is_ok()
        {
            return false;
        }
        while self.state.load(Acquire) == ASLEEP {
            outside(|| self.state.wait(ASLEEP));
        }
        self.state.swap(BUSY, SeqCst) == CALLED
    }
}
