//! The objects behind the handles, and what they do. Arguments are checked in `api`.

pub mod command_buffer;
pub mod context;
pub mod copy;
pub mod device;
pub mod device_info;
pub mod event;
pub mod kernel;
pub mod mem;
pub mod platform;
pub mod program;
pub mod queue;

pub use command_buffer::CommandBuffer;
pub use context::Context;
pub use device::Device;
pub use event::Event;
pub use kernel::Kernel;
pub use mem::Mem;
pub use platform::Platform;
pub use program::Program;
pub use queue::Queue;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic of another holder: no code of ours leaves half-made state behind.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
