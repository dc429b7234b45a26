//! The best code of a kernel whose launches began with a first version ([`compiler::Tier`]).
//!
//! It is ordered once launches have run the first version for as long as that took to make: then at
//! most half of the time is spent in vain, and a kernel that is launched once over a few work-items
//! is compiled once.

use crate::Kernel;
use compiler::{NdRange, Specialization};
use runtime::{Executable, Succession};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock, Weak};

/// The best code for one specialization of a kernel.
pub struct BestCode {
    me: Weak<BestCode>,
    /// The kernel owns the first version, and that owns this.
    kernel: Weak<Kernel>,
    range: NdRange,
    wanted: Specialization,
    /// The time that the first version took to make.
    worth: u64,
    ran: AtomicU64,
    ordered: AtomicBool,
    /// `None` inside if it cannot be compiled.
    code: OnceLock<Option<Arc<Executable>>>,
}

impl BestCode {
    pub fn new(kernel: &Arc<Kernel>, range: &NdRange, wanted: &Specialization, worth: u64) -> Arc<BestCode> {
        Arc::new_cyclic(|me| BestCode {
            me: me.clone(),
            kernel: Arc::downgrade(kernel),
            range: *range,
            wanted: wanted.clone(),
            worth,
            ran: AtomicU64::new(0),
            ordered: AtomicBool::new(false),
            code: OnceLock::new(),
        })
    }

    /// Compiles it now, unless it is there; waits for another thread that does so.
    pub fn make(&self) {
        self.code.get_or_init(|| self.kernel.upgrade()?.load_best(&self.range, &self.wanted));
    }
}

impl Succession for BestCode {
    fn successor(&self) -> Option<Arc<Executable>> {
        self.code.get()?.clone()
    }

    fn ran(&self, nanoseconds: u64) {
        let ran = self.ran.fetch_add(nanoseconds, Relaxed) + nanoseconds;
        if ran >= self.worth && !self.ordered.swap(true, Relaxed) {
            let (kernel, me) = (self.kernel.upgrade(), self.me.upgrade());
            if let (Some(kernel), Some(me)) = (kernel, me) {
                kernel.awaited(move || me.make());
            }
        }
    }
}
