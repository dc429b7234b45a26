//! `cl_khr_command_buffer`: recording commands and enqueuing them together.

use crate::api::image_transfer::{
    are_usable, copying_from_buffer, copying_image, copying_to_buffer, filling_image,
};
use crate::api::launch::{Sizes, kernel_for, range_of};
use crate::api::rect::{Triple, copying_rect};
use crate::api::svm::{copying_svm, filling_svm};
use crate::api::transfer::{copying, filling};
use crate::api::{agrees, buffers, mems, order};
use crate::cl::*;
use crate::ffi::{In, Memory, Out, Res, create, ensure, status};
use crate::handle::{self, Object, get, get_all, publish};
use crate::objects::command_buffer::{Maker, State};
use crate::objects::{CommandBuffer, Queue, copy, lock};
use runtime::Command;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

pub extern "C" fn clCreateCommandBufferKHR(
    queue_count: cl_uint,
    queues: In<Handle>,
    properties: In<u64>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        ensure(queue_count == 1 && !queues.is_null(), CL_INVALID_VALUE)?;
        let queue = get_all::<Queue>(&queues.list(1))?.remove(0);
        let pairs = properties.pairs();
        for (i, (key, value)) in pairs.iter().flatten().enumerate() {
            // There is one property, with one flag: simultaneous use, which is always allowed.
            let known = *key == u64::from(CL_COMMAND_BUFFER_FLAGS_KHR) && i == 0;
            ensure(known && value & !CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR == 0, CL_INVALID_VALUE)?;
        }
        let properties = pairs.map(|p| p.into_iter().flat_map(|(k, v)| [k, v]).chain([0]).collect());
        let in_order = queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
        let state = Mutex::new(State::new(in_order));
        Ok(publish(|owner| CommandBuffer { owner, queue, properties, state })?.handle())
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
        ensure(lock(&buffer.state).finalized, CL_INVALID_OPERATION)?;
        ensure(agrees(queue_count, queues) && queue_count <= 1, CL_INVALID_VALUE)?;
        let queue = match queues.get() {
            Some(queue) => get::<Queue>(queue)?,
            None => buffer.queue.clone(),
        };
        buffer.takes(&queue)?;
        let order = order(count, list, event, &queue.context, false)?;
        buffer.enqueue(&queue, order)
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
    fn begin(&self) -> Res<Arc<CommandBuffer>> {
        let buffer = get::<CommandBuffer>(self.buffer)?;
        // A command buffer has one queue, so commands name none.
        ensure(self.queue.is_null(), CL_INVALID_COMMAND_QUEUE)?;
        ensure(!lock(&buffer.state).finalized, CL_INVALID_OPERATION)?;
        ensure(self.properties.get().is_none_or(|key| key == 0), CL_INVALID_VALUE)?;
        ensure(self.mutable.is_null(), CL_INVALID_VALUE)?;
        Ok(buffer)
    }

    fn end(&self, buffer: &CommandBuffer, add: impl FnOnce(&mut State, Vec<usize>) -> cl_uint) -> Res<()> {
        let (count, points) = self.points;
        ensure(agrees(count, points), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR)?;
        let mut state = lock(&buffer.state);
        let waits = state.places(&points.list(count as usize))?;
        ensure(!state.finalized, CL_INVALID_OPERATION)?;
        self.point.put(add(&mut state, waits));
        Ok(())
    }

    fn add(&self, make: impl FnOnce(&CommandBuffer) -> Res<Maker>) -> cl_int {
        status(|| {
            let buffer = self.begin()?;
            let make = make(&buffer)?;
            self.end(&buffer, |state, waits| state.record(make, waits))
        })
    }
}

fn again(make: impl Fn() -> Command + Send + Sync + 'static) -> Maker {
    Box::new(move || Ok(make()))
}

/// Entry points that record a command: the body makes it from the buffer and the function's own
/// parameters.
macro_rules! recorded {
    ($($name:ident($buffer:ident $(, $param:ident: $ty:ty)* $(,)?) $body:block)*) => {$(
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
            record.add(|$buffer| $body)
        }
    )*};
}

recorded! {
    clCommandCopyBufferKHR(
        buffer, from: Handle, to: Handle, from_offset: usize, to_offset: usize, size: usize
    ) {
        let [from, to] = buffers(&buffer.queue.context, [from, to])?;
        Ok(again(copying((&from, from_offset), (&to, to_offset), size)?))
    }
    clCommandCopyBufferRectKHR(
        buffer, from: Handle, to: Handle, from_origin: Triple, to_origin: Triple, region: Triple,
        from_row_pitch: usize, from_slice_pitch: usize, to_row_pitch: usize, to_slice_pitch: usize
    ) {
        let [from, to] = buffers(&buffer.queue.context, [from, to])?;
        let from = (&from, from_origin, [from_row_pitch, from_slice_pitch]);
        let to = (&to, to_origin, [to_row_pitch, to_slice_pitch]);
        Ok(again(copying_rect(from, to, region)?))
    }
    clCommandFillBufferKHR(
        buffer, mem: Handle, pattern: Memory, pattern_size: usize, offset: usize, size: usize
    ) {
        let [mem] = buffers(&buffer.queue.context, [mem])?;
        Ok(again(filling(&mem, pattern, pattern_size, offset, size)?))
    }
    clCommandCopyImageKHR(
        buffer, from: Handle, to: Handle, from_origin: Triple, to_origin: Triple, region: Triple
    ) {
        let [from, to] = mems(&buffer.queue.context, [from, to])?;
        let copy = copying_image((&from, from_origin), (&to, to_origin), region)?;
        are_usable(&buffer.queue.device, [&from, &to])?;
        Ok(again(copy))
    }
    clCommandCopyImageToBufferKHR(
        buffer, from: Handle, to: Handle, origin: Triple, region: Triple, offset: usize
    ) {
        let [from, to] = mems(&buffer.queue.context, [from, to])?;
        let copy = copying_to_buffer((&from, origin), (&to, offset), region)?;
        are_usable(&buffer.queue.device, [&from])?;
        Ok(again(copy))
    }
    clCommandCopyBufferToImageKHR(
        buffer, from: Handle, to: Handle, offset: usize, origin: Triple, region: Triple
    ) {
        let [from, to] = mems(&buffer.queue.context, [from, to])?;
        let copy = copying_from_buffer((&from, offset), (&to, origin), region)?;
        are_usable(&buffer.queue.device, [&to])?;
        Ok(again(copy))
    }
    clCommandFillImageKHR(buffer, image: Handle, colour: Memory, origin: Triple, region: Triple) {
        let [mem] = mems(&buffer.queue.context, [image])?;
        let fill = filling_image(&mem, colour, origin, region)?;
        are_usable(&buffer.queue.device, [&mem])?;
        Ok(again(fill))
    }
    clCommandSVMMemcpyKHR(_buffer, to: Memory, from: Memory, size: usize) {
        Ok(again(copying_svm(to, from, size)?))
    }
    clCommandSVMMemFillKHR(_buffer, memory: Memory, pattern: Memory, pattern_size: usize, size: usize) {
        Ok(again(filling_svm(memory, pattern, pattern_size, size)?))
    }
    clCommandNDRangeKernelKHR(
        buffer, kernel: Handle, work_dim: cl_uint, offset: In<usize>, global: In<usize>, local: In<usize>
    ) {
        let queue = &buffer.queue;
        let kernel = kernel_for(queue, kernel)?;
        ensure(kernel.is_complete(), CL_INVALID_KERNEL_ARGS)?;
        match range_of(queue, &kernel, work_dim, &Sizes { offset, global, local })? {
            Some(range) => {
                let prepared = kernel.prepare(range, queue)?;
                Ok(Box::new(move || prepared.command()))
            }
            None => Ok(again(copy::nothing)),
        }
    }
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
        let buffer = record.begin()?;
        record.end(&buffer, State::record_barrier)
    })
}
