//! Reading, writing, copying, filling and migrating buffers.

use crate::api::{buffers, mems, order};
use crate::cl::*;
use crate::ffi::{In, Memory, Out, Res, ensure, status};
use crate::handle::{get, get_all};
use crate::objects::copy::{self, Place};
use crate::objects::{Mem, Queue};
use runtime::Command;
use std::sync::Arc;

/// The queue and memory objects of a command, which must be of one context.
pub(super) fn queue_and_mems<const N: usize>(
    queue: Handle,
    handles: [Handle; N],
) -> Res<(Arc<Queue>, [Arc<Mem>; N])> {
    let queue = get::<Queue>(queue)?;
    let mems = mems(&queue.context, handles)?;
    Ok((queue, mems))
}

/// The queue and buffers of a command, which must be of one context.
pub(super) fn queue_and_buffers<const N: usize>(
    queue: Handle,
    handles: [Handle; N],
) -> Res<(Arc<Queue>, [Arc<Mem>; N])> {
    let queue = get::<Queue>(queue)?;
    let buffers = buffers(&queue.context, handles)?;
    Ok((queue, buffers))
}

pub extern "C" fn clEnqueueReadBuffer(
    queue: Handle,
    buffer: Handle,
    blocking: cl_uint,
    offset: usize,
    size: usize,
    to: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_buffers(queue, [buffer])?;
        mem.check(offset, size)?;
        ensure(!to.is_null(), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        ensure(mem.host_may_read(), CL_INVALID_OPERATION)?;
        let command = copy::copy(Place::of(&mem, offset), Place::host(to, 0), size);
        queue.submit(CL_COMMAND_READ_BUFFER, command, order)
    })
}

pub extern "C" fn clEnqueueWriteBuffer(
    queue: Handle,
    buffer: Handle,
    blocking: cl_uint,
    offset: usize,
    size: usize,
    from: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_buffers(queue, [buffer])?;
        mem.check(offset, size)?;
        ensure(!from.is_null(), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        ensure(mem.host_may_write(), CL_INVALID_OPERATION)?;
        let command = copy::copy(Place::host(from, 0), Place::of(&mem, offset), size);
        queue.submit(CL_COMMAND_WRITE_BUFFER, command, order)
    })
}

/// Makes commands that copy between buffers, from and to these offsets.
pub(super) fn copying(
    (from, from_offset): (&Arc<Mem>, usize),
    (to, to_offset): (&Arc<Mem>, usize),
    size: usize,
) -> Res<impl Fn() -> Command + use<>> {
    from.check(from_offset, size)?;
    to.check(to_offset, size)?;
    ensure(!from.overlaps(from_offset, to, to_offset, size), CL_MEM_COPY_OVERLAP)?;
    let (from, to) = (from.clone(), to.clone());
    Ok(move || copy::copy(Place::of(&from, from_offset), Place::of(&to, to_offset), size))
}

pub extern "C" fn clEnqueueCopyBuffer(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_offset: usize,
    to_offset: usize,
    size: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [from, to]) = queue_and_buffers(queue, [from, to])?;
        let copy = copying((&from, from_offset), (&to, to_offset), size)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_COPY_BUFFER, copy(), order)
    })
}

/// Whether a pattern may have this size: that of a scalar or vector.
pub(super) fn is_pattern_size(size: usize) -> bool {
    size.is_power_of_two() && size <= 128
}

/// Makes commands that fill a buffer.
pub(super) fn filling(
    mem: &Arc<Mem>,
    pattern: Memory,
    pattern_size: usize,
    offset: usize,
    size: usize,
) -> Res<impl Fn() -> Command + use<>> {
    mem.check(offset, size)?;
    ensure(!pattern.is_null() && is_pattern_size(pattern_size), CL_INVALID_VALUE)?;
    ensure(offset.is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size), CL_INVALID_VALUE)?;
    let (mem, pattern) = (mem.clone(), pattern.bytes(pattern_size));
    Ok(move || copy::fill(Place::of(&mem, offset), size, pattern.clone()))
}

pub extern "C" fn clEnqueueFillBuffer(
    queue: Handle,
    buffer: Handle,
    pattern: Memory,
    pattern_size: usize,
    offset: usize,
    size: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_buffers(queue, [buffer])?;
        let fill = filling(&mem, pattern, pattern_size, offset, size)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_FILL_BUFFER, fill(), order)
    })
}

/// Whether the flags of a migration are known.
pub(super) fn are_migration_flags(flags: u64) -> bool {
    flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) == 0
}

/// Host and device share one memory: a migration moves nothing.
pub extern "C" fn clEnqueueMigrateMemObjects(
    queue: Handle,
    mem_count: cl_uint,
    mems: In<Handle>,
    flags: u64,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(mem_count > 0 && !mems.is_null(), CL_INVALID_VALUE)?;
        for mem in get_all::<Mem>(&mems.list(mem_count as usize))? {
            ensure(Arc::ptr_eq(&mem.context, &queue.context), CL_INVALID_CONTEXT)?;
        }
        ensure(are_migration_flags(flags), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_MIGRATE_MEM_OBJECTS, copy::nothing(), order)
    })
}
