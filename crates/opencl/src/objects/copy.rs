//! Commands that copy and fill memory.

use crate::ffi::Memory;
use crate::objects::Mem;
use runtime::{Buffer, Command};
use std::ops::Range;
use std::sync::Arc;

/// The location of bytes: in a memory object, which the place keeps alive, or in the program's own
/// memory.
pub struct Place {
    start: *mut u8,
    mem: Option<Arc<Mem>>,
}

// SAFETY: the memory belongs to an object that is kept, or the program promised that commands may
// use it (`Memory`).
unsafe impl Send for Place {}
// SAFETY: a shared place is only an address.
unsafe impl Sync for Place {}

impl Place {
    /// `offset` must lie within the object.
    pub fn of(mem: &Arc<Mem>, offset: usize) -> Place {
        Place { start: mem.buffer.start().wrapping_add(offset), mem: Some(mem.clone()) }
    }

    pub fn host(memory: Memory, offset: usize) -> Place {
        Place { start: memory.raw().cast::<u8>().wrapping_add(offset), mem: None }
    }

    /// Notes that bytes of a box were written, for checked code.
    fn define(&self, at: [usize; 3], pitches: Pitches, bytes: usize) {
        if let Some((buffer, offset)) = self.in_buffer(at, pitches) {
            buffer.define(offset, bytes);
        }
    }

    /// Notes that bytes of a box were copied from another place.
    fn define_as(&self, [own, from]: [Pitches; 2], place: &Place, at: [usize; 3], bytes: usize) {
        match (self.in_buffer(at, own), place.in_buffer(at, from)) {
            (Some((to, offset)), Some((from, from_offset))) => {
                to.define_as(offset, from, from_offset, bytes);
            }
            _ => self.define(at, own, bytes),
        }
    }

    /// The buffer, and where a byte of a box is there.
    fn in_buffer(&self, at: [usize; 3], pitches: Pitches) -> Option<(&Buffer, usize)> {
        let buffer = &self.mem.as_ref()?.buffer;
        Some((buffer, self.at(at, pitches) as usize - buffer.start() as usize))
    }

    /// The address of a byte of a box: its place in bytes, rows and planes.
    fn at(&self, [x, y, z]: [usize; 3], pitches: Pitches) -> *mut u8 {
        self.start.wrapping_add(x + y * pitches[0] + z * pitches[1])
    }

    /// The first address of a box, and the one after it.
    fn range(&self, pitches: Pitches, [width, rows, planes]: [usize; 3]) -> (*mut u8, *mut u8) {
        let last = [width, rows.saturating_sub(1), planes.saturating_sub(1)];
        (self.start, self.at(last, pitches))
    }
}

/// The pitches of a box of bytes: from row to row, and from plane to plane.
pub type Pitches = [usize; 2];

/// The bytes of a part of a copy: less than a thread takes at a time.
const PART: usize = 64 << 10;

/// Copies `bytes` bytes, which the caller checked to be in range on both sides.
pub fn copy(from: Place, to: Place, bytes: usize) -> Command {
    copy_rect(from, [bytes; 2], to, [bytes; 2], [bytes, 1, 1])
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
    let mut pieces = Pieces::new(region, &[from_pitches, to_pitches]);
    let is_shared = !overlap((&from, from_pitches), (&to, to_pitches), region);
    if !is_shared {
        // One thread moves whole rows.
        pieces.step = pieces.region[0].max(1);
    }
    let run = move |parts: Range<usize>| {
        let (from, to) = (&from, &to);
        pieces.each(parts, |at, bytes| {
            // SAFETY: the caller checked both boxes, and the places keep their objects alive.
            unsafe { std::ptr::copy(from.at(at, from_pitches), to.at(at, to_pitches), bytes) };
            to.define_as([to_pitches, from_pitches], from, at, bytes);
        });
    };
    match is_shared {
        true => Command::in_parts(pieces.bytes(), pieces.count(), run),
        false => Command::own(pieces.bytes(), move || run(0..pieces.count())),
    }
}

/// Whether a byte of one side may be another byte of the other, so that parts of a copy cannot be
/// done in any order.
fn overlap(from: (&Place, Pitches), to: (&Place, Pitches), region: [usize; 3]) -> bool {
    let ((from_start, from_end), (to_start, to_end)) =
        (from.0.range(from.1, region), to.0.range(to.1, region));
    let are_same = from_start == to_start && from.1 == to.1;
    !are_same && from_start < to_end && to_start < from_end
}

/// Repeats `pattern` over `bytes` bytes, a multiple of its size that was checked to be there.
pub fn fill(to: Place, bytes: usize, pattern: Vec<u8>) -> Command {
    fill_rect(to, [bytes; 2], [bytes, 1, 1], pattern)
}

/// Repeats `pattern` over a box of `region` bytes, rows and planes, which was checked to be there.
/// Its size divides that of a row.
pub fn fill_rect(to: Place, pitches: Pitches, region: [usize; 3], pattern: Vec<u8>) -> Command {
    let pieces = Pieces::new(region, &[pitches]);
    let block = block_of(&pattern);
    // Pieces begin where patterns do.
    let pieces = Pieces { step: pieces.step.next_multiple_of(pattern.len()), ..pieces };
    Command::in_parts(pieces.bytes(), pieces.count(), move |parts| {
        let to = &to;
        pieces.each(parts, |at, bytes| {
            // SAFETY: the caller checked the box, and the place keeps its object alive.
            unsafe { repeat(&block, to.at(at, pitches), bytes) };
            to.define(at, pitches, bytes);
        });
    })
}

/// A box of bytes, rows and planes, cut into pieces of rows that threads can share.
#[derive(Clone, Copy)]
struct Pieces {
    /// The bytes of a row, the rows of a plane, the planes.
    region: [usize; 3],
    /// The bytes of a piece, of which the last one of each row may have fewer.
    step: usize,
}

impl Pieces {
    /// Rows, and planes, that follow each other without gaps on all sides are one row.
    fn new([width, rows, planes]: [usize; 3], sides: &[Pitches]) -> Pieces {
        let is_flat = |bytes, i: usize| sides.iter().all(|pitches| pitches[i] == bytes);
        let plane = width.saturating_mul(rows);
        let region = match (is_flat(width, 0) || rows == 1, is_flat(plane, 1) || planes == 1) {
            (true, true) => [plane.saturating_mul(planes), 1, 1],
            (true, false) => [plane, 1, planes],
            _ => [width, rows, planes],
        };
        Pieces { region, step: PART }
    }

    fn bytes(&self) -> usize {
        self.region.iter().fold(1, |product: usize, &n| product.saturating_mul(n))
    }

    fn in_row(&self) -> usize {
        self.region[0].div_ceil(self.step)
    }

    fn count(&self) -> usize {
        self.in_row() * self.region[1] * self.region[2]
    }

    /// Calls `f` with the place of each piece, in bytes, rows and planes, and its size.
    fn each(&self, pieces: Range<usize>, mut f: impl FnMut([usize; 3], usize)) {
        let [width, rows, _] = self.region;
        for piece in pieces {
            let (row, x) = (piece / self.in_row(), piece % self.in_row() * self.step);
            f([x, row % rows, row / rows], self.step.min(width - x));
        }
    }
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
