//! Command queues, markers and barriers.

use crate::api::order;
use crate::cl::*;
use crate::ffi::{In, Out, Res, create, ensure, err, status};
use crate::handle::{self, Object, get, publish};
use crate::objects::device_info::QUEUE_PROPERTIES;
use crate::objects::queue::{Submission, Throttle};
use crate::objects::{Context, Device, Event, Queue};
use runtime::{Command, Priority, QueueOptions};
use std::ffi::c_void;
use std::sync::Arc;

/// What a program asks of a queue.
#[derive(Default)]
struct Wishes {
    properties: u64,
    priority: Priority,
    throttle: Throttle,
    /// The property list, with its final 0.
    list: Option<Vec<u64>>,
}

fn make(context: Arc<Context>, device: Arc<Device>, wishes: Wishes) -> Res<Handle> {
    let Wishes { properties, priority, throttle, list: property_list } = wishes;
    let options = QueueOptions {
        out_of_order: properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
        cores: device.cores,
        memory: device.device.memory(),
        context: Arc::as_ptr(&context) as usize,
        priority,
    };
    let queue = runtime::Queue::new(options);
    let queue =
        publish(|owner| Queue { owner, context, device, properties, throttle, property_list, queue })?;
    let tell = queue.context.message_callback();
    queue.queue.on_failure(move |message| tell(message));
    queue.context.add_queue(&queue);
    Ok(queue.handle())
}

fn context_and_device(context: Handle, device: Handle) -> Res<(Arc<Context>, Arc<Device>)> {
    let context = get::<Context>(context)?;
    let device = get::<Device>(device)?;
    ensure(context.has(&device), CL_INVALID_DEVICE)?;
    Ok((context, device))
}

pub extern "C" fn clCreateCommandQueue(
    context: Handle,
    device: Handle,
    properties: u64,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let (context, device) = context_and_device(context, device)?;
        let known = QUEUE_PROPERTIES | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
        ensure(properties & !known == 0, CL_INVALID_VALUE)?;
        ensure(properties & !QUEUE_PROPERTIES == 0, CL_INVALID_QUEUE_PROPERTIES)?;
        make(context, device, Wishes { properties, ..Wishes::default() })
    })
}

pub extern "C" fn clCreateCommandQueueWithProperties(
    context: Handle,
    device: Handle,
    properties: In<u64>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let (context, device) = context_and_device(context, device)?;
        let pairs = properties.pairs();
        let mut wishes = Wishes::default();
        for (key, value) in pairs.iter().flatten() {
            match *key as cl_uint {
                CL_QUEUE_PROPERTIES => {
                    let known = QUEUE_PROPERTIES | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
                    ensure(value & !known == 0, CL_INVALID_VALUE)?;
                    ensure(value & !QUEUE_PROPERTIES == 0, CL_INVALID_QUEUE_PROPERTIES)?;
                    wishes.properties = *value;
                }
                CL_QUEUE_PRIORITY_KHR => {
                    wishes.priority = match cl_uint::try_from(*value) {
                        Ok(CL_QUEUE_PRIORITY_HIGH_KHR) => Priority::High,
                        Ok(CL_QUEUE_PRIORITY_MED_KHR) => Priority::Medium,
                        Ok(CL_QUEUE_PRIORITY_LOW_KHR) => Priority::Low,
                        _ => return err(CL_INVALID_VALUE),
                    }
                }
                CL_QUEUE_THROTTLE_KHR => {
                    wishes.throttle = match cl_uint::try_from(*value) {
                        Ok(CL_QUEUE_THROTTLE_HIGH_KHR | CL_QUEUE_THROTTLE_MED_KHR) => Throttle::None,
                        Ok(CL_QUEUE_THROTTLE_LOW_KHR) => Throttle::Low,
                        _ => return err(CL_INVALID_VALUE),
                    }
                }
                // A property of on-device queues, which the device does not have.
                CL_QUEUE_SIZE => return err(CL_INVALID_QUEUE_PROPERTIES),
                _ => return err(CL_INVALID_VALUE),
            }
        }
        wishes.list = pairs.map(|p| p.into_iter().flat_map(|(k, v)| [k, v]).chain([0]).collect());
        make(context, device, wishes)
    })
}

pub extern "C" fn clRetainCommandQueue(queue: Handle) -> cl_int {
    status(|| handle::retain::<Queue>(queue))
}

pub extern "C" fn clReleaseCommandQueue(queue: Handle) -> cl_int {
    status(|| {
        handle::release::<Queue>(queue)?.queue.flush();
        Ok(())
    })
}

pub extern "C" fn clGetCommandQueueInfo(
    queue: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Queue>(queue)?.info(name)?.give(size, value, size_ret))
}

/// Deprecated since OpenCL 1.1: queues cannot be changed.
pub extern "C" fn clSetCommandQueueProperty(
    queue: Handle,
    _properties: u64,
    _enable: cl_uint,
    _old: Out<u64>,
) -> cl_int {
    status(|| {
        get::<Queue>(queue)?;
        err(CL_INVALID_OPERATION)
    })
}

pub extern "C" fn clSetDefaultDeviceCommandQueue(context: Handle, device: Handle, _queue: Handle) -> cl_int {
    status(|| {
        context_and_device(context, device)?;
        // The device has no on-device queues, so that no argument is checked.
        err(CL_INVALID_OPERATION)
    })
}

pub extern "C" fn clFlush(queue: Handle) -> cl_int {
    status(|| {
        get::<Queue>(queue)?.queue.flush();
        Ok(())
    })
}

pub extern "C" fn clFinish(queue: Handle) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        queue.queue.finish();
        queue.launch_failure()
    })
}

pub extern "C" fn clEnqueueMarkerWithWaitList(
    queue: Handle,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_MARKER, Command::Marker, order)
    })
}

pub extern "C" fn clEnqueueBarrierWithWaitList(
    queue: Handle,
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        let order = order(count, list, event, &queue.context, false)?;
        queue.submit(CL_COMMAND_BARRIER, Command::Barrier, order)
    })
}

pub extern "C" fn clEnqueueMarker(queue: Handle, event: Out<Handle>) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(!event.is_null(), CL_INVALID_VALUE)?;
        let order = Submission { waits: Vec::new(), event, blocking: false };
        queue.submit(CL_COMMAND_MARKER, Command::Marker, order)
    })
}

pub extern "C" fn clEnqueueBarrier(queue: Handle) -> cl_int {
    clEnqueueBarrierWithWaitList(queue, 0, In::NULL, Out::NULL)
}

pub extern "C" fn clEnqueueWaitForEvents(queue: Handle, count: cl_uint, list: In<Handle>) -> cl_int {
    status(|| {
        let queue = get::<Queue>(queue)?;
        ensure(count > 0 && !list.is_null(), CL_INVALID_VALUE)?;
        let mut waits = Vec::new();
        for handle in list.list(count as usize) {
            let event = get::<Event>(handle)?;
            ensure(Arc::ptr_eq(&event.context, &queue.context), CL_INVALID_CONTEXT)?;
            waits.push(event.event.clone());
        }
        let order = Submission { waits, event: Out::NULL, blocking: false };
        queue.submit(CL_COMMAND_BARRIER, Command::Barrier, order)
    })
}
