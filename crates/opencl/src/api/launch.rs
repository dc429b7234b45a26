//! Enqueues kernels, and native kernels: functions of the program.

use crate::api::order;
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, ensure, ensure_or, status};
use crate::handle::{get, get_all};
use crate::objects::command_buffer::Sizes;
use crate::objects::{Kernel, Mem, Queue, copy};
use compiler::NdRange;
use runtime::{Command, outside};
use std::ffi::c_void;
use std::sync::Arc;

impl Sizes {
    pub(super) fn read(
        work_dim: cl_uint,
        offset: In<usize>,
        global: In<usize>,
        local: In<usize>,
    ) -> Res<Sizes> {
        ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        let dims = work_dim as usize;
        let three = |list: In<usize>| (!list.is_null()).then(|| list.three(dims, 1));
        Ok(Sizes { dims, offset: offset.three(dims, 0), global: three(global), local: three(local) })
    }
}

fn queue_and_kernel(queue: Handle, kernel: Handle) -> Res<(Arc<Queue>, Arc<Kernel>)> {
    let queue = get::<Queue>(queue)?;
    let kernel = kernel_for(&queue, kernel)?;
    Ok((queue, kernel))
}

/// The kernel, which must have code for the device of `queue`.
pub(super) fn kernel_for(queue: &Queue, kernel: Handle) -> Res<Arc<Kernel>> {
    let kernel = get::<Kernel>(kernel)?;
    ensure(Arc::ptr_eq(&kernel.program.context, &queue.context), CL_INVALID_CONTEXT)?;
    ensure(kernel.program.built_for(&queue.device).is_some(), CL_INVALID_PROGRAM_EXECUTABLE)?;
    Ok(kernel)
}

/// The range to run over; `None` if it is empty.
pub(super) fn range_of(queue: &Queue, kernel: &Kernel, sizes: &Sizes) -> Res<Option<NdRange>> {
    let dims = sizes.dims;
    let (global, offset) = (&sizes.global.unwrap_or([1; 3])[..dims], &sizes.offset[..dims]);
    let empty = sizes.global.is_none() || global.contains(&0);
    let product = global.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
    ensure(empty || product.is_some(), CL_INVALID_GLOBAL_WORK_SIZE)?;
    let ends = global.iter().zip(offset).all(|(size, offset)| size.checked_add(*offset).is_some());
    ensure(ends || sizes.global.is_none(), CL_INVALID_GLOBAL_OFFSET)?;
    if empty {
        return Ok(None);
    }
    let mut local = sizes.local.unwrap_or([1; 3]);
    if sizes.local.is_none() {
        local[..dims].copy_from_slice(&kernel.choose_local_size(global, &queue.device)?);
    }
    let local = &local[..dims];
    check_local(queue, kernel, global, local)?;
    Ok(Some(NdRange::new(global, local).with_offset(offset)))
}

fn check_local(queue: &Queue, kernel: &Kernel, global: &[usize], local: &[usize]) -> Res<()> {
    let name = &kernel.info.name;
    if let Some(required) = kernel.info.reqd_work_group_size {
        let same = required[..local.len()] == *local && required[local.len()..].iter().all(|n| *n == 1);
        ensure_or(same, CL_INVALID_WORK_GROUP_SIZE, || {
            format!("kernel '{name}' requires work-groups of {required:?}, and {local:?} were given")
        })?;
    }
    ensure(!local.contains(&0), CL_INVALID_WORK_GROUP_SIZE)?;
    let divides = global.iter().zip(local).all(|(global, local)| global.is_multiple_of(*local));
    ensure_or(divides || !kernel.is_uniform(&queue.device), CL_INVALID_WORK_GROUP_SIZE, || {
        format!(
            "the local size {local:?} does not divide the global size {global:?}, as kernel '{name}' \
             requires: it was built for OpenCL C 1.x or with -cl-uniform-work-group-size"
        )
    })?;
    let most = queue.device.compiler().max_work_group_size;
    let too_large = || format!("work-groups of {local:?}, and the device runs {most} work-items at most");
    ensure_or(local.iter().all(|n| *n <= most), CL_INVALID_WORK_ITEM_SIZE, too_large)?;
    let items = local.iter().fold(1usize, |product, n| product.saturating_mul(*n));
    ensure_or(items <= most, CL_INVALID_WORK_GROUP_SIZE, too_large)
}

fn run(
    kind: cl_uint,
    queue: Handle,
    kernel: Handle,
    work_dim: cl_uint,
    [offset, global, local]: [In<usize>; 3],
    events: (cl_uint, In<Handle>, Out<Handle>),
) -> Res<()> {
    let (queue, kernel) = queue_and_kernel(queue, kernel)?;
    ensure_or(kernel.is_complete(), CL_INVALID_KERNEL_ARGS, || kernel.missing_args())?;
    let range = range_of(&queue, &kernel, &Sizes::read(work_dim, offset, global, local)?)?;
    let (count, list, event) = events;
    let order = order(count, list, event, &queue.context, false)?;
    let command = match range {
        Some(range) => kernel.prepare(range, &queue)?.command()?,
        None => copy::nothing(),
    };
    queue.submit(kind, command, order)
}

pub extern "C" fn clEnqueueNDRangeKernel(
    queue: Handle,
    kernel: Handle,
    work_dim: cl_uint,
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let sizes = [offset, global, local];
        run(CL_COMMAND_NDRANGE_KERNEL, queue, kernel, work_dim, sizes, (count, list, event))
    })
}

pub extern "C" fn clEnqueueTask(
    queue: Handle,
    kernel: Handle,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let one = [1usize];
        let sizes = [In::NULL, one.as_slice().into(), one.as_slice().into()];
        run(CL_COMMAND_TASK, queue, kernel, 1, sizes, (count, list, event))
    })
}

pub extern "C" fn clGetKernelSuggestedLocalWorkSize(
    queue: Handle,
    kernel: Handle,
    work_dim: cl_uint,
    offset: In<usize>,
    global: In<usize>,
    suggested: Out<usize>,
) -> cl_int {
    status(|| {
        let (queue, kernel) = queue_and_kernel(queue, kernel)?;
        ensure_or(kernel.is_complete(), CL_INVALID_KERNEL_ARGS, || kernel.missing_args())?;
        ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        let sizes = global.list(work_dim as usize);
        ensure(!sizes.is_empty() && !sizes.contains(&0), CL_INVALID_GLOBAL_WORK_SIZE)?;
        ensure(!suggested.is_null(), CL_INVALID_VALUE)?;
        let sizes = Sizes::read(work_dim, offset, global, In::NULL)?;
        if let Some(range) = range_of(&queue, &kernel, &sizes)? {
            suggested.put_list(&range.local_size[..work_dim as usize]);
        }
        Ok(())
    })
}

pub type NativeFn = unsafe extern "C" fn(*mut c_void);

/// A native kernel with a copy of its arguments.
struct Native {
    function: NativeFn,
    /// The copied bytes, as 128-bit words, so that they are aligned.
    args: Option<Vec<u128>>,
    _mems: Vec<Arc<Mem>>,
}

pub extern "C" fn clEnqueueNativeKernel(
    queue: Handle,
    function: Option<NativeFn>,
    args: Memory,
    args_size: usize,
    mem_count: cl_uint,
    mems: In<Handle>,
    places: In<Memory>,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        let function = function.ok_or(ErrorCode(CL_INVALID_VALUE))?;
        let nothing = args_size == 0 && mem_count == 0;
        ensure(if args.is_null() { nothing } else { args_size > 0 }, CL_INVALID_VALUE)?;
        let listed = !mems.is_null() && !places.is_null();
        let unlisted = mems.is_null() && places.is_null();
        ensure(if mem_count > 0 { listed } else { unlisted }, CL_INVALID_VALUE)?;
        let mems = get_all::<Mem>(&mems.list(mem_count as usize))?;
        mems.iter().try_for_each(|mem| mem.must_be_buffer())?;
        let order = order(count, list, event, &queue.context, false)?;

        let mut bytes = args.bytes(args_size);
        for (mem, place) in mems.iter().zip(places.list(mem_count as usize)) {
            // The offset in the arguments of the handle that is replaced by a pointer.
            let at = place.addr().wrapping_sub(args.addr());
            let slot = bytes.get_mut(at..at.saturating_add(size_of::<usize>()));
            let slot = slot.ok_or(ErrorCode(CL_INVALID_VALUE))?;
            slot.copy_from_slice(&(mem.start() as usize).to_ne_bytes());
        }
        let words = bytes.chunks(16).map(|chunk| {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        });
        let args = (!args.is_null()).then(|| words.collect());
        let native = Native { function, args, _mems: mems };
        let command = Command::native(move || {
            let mut native = native;
            let args = native.args.as_mut().map_or(std::ptr::null_mut(), |a| a.as_mut_ptr().cast());
            // SAFETY: the program enqueued the function to be called with these arguments.
            outside(|| unsafe { (native.function)(args) });
            Ok(())
        });
        queue.submit(CL_COMMAND_NATIVE_KERNEL, command, order)
    })
}
