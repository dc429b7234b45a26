//! Command buffers: recorded commands run each time as they were recorded.

mod common;

use command_buffer as cb;
use common::*;

fn new_buffer(cl: &Cl) -> Handle {
    made(|code| cb::clCreateCommandBufferKHR(1, list(&[cl.queue]), In::NULL, code)).unwrap()
}

fn release(buffer: Handle) {
    assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
}

fn info(buffer: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| cb::clGetCommandBufferInfoKHR(buffer, name, size, value, ret))
}

/// Records a launch over `n` work-items after `points`; its sync point.
fn record_launch(buffer: Handle, kernel: Handle, n: usize, points: &[cl_uint]) -> Result<cl_uint, cl_int> {
    let (mut point, global) = (0, [n]);
    let waits = if points.is_empty() { In::NULL } else { list(points) };
    let code = cb::clCommandNDRangeKernelKHR(
        buffer,
        NULL,
        In::NULL,
        kernel,
        1,
        In::NULL,
        list(&global),
        In::NULL,
        points.len() as cl_uint,
        waits,
        (&mut point).into(),
        Out::NULL,
    );
    if code == CL_SUCCESS { Ok(point) } else { Err(code) }
}

fn enqueue(buffer: Handle, waits: &[Handle]) -> Result<Handle, cl_int> {
    let mut event = NULL;
    let list_of = if waits.is_empty() { In::NULL } else { list(waits) };
    let count = waits.len() as cl_uint;
    let code = cb::clEnqueueCommandBufferKHR(0, In::NULL, buffer, count, list_of, (&mut event).into());
    if code == CL_SUCCESS { Ok(event) } else { Err(code) }
}

const SOURCE: &str = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }
    kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }";

#[test]
fn what_was_recorded_runs_again_and_again() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE] {
        let cl = Cl::with_queue(properties);
        let program = cl.build(SOURCE, "").unwrap();
        let (add, twice) = (kernel_of(program, "add").unwrap(), kernel_of(program, "twice").unwrap());
        let (a, b) = (cl.buffer(0, 400), cl.buffer_of(&[0i32; 100]));
        assert_eq!((set_arg(add, 0, a), set_arg(add, 1, 5), set_arg(twice, 0, a)), (0, 0, 0));
        let buffer = new_buffer(&cl);
        assert_eq!(as_u32(info(buffer, CL_COMMAND_BUFFER_STATE_KHR).unwrap()), 0);
        // a = 1; a += 5; a *= 2; b = a; b is 12.
        let mut filled = 0;
        let code = cb::clCommandFillBufferKHR(
            buffer,
            NULL,
            In::NULL,
            a,
            memory(&[1i32]),
            4,
            0,
            400,
            0,
            In::NULL,
            (&mut filled).into(),
            Out::NULL,
        );
        assert_eq!(code, CL_SUCCESS);
        let added = record_launch(buffer, add, 100, &[filled]).unwrap();
        let doubled = record_launch(buffer, twice, 100, &[added]).unwrap();
        assert!(filled != added && added != doubled);
        let barrier = cb::clCommandBarrierWithWaitListKHR;
        assert_eq!(barrier(buffer, NULL, In::NULL, 0, In::NULL, Out::NULL, Out::NULL), CL_SUCCESS);
        let copy = cb::clCommandCopyBufferKHR;
        let code = copy(buffer, NULL, In::NULL, a, b, 0, 0, 400, 0, In::NULL, Out::NULL, Out::NULL);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(enqueue(buffer, &[]), Err(CL_INVALID_OPERATION));
        assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
        assert_eq!(as_u32(info(buffer, CL_COMMAND_BUFFER_STATE_KHR).unwrap()), 1);
        assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_INVALID_OPERATION);
        assert_eq!(record_launch(buffer, add, 100, &[]), Err(CL_INVALID_OPERATION));
        // Replays use the arguments of the recording, and the command buffer retains the objects.
        assert_eq!(set_arg(add, 1, 1000), CL_SUCCESS);
        [add, twice].into_iter().for_each(release_kernel);
        release_program(program);
        release_mem(a);
        for _ in 0..3 {
            let zeros = [0i32; 100];
            let write = transfer::clEnqueueWriteBuffer;
            assert_eq!(write(cl.queue, b, 1, 0, 400, memory(&zeros), 0, In::NULL, Out::NULL), CL_SUCCESS);
            let gate = user_event(&cl);
            let first = enqueue(buffer, &[gate]).unwrap();
            assert!(event_status(first) > CL_COMPLETE);
            // A second time while the first has not begun.
            let second = enqueue(buffer, &[first]).unwrap();
            assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
            assert_eq!(wait(&[second]), CL_SUCCESS);
            assert_eq!(cl.read::<i32>(b, 100), [12; 100]);
            let ask = |event, name| query(|s, v, r| event::clGetEventInfo(event, name, s, v, r)).unwrap();
            assert_eq!(as_u32(ask(first, CL_EVENT_COMMAND_TYPE)), CL_COMMAND_COMMAND_BUFFER_KHR);
            if properties == CL_QUEUE_PROFILING_ENABLE {
                let time = |name| {
                    let ask = |s, v, r| event::clGetEventProfilingInfo(first, name, s, v, r);
                    as_u64(query(ask).unwrap())
                };
                let times = [
                    CL_PROFILING_COMMAND_QUEUED,
                    CL_PROFILING_COMMAND_SUBMIT,
                    CL_PROFILING_COMMAND_START,
                    CL_PROFILING_COMMAND_END,
                ]
                .map(time);
                assert!(times[0] > 0 && times.is_sorted() && times[2] < times[3], "{times:?}");
            }
            for event in [gate, first, second] {
                assert_eq!(event::clReleaseEvent(event), CL_SUCCESS);
            }
        }
        release(buffer);
        assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
        release_mem(b);
    }
}

#[test]
fn a_failed_wait_list_fails_all_of_it() {
    let cl = Cl::new();
    let mem = cl.buffer_of(&[7i32; 4]);
    let kernel = cl.kernel(SOURCE, "twice", "");
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    let buffer = new_buffer(&cl);
    record_launch(buffer, kernel, 4, &[]).unwrap();
    assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
    let gate = user_event(&cl);
    let event = enqueue(buffer, &[gate]).unwrap();
    assert_eq!(event::clSetUserEventStatus(gate, -5), CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(cl.read::<i32>(mem, 4), [7; 4]);
    [gate, event].into_iter().for_each(|e| assert_eq!(event::clReleaseEvent(e), CL_SUCCESS));
    release(buffer);
    release_kernel(kernel);
    release_mem(mem);
}

#[test]
fn arguments_are_checked() {
    let cl = Cl::new();
    let other = Cl::new();
    let create = |count, queues: &[Handle], properties: &[u64]| {
        let properties = if properties.is_empty() { In::NULL } else { list(properties) };
        made(|code| cb::clCreateCommandBufferKHR(count, list(queues), properties, code))
    };
    let flags = u64::from(CL_COMMAND_BUFFER_FLAGS_KHR);
    assert_eq!(create(0, &[cl.queue], &[]), Err(CL_INVALID_VALUE));
    assert_eq!(create(1, &[cl.context], &[]), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(create(1, &[cl.queue], &[flags, 1 << 40, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(1, &[cl.queue], &[flags, 0, flags, 0, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(1, &[cl.queue], &[0x4321, 0, 0]), Err(CL_INVALID_VALUE));
    let no_queues = made(|code| cb::clCreateCommandBufferKHR(1, In::NULL, In::NULL, code));
    assert_eq!(no_queues, Err(CL_INVALID_VALUE));

    let properties = [flags, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0];
    let buffer = create(1, &[cl.queue], &properties).unwrap();
    assert_eq!(as_u32(info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR).unwrap()), 1);
    assert_eq!(as_handle(info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR).unwrap()), cl.queue);
    assert_eq!(as_handle(info(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR).unwrap()), cl.context);
    assert_eq!(as_sizes(info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR).unwrap()).len(), 3);
    assert_eq!(as_u32(info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR).unwrap()), 1);
    assert_eq!(info(buffer, 0x4321), Err(CL_INVALID_VALUE));
    assert_eq!(info(cl.queue, CL_COMMAND_BUFFER_STATE_KHR), Err(CL_INVALID_COMMAND_BUFFER_KHR));

    let kernel = cl.kernel(SOURCE, "twice", "");
    assert_eq!(record_launch(buffer, kernel, 4, &[]), Err(CL_INVALID_KERNEL_ARGS));
    let (mem, foreign) = (cl.buffer(0, 64), other.buffer(0, 64));
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(record_launch(NULL, kernel, 4, &[]), Err(CL_INVALID_COMMAND_BUFFER_KHR));
    assert_eq!(record_launch(buffer, mem, 4, &[]), Err(CL_INVALID_KERNEL));
    assert_eq!(record_launch(buffer, kernel, 4, &[1]), Err(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
    let point = record_launch(buffer, kernel, 4, &[]).unwrap();
    assert!(record_launch(buffer, kernel, 4, &[point]).is_ok());
    let barrier = |queue, properties, points, mutable| {
        cb::clCommandBarrierWithWaitListKHR(buffer, queue, properties, 1, points, Out::NULL, mutable)
    };
    let (points, some) = ([point], [0x77u64, 0, 0]);
    let mut handle = NULL;
    assert_eq!(barrier(cl.context, In::NULL, list(&points), Out::NULL), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(barrier(NULL, list(&some), list(&points), Out::NULL), CL_INVALID_VALUE);
    assert_eq!(barrier(NULL, In::NULL, list(&points), (&mut handle).into()), CL_INVALID_VALUE);
    assert_eq!(barrier(NULL, In::NULL, In::NULL, Out::NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    let copy = |from, to, to_offset| {
        let none = (In::NULL, In::NULL);
        cb::clCommandCopyBufferKHR(
            buffer,
            NULL,
            none.0,
            from,
            to,
            0,
            to_offset,
            32,
            0,
            none.1,
            Out::NULL,
            Out::NULL,
        )
    };
    assert_eq!(copy(mem, foreign, 0), CL_INVALID_CONTEXT);
    assert_eq!(copy(mem, mem, 16), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(mem, mem, 33), CL_INVALID_VALUE);
    assert_eq!(copy(mem, NULL, 0), CL_INVALID_MEM_OBJECT);

    assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
    let on = |queues: &[Handle]| {
        let count = queues.len() as cl_uint;
        cb::clEnqueueCommandBufferKHR(count, list(queues), buffer, 0, In::NULL, Out::NULL)
    };
    assert_eq!(on(&[cl.queue, cl.queue]), CL_INVALID_VALUE);
    assert_eq!(on(&[NULL]), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(on(&[other.queue]), CL_INVALID_CONTEXT);
    assert_eq!(on(&[cl.queue]), CL_SUCCESS);
    cl.finish();
    release(buffer);
    release_kernel(kernel);
    release_mem(mem);
    release_mem(foreign);
}

#[test]
fn another_queue_may_have_other_properties() {
    let all = [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE];
    for (recorded, enqueued) in all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b))) {
        let cl = Cl::with_queue(recorded);
        let other = made(|code| queue::clCreateCommandQueue(cl.context, cl.device, enqueued, code)).unwrap();
        let program = cl.build(SOURCE, "").unwrap();
        let add = kernel_of(program, "add").unwrap();
        let a = cl.buffer_of(&[0i32; 1 << 16]);
        assert_eq!((set_arg(add, 0, a), set_arg(add, 1, 1)), (0, 0));
        let buffer = new_buffer(&cl);
        // Without sync points where the order is that of the recording: if it were lost, additions
        // would be.
        let in_order = recorded & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
        let mut last = Vec::new();
        for _ in 0..50 {
            let point = record_launch(buffer, add, 1 << 16, if in_order { &[] } else { &last }).unwrap();
            last = vec![point];
        }
        assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
        let mut done = NULL;
        let code = cb::clEnqueueCommandBufferKHR(1, list(&[other]), buffer, 0, In::NULL, (&mut done).into());
        assert_eq!((code, wait(&[done])), (CL_SUCCESS, CL_SUCCESS));
        assert_eq!(cl.read::<i32>(a, 1 << 16), [50; 1 << 16]);
        let end = query(|s, v, r| event::clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, s, v, r));
        assert_eq!(end.is_ok(), enqueued & CL_QUEUE_PROFILING_ENABLE != 0);
        assert_eq!(event::clReleaseEvent(done), CL_SUCCESS);
        assert_eq!(queue::clReleaseCommandQueue(other), CL_SUCCESS);
        release(buffer);
        release_kernel(add);
        release_program(program);
        release_mem(a);
    }
}
