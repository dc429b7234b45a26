//! Which code runs a launch.
//!
//! A [`Program`] is a module for one device. Its [`Kernel`]s have code made for what is known of
//! their launches, and keep it: variants for local sizes, dimensions and offsets, and for the
//! values of arguments that steer loops (`specialized.rs`). What a launch need not wait for is made
//! in the background (`background.rs`); what was made is kept on disk (`store.rs`).
//! [`Kernel::choose`] brings all of it together. There is no state but that of a [`Jit`] and of
//! what was made with it.

mod background;
mod exit;
mod hash;
mod kernel;
mod program;
mod specialized;
mod store;

pub use exit::{Busy, watch_main_thread};
pub use hash::hash128;
pub use kernel::{ChosenCode, Kernel};
pub use program::{Program, load_binary};
pub use store::{Store, read_regular, this_build};

use background::Background;
use std::sync::Arc;

/// The state that programs share: the cache on disk, and the thread for background compilation.
pub struct Jit {
    store: Option<Store>,
    /// Whether code is made in the background, for values of arguments or for a local size.
    specializes: bool,
    background: Arc<Background>,
}

impl Jit {
    /// Makes all code when it is asked for, and keeps nothing on disk.
    pub fn new() -> Jit {
        Jit { store: None, specializes: false, background: Arc::default() }
    }

    /// Makes better code than there is in the background, where that would pay, and keeps nothing
    /// on disk.
    pub fn specializing() -> Jit {
        Jit { specializes: true, ..Jit::new() }
    }

    /// As the environment says: `LANEWISE_CACHE`, `LANEWISE_CACHE_DIR`, `LANEWISE_SPECIALIZE`.
    /// Where stages are dumped (`LANEWISE_DUMP`), everything is made anew.
    pub fn from_environment() -> Jit {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        Jit {
            store: (!is_set("LANEWISE_DUMP")).then(Store::from_environment).flatten(),
            specializes: runtime::is_on("LANEWISE_SPECIALIZE", true),
            background: Arc::default(),
        }
    }

    /// The same with this cache on disk.
    pub fn with_store(self, store: Store) -> Jit {
        Jit { store: Some(store), ..self }
    }

    /// The same without the cache on disk.
    pub fn without_store(self) -> Jit {
        Jit { store: None, ..self }
    }

    /// The cache on disk, if there is one.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }
}

impl Default for Jit {
    fn default() -> Self {
        Jit::new()
    }
}
