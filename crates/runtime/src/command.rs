//! The commands a queue takes.

use crate::driver::Launch;
use crate::memory::{Buffer, Memory, MemoryError};
use crate::node::Failure;
use std::ops::Range;
use std::sync::Arc;

/// A copy of this many bytes is done before another thread is awake.
const SHORT_BYTES: usize = 64 << 10;

/// Memory of the program's that a command writes.
#[derive(Debug)]
pub struct HostMut {
    start: *mut u8,
    len: usize,
}

// SAFETY: `HostMut::new` promises that the memory may be written from any thread.
unsafe impl Send for HostMut {}

impl HostMut {
    /// # Safety
    /// `start` must be valid for writes of `len` bytes, and used by nobody else, until the command
    /// has ended.
    pub unsafe fn new(start: *mut u8, len: usize) -> HostMut {
        HostMut { start, len }
    }
}

/// Memory of the program's that a command reads.
#[derive(Debug)]
pub struct HostRef {
    start: *const u8,
    len: usize,
}

// SAFETY: `HostRef::new` promises that the memory may be read from any thread.
unsafe impl Send for HostRef {}

impl HostRef {
    /// # Safety
    /// `start` must be valid for reads of `len` bytes, and written by nobody, until the command has
    /// ended.
    pub unsafe fn new(start: *const u8, len: usize) -> HostRef {
        HostRef { start, len }
    }
}

/// The commands of a queue.
pub enum Command {
    Launch(Box<Launch>),
    /// From a buffer to the program's memory.
    Read {
        buffer: Arc<Buffer>,
        offset: usize,
        to: HostMut,
    },
    /// From the program's memory to a buffer.
    Write {
        buffer: Arc<Buffer>,
        offset: usize,
        from: HostRef,
    },
    Copy {
        from: Arc<Buffer>,
        from_offset: usize,
        to: Arc<Buffer>,
        to_offset: usize,
        bytes: usize,
    },
    Fill {
        buffer: Arc<Buffer>,
        offset: usize,
        bytes: usize,
        pattern: Vec<u8>,
    },
    /// Code of the program's; its error code becomes the event's.
    Native(Box<dyn FnOnce() -> Result<(), i32> + Send>),
    /// Work of the driver's own, which waits for nothing and takes about as long as a copy of
    /// `bytes` bytes.
    Own {
        bytes: usize,
        run: Box<dyn FnOnce() + Send>,
    },
    /// The same in parts, which several threads may do at once.
    Parts(Parts),
    /// Ends when its wait list has ended, or without one when all earlier commands have.
    Marker,
    /// A marker that all later commands wait for.
    Barrier,
}

impl Command {
    #[inline]
    pub fn launch(launch: Launch) -> Command {
        Command::Launch(Box::new(launch))
    }

    pub fn native(f: impl FnOnce() -> Result<(), i32> + Send + 'static) -> Command {
        Command::Native(Box::new(f))
    }

    pub fn own(bytes: usize, run: impl FnOnce() + Send + 'static) -> Command {
        Command::Own { bytes, run: Box::new(run) }
    }

    /// Work in `count` parts of about the same size, a copy of `bytes` bytes in all. `run` does
    /// those of a range.
    pub fn in_parts(
        bytes: usize,
        count: usize,
        run: impl Fn(Range<usize>) + Send + Sync + 'static,
    ) -> Command {
        Command::Parts(Parts { bytes, count, run: Box::new(run) })
    }
}

/// Work of the driver's own that threads may share: each part is done once, in any order.
pub struct Parts {
    pub(crate) bytes: usize,
    pub(crate) count: usize,
    pub(crate) run: Box<dyn Fn(Range<usize>) + Send + Sync>,
}

/// A checked command.
pub(crate) enum Work {
    Launch(Box<Launch>),
    Read { buffer: Arc<Buffer>, offset: usize, to: HostMut },
    Write { buffer: Arc<Buffer>, offset: usize, from: HostRef },
    Copy { from: Arc<Buffer>, from_offset: usize, to: Arc<Buffer>, to_offset: usize, bytes: usize },
    Fill { buffer: Arc<Buffer>, offset: usize, bytes: usize, pattern: Vec<u8> },
    Native(Box<dyn FnOnce() -> Result<(), i32> + Send>),
    Own { bytes: usize, run: Box<dyn FnOnce() + Send> },
    Parts(Parts),
    Nothing,
}

impl Work {
    pub fn new(command: Command) -> Result<Work, MemoryError> {
        Ok(match command {
            Command::Launch(launch) => Work::Launch(launch),
            Command::Read { buffer, offset, to } => {
                buffer.check(offset, to.len)?;
                if to.start.is_null() && to.len > 0 {
                    return Err(MemoryError::NullPointer);
                }
                Work::Read { buffer, offset, to }
            }
            Command::Write { buffer, offset, from } => {
                buffer.check(offset, from.len)?;
                if from.start.is_null() && from.len > 0 {
                    return Err(MemoryError::NullPointer);
                }
                Work::Write { buffer, offset, from }
            }
            Command::Copy { from, from_offset, to, to_offset, bytes } => {
                from.check(from_offset, bytes)?;
                to.check(to_offset, bytes)?;
                Work::Copy { from, from_offset, to, to_offset, bytes }
            }
            Command::Fill { buffer, offset, bytes, pattern } => {
                buffer.check_fill(offset, bytes, &pattern)?;
                Work::Fill { buffer, offset, bytes, pattern }
            }
            Command::Native(f) => Work::Native(f),
            Command::Own { bytes, run } => Work::Own { bytes, run },
            Command::Parts(parts) => Work::Parts(parts),
            Command::Marker | Command::Barrier => Work::Nothing,
        })
    }

    /// Whether it should be done before another thread is awake.
    pub fn is_short(&self) -> bool {
        match self {
            Work::Launch(launch) => launch.is_short(),
            Work::Read { to: HostMut { len, .. }, .. } | Work::Write { from: HostRef { len, .. }, .. } => {
                *len <= SHORT_BYTES
            }
            Work::Copy { bytes, .. } | Work::Fill { bytes, .. } | Work::Own { bytes, .. } => {
                *bytes <= SHORT_BYTES
            }
            Work::Parts(Parts { bytes, .. }) => *bytes <= SHORT_BYTES,
            Work::Native(_) => false,
            Work::Nothing => true,
        }
    }

    /// Does all but launches and what has parts, which the driver runs. `memory` is that of the
    /// queue's device.
    pub fn run(self, memory: &dyn Memory) -> Result<(), Failure> {
        match self {
            Work::Read { buffer, offset, to } if to.len > 0 => {
                // SAFETY: the range was checked when the command was made; `HostMut` promises the
                // other side.
                unsafe { buffer.start().add(offset).copy_to(to.start, to.len) };
            }
            Work::Write { buffer, offset, from } if from.len > 0 => {
                // SAFETY: as above, with `HostRef`.
                unsafe { buffer.start().add(offset).copy_from(from.start, from.len) };
                buffer.define(offset, from.len);
            }
            // The two checks were made with the command and cannot fail here.
            Work::Copy { from, from_offset, to, to_offset, bytes } => {
                let _ = memory.copy((&from, from_offset), (&to, to_offset), bytes);
            }
            Work::Fill { buffer, offset, bytes, pattern } => {
                let _ = memory.fill(&buffer, offset, bytes, &pattern);
            }
            Work::Native(f) => return f().map_err(Failure::ErrorCode),
            Work::Own { run, .. } => run(),
            Work::Read { .. } | Work::Write { .. } | Work::Nothing => {}
            Work::Launch(_) | Work::Parts(_) => {}
        }
        Ok(())
    }
}
