//! Maps and unmaps buffers: the memory of the context's devices makes them visible to the program.

use crate::api::order;
use crate::api::transfer::{queue_and_buffers, queue_and_mems};
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, create, ensure, status};
use crate::objects::queue::Submission;
use crate::objects::{Mem, Queue, copy};
use runtime::Command;
use std::ffi::c_void;
use std::sync::Arc;

/// Whether the flags of a mapping are known and do not contradict each other.
pub(super) fn are_map_flags(flags: u64) -> bool {
    let read_write = CL_MAP_READ | CL_MAP_WRITE;
    let known = flags & !(read_write | CL_MAP_WRITE_INVALIDATE_REGION) == 0;
    known && (flags & CL_MAP_WRITE_INVALIDATE_REGION == 0 || flags & read_write == 0)
}

pub extern "C" fn clEnqueueMapBuffer(
    queue: Handle,
    buffer: Handle,
    blocking: cl_uint,
    flags: u64,
    offset: usize,
    size: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let (queue, [mem]) = queue_and_buffers(queue, [buffer])?;
        mem.check(offset, size)?;
        ensure(size > 0 && are_map_flags(flags), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        map(CL_COMMAND_MAP_BUFFER, &queue, &mem, flags, offset, size, order)
    })
}

/// Maps `size` bytes of a memory object, whose range was checked, if its flags allow it.
pub(super) fn map(
    command: cl_uint,
    queue: &Arc<Queue>,
    mem: &Arc<Mem>,
    flags: u64,
    offset: usize,
    size: usize,
    order: Submission,
) -> Res<*mut c_void> {
    let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    ensure(flags & CL_MAP_READ == 0 || mem.host_may_read(), CL_INVALID_OPERATION)?;
    ensure(!writes || mem.host_may_write(), CL_INVALID_OPERATION)?;
    let start = mem.context.memory().map(&mem.buffer, offset, size);
    let start = start.map_err(|_| ErrorCode(CL_MAP_FAILURE))?;
    mem.map(start as usize);
    let mapped = queue.submit(command, copy::nothing(), order);
    if mapped.is_err() {
        mem.unmap(start as usize)?;
    }
    mapped.map(|()| start.cast())
}

/// The address at which a mapping begins.
struct MappedAt(*mut u8);

// SAFETY: only the memory that made the mapping uses the address, to end it.
unsafe impl Send for MappedAt {}

pub extern "C" fn clEnqueueUnmapMemObject(
    queue: Handle,
    mem: Handle,
    mapped: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let (queue, [mem]) = queue_and_mems(queue, [mem])?;
        ensure(mem.is_mapped_at(mapped.addr()), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, false)?;
        mem.unmap(mapped.addr())?;
        let start = MappedAt(mapped.raw().cast());
        let command = Command::own(0, move || {
            let start = start;
            mem.context.memory().unmap(&mem.buffer, start.0);
        });
        queue.submit(CL_COMMAND_UNMAP_MEM_OBJECT, command, order)
    })
}
