//! Launches that are taken and then cannot run: who is told, and what becomes of the commands after
//! them.

mod common;

use common::*;
use std::ffi::{CStr, c_char, c_void};
use std::sync::mpsc;

/// Each work-item keeps 2^36 bytes across a barrier: the 4096 of a work-group need more than there
/// are addresses.
const SOURCE: &str = "
    kernel void huge(global int *a, ulong n) {
        private char x[1UL << 36];
        x[a[0] + n] = a[1];
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[get_global_id(0)] = x[a[2] + n];
    }
    kernel void wide(global int *a, ulong n) {
        private char x[1UL << 43];
        x[a[0] + n] = a[1];
        a[get_global_id(0)] = x[a[2] + n];
    }
    kernel void fill(global int *a, int value) { a[get_global_id(0)] = value; }";

unsafe extern "C" fn told(message: *const c_char, _: *const c_void, _: usize, data: *mut c_void) {
    // SAFETY: the driver gives a text, and the data that the context was made with.
    let (text, sender) =
        unsafe { (CStr::from_ptr(message), &*data.cast_const().cast::<mpsc::Sender<String>>()) };
    sender.send(text.to_str().unwrap().to_owned()).unwrap();
}

/// A context that sends its messages, with a queue; and a kernel that cannot run with its buffer.
fn with_messages(properties: u64) -> (Cl, mpsc::Receiver<String>, Handle, Handle) {
    let (sender, messages) = mpsc::channel::<String>();
    let sender: &'static _ = Box::leak(Box::new(sender));
    let data = pointer(std::ptr::from_ref(sender).cast_mut().cast());
    let (device, devices) = (the_device(), [the_device()]);
    let context =
        made(|code| context::clCreateContext(In::NULL, 1, list(&devices), Some(told), data, code)).unwrap();
    let properties = [CL_QUEUE_PROPERTIES.into(), properties, 0];
    let queue =
        made(|code| queue::clCreateCommandQueueWithProperties(context, device, list(&properties), code));
    let cl = Cl { device, context, queue: queue.unwrap() };
    let kernel = cl.kernel(SOURCE, "huge", "-cl-std=CL3.0");
    let mem = cl.buffer_of(&vec![7i32; 4096]);
    assert_eq!([set_arg(kernel, 0, mem), set_arg(kernel, 1, 0u64)], [CL_SUCCESS; 2]);
    (cl, messages, kernel, mem)
}

/// The next message about the kernel that cannot run, which is there before a call that waited for
/// the launch returns. Calls that return the launch's code have messages of their own.
fn next(messages: &mpsc::Receiver<String>) -> Option<String> {
    loop {
        let message = messages.try_recv().ok()?;
        if message.contains("'huge'") {
            return Some(message);
        }
    }
}

fn launch_with_event(cl: &Cl, kernel: Handle) -> Handle {
    let (mut event, size) = (NULL, [4096usize]);
    let (none, place) = (In::NULL, (&mut event).into());
    let code = launch::clEnqueueNDRangeKernel(
        cl.queue,
        kernel,
        1,
        In::NULL,
        list(&size),
        list(&size),
        0,
        none,
        place,
    );
    assert_eq!(code, CL_SUCCESS);
    event
}

fn read(cl: &Cl, mem: Handle) -> (cl_int, [i32; 4]) {
    let mut to = [0i32; 4];
    let place = memory_mut(&mut to);
    let code = transfer::clEnqueueReadBuffer(cl.queue, mem, 1, 0, 16, place, 0, In::NULL, Out::NULL);
    (code, to)
}

#[test]
fn a_launch_that_fails_is_told_and_ends_what_follows() {
    let (cl, messages, kernel, mem) = with_messages(0);
    let failed = launch_with_event(&cl, kernel);
    let fill = cl.kernel(SOURCE, "fill", "-cl-std=CL3.0");
    assert_eq!([set_arg(fill, 0, mem), set_arg(fill, 1, 9i32)], [CL_SUCCESS; 2]);
    let after = launch_with_event(&cl, fill);
    assert_eq!(queue::clFinish(cl.queue), CL_OUT_OF_RESOURCES);
    assert_eq!(event_status(failed), CL_OUT_OF_RESOURCES);
    assert_eq!(event_status(after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(wait(&[failed]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    let message = next(&messages).unwrap();
    assert!(message.contains("bytes"), "{message}");
    // The program knows of it now, and the queue goes on. The launch after it did not run.
    assert_eq!(queue::clFinish(cl.queue), CL_SUCCESS);
    assert_eq!(read(&cl, mem), (CL_SUCCESS, [7; 4]));
    assert_eq!(wait(&[launch_with_event(&cl, fill)]), CL_SUCCESS);
    assert_eq!(read(&cl, mem), (CL_SUCCESS, [9; 4]));
}

#[test]
fn blocking_calls_fail_after_a_failed_launch() {
    let (cl, messages, kernel, mem) = with_messages(0);
    assert_eq!(cl.run(kernel, &[4096], Some(&[4096])), CL_SUCCESS);
    // With a code at which no client tries again: the next call reads what is there.
    assert_eq!(read(&cl, mem), (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, [0; 4]));
    assert_eq!(read(&cl, mem), (CL_SUCCESS, [7; 4]));
    // Many work-groups, which threads share.
    assert_eq!(cl.run(kernel, &[4096 * 16], Some(&[4096])), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[4096], Some(&[4096])), CL_SUCCESS);
    assert_eq!(read(&cl, mem).0, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    // The first and the second launch. The third failed because of the second.
    assert!(next(&messages).is_some() && next(&messages).is_some());
    assert_eq!(next(&messages), None);
}

#[test]
fn an_out_of_order_queue_passes_failures_on_by_wait_lists_only() {
    let (cl, messages, kernel, mem) = with_messages(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let failed = launch_with_event(&cl, kernel);
    let waits = [failed];
    let mut to = [0i32; 4];
    let place = memory_mut(&mut to);
    let code = transfer::clEnqueueReadBuffer(cl.queue, mem, 1, 0, 16, place, 1, list(&waits), Out::NULL);
    assert_eq!(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(read(&cl, mem), (CL_SUCCESS, [7; 4]));
    assert_eq!(queue::clFinish(cl.queue), CL_OUT_OF_RESOURCES);
    assert_eq!(queue::clFinish(cl.queue), CL_SUCCESS);
    assert!(next(&messages).is_some());
}

#[test]
fn private_memory_that_cannot_be_had_is_told_with_its_size() {
    let (cl, messages, _, mem) = with_messages(0);
    let wide = cl.kernel(SOURCE, "wide", "-cl-std=CL3.0");
    assert_eq!([set_arg(wide, 0, mem), set_arg(wide, 1, 0u64)], [CL_SUCCESS; 2]);
    let failed = launch_with_event(&cl, wide);
    assert_eq!(queue::clFinish(cl.queue), CL_OUT_OF_RESOURCES);
    assert_eq!(event_status(failed), CL_OUT_OF_RESOURCES);
    let message = std::iter::from_fn(|| messages.try_recv().ok()).find(|m| m.contains("'wide'"));
    let message = message.unwrap();
    assert!(message.contains("private variables that are large"), "{message}");
}
