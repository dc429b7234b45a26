//! Events: order, waiting, callbacks, profiling.

mod common;

use common::*;
use std::ffi::c_void;
use std::sync::mpsc;
use std::time::Duration;

fn fill(queue: Handle, mem: Handle, value: u8, waits: &[Handle]) -> Result<Handle, cl_int> {
    let mut event = NULL;
    let waits_in = if waits.is_empty() { In::NULL } else { list(waits) };
    let code = transfer::clEnqueueFillBuffer(
        queue,
        mem,
        memory(&[value]),
        1,
        0,
        4,
        waits.len() as cl_uint,
        waits_in,
        (&mut event).into(),
    );
    if code == CL_SUCCESS { Ok(event) } else { Err(code) }
}

fn release(event: Handle) {
    assert_eq!(event::clReleaseEvent(event), CL_SUCCESS);
}

fn info(event: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| event::clGetEventInfo(event, name, size, value, ret))
}

#[test]
fn user_events_hold_commands_of_several_queues() {
    let cl = Cl::new();
    let second = made(|code| {
        queue::clCreateCommandQueue(cl.context, cl.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, code)
    })
    .unwrap();
    let mem = cl.buffer(0, 4);
    let gate = user_event(&cl);
    assert_eq!(event_status(gate), CL_SUBMITTED);
    assert_eq!(as_u32(info(gate, CL_EVENT_COMMAND_TYPE).unwrap()), CL_COMMAND_USER);
    assert_eq!(as_handle(info(gate, CL_EVENT_COMMAND_QUEUE).unwrap()), NULL);
    assert_eq!(as_handle(info(gate, CL_EVENT_CONTEXT).unwrap()), cl.context);
    let first = fill(cl.queue, mem, 1, &[gate]).unwrap();
    let then = fill(second, mem, 2, &[first, gate]).unwrap();
    assert_eq!(queue::clFlush(cl.queue), CL_SUCCESS);
    assert_eq!(queue::clFlush(second), CL_SUCCESS);
    assert!(event_status(first) > CL_COMPLETE && event_status(then) > CL_COMPLETE);
    assert_eq!(event::clSetUserEventStatus(gate, 1), CL_INVALID_VALUE);
    assert_eq!(event::clSetUserEventStatus(first, CL_COMPLETE), CL_INVALID_EVENT);
    assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    assert_eq!(wait(&[then, first, gate]), CL_SUCCESS);
    assert_eq!(cl.read::<u8>(mem, 4), [2; 4]);
    assert_eq!(as_u32(info(first, CL_EVENT_COMMAND_TYPE).unwrap()), CL_COMMAND_FILL_BUFFER);
    assert_eq!(as_handle(info(then, CL_EVENT_COMMAND_QUEUE).unwrap()), second);
    assert_eq!(as_u32(info(first, CL_EVENT_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(event::clRetainEvent(first), CL_SUCCESS);
    release(first);
    [gate, first, then].into_iter().for_each(release);
    assert_eq!(event::clReleaseEvent(first), CL_INVALID_EVENT);
    assert_eq!(made(|code| event::clCreateUserEvent(NULL, code)), Err(CL_INVALID_CONTEXT));
    assert_eq!(queue::clReleaseCommandQueue(second), CL_SUCCESS);
    release_mem(mem);
}

#[test]
fn failures_are_passed_on() {
    let cl = Cl::new();
    let mem = cl.buffer_of(&[7u8; 4]);
    let gate = user_event(&cl);
    let first = fill(cl.queue, mem, 1, &[gate]).unwrap();
    let then = fill(cl.queue, mem, 2, &[first]).unwrap();
    assert_eq!(event::clSetUserEventStatus(gate, -42), CL_SUCCESS);
    assert_eq!(event_status(gate), -42);
    assert_eq!(wait(&[then]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(event_status(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    let mut to = [0u8; 4];
    let code = transfer::clEnqueueReadBuffer(
        cl.queue,
        mem,
        1,
        0,
        4,
        memory_mut(&mut to),
        1,
        list(&[then]),
        Out::NULL,
    );
    assert_eq!(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(cl.read::<u8>(mem, 4), [7; 4]);
    [gate, first, then].into_iter().for_each(release);
    release_mem(mem);
}

#[test]
fn wait_lists_are_checked() {
    let cl = Cl::new();
    let other = Cl::new();
    let mem = cl.buffer(0, 4);
    let foreign = user_event(&other);
    assert_eq!(fill(cl.queue, mem, 1, &[foreign]), Err(CL_INVALID_CONTEXT));
    assert_eq!(fill(cl.queue, mem, 1, &[NULL]), Err(CL_INVALID_EVENT_WAIT_LIST));
    assert_eq!(fill(cl.queue, mem, 1, &[cl.queue]), Err(CL_INVALID_EVENT_WAIT_LIST));
    let marker = |count, events| queue::clEnqueueMarkerWithWaitList(cl.queue, count, events, Out::NULL);
    assert_eq!(marker(1, In::NULL), CL_INVALID_EVENT_WAIT_LIST);
    assert_eq!(marker(0, list(&[foreign])), CL_INVALID_EVENT_WAIT_LIST);
    let own = user_event(&cl);
    assert_eq!(wait(&[own, foreign]), CL_INVALID_CONTEXT);
    assert_eq!(wait(&[]), CL_INVALID_VALUE);
    assert_eq!(event::clWaitForEvents(1, In::NULL), CL_INVALID_VALUE);
    assert_eq!(wait(&[NULL]), CL_INVALID_EVENT);
    let old = |count, events| queue::clEnqueueWaitForEvents(cl.queue, count, events);
    assert_eq!(old(0, list(&[own])), CL_INVALID_VALUE);
    assert_eq!(old(1, list(&[NULL])), CL_INVALID_EVENT);
    assert_eq!(old(1, list(&[foreign])), CL_INVALID_CONTEXT);
    assert_eq!(queue::clEnqueueMarker(cl.queue, Out::NULL), CL_INVALID_VALUE);
    assert_eq!(queue::clEnqueueMarker(NULL, Out::NULL), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(queue::clEnqueueBarrier(NULL), CL_INVALID_COMMAND_QUEUE);
    [own, foreign].into_iter().for_each(release);
    release_mem(mem);
}

#[test]
fn markers_and_barriers_order_a_queue_without_order() {
    let cl = Cl::with_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let mem = cl.buffer(0, 4);
    let gate = user_event(&cl);
    let held = fill(cl.queue, mem, 1, &[gate]).unwrap();
    let mut marker = NULL;
    let place = Out::from(&mut marker);
    assert_eq!(queue::clEnqueueMarkerWithWaitList(cl.queue, 0, In::NULL, place), CL_SUCCESS);
    let free = fill(cl.queue, mem, 2, &[]).unwrap();
    assert_eq!(wait(&[free]), CL_SUCCESS);
    assert!(event_status(marker) > CL_COMPLETE);
    let mut barrier = NULL;
    let place = Out::from(&mut barrier);
    assert_eq!(queue::clEnqueueBarrierWithWaitList(cl.queue, 0, In::NULL, place), CL_SUCCESS);
    let behind = fill(cl.queue, mem, 3, &[]).unwrap();
    assert_eq!(queue::clFlush(cl.queue), CL_SUCCESS);
    std::thread::sleep(Duration::from_millis(20));
    assert!(event_status(behind) > CL_COMPLETE);
    assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_eq!(wait(&[marker, barrier, behind]), CL_SUCCESS);
    assert_eq!(cl.read::<u8>(mem, 4), [3; 4]);
    assert_eq!(as_u32(info(barrier, CL_EVENT_COMMAND_TYPE).unwrap()), CL_COMMAND_BARRIER);
    assert_eq!(queue::clEnqueueBarrier(cl.queue), CL_SUCCESS);
    let mut old = NULL;
    assert_eq!(queue::clEnqueueMarker(cl.queue, (&mut old).into()), CL_SUCCESS);
    assert_eq!(queue::clEnqueueWaitForEvents(cl.queue, 1, list(&[old])), CL_SUCCESS);
    cl.finish();
    [gate, held, marker, free, barrier, behind, old].into_iter().for_each(release);
    release_mem(mem);
}

unsafe extern "C" fn reached(_: Handle, status: cl_int, data: *mut c_void) {
    // SAFETY: the test keeps the sender for ever.
    let sender = unsafe { &*data.cast::<mpsc::Sender<cl_int>>() };
    sender.send(status).unwrap();
}

#[test]
fn callbacks_are_called_once_for_each_state() {
    let cl = Cl::new();
    let mem = cl.buffer(0, 4);
    let (sender, receiver) = mpsc::channel::<cl_int>();
    // Leaked: the callback may still run after its message has arrived.
    let sender: &'static _ = Box::leak(Box::new(sender));
    let data = memory(std::slice::from_ref(sender));
    let heard = || receiver.recv_timeout(Duration::from_secs(30)).unwrap();
    let gate = user_event(&cl);
    let event = fill(cl.queue, mem, 1, &[gate]).unwrap();
    for state in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
        assert_eq!(event::clSetEventCallback(event, state, Some(reached), data), CL_SUCCESS);
    }
    assert_eq!(queue::clFlush(cl.queue), CL_SUCCESS);
    assert_eq!(heard(), CL_SUBMITTED);
    assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_eq!((heard(), heard()), (CL_RUNNING, CL_COMPLETE));
    // The callback of a state that was reached before is called at once.
    assert_eq!(event::clSetEventCallback(event, CL_COMPLETE, Some(reached), data), CL_SUCCESS);
    assert_eq!(heard(), CL_COMPLETE);
    assert_eq!(event::clSetEventCallback(event, CL_QUEUED, Some(reached), data), CL_INVALID_VALUE);
    assert_eq!(event::clSetEventCallback(event, CL_COMPLETE, None, data), CL_INVALID_VALUE);
    assert_eq!(event::clSetEventCallback(NULL, CL_COMPLETE, Some(reached), data), CL_INVALID_EVENT);
    // The callback of a command that fails has its error code.
    let bad = user_event(&cl);
    let failing = fill(cl.queue, mem, 1, &[bad]).unwrap();
    assert_eq!(event::clSetEventCallback(failing, CL_COMPLETE, Some(reached), data), CL_SUCCESS);
    assert_eq!(event::clSetUserEventStatus(bad, -7), CL_SUCCESS);
    assert_eq!(queue::clFlush(cl.queue), CL_SUCCESS);
    assert_eq!(heard(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    [gate, event, bad, failing].into_iter().for_each(release);
    release_mem(mem);
}

#[test]
fn commands_are_timed() {
    let cl = Cl::with_queue(CL_QUEUE_PROFILING_ENABLE);
    let mem = cl.buffer(0, 4);
    let time =
        |event, name| query(|size, value, ret| event::clGetEventProfilingInfo(event, name, size, value, ret));
    let (mut before, mut after) = (0, 0);
    assert_eq!(dev::clGetHostTimer(cl.device, (&mut before).into()), CL_SUCCESS);
    let event = fill(cl.queue, mem, 1, &[]).unwrap();
    let early = time(event, CL_PROFILING_COMMAND_QUEUED);
    assert!(early == Err(CL_PROFILING_INFO_NOT_AVAILABLE) || early.is_ok());
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(dev::clGetHostTimer(cl.device, (&mut after).into()), CL_SUCCESS);
    let names = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
        CL_PROFILING_COMMAND_COMPLETE,
    ];
    let times: Vec<_> = names.iter().map(|name| as_u64(time(event, *name).unwrap())).collect();
    assert!(times.is_sorted() && before <= times[0] && times[4] <= after, "{before} {times:?} {after}");
    assert_eq!(time(event, 0x999), Err(CL_INVALID_VALUE));
    let user = user_event(&cl);
    assert_eq!(time(user, CL_PROFILING_COMMAND_END), Err(CL_PROFILING_INFO_NOT_AVAILABLE));
    assert_eq!(time(NULL, CL_PROFILING_COMMAND_END), Err(CL_INVALID_EVENT));
    let plain = Cl::new();
    let other = plain.buffer(0, 4);
    let untimed = fill(plain.queue, other, 1, &[]).unwrap();
    assert_eq!(wait(&[untimed]), CL_SUCCESS);
    assert_eq!(time(untimed, CL_PROFILING_COMMAND_END), Err(CL_PROFILING_INFO_NOT_AVAILABLE));
    [event, user, untimed].into_iter().for_each(release);
    [mem, other].into_iter().for_each(release_mem);
}
