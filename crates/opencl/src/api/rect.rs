//! Reading, writing and copying boxes of bytes.

use crate::api::order;
use crate::api::transfer::queue_and_buffers;
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, ensure, status};
use crate::objects::Mem;
use crate::objects::copy::{self, Pitches, Place};
use runtime::Command;
use std::sync::Arc;

/// One side of a copy: the origin of its box, and its row and slice pitches.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub offset: usize,
    pub pitches: Pitches,
}

pub(super) type Triple = In<[usize; 3]>;

pub(super) fn triple(values: Triple) -> Res<[usize; 3]> {
    values.get().ok_or(ErrorCode(CL_INVALID_VALUE))
}

/// The size of a box, which is 0 in no dimension.
pub(super) fn region_of(region: Triple) -> Res<[usize; 3]> {
    let region = triple(region)?;
    ensure(!region.contains(&0), CL_INVALID_VALUE)?;
    Ok(region)
}

impl Side {
    fn new(origin: Triple, region: [usize; 3], row_pitch: usize, slice_pitch: usize) -> Res<Side> {
        let [x, y, z] = triple(origin)?;
        let bad = || ErrorCode(CL_INVALID_VALUE);
        let row = if row_pitch == 0 { region[0] } else { row_pitch };
        let least = region[1].checked_mul(row).ok_or_else(bad)?;
        let slice = if slice_pitch == 0 { least } else { slice_pitch };
        ensure(row >= region[0] && slice >= least && slice.is_multiple_of(row), CL_INVALID_VALUE)?;
        let place = |x: usize, y: usize, z: usize| {
            z.checked_mul(slice)?.checked_add(y.checked_mul(row)?)?.checked_add(x)
        };
        let side = Side { offset: place(x, y, z).ok_or_else(bad)?, pitches: [row, slice] };
        side.end(region).ok_or_else(bad)?;
        Ok(side)
    }

    /// The offset of the first byte after the box.
    pub(super) fn end(&self, [width, rows, planes]: [usize; 3]) -> Option<usize> {
        let [row, plane] = self.pitches;
        let last = (planes - 1).checked_mul(plane)?.checked_add((rows - 1).checked_mul(row)?)?;
        self.offset.checked_add(last)?.checked_add(width)
    }

    fn fits(&self, region: [usize; 3], size: usize) -> Res<()> {
        ensure(self.end(region).is_some_and(|end| end <= size), CL_INVALID_VALUE)
    }
}

/// Whether two boxes with the same pitches, `delta` bytes apart, have a byte in common.
fn boxes_overlap(delta: i128, [row, slice]: Pitches, [width, rows, planes]: [usize; 3]) -> bool {
    let [row, slice, width, rows, planes] = [row, slice, width, rows, planes].map(|n| n as i128);
    // Only planes that are about `delta / slice` planes apart can overlap: a plane of a box ends
    // less than a slice pitch after the next one begins.
    let near = delta.div_euclid(slice);
    (near - 1..=near + 1).filter(|dz| dz.abs() < planes).any(|dz| {
        let rest = delta - dz * slice;
        let near = rest.div_euclid(row);
        (near..=near + 1).any(|dy| dy.abs() < rows && (rest - dy * row).abs() < width)
    })
}

pub extern "C" fn clEnqueueReadBufferRect(
    queue: Handle,
    buffer: Handle,
    blocking: cl_uint,
    buffer_origin: Triple,
    host_origin: Triple,
    region: Triple,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    to: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_buffers(queue, [buffer])?;
        let region = region_of(region)?;
        let side = Side::new(buffer_origin, region, buffer_row_pitch, buffer_slice_pitch)?;
        let host = Side::new(host_origin, region, host_row_pitch, host_slice_pitch)?;
        side.fits(region, mem.size())?;
        ensure(!to.is_null(), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        ensure(mem.host_may_read(), CL_INVALID_OPERATION)?;
        let (from, to) = (Place::of(&mem, side.offset), Place::host(to, host.offset));
        let command = copy::copy_rect(from, side.pitches, to, host.pitches, region);
        queue.submit(CL_COMMAND_READ_BUFFER_RECT, command, order)
    })
}

pub extern "C" fn clEnqueueWriteBufferRect(
    queue: Handle,
    buffer: Handle,
    blocking: cl_uint,
    buffer_origin: Triple,
    host_origin: Triple,
    region: Triple,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    from: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_buffers(queue, [buffer])?;
        let region = region_of(region)?;
        let side = Side::new(buffer_origin, region, buffer_row_pitch, buffer_slice_pitch)?;
        let host = Side::new(host_origin, region, host_row_pitch, host_slice_pitch)?;
        side.fits(region, mem.size())?;
        ensure(!from.is_null(), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        ensure(mem.host_may_write(), CL_INVALID_OPERATION)?;
        let (from, to) = (Place::host(from, host.offset), Place::of(&mem, side.offset));
        let command = copy::copy_rect(from, host.pitches, to, side.pitches, region);
        queue.submit(CL_COMMAND_WRITE_BUFFER_RECT, command, order)
    })
}

/// Makes commands that copy a box between buffers, each with its origin and pitches.
pub(super) fn copying_rect(
    (from, from_origin, from_pitches): (&Arc<Mem>, Triple, Pitches),
    (to, to_origin, to_pitches): (&Arc<Mem>, Triple, Pitches),
    region: Triple,
) -> Res<impl Fn() -> Command + use<>> {
    let region = region_of(region)?;
    let source = Side::new(from_origin, region, from_pitches[0], from_pitches[1])?;
    let target = Side::new(to_origin, region, to_pitches[0], to_pitches[1])?;
    source.fits(region, from.size())?;
    target.fits(region, to.size())?;
    let same = source.pitches == target.pitches;
    ensure(!Arc::ptr_eq(from, to) || same, CL_INVALID_VALUE)?;
    if same {
        let start = |mem: &Mem, side: &Side| mem.start() as i128 + side.offset as i128;
        let delta = start(to, &target) - start(from, &source);
        ensure(!boxes_overlap(delta, source.pitches, region), CL_MEM_COPY_OVERLAP)?;
    }
    let (from, to) = (from.clone(), to.clone());
    Ok(move || {
        let (from, to) = (Place::of(&from, source.offset), Place::of(&to, target.offset));
        copy::copy_rect(from, source.pitches, to, target.pitches, region)
    })
}

pub extern "C" fn clEnqueueCopyBufferRect(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_origin: Triple,
    to_origin: Triple,
    region: Triple,
    from_row_pitch: usize,
    from_slice_pitch: usize,
    to_row_pitch: usize,
    to_slice_pitch: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [from, to]) = queue_and_buffers(queue, [from, to])?;
        let from = (&from, from_origin, [from_row_pitch, from_slice_pitch]);
        let to = (&to, to_origin, [to_row_pitch, to_slice_pitch]);
        let copy = copying_rect(from, to, region)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_COPY_BUFFER_RECT, copy(), order)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Every byte of a box.
    fn bytes(start: i128, [row, slice]: Pitches, [width, rows, planes]: [usize; 3]) -> HashSet<i128> {
        let all = (0..planes).flat_map(|z| (0..rows).map(move |y| (z * slice + y * row) as i128));
        all.flat_map(|at| (0..width as i128).map(move |x| start + at + x)).collect()
    }

    #[test]
    fn overlap_is_found_as_byte_by_byte() {
        for (pitches, region) in [
            ([4, 12], [2, 2, 2]),
            ([4, 8], [4, 2, 3]),
            ([5, 20], [1, 3, 1]),
            ([3, 3], [2, 1, 4]),
            ([7, 21], [6, 3, 2]),
        ] {
            let fixed = bytes(0, pitches, region);
            for delta in -90..90 {
                let moved = bytes(delta, pitches, region);
                let expected = !fixed.is_disjoint(&moved);
                assert_eq!(boxes_overlap(delta, pitches, region), expected, "{pitches:?} {region:?} {delta}");
            }
        }
    }
}
