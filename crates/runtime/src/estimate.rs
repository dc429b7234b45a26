//! What a work-item of a kernel took lately: decides whether a launch is worth waking other threads for.
//!
//! A small table of guesses, indexed by the kernel's address. Kernels may share a place and the cost of a kernel
//! depends on its arguments: a wrong guess costs time, never a result.

use host::LoadedKernel;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const PLACES: usize = 512;

/// High half: which kernel, never 0. Low half: nanoseconds for 1024 work-items.
static TABLE: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

fn place(kernel: &LoadedKernel) -> (&'static AtomicU64, u64) {
    let hash = (kernel.entry() as usize as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (&TABLE[(hash >> 55) as usize % PLACES], (hash >> 16 & 0xffff_ffff) | 1)
}

/// The nanoseconds `items` work-items should take on one thread, if the kernel ran before.
pub(crate) fn expect(kernel: &LoadedKernel, items: usize) -> Option<u64> {
    let (place, tag) = place(kernel);
    let entry = place.load(Relaxed);
    (entry >> 32 == tag).then(|| (entry & 0xffff_ffff).saturating_mul(items as u64) / 1024)
}

/// Notes that `items` work-items took `nanoseconds` of one thread's time. A costly launch counts at once and is
/// forgotten slowly: to underestimate is worse.
pub(crate) fn note(kernel: &LoadedKernel, items: usize, nanoseconds: u64) {
    let (place, tag) = place(kernel);
    let cost = (nanoseconds.saturating_mul(1024) / items.max(1) as u64).min(u32::MAX.into());
    let entry = place.load(Relaxed);
    let old = if entry >> 32 == tag { entry & 0xffff_ffff } else { 0 };
    let new = if cost >= old { cost } else { old - (old - cost).div_ceil(4) };
    if new != old || entry == 0 {
        place.store(tag << 32 | new, Relaxed);
    }
}
