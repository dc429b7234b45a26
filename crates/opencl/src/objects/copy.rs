//! Commands that copy and fill memory.

use crate::ffi::Memory;
use crate::objects::Mem;
use runtime::Command;
use std::sync::Arc;

/// The location of bytes: in a memory object, which the place keeps alive, or in the program's own
/// memory.
pub struct Place {
    start: *mut u8,
    _keep: Option<Arc<Mem>>,
}

// SAFETY: the memory belongs to an object that is kept, or the program promised that commands may
// use it (`Memory`).
unsafe impl Send for Place {}

impl Place {
    /// `offset` must lie within the object.
    pub fn of(mem: &Arc<Mem>, offset: usize) -> Place {
        Place { start: mem.start().wrapping_add(offset), _keep: Some(mem.clone()) }
    }

    pub fn host(memory: Memory, offset: usize) -> Place {
        Place { start: memory.raw().cast::<u8>().wrapping_add(offset), _keep: None }
    }
}

/// The pitches of a box of bytes: from row to row, and from plane to plane.
pub type Pitches = [usize; 2];

/// Copies `bytes` bytes, which the caller checked to be in range on both sides.
pub fn copy(from: Place, to: Place, bytes: usize) -> Command {
    Command::own(bytes, move || {
        let (from, to) = (from, to);
        if bytes > 0 {
            // SAFETY: the caller checked both ranges, and the places keep their objects alive.
            unsafe { std::ptr::copy(from.start, to.start, bytes) };
        }
    })
}

/// Copies a box of `region` bytes, rows and planes, which the caller checked to be in range on both
/// sides.
pub fn copy_rect(
    from: Place,
    from_pitches: Pitches,
    to: Place,
    to_pitches: Pitches,
    region: [usize; 3],
) -> Command {
    let [width, rows, planes] = region;
    Command::own(width.saturating_mul(rows).saturating_mul(planes), move || {
        let (from, to) = (from, to);
        for z in 0..planes {
            for y in 0..rows {
                let at = |pitches: Pitches| y * pitches[0] + z * pitches[1];
                // SAFETY: the caller checked both boxes, and the places keep their objects alive.
                unsafe {
                    std::ptr::copy(from.start.add(at(from_pitches)), to.start.add(at(to_pitches)), width);
                }
            }
        }
    })
}

/// Repeats `pattern` over `bytes` bytes, a multiple of its size that was checked to be there.
pub fn fill(to: Place, bytes: usize, pattern: Vec<u8>) -> Command {
    Command::own(bytes, move || {
        let to = to;
        // SAFETY: the caller checked the range, and the place keeps its object alive.
        unsafe { repeat(&block_of(&pattern), to.start, bytes) };
    })
}

/// Repeats `pattern` over a box of `region` bytes, rows and planes, which was checked to be there.
/// Its size divides that of a row.
pub fn fill_rect(to: Place, pitches: Pitches, region: [usize; 3], pattern: Vec<u8>) -> Command {
    let [width, rows, planes] = region;
    Command::own(width.saturating_mul(rows).saturating_mul(planes), move || {
        let to = to;
        let block = block_of(&pattern);
        for z in 0..planes {
            for y in 0..rows {
                // SAFETY: the caller checked the box, and the place keeps its object alive.
                unsafe { repeat(&block, to.start.add(y * pitches[0] + z * pitches[1]), width) };
            }
        }
    })
}

/// Whole patterns of about 4 KiB together, which stay in the L1 cache.
fn block_of(pattern: &[u8]) -> Vec<u8> {
    pattern.repeat((4096 / pattern.len()).max(1))
}

/// Repeats `block` over `bytes` bytes, the last one in part.
///
/// # Safety
/// `to` must be valid for writes of `bytes` bytes, which do not overlap `block`.
unsafe fn repeat(block: &[u8], to: *mut u8, bytes: usize) {
    for at in (0..bytes).step_by(block.len()) {
        let part = block.len().min(bytes - at);
        // SAFETY: promised by the caller.
        unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), to.add(at), part) };
    }
}

/// A command without effect, for markers, barriers and migrations.
pub fn nothing() -> Command {
    Command::own(0, || {})
}
