//! State that programs may share.

use jit::Jit;
use std::fmt;
use std::sync::Arc;

/// The code cache on disk and the thread that makes code in the background. Each
/// [`Program`](crate::Program) has a context of its own unless it is [given
/// one](crate::Builder::context); programs with the same context share both. Clones are the same
/// context.
///
/// ```
/// # fn main() -> Result<(), lanewise::Error> {
/// use lanewise::{Context, Program};
///
/// let context = Context::without_disk_cache();
/// let one = Program::builder().context(&context).source("kernel void one(global int *p) { *p = 1; }")?;
/// let two = Program::builder().context(&context).source("kernel void two(global int *p) { *p = 2; }")?;
/// # let _ = (one, two);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Context {
    pub(crate) jit: Arc<Jit>,
}

impl Context {
    /// As the environment says: `LANEWISE_CACHE`, `LANEWISE_CACHE_DIR`, `LANEWISE_SPECIALIZE`.
    pub fn new() -> Context {
        Context { jit: Arc::new(Jit::from_environment()) }
    }

    /// The same, but no code is kept on disk.
    pub fn without_disk_cache() -> Context {
        Context { jit: Arc::new(Jit::from_environment().without_store()) }
    }
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}
