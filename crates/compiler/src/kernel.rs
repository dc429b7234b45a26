//! One kernel of a finalized module.

use crate::{NdRange, Result};
use std::any::Any;

/// A kernel whose machine code is made when it is known what it will run over.
pub trait Kernel: Send + Sync {
    fn name(&self) -> &str;

    /// A local size that suits the kernel, where the user has no wish.
    fn preferred_local_size(&self) -> [usize; 3];

    /// The bytes of local memory that the kernel's own variables take.
    fn local_memory_size(&self) -> usize;

    /// A binary with this kernel, made for this range and others of the same local size.
    fn create_specialized_kernel(&self, range: &NdRange) -> Result<Vec<u8>>;

    /// The target's own type.
    fn as_any(&self) -> &dyn Any;
}
