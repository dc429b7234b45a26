//! Reading, writing, copying, filling and mapping images: as for boxes of bytes, with pixels for
//! columns.

use crate::api::map::{are_map_flags, map};
use crate::api::order;
use crate::api::rect::{Side, Triple, region_of, triple};
use crate::api::transfer::queue_and_mems;
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, create, ensure, ensure_or, status};
use crate::objects::copy::{self, Place};
use crate::objects::{Device, Mem};
use runtime::{ChannelOrder, Command, ImageKind, ImageShape};
use std::ffi::c_void;
use std::sync::Arc;

/// A box of an image's pixels.
struct Part {
    origin: [usize; 3],
    /// In pixels.
    region: [usize; 3],
    /// In the image's memory.
    side: Side,
    /// The size in bytes, rows and planes.
    bytes: [usize; 3],
}

impl Part {
    /// The error `CL_INVALID_VALUE` unless all of it lies within the image. Directions that the
    /// image does not have are one pixel long.
    fn new(shape: &ImageShape, origin: Triple, region: Triple) -> Res<Part> {
        let ([x, y, z], region) = (triple(origin)?, region_of(region)?);
        let extent = shape.extent();
        let is_inside =
            (0..3).all(|i| [x, y, z][i].checked_add(region[i]).is_some_and(|end| end <= extent[i]));
        ensure_or(is_inside, CL_INVALID_VALUE, || {
            format!("{region:?} pixels from {:?} on do not lie within an image of {extent:?}", [x, y, z])
        })?;
        let (pixel, pitches) = (shape.format.pixel_bytes(), shape.pitches());
        let side = Side { offset: x * pixel + y * pitches[0] + z * pitches[1], pitches };
        let bytes = [region[0] * pixel, region[1], region[2]];
        Ok(Part { origin: [x, y, z], region, side, bytes })
    }

    /// The other side of a copy: in the program's memory, with these pitches.
    fn outside(&self, kind: ImageKind, row_pitch: usize, slice_pitch: usize) -> Res<Side> {
        let [width, rows, _] = self.bytes;
        let row = if row_pitch == 0 { width } else { row_pitch };
        ensure(row >= width, CL_INVALID_VALUE)?;
        let least = match kind {
            // Each row is an image.
            ImageKind::D1Array => row,
            _ => row.checked_mul(rows).ok_or(ErrorCode(CL_INVALID_VALUE))?,
        };
        let slice = if slice_pitch == 0 { least } else { slice_pitch };
        let pitches = match kind {
            ImageKind::D1 | ImageKind::D1Buffer | ImageKind::D2 => {
                ensure(slice_pitch == 0, CL_INVALID_VALUE)?;
                [row, least]
            }
            ImageKind::D1Array => [slice, slice],
            ImageKind::D2Array | ImageKind::D3 => [row, slice],
        };
        ensure(slice >= least, CL_INVALID_VALUE)?;
        let side = Side { offset: 0, pitches };
        side.end(self.bytes).ok_or(ErrorCode(CL_INVALID_VALUE))?;
        Ok(side)
    }

    /// The other side of a copy: in a buffer, without gaps.
    fn packed(&self, buffer: &Mem, offset: usize) -> Res<Side> {
        let [width, rows, planes] = self.bytes;
        // No overflow: the box lies within an image that is in memory.
        let plane = width * rows;
        buffer.check(offset, plane * planes)?;
        Ok(Side { offset, pitches: [width, plane] })
    }
}

/// The error of a command on images unless the device has them.
pub(super) fn are_usable<const N: usize>(device: &Device, mems: [&Arc<Mem>; N]) -> Res<()> {
    mems.iter().try_for_each(|mem| mem.image()?.must_be_usable(device))
}

pub extern "C" fn clEnqueueReadImage(
    queue: Handle,
    image: Handle,
    blocking: cl_uint,
    origin: Triple,
    region: Triple,
    row_pitch: usize,
    slice_pitch: usize,
    to: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_mems(queue, [image])?;
        let shape = mem.image()?.shape();
        let part = Part::new(shape, origin, region)?;
        let host = part.outside(shape.kind, row_pitch, slice_pitch)?;
        ensure(!to.is_null(), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        are_usable(&queue.device, [&mem])?;
        ensure(mem.host_may_read(), CL_INVALID_OPERATION)?;
        let (from, to) = (Place::of(&mem, part.side.offset), Place::host(to, 0));
        let command = copy::copy_rect(from, part.side.pitches, to, host.pitches, part.bytes);
        queue.submit(CL_COMMAND_READ_IMAGE, command, order)
    })
}

pub extern "C" fn clEnqueueWriteImage(
    queue: Handle,
    image: Handle,
    blocking: cl_uint,
    origin: Triple,
    region: Triple,
    row_pitch: usize,
    slice_pitch: usize,
    from: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_mems(queue, [image])?;
        let shape = mem.image()?.shape();
        let part = Part::new(shape, origin, region)?;
        let host = part.outside(shape.kind, row_pitch, slice_pitch)?;
        ensure(!from.is_null(), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        are_usable(&queue.device, [&mem])?;
        ensure(mem.host_may_write(), CL_INVALID_OPERATION)?;
        let (from, to) = (Place::host(from, 0), Place::of(&mem, part.side.offset));
        let command = copy::copy_rect(from, host.pitches, to, part.side.pitches, part.bytes);
        queue.submit(CL_COMMAND_WRITE_IMAGE, command, order)
    })
}

/// Makes the command that copies a box from one side to another, anew for each replay.
fn copying_part(
    (from, source): (&Arc<Mem>, Side),
    (to, target): (&Arc<Mem>, Side),
    bytes: [usize; 3],
) -> impl Fn() -> Command + use<> {
    let (from, to) = (from.clone(), to.clone());
    move || {
        let (from, to) = (Place::of(&from, source.offset), Place::of(&to, target.offset));
        copy::copy_rect(from, source.pitches, to, target.pitches, bytes)
    }
}

/// Makes the command that copies between images, anew for each replay.
pub(super) fn copying_image(
    (from, from_origin): (&Arc<Mem>, Triple),
    (to, to_origin): (&Arc<Mem>, Triple),
    region: Triple,
) -> Res<impl Fn() -> Command + use<>> {
    let (source, target) = (from.image()?.shape(), to.image()?.shape());
    ensure(source.format == target.format, CL_IMAGE_FORMAT_MISMATCH)?;
    let source = Part::new(source, from_origin, region)?;
    let target = Part::new(target, to_origin, region)?;
    let overlap = (0..3).all(|i| source.origin[i].abs_diff(target.origin[i]) < source.region[i]);
    ensure(!Arc::ptr_eq(from, to) || !overlap, CL_MEM_COPY_OVERLAP)?;
    Ok(copying_part((from, source.side), (to, target.side), source.bytes))
}

pub extern "C" fn clEnqueueCopyImage(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_origin: Triple,
    to_origin: Triple,
    region: Triple,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [from, to]) = queue_and_mems(queue, [from, to])?;
        let copy = copying_image((&from, from_origin), (&to, to_origin), region)?;
        let order = order(count, list, event, &queue.context, false)?;
        are_usable(&queue.device, [&from, &to])?;
        queue.submit(CL_COMMAND_COPY_IMAGE, copy(), order)
    })
}

/// The error `CL_INVALID_MEM_OBJECT` unless `buffer` is a buffer that the 1D image was not made
/// from.
fn are_apart(image: &Mem, buffer: &Arc<Mem>) -> Res<()> {
    buffer.must_be_buffer()?;
    let is_1d_buffer = image.image()?.shape().kind == ImageKind::D1Buffer;
    let is_parent = image.parent.as_ref().is_some_and(|parent| Arc::ptr_eq(parent, buffer));
    ensure(!is_1d_buffer || !is_parent, CL_INVALID_MEM_OBJECT)
}

/// Makes the command that copies pixels to a buffer, anew for each replay.
pub(super) fn copying_to_buffer(
    (from, origin): (&Arc<Mem>, Triple),
    (to, offset): (&Arc<Mem>, usize),
    region: Triple,
) -> Res<impl Fn() -> Command + use<>> {
    are_apart(from, to)?;
    let part = Part::new(from.image()?.shape(), origin, region)?;
    let packed = part.packed(to, offset)?;
    Ok(copying_part((from, part.side), (to, packed), part.bytes))
}

pub extern "C" fn clEnqueueCopyImageToBuffer(
    queue: Handle,
    from: Handle,
    to: Handle,
    origin: Triple,
    region: Triple,
    offset: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [from, to]) = queue_and_mems(queue, [from, to])?;
        let copy = copying_to_buffer((&from, origin), (&to, offset), region)?;
        let order = order(count, list, event, &queue.context, false)?;
        are_usable(&queue.device, [&from])?;
        queue.submit(CL_COMMAND_COPY_IMAGE_TO_BUFFER, copy(), order)
    })
}

/// Makes the command that copies pixels from a buffer, anew for each replay.
pub(super) fn copying_from_buffer(
    (from, offset): (&Arc<Mem>, usize),
    (to, origin): (&Arc<Mem>, Triple),
    region: Triple,
) -> Res<impl Fn() -> Command + use<>> {
    are_apart(to, from)?;
    let part = Part::new(to.image()?.shape(), origin, region)?;
    let packed = part.packed(from, offset)?;
    Ok(copying_part((from, packed), (to, part.side), part.bytes))
}

pub extern "C" fn clEnqueueCopyBufferToImage(
    queue: Handle,
    from: Handle,
    to: Handle,
    offset: usize,
    origin: Triple,
    region: Triple,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [from, to]) = queue_and_mems(queue, [from, to])?;
        let copy = copying_from_buffer((&from, offset), (&to, origin), region)?;
        let order = order(count, list, event, &queue.context, false)?;
        are_usable(&queue.device, [&to])?;
        queue.submit(CL_COMMAND_COPY_BUFFER_TO_IMAGE, copy(), order)
    })
}

/// Makes the command that fills a box of an image, anew for each replay.
pub(super) fn filling_image(
    mem: &Arc<Mem>,
    colour: Memory,
    origin: Triple,
    region: Triple,
) -> Res<impl Fn() -> Command + use<>> {
    let shape = mem.image()?.shape();
    ensure(!colour.is_null(), CL_INVALID_VALUE)?;
    let part = Part::new(shape, origin, region)?;
    // The colour of depths is one number.
    let words = if shape.format.order == ChannelOrder::Depth { 1 } else { 4 };
    let mut channels = [0; 4];
    for (channel, word) in channels.iter_mut().zip(colour.bytes(words * 4).chunks_exact(4)) {
        *channel = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
    }
    let (mem, pixel) = (mem.clone(), shape.format.pixel(channels));
    let Part { side, bytes, .. } = part;
    Ok(move || copy::fill_rect(Place::of(&mem, side.offset), side.pitches, bytes, pixel.clone()))
}

pub extern "C" fn clEnqueueFillImage(
    queue: Handle,
    image: Handle,
    colour: Memory,
    origin: Triple,
    region: Triple,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_mems(queue, [image])?;
        let fill = filling_image(&mem, colour, origin, region)?;
        let order = order(count, list, event, &queue.context, false)?;
        are_usable(&queue.device, [&mem])?;
        queue.submit(CL_COMMAND_FILL_IMAGE, fill(), order)
    })
}

pub extern "C" fn clEnqueueMapImage(
    queue: Handle,
    image: Handle,
    blocking: cl_uint,
    flags: u64,
    origin: Triple,
    region: Triple,
    row_pitch: Out<usize>,
    slice_pitch: Out<usize>,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let (queue, [mem]) = queue_and_mems(queue, [image])?;
        let shape = mem.image()?.shape();
        let part = Part::new(shape, origin, region)?;
        ensure(are_map_flags(flags), CL_INVALID_VALUE)?;
        let has_slices = matches!(shape.kind, ImageKind::D1Array | ImageKind::D2Array | ImageKind::D3);
        ensure(!row_pitch.is_null() && (!has_slices || !slice_pitch.is_null()), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        are_usable(&queue.device, [&mem])?;
        let end = part.side.end(part.bytes).ok_or(ErrorCode(CL_INVALID_VALUE))?;
        let size = end - part.side.offset;
        let mapped = map(CL_COMMAND_MAP_IMAGE, &queue, &mem, flags, part.side.offset, size, order)?;
        row_pitch.put(shape.row_pitch);
        slice_pitch.put(if has_slices { shape.slice_pitch } else { 0 });
        Ok(mapped)
    })
}
