//! `cl_khr_command_buffer`: recording commands and enqueuing them together.

use crate::api::buffer::listed;
use crate::api::image_transfer::{
    are_usable, copying_from_buffer, copying_image, copying_to_buffer, filling_image,
};
use crate::api::launch::{kernel_for, range_of};
use crate::api::rect::{Triple, copying_rect};
use crate::api::svm::{copying_svm, filling_svm};
use crate::api::transfer::{copying, filling};
use crate::api::{agrees, buffers, mems, order};
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, create, ensure, ensure_or, err, status};
use crate::handle::{self, Object, get, get_all, publish};
use crate::objects::command_buffer::{Action, Dispatch, Ready, Sizes, State};
use crate::objects::device_info::MUTABLE_FIELDS;
use crate::objects::{CommandBuffer, Mem, Queue, lock};
use runtime::Command;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// Simultaneous use is always allowed, and the queues of all devices wait for each other without
/// the program.
const FLAGS: u64 = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
    | CL_COMMAND_BUFFER_MUTABLE_KHR
    | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
const ASSERTS: u64 = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

pub extern "C" fn clCreateCommandBufferKHR(
    queue_count: cl_uint,
    queues: In<Handle>,
    properties: In<u64>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        ensure(queue_count > 0 && !queues.is_null(), CL_INVALID_VALUE)?;
        let queues = get_all::<Queue>(&queues.list(queue_count as usize))?;
        let same = queues.iter().all(|queue| Arc::ptr_eq(&queue.context, &queues[0].context));
        ensure(same, CL_INVALID_CONTEXT)?;
        let (mut flags, mut asserts) = (None, None);
        for (key, value) in properties.pairs().into_iter().flatten() {
            let (place, known) = match cl_uint::try_from(key) {
                Ok(CL_COMMAND_BUFFER_FLAGS_KHR) => (&mut flags, FLAGS),
                Ok(CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR) => (&mut asserts, ASSERTS),
                _ => return err(CL_INVALID_VALUE),
            };
            ensure(place.replace(value).is_none() && value & !known == 0, CL_INVALID_VALUE)?;
        }
        let state = State { last: vec![None; queues.len()], ..State::default() };
        let made = publish(|owner| CommandBuffer {
            owner,
            queues,
            properties: listed(properties),
            flags: flags.unwrap_or(0),
            asserts: asserts.unwrap_or(0),
            state: Mutex::new(state),
            handles: Mutex::default(),
        })?;
        Ok(made.handle())
    })
}

pub extern "C" fn clRetainCommandBufferKHR(buffer: Handle) -> cl_int {
    status(|| handle::retain::<CommandBuffer>(buffer))
}

pub extern "C" fn clReleaseCommandBufferKHR(buffer: Handle) -> cl_int {
    status(|| handle::release::<CommandBuffer>(buffer).map(drop))
}

pub extern "C" fn clFinalizeCommandBufferKHR(buffer: Handle) -> cl_int {
    status(|| {
        let buffer = get::<CommandBuffer>(buffer)?;
        let mut state = lock(&buffer.state);
        ensure(!state.finalized, CL_INVALID_OPERATION)?;
        state.finalized = true;
        Ok(())
    })
}

pub extern "C" fn clGetCommandBufferInfoKHR(
    buffer: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<CommandBuffer>(buffer)?.info(name)?.give(size, value, size_ret))
}

pub extern "C" fn clEnqueueCommandBufferKHR(
    queue_count: cl_uint,
    queues: In<Handle>,
    buffer: Handle,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let buffer = get::<CommandBuffer>(buffer)?;
        ensure(lock(&buffer.state).is_executable(), CL_INVALID_OPERATION)?;
        let fits = queue_count == 0 || queue_count as usize == buffer.queues.len();
        ensure(agrees(queue_count, queues) && fits, CL_INVALID_VALUE)?;
        let queues = match queue_count {
            0 => buffer.queues.clone(),
            _ => get_all::<Queue>(&queues.list(queue_count as usize))?,
        };
        buffer.takes(&queues)?;
        let order = order(count, list, event, &queues[0].context, false)?;
        buffer.enqueue(&queues, order)
    })
}

/// The parameters that all recorded commands have in common.
struct Record {
    buffer: Handle,
    queue: Handle,
    properties: In<u64>,
    /// Sync points to wait for.
    points: (cl_uint, In<cl_uint>),
    point: Out<cl_uint>,
    mutable: Out<Handle>,
}

impl Record {
    /// The command buffer, and the index of the command's queue.
    fn begin(&self) -> Res<(Arc<CommandBuffer>, usize)> {
        let buffer = get::<CommandBuffer>(self.buffer)?;
        let index = self.queue_of(&buffer)?;
        ensure(!lock(&buffer.state).finalized, CL_INVALID_OPERATION)?;
        Ok((buffer, index))
    }

    /// The index of the queue, which need not be named if there is one only.
    fn queue_of(&self, buffer: &CommandBuffer) -> Res<usize> {
        if self.queue.is_null() {
            ensure(buffer.queues.len() == 1, CL_INVALID_COMMAND_QUEUE)?;
            return Ok(0);
        }
        let queue = get::<Queue>(self.queue)?;
        ensure(Arc::ptr_eq(&queue.context, &buffer.queues[0].context), CL_INVALID_CONTEXT)?;
        let index = buffer.queues.iter().position(|own| Arc::ptr_eq(own, &queue));
        index.ok_or(ErrorCode(CL_INVALID_COMMAND_QUEUE))
    }

    /// Refuses properties and a handle, which only launches can have.
    fn is_immutable(&self) -> Res<()> {
        ensure(self.properties.get().is_none_or(|key| key == 0), CL_INVALID_VALUE)?;
        ensure(self.mutable.is_null(), CL_INVALID_VALUE)
    }

    /// Adds the command, and gives its sync point.
    fn end(
        &self,
        buffer: &CommandBuffer,
        add: impl FnOnce(&mut State, Vec<usize>) -> cl_uint,
    ) -> Res<cl_uint> {
        let (count, points) = self.points;
        ensure(agrees(count, points), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
        let mut state = lock(&buffer.state);
        let waits = state.places(&points.list(count as usize))?;
        ensure(!state.finalized, CL_INVALID_OPERATION)?;
        let point = add(&mut state, waits);
        self.point.put(point);
        Ok(point)
    }

    fn add(&self, make: impl FnOnce(&Queue) -> Res<Action>) -> cl_int {
        status(|| {
            let (buffer, queue) = self.begin()?;
            self.is_immutable()?;
            let action = make(&buffer.queues[queue])?;
            let in_order = buffer.is_in_order(queue);
            self.end(&buffer, |state, waits| state.record(queue, in_order, action, waits)).map(drop)
        })
    }

    fn add_launch(&self, kernel: Handle, work_dim: cl_uint, sizes: [In<usize>; 3]) -> Res<()> {
        let (buffer, queue) = self.begin()?;
        let on = &buffer.queues[queue];
        let kernel = kernel_for(on, kernel)?;
        let (properties, pairs) = (listed(self.properties), self.properties.pairs().unwrap_or_default());
        let (mut fields, mut asserts) = (None, None);
        for (key, value) in pairs {
            let place = match cl_uint::try_from(key) {
                Ok(CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR) => &mut fields,
                Ok(CL_MUTABLE_DISPATCH_ASSERTS_KHR) => &mut asserts,
                _ => return err(CL_INVALID_VALUE),
            };
            ensure(place.replace(value).is_none(), CL_INVALID_VALUE)?;
        }
        let asserts = asserts.unwrap_or(0);
        ensure(asserts & !ASSERTS == 0, CL_INVALID_VALUE)?;
        ensure(fields.unwrap_or(0) & !MUTABLE_FIELDS == 0, CL_INVALID_OPERATION)?;
        // Arguments may be set later if that was asked for.
        let is_mutable = buffer.flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0;
        let later = is_mutable && fields.unwrap_or(0) & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0;
        ensure_or(later || kernel.is_complete(), CL_INVALID_KERNEL_ARGS, || kernel.missing_args())?;
        let [offset, global, local] = sizes;
        let sizes = Sizes::read(work_dim, offset, global, local)?;
        // The number of work-groups would not be known.
        ensure((asserts | buffer.asserts) & ASSERTS == 0 || !local.is_null(), CL_INVALID_VALUE)?;
        let fields = fields.unwrap_or(MUTABLE_FIELDS);
        let (args, launch) = (kernel.args(), Ready::Not);
        let mut dispatch = Dispatch { kernel, args, sizes, properties, fields, launch };
        prepare(&mut dispatch, on)?;
        let (action, in_order) = (Action::Launch(dispatch), buffer.is_in_order(queue));
        let point = self.end(&buffer, |state, waits| state.record(queue, in_order, action, waits))?;
        if !self.mutable.is_null() {
            self.mutable.put(buffer.publish_command(point as usize - 1)?);
        }
        Ok(())
    }
}

/// Makes a recorded launch what its arguments and sizes say.
pub(super) fn prepare(dispatch: &mut Dispatch, queue: &Queue) -> Res<()> {
    let range = range_of(queue, &dispatch.kernel, &dispatch.sizes)?;
    dispatch.launch = match range {
        _ if !dispatch.args.iter().all(Option::is_some) => Ready::Not,
        None => Ready::Nothing,
        Some(range) => Ready::Launch(Arc::new(dispatch.kernel.prepare_with(&dispatch.args, range, queue)?)),
    };
    Ok(())
}

fn again(make: impl Fn() -> Command + Send + Sync + 'static) -> Action {
    Action::Transfer(Arc::new(make), Vec::new())
}

/// A copy or fill of images, which the device must be able to use.
fn of_images<const N: usize>(
    queue: &Queue,
    images: [Arc<Mem>; N],
    make: impl Fn() -> Command + Send + Sync + 'static,
) -> Res<Action> {
    are_usable(&queue.device, images.each_ref())?;
    Ok(Action::Transfer(Arc::new(make), images.to_vec()))
}

/// Entry points that record a transfer: the body makes it from the queue and the function's own
/// parameters.
macro_rules! recorded {
    ($($name:ident($queue:ident $(, $param:ident: $ty:ty)* $(,)?) $body:block)*) => {$(
        pub extern "C" fn $name(
            buffer: Handle,
            queue: Handle,
            properties: In<u64>,
            $($param: $ty,)*
            point_count: cl_uint,
            points: In<cl_uint>,
            point: Out<cl_uint>,
            mutable: Out<Handle>,
        ) -> cl_int {
            let record =
                Record { buffer, queue, properties, points: (point_count, points), point, mutable };
            record.add(|$queue| $body)
        }
    )*};
}

recorded! {
    clCommandCopyBufferKHR(
        queue, from: Handle, to: Handle, from_offset: usize, to_offset: usize, size: usize
    ) {
        let [from, to] = buffers(&queue.context, [from, to])?;
        Ok(again(copying((&from, from_offset), (&to, to_offset), size)?))
    }
    clCommandCopyBufferRectKHR(
        queue, from: Handle, to: Handle, from_origin: Triple, to_origin: Triple, region: Triple,
        from_row_pitch: usize, from_slice_pitch: usize, to_row_pitch: usize, to_slice_pitch: usize
    ) {
        let [from, to] = buffers(&queue.context, [from, to])?;
        let from = (&from, from_origin, [from_row_pitch, from_slice_pitch]);
        let to = (&to, to_origin, [to_row_pitch, to_slice_pitch]);
        Ok(again(copying_rect(from, to, region)?))
    }
    clCommandFillBufferKHR(
        queue, mem: Handle, pattern: Memory, pattern_size: usize, offset: usize, size: usize
    ) {
        let [mem] = buffers(&queue.context, [mem])?;
        Ok(again(filling(&mem, pattern, pattern_size, offset, size)?))
    }
    clCommandCopyImageKHR(
        queue, from: Handle, to: Handle, from_origin: Triple, to_origin: Triple, region: Triple
    ) {
        let [from, to] = mems(&queue.context, [from, to])?;
        let copy = copying_image((&from, from_origin), (&to, to_origin), region)?;
        of_images(queue, [from, to], copy)
    }
    clCommandCopyImageToBufferKHR(
        queue, from: Handle, to: Handle, origin: Triple, region: Triple, offset: usize
    ) {
        let [from, to] = mems(&queue.context, [from, to])?;
        let copy = copying_to_buffer((&from, origin), (&to, offset), region)?;
        of_images(queue, [from], copy)
    }
    clCommandCopyBufferToImageKHR(
        queue, from: Handle, to: Handle, offset: usize, origin: Triple, region: Triple
    ) {
        let [from, to] = mems(&queue.context, [from, to])?;
        let copy = copying_from_buffer((&from, offset), (&to, origin), region)?;
        of_images(queue, [to], copy)
    }
    clCommandFillImageKHR(queue, image: Handle, colour: Memory, origin: Triple, region: Triple) {
        let [mem] = mems(&queue.context, [image])?;
        let fill = filling_image(&mem, colour, origin, region)?;
        of_images(queue, [mem], fill)
    }
    clCommandSVMMemcpyKHR(_queue, to: Memory, from: Memory, size: usize) {
        Ok(again(copying_svm(to, from, size)?))
    }
    clCommandSVMMemFillKHR(_queue, memory: Memory, pattern: Memory, pattern_size: usize, size: usize) {
        Ok(again(filling_svm(memory, pattern, pattern_size, size)?))
    }
}

pub extern "C" fn clCommandNDRangeKernelKHR(
    buffer: Handle,
    queue: Handle,
    properties: In<u64>,
    kernel: Handle,
    work_dim: cl_uint,
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
    point_count: cl_uint,
    points: In<cl_uint>,
    point: Out<cl_uint>,
    mutable: Out<Handle>,
) -> cl_int {
    status(|| {
        let record = Record { buffer, queue, properties, points: (point_count, points), point, mutable };
        record.add_launch(kernel, work_dim, [offset, global, local])
    })
}

pub extern "C" fn clCommandBarrierWithWaitListKHR(
    buffer: Handle,
    queue: Handle,
    properties: In<u64>,
    point_count: cl_uint,
    points: In<cl_uint>,
    point: Out<cl_uint>,
    mutable: Out<Handle>,
) -> cl_int {
    status(|| {
        let record = Record { buffer, queue, properties, points: (point_count, points), point, mutable };
        let (buffer, queue) = record.begin()?;
        record.is_immutable()?;
        record.end(&buffer, |state, waits| state.record_barrier(queue, waits)).map(drop)
    })
}
