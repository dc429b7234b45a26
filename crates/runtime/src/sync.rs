//! Atomics of the code by which threads share work without a lock, and a word to sleep at.
//!
//! With the feature `models` they are those of loom, which tries all orders in which threads can
//! run and all values that relaxed loads can see (`models.rs`).

#[cfg(feature = "models")]
pub(crate) use loom::sync::atomic;
#[cfg(not(feature = "models"))]
pub(crate) use std::sync::atomic;

/// Atomics whose sequentially consistent accesses have one order.
pub(crate) mod ordered {
    #[cfg(feature = "models")]
    pub use super::fenced::{AtomicPtr, AtomicU32};
    #[cfg(not(feature = "models"))]
    pub use std::sync::atomic::{AtomicPtr, AtomicU32};
}

/// loom takes `SeqCst` for `AcqRel`, but for fences.
#[cfg(feature = "models")]
mod fenced {
    use loom::sync::atomic::Ordering::{self, SeqCst};
    use loom::sync::atomic::{self, fence};

    fn in_order<T>(order: Ordering, access: impl FnOnce() -> T) -> T {
        let is_ordered = order == SeqCst;
        is_ordered.then(|| fence(SeqCst));
        let value = access();
        is_ordered.then(|| fence(SeqCst));
        value
    }

    macro_rules! ordered {
        ($name:ident $(<$t:ident>)?, $value:ty) => {
            #[derive(Debug, Default)]
            pub struct $name $(<$t>)?(atomic::$name $(<$t>)?);

            #[allow(dead_code, reason = "both have all of them")]
            impl $(<$t>)? $name $(<$t>)? {
                pub fn load(&self, order: Ordering) -> $value {
                    in_order(order, || self.0.load(order))
                }

                pub fn store(&self, value: $value, order: Ordering) {
                    in_order(order, || self.0.store(value, order));
                }

                pub fn swap(&self, value: $value, order: Ordering) -> $value {
                    in_order(order, || self.0.swap(value, order))
                }

                pub fn compare_exchange(
                    &self,
                    old: $value,
                    new: $value,
                    order: Ordering,
                    else_order: Ordering,
                ) -> Result<$value, $value> {
                    in_order(order, || self.0.compare_exchange(old, new, order, else_order))
                }
            }
        };
    }

    ordered!(AtomicU32, u32);
    ordered!(AtomicPtr<T>, *mut T);

    impl AtomicU32 {
        pub fn fetch_add(&self, value: u32, order: Ordering) -> u32 {
            in_order(order, || self.0.fetch_add(value, order))
        }

        pub fn fetch_sub(&self, value: u32, order: Ordering) -> u32 {
            in_order(order, || self.0.fetch_sub(value, order))
        }
    }
}

use ordered::AtomicU32;
use std::ops::Deref;

/// A word that a thread can sleep at while it has a value.
#[derive(Debug, Default)]
pub(crate) struct Word {
    value: AtomicU32,
    #[cfg(feature = "models")]
    sleepers: (loom::sync::Mutex<()>, loom::sync::Condvar),
}

impl Deref for Word {
    type Target = AtomicU32;

    fn deref(&self) -> &AtomicU32 {
        &self.value
    }
}

#[cfg(not(feature = "models"))]
impl Word {
    pub const fn new() -> Word {
        Word { value: AtomicU32::new(0) }
    }

    /// Sleeps while the word has this value, or for no reason.
    pub fn wait(&self, value: u32) {
        crate::fork::futex_wait(&self.value, value, None);
    }

    /// Wakes a thread that sleeps here.
    pub fn wake_one(&self) {
        crate::fork::futex_wake(&self.value, 1);
    }

    /// Wakes all threads that sleep here.
    pub fn wake_all(&self) {
        crate::fork::futex_wake(&self.value, i32::MAX);
    }
}

/// As the system does it: looking at the value and falling asleep are one.
#[cfg(feature = "models")]
impl Word {
    pub fn wait(&self, value: u32) {
        let guard = self.sleepers.0.lock().unwrap();
        if self.load(atomic::Ordering::SeqCst) == value {
            drop(self.sleepers.1.wait(guard));
        }
    }

    pub fn wake_one(&self) {
        let _guard = self.sleepers.0.lock().unwrap();
        self.sleepers.1.notify_one();
    }

    pub fn wake_all(&self) {
        let _guard = self.sleepers.0.lock().unwrap();
        self.sleepers.1.notify_all();
    }
}
