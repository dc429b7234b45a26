//! Runs compiled kernels: devices, their memory, queues, events, the thread pool and the
//! driver that cuts an NDRange into boxes of work-groups. It names no device; the crates that bring
//! one implement [`Device`].
//!
//! How a command runs. [`Queue::enqueue`] makes a node that counts its predecessors;
//! predecessors hold their successors, never the other way round. A flush lets the nodes go, and
//! one whose count reaches zero is ready. Ready nodes are run by the pool's workers or by a thread
//! that waits for them: a waiting thread first runs what it waits for (`exec`), so a small launch
//! costs no wake-up. A launch that is worth it is shared with the workers (`driver`); whoever
//! finishes its last slice completes it and goes on with what became ready.

mod args;
pub mod checks;
mod clock;
mod command;
mod cores;
mod device;
mod driver;
mod environment;
mod event;
mod exec;
mod fork;
mod fpenv;
mod grid;
mod host_images;
mod image;
mod job;
mod loader;
mod local_size;
mod memory;
#[cfg(all(test, feature = "models"))]
mod models;
mod node;
mod pool;
mod printf;
mod profile;
mod queue;
mod seats;
#[cfg(test)]
mod shape_tests;
mod shares;
mod succession;
mod support;
mod sync;
mod system;
mod team;
mod topology;

pub use args::{ArgError, ArgValue, PackedArgs};
pub use clock::now;
pub use command::{Command, HostMut, HostRef, Parts};
pub use compiler::{Access, ImageKind};
pub use cores::{Cores, Domain};
pub use device::{Device, Executable, KernelCode, Limits, Program, Properties};
pub use driver::{Launch, LaunchError, Timing};
pub use environment::{is_on, warn_once};
pub use event::{Event, UserEventError};
pub use fork::{Condvar, Inside, outside, process, watch_forks};
pub use fpenv::KernelMode;
pub use grid::{Grid, GroupBox};
pub use host_images::HostImages;
pub use image::{
    Addressing, ChannelOrder, ChannelType, Filter, Image, ImageFormat, ImageShape, Images, Sampler,
};
pub use loader::{LoadedFunction, Loader, LoadingDevice, MakeCode};
pub use local_size::choose_local_size;
pub use memory::{Buffer, HostMemory, Memory, MemoryError};
pub use node::{EventState, Failure, Times};
pub use printf::flush_printf;
pub use queue::{LaunchFailure, Priority, Queue, QueueOptions};
pub use succession::Succession;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic of another holder: no code of ours leaves half-made state behind, and
/// user code runs under no lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
