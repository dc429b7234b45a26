//! Just-in-time compilation: chooses, and if need be compiles, the code that runs a launch.
//!
//! A [`Program`] is a module for one device. Its [`Kernel`]s keep variants: code for local sizes,
//! dimensions and offsets, and for the values of steering arguments (`specialized.rs`). Variants
//! that no launch has to wait for are compiled in the background (`background.rs`), and all code is
//! cached on disk (`store.rs`). [`Kernel::choose`] chooses among the variants. All state is in a
//! [`Jit`] and the programs made with it.

mod background;
mod exit;
mod hash;
mod kernel;
mod program;
mod specialized;
mod store;
mod tiers;

pub use exit::{Busy, watch_main_thread};
pub use hash::hash128;
pub use kernel::{ChosenCode, Kernel};
pub use program::{CarriedCode, Program, load_binary};
pub use store::{Store, read_regular, this_build};

use background::Background;
use compiler::NdRange;
use runtime::lock;
use std::sync::{Arc, Mutex};

/// The state that programs share: the cache on disk, and the thread for background compilation.
pub struct Jit {
    store: Option<Store>,
    /// Whether variants for argument values or for a local size are compiled in the background.
    specializes: bool,
    /// Whether code is compiled before a launch asks for it.
    expects: bool,
    background: Arc<Background>,
    /// The thread for code that a launch goes on with: of the program's own priority.
    awaited: Arc<Background>,
    /// For each number of dimensions, the local size of the last launch that needed code for it.
    local_sizes: Mutex<[Option<[usize; 3]>; 3]>,
}

impl Jit {
    /// Compiles only what a launch waits for, and has no cache on disk.
    pub fn new() -> Jit {
        let (background, awaited) = (Background::of_low_priority(), Arc::default());
        Jit {
            store: None,
            specializes: false,
            expects: false,
            background,
            awaited,
            local_sizes: Mutex::default(),
        }
    }

    /// Also compiles variants in the background where that would pay, and has no cache on disk.
    pub fn specializing() -> Jit {
        Jit { specializes: true, expects: true, ..Jit::new() }
    }

    /// As the environment says: `LANEWISE_CACHE`, `LANEWISE_CACHE_DIR`, `LANEWISE_SPECIALIZE`. With
    /// `LANEWISE_DUMP` there is no cache, so that every stage runs and is dumped, and nothing is
    /// compiled that no launch asked for.
    pub fn from_environment() -> Jit {
        let is_dumping = std::env::var_os("LANEWISE_DUMP").is_some_and(|v| !v.is_empty());
        let specializes = runtime::is_on("LANEWISE_SPECIALIZE", true);
        let jit = Jit { specializes, expects: specializes && !is_dumping, ..Jit::new() };
        match (!is_dumping).then(Store::from_environment).flatten() {
            Some(store) => jit.with_store(store),
            None => jit,
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

    /// Notes the local size of a launch of a kernel that sees its work-groups.
    pub(crate) fn note_local_size(&self, range: &NdRange) {
        lock(&self.local_sizes)[range.work_dim as usize - 1] = Some(range.local_size);
    }

    /// The local size to expect of launches that nothing is known of: that of the last launch, or
    /// in one dimension the size that launches without one get.
    pub(crate) fn usual_local_size(&self, work_dim: u32, preferred: [usize; 3]) -> Option<[usize; 3]> {
        let last = lock(&self.local_sizes)[work_dim as usize - 1];
        last.or_else(|| (work_dim == 1).then_some(preferred))
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
