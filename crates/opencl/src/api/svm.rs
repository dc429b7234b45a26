//! Shared virtual memory. A kernel can access all memory of the process, so all of it is shared
//! (fine-grain system SVM).

use crate::api::map::are_map_flags;
use crate::api::transfer::{are_migration_flags, is_pattern_size};
use crate::api::{agrees, order};
use crate::cl::*;
use crate::ffi::{In, Memory, Out, Res, ensure, status};
use crate::handle::get;
use crate::objects::allocation::{Allocation, SvmType};
use crate::objects::copy::{self, Place};
use crate::objects::device_info::BASE_ALIGN;
use crate::objects::mem::ACCESS_FLAGS;
use crate::objects::{Context, Queue, lock};
use runtime::{Command, outside};
use std::ffi::c_void;

pub extern "C" fn clSVMAlloc(context: Handle, flags: u64, size: usize, alignment: cl_uint) -> *mut c_void {
    let allocate = || {
        let context = get::<Context>(context).ok()?;
        let fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0;
        let atomics = flags & CL_MEM_SVM_ATOMICS != 0;
        let known = ACCESS_FLAGS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
        let good = flags & !known == 0 && (flags & ACCESS_FLAGS).count_ones() <= 1 && (fine || !atomics);
        let aligned = alignment == 0 || (alignment.is_power_of_two() && alignment as usize <= BASE_ALIGN);
        if !good || !aligned || size == 0 || size as u64 > context.max_alloc_size() {
            return None;
        }
        let buffer = context.memory().allocate(size).ok()?;
        let ty = if fine { SvmType::FineGrain } else { SvmType::CoarseGrain };
        Some(context.add_allocation(Allocation::new(buffer, ty)))
    };
    let mut start = std::ptr::null_mut();
    status(|| {
        start = allocate().unwrap_or(std::ptr::null_mut());
        Ok(())
    });
    start
}

pub extern "C" fn clSVMFree(context: Handle, memory: Memory) {
    status(|| {
        let context = get::<Context>(context)?;
        let freed = lock(&context.allocations).remove(&memory.addr());
        drop(freed);
        Ok(())
    });
}

/// The program's callback that frees pointers.
pub type FreeFn = unsafe extern "C" fn(Handle, cl_uint, *mut *mut c_void, *mut c_void);

pub extern "C" fn clEnqueueSVMFree(
    queue: Handle,
    pointer_count: cl_uint,
    pointers: In<Memory>,
    function: Option<FreeFn>,
    data: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(agrees(pointer_count, pointers), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, false)?;
        let pointers = pointers.list(pointer_count as usize);
        let kept = queue.clone();
        let command = match function {
            Some(function) => Command::native(move || {
                let mut pointers: Vec<_> = pointers.iter().map(|p| p.raw()).collect();
                let handle = crate::handle::Object::handle(&*kept);
                // SAFETY: the program registered the callback for this call, from any thread.
                outside(|| unsafe { function(handle, pointer_count, pointers.as_mut_ptr(), data.raw()) });
                Ok(())
            }),
            None => Command::own(0, move || {
                for pointer in pointers {
                    let freed = lock(&kept.context.allocations).remove(&pointer.addr());
                    drop(freed);
                }
            }),
        };
        queue.submit(CL_COMMAND_SVM_FREE, command, order)
    })
}

/// Makes commands that copy memory.
pub(super) fn copying_svm(to: Memory, from: Memory, size: usize) -> Res<impl Fn() -> Command> {
    ensure(size == 0 || (!to.is_null() && !from.is_null()), CL_INVALID_VALUE)?;
    ensure(to.addr().abs_diff(from.addr()) >= size, CL_MEM_COPY_OVERLAP)?;
    Ok(move || copy::copy(Place::host(from, 0), Place::host(to, 0), size))
}

/// Makes commands that fill memory.
pub(super) fn filling_svm(
    memory: Memory,
    pattern: Memory,
    pattern_size: usize,
    size: usize,
) -> Res<impl Fn() -> Command> {
    ensure(!memory.is_null() && !pattern.is_null(), CL_INVALID_VALUE)?;
    ensure(is_pattern_size(pattern_size), CL_INVALID_VALUE)?;
    ensure(memory.addr().is_multiple_of(pattern_size), CL_INVALID_VALUE)?;
    ensure(size.is_multiple_of(pattern_size), CL_INVALID_VALUE)?;
    let pattern = pattern.bytes(pattern_size);
    Ok(move || copy::fill(Place::host(memory, 0), size, pattern.clone()))
}

pub extern "C" fn clEnqueueSVMMemcpy(
    queue: Handle,
    blocking: cl_uint,
    to: Memory,
    from: Memory,
    size: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| enqueue_copy(CL_COMMAND_SVM_MEMCPY, queue, blocking, (to, from, size), (count, list, event)))
}

/// Enqueues a copy of memory as a command of this kind.
pub(super) fn enqueue_copy(
    kind: cl_uint,
    queue: Handle,
    blocking: cl_uint,
    (to, from, size): (Memory, Memory, usize),
    (count, list, event): (cl_uint, In<Handle>, Out<Handle>),
) -> Res<()> {
    let queue = get::<Queue>(queue)?;
    let order = order(count, list, event, &queue.context, blocking != 0)?;
    let copy = copying_svm(to, from, size)?;
    queue.submit(kind, copy(), order)
}

pub extern "C" fn clEnqueueSVMMemFill(
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
    status(|| enqueue_fill(CL_COMMAND_SVM_MEMFILL, queue, what, after))
}

/// Enqueues a fill of memory as a command of this kind.
pub(super) fn enqueue_fill(
    kind: cl_uint,
    queue: Handle,
    (memory, pattern, pattern_size, size): (Memory, Memory, usize, usize),
    (count, list, event): (cl_uint, In<Handle>, Out<Handle>),
) -> Res<()> {
    let queue = get::<Queue>(queue)?;
    let order = order(count, list, event, &queue.context, false)?;
    let fill = filling_svm(memory, pattern, pattern_size, size)?;
    queue.submit(kind, fill(), order)
}

pub extern "C" fn clEnqueueSVMMap(
    queue: Handle,
    blocking: cl_uint,
    flags: u64,
    memory: Memory,
    size: usize,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(!memory.is_null() && size > 0, CL_INVALID_VALUE)?;
        ensure(are_map_flags(flags), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, blocking != 0)?;
        queue.submit(CL_COMMAND_SVM_MAP, copy::nothing(), order)
    })
}

pub extern "C" fn clEnqueueSVMUnmap(
    queue: Handle,
    memory: Memory,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(!memory.is_null(), CL_INVALID_VALUE)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_SVM_UNMAP, copy::nothing(), order)
    })
}

pub extern "C" fn clEnqueueSVMMigrateMem(
    queue: Handle,
    pointer_count: cl_uint,
    pointers: In<Memory>,
    sizes: In<usize>,
    flags: u64,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(pointer_count > 0 && !pointers.is_null(), CL_INVALID_VALUE)?;
        ensure(are_migration_flags(flags), CL_INVALID_VALUE)?;
        let sizes = sizes.list(pointer_count as usize);
        for (i, pointer) in pointers.list(pointer_count as usize).into_iter().enumerate() {
            // A range that begins in an allocation must lie within it.
            if let Some(found) = queue.context.allocation_at(pointer.addr()) {
                let offset = pointer.addr() - found.start();
                let size = sizes.get(i).copied().unwrap_or(0);
                ensure(found.buffer.check(offset, size).is_ok(), CL_INVALID_VALUE)?;
            }
        }
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_SVM_MIGRATE_MEM, copy::nothing(), order)
    })
}
