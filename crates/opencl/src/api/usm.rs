//! Unified shared memory (`cl_intel_unified_shared_memory`), which SYCL programs allocate with. A
//! kernel can access all memory of the process, so the three kinds differ only in the answers to
//! queries.

use crate::api::kernel::clSetKernelArgSVMPointer;
use crate::api::order;
use crate::api::svm::{enqueue_copy, enqueue_fill};
use crate::api::transfer::are_migration_flags;
use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, In, Memory, Out, Res, create, ensure, err, status};
use crate::handle::{Object, get};
use crate::objects::allocation::{Allocation, SvmType};
use crate::objects::device_info::BASE_ALIGN;
use crate::objects::{Context, Device, Queue, copy, lock};
use std::ffi::c_void;
use std::sync::Arc;

/// Allocates memory of `kind` that belongs to `device`, or to all devices of the context.
fn allocate(
    context: &Context,
    device: Option<Arc<Device>>,
    ty: SvmType,
    properties: In<u64>,
    size: usize,
    alignment: cl_uint,
) -> Res<*mut c_void> {
    ensure(device.as_ref().is_none_or(|device| context.has(device)), CL_INVALID_DEVICE)?;
    let aligned = alignment == 0 || (alignment.is_power_of_two() && alignment as usize <= BASE_ALIGN);
    ensure(aligned, CL_INVALID_VALUE)?;
    let placement = match ty {
        SvmType::Shared => {
            CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
        }
        _ => 0,
    };
    let mut flags = None;
    for (key, value) in properties.pairs().into_iter().flatten() {
        let known = key == u64::from(CL_MEM_ALLOC_FLAGS_INTEL) && flags.is_none();
        let good = value & !(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | placement) == 0;
        let in_one_place = placement == 0 || value & placement != placement;
        ensure(known && good && in_one_place, CL_INVALID_PROPERTY)?;
        flags = Some(value);
    }
    ensure(size > 0 && size as u64 <= context.max_alloc_size(), CL_INVALID_BUFFER_SIZE)?;
    let buffer = context.memory().allocate(size).map_err(|_| ErrorCode(CL_OUT_OF_HOST_MEMORY))?;
    let intel_flags = flags.unwrap_or(0);
    Ok(context.add_allocation(Allocation { device, intel_flags, ..Allocation::new(buffer, ty) }))
}

pub extern "C" fn clHostMemAllocINTEL(
    context: Handle,
    properties: In<u64>,
    size: usize,
    alignment: cl_uint,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        allocate(&context, None, SvmType::Host, properties, size, alignment)
    })
}

pub extern "C" fn clDeviceMemAllocINTEL(
    context: Handle,
    device: Handle,
    properties: In<u64>,
    size: usize,
    alignment: cl_uint,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        let device = get::<Device>(device)?;
        allocate(&context, Some(device), SvmType::Device, properties, size, alignment)
    })
}

/// Without a device, the memory is shared with all devices of the context.
pub extern "C" fn clSharedMemAllocINTEL(
    context: Handle,
    device: Handle,
    properties: In<u64>,
    size: usize,
    alignment: cl_uint,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        let device = (!device.is_null()).then(|| get::<Device>(device)).transpose()?;
        allocate(&context, device, SvmType::Shared, properties, size, alignment)
    })
}

pub extern "C" fn clMemFreeINTEL(context: Handle, memory: Memory) -> cl_int {
    status(|| free(&*get::<Context>(context)?, memory))
}

/// Waits for all commands enqueued so far, since any of them may use the memory.
pub extern "C" fn clMemBlockingFreeINTEL(context: Handle, memory: Memory) -> cl_int {
    status(|| {
        let context = get::<Context>(context)?;
        ensure(memory.is_null() || is_usm(&context, memory), CL_INVALID_VALUE)?;
        for queue in context.queues() {
            queue.queue.finish();
        }
        free(&context, memory)
    })
}

/// Whether unified shared memory begins at the address.
fn is_usm(context: &Context, memory: Memory) -> bool {
    let allocations = lock(&context.allocations);
    allocations.get(&memory.addr()).is_some_and(|found| found.ty.intel().is_some())
}

fn free(context: &Context, memory: Memory) -> Res<()> {
    if memory.is_null() {
        return Ok(());
    }
    ensure(is_usm(context, memory), CL_INVALID_VALUE)?;
    let freed = lock(&context.allocations).remove(&memory.addr());
    freed.map(drop).ok_or(ErrorCode(CL_INVALID_VALUE))
}

/// Answers for any pointer, also into the middle of an allocation.
pub extern "C" fn clGetMemAllocInfoINTEL(
    context: Handle,
    memory: Memory,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let context = get::<Context>(context)?;
        let found = context.allocation_at(memory.addr());
        let found = found.as_ref().and_then(|found| Some((found, found.ty.intel()?)));
        let answer: Answer = match name {
            CL_MEM_ALLOC_TYPE_INTEL => found.map_or(CL_MEM_TYPE_UNKNOWN_INTEL, |(_, kind)| kind).into(),
            CL_MEM_ALLOC_BASE_PTR_INTEL => found.map_or(0, |(usm, _)| usm.start()).into(),
            CL_MEM_ALLOC_SIZE_INTEL => found.map_or(0, |(usm, _)| usm.buffer.len()).into(),
            CL_MEM_ALLOC_DEVICE_INTEL => {
                let device = found.and_then(|(usm, _)| usm.device.as_ref());
                device.map_or(std::ptr::null_mut(), |device| device.handle()).into()
            }
            CL_MEM_ALLOC_FLAGS_INTEL => found.map_or(0, |(usm, _)| usm.intel_flags).into(),
            _ => return err(CL_INVALID_VALUE),
        };
        answer.give(size, value, size_ret)
    })
}

/// Kernels can access any memory of the process.
pub extern "C" fn clSetKernelArgMemPointerINTEL(kernel: Handle, index: cl_uint, value: Memory) -> cl_int {
    clSetKernelArgSVMPointer(kernel, index, value)
}

pub extern "C" fn clEnqueueMemFillINTEL(
    queue: Handle,
    memory: Memory,
    pattern: Memory,
    pattern_size: usize,
    size: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    let (what, after) = ((memory, pattern, pattern_size, size), (count, list, event));
    status(|| enqueue_fill(CL_COMMAND_MEMFILL_INTEL, queue, what, after))
}

pub extern "C" fn clEnqueueMemcpyINTEL(
    queue: Handle,
    blocking: cl_uint,
    to: Memory,
    from: Memory,
    size: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| enqueue_copy(CL_COMMAND_MEMCPY_INTEL, queue, blocking, (to, from, size), (count, list, event)))
}

/// Host and device share one memory: a migration moves nothing.
pub extern "C" fn clEnqueueMigrateMemINTEL(
    queue: Handle,
    memory: Memory,
    size: usize,
    flags: u64,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(!memory.is_null() && size > 0, CL_INVALID_VALUE)?;
        ensure(are_migration_flags(flags), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_MIGRATEMEM_INTEL, copy::nothing(), order)
    })
}

/// The extension itself defines no advice; 0 withdraws earlier advice.
pub extern "C" fn clEnqueueMemAdviseINTEL(
    queue: Handle,
    memory: Memory,
    size: usize,
    advice: cl_uint,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(!memory.is_null() && size > 0 && advice == 0, CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_MEMADVISE_INTEL, copy::nothing(), order)
    })
}
