//! Contexts and command queues.

mod common;

use common::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

fn context_with(properties: &[isize]) -> Result<Handle, cl_int> {
    let devices = [the_device()];
    made(|code| context::clCreateContext(list(properties), 1, list(&devices), None, Memory::NULL, code))
}

#[test]
fn contexts_check_their_arguments() {
    let (platform, device) = (the_platform(), the_device());
    let key = CL_CONTEXT_PLATFORM as isize;
    let context = context_with(&[key, platform as isize, 0]).unwrap();
    let info = |name| query(|size, value, ret| context::clGetContextInfo(context, name, size, value, ret));
    assert_eq!(as_sizes(info(CL_CONTEXT_PROPERTIES).unwrap()), [key as usize, platform as usize, 0]);
    assert_eq!(as_u32(info(CL_CONTEXT_NUM_DEVICES).unwrap()), 1);
    assert_eq!(as_handle(info(CL_CONTEXT_DEVICES).unwrap()), device);
    assert_eq!(as_u32(info(CL_CONTEXT_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(info(0x999), Err(CL_INVALID_VALUE));
    assert_eq!(context::clRetainContext(context), CL_SUCCESS);
    assert_eq!(as_u32(info(CL_CONTEXT_REFERENCE_COUNT).unwrap()), 2);
    assert_eq!(context::clReleaseContext(context), CL_SUCCESS);
    assert_eq!(context::clReleaseContext(context), CL_SUCCESS);
    assert_eq!(context::clReleaseContext(context), CL_INVALID_CONTEXT);

    assert_eq!(context_with(&[key, 0, 0]), Err(CL_INVALID_PLATFORM));
    assert_eq!(context_with(&[key, device as isize, 0]), Err(CL_INVALID_PLATFORM));
    assert_eq!(context_with(&[0x777, 1, 0]), Err(CL_INVALID_PROPERTY));
    let twice = [key, platform as isize, key, platform as isize, 0];
    assert_eq!(context_with(&twice), Err(CL_INVALID_PROPERTY));
    let create = |count, devices: In<Handle>, data| {
        made(|code| context::clCreateContext(In::NULL, count, devices, None, data, code))
    };
    let devices = [device, device];
    assert_eq!(create(0, list(&devices), Memory::NULL), Err(CL_INVALID_VALUE));
    assert_eq!(create(1, In::NULL, Memory::NULL), Err(CL_INVALID_VALUE));
    assert_eq!(create(1, list(&devices), memory(&[1])), Err(CL_INVALID_VALUE));
    assert_eq!(create(1, list(&[platform]), Memory::NULL), Err(CL_INVALID_DEVICE));
    // The same device twice is one.
    let context = create(2, list(&devices), Memory::NULL).unwrap();
    let info = |name| query(|size, value, ret| context::clGetContextInfo(context, name, size, value, ret));
    assert_eq!(as_u32(info(CL_CONTEXT_NUM_DEVICES).unwrap()), 1);
    assert_eq!(info(CL_CONTEXT_PROPERTIES).unwrap(), [0u8; 0]);
    assert_eq!(context::clReleaseContext(context), CL_SUCCESS);
}

#[test]
fn contexts_of_a_type() {
    the_platform();
    let create =
        |kind: u64| made(|code| context::clCreateContextFromType(In::NULL, kind, None, Memory::NULL, code));
    let context = create(CL_DEVICE_TYPE_CPU).unwrap();
    assert_eq!(context::clReleaseContext(context), CL_SUCCESS);
    assert_eq!(create(CL_DEVICE_TYPE_GPU), Err(CL_DEVICE_NOT_FOUND));
    assert_eq!(create(0), Err(CL_INVALID_DEVICE_TYPE));
}

static GONE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn gone(_: Handle, data: *mut c_void) {
    // Called in the reverse order: 2, then 1.
    GONE.fetch_add(data as usize * if GONE.load(SeqCst) == 0 { 10 } else { 1 }, SeqCst);
}

#[test]
fn the_end_of_a_context_is_told() {
    let context = new_context();
    let tell = |context, data: usize| {
        context::clSetContextDestructorCallback(context, Some(gone), pointer(data as *mut c_void))
    };
    assert_eq!(
        (tell(context, 1), tell(context, 2), tell(NULL, 3)),
        (CL_SUCCESS, CL_SUCCESS, CL_INVALID_CONTEXT)
    );
    let code = context::clSetContextDestructorCallback(context, None, Memory::NULL);
    assert_eq!(code, CL_INVALID_VALUE);
    // The buffer holds the context.
    let mem = made(|code| buffer::clCreateBuffer(context, 0, 16, Memory::NULL, code)).unwrap();
    assert_eq!(context::clReleaseContext(context), CL_SUCCESS);
    assert_eq!(GONE.load(SeqCst), 0);
    let name = CL_MEM_CONTEXT;
    let held = query(|size, value, ret| buffer::clGetMemObjectInfo(mem, name, size, value, ret)).unwrap();
    assert_eq!(as_handle(held), context);
    release_mem(mem);
    assert_eq!(GONE.load(SeqCst), 21);
}

#[test]
fn queues_check_their_arguments() {
    let cl = Cl::with_queue(CL_QUEUE_PROFILING_ENABLE);
    let info =
        |name| query(|size, value, ret| queue::clGetCommandQueueInfo(cl.queue, name, size, value, ret));
    assert_eq!(as_handle(info(CL_QUEUE_CONTEXT).unwrap()), cl.context);
    assert_eq!(as_handle(info(CL_QUEUE_DEVICE).unwrap()), cl.device);
    assert_eq!(as_u32(info(CL_QUEUE_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(as_u64(info(CL_QUEUE_PROPERTIES).unwrap()), CL_QUEUE_PROFILING_ENABLE);
    let array = [CL_QUEUE_PROPERTIES as usize, CL_QUEUE_PROFILING_ENABLE as usize, 0];
    assert_eq!(as_sizes(info(CL_QUEUE_PROPERTIES_ARRAY).unwrap()), array);
    assert_eq!(info(CL_QUEUE_SIZE), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(as_handle(info(CL_QUEUE_DEVICE_DEFAULT).unwrap()), NULL);
    assert_eq!(info(0x999), Err(CL_INVALID_VALUE));

    let old = |context, device, properties| {
        made(|code| queue::clCreateCommandQueue(context, device, properties, code))
    };
    let queue = old(cl.context, cl.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE).unwrap();
    assert_eq!(queue::clRetainCommandQueue(queue), CL_SUCCESS);
    assert_eq!(queue::clReleaseCommandQueue(queue), CL_SUCCESS);
    assert_eq!(queue::clSetCommandQueueProperty(queue, 1, 1, Out::NULL), CL_INVALID_OPERATION);
    assert_eq!(queue::clReleaseCommandQueue(queue), CL_SUCCESS);
    assert_eq!(queue::clReleaseCommandQueue(queue), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(old(NULL, cl.device, 0), Err(CL_INVALID_CONTEXT));
    assert_eq!(old(cl.context, NULL, 0), Err(CL_INVALID_DEVICE));
    assert_eq!(old(cl.context, cl.device, 1 << 40), Err(CL_INVALID_VALUE));
    assert_eq!(old(cl.context, cl.device, CL_QUEUE_ON_DEVICE), Err(CL_INVALID_QUEUE_PROPERTIES));

    let new = |properties: &[u64]| {
        made(|code| queue::clCreateCommandQueueWithProperties(cl.context, cl.device, list(properties), code))
    };
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    assert_eq!(new(&[CL_QUEUE_PROPERTIES.into(), on_device, 0]), Err(CL_INVALID_QUEUE_PROPERTIES));
    assert_eq!(new(&[CL_QUEUE_PROPERTIES.into(), 1 << 40, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(new(&[CL_QUEUE_SIZE.into(), 1, 0]), Err(CL_INVALID_QUEUE_PROPERTIES));
    assert_eq!(new(&[0x4321, 1, 0]), Err(CL_INVALID_VALUE));
    let default = queue::clSetDefaultDeviceCommandQueue;
    assert_eq!(default(cl.context, cl.device, cl.queue), CL_INVALID_OPERATION);
    assert_eq!(default(NULL, cl.device, cl.queue), CL_INVALID_CONTEXT);
    assert_eq!(default(cl.context, cl.device, NULL), CL_INVALID_OPERATION);
    assert_eq!(queue::clFlush(cl.queue), CL_SUCCESS);
    assert_eq!(queue::clFlush(cl.context), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(queue::clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
}

#[test]
fn a_released_queue_does_its_work() {
    let cl = Cl::new();
    let mem = cl.buffer(0, 4);
    let queue = made(|code| queue::clCreateCommandQueue(cl.context, cl.device, 0, code)).unwrap();
    let mut event = NULL;
    let code =
        transfer::clEnqueueFillBuffer(queue, mem, memory(&[7u8]), 1, 0, 4, 0, In::NULL, (&mut event).into());
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(queue::clReleaseCommandQueue(queue), CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(cl.read::<u8>(mem, 4), [7; 4]);
    // The event holds the queue, which can be asked for.
    let name = CL_EVENT_COMMAND_QUEUE;
    let held = query(|size, value, ret| event::clGetEventInfo(event, name, size, value, ret)).unwrap();
    assert_eq!(as_handle(held), queue);
    assert_eq!(queue::clReleaseCommandQueue(queue), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(event::clReleaseEvent(event), CL_SUCCESS);
    release_mem(mem);
}
