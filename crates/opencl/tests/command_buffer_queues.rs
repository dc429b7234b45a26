//! `cl_khr_command_buffer_multi_device`: command buffers of several queues, and copies of command
//! buffers for other queues.

mod common;

use command_buffer as cb;
use common::*;

const SOURCE: &str = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }
    kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }";

struct Queues {
    cl: Cl,
    list: Vec<Handle>,
}

impl Queues {
    fn new(properties: &[u64]) -> Queues {
        let cl = Cl::new();
        let make =
            |p: &u64| made(|code| queue::clCreateCommandQueue(cl.context, cl.device, *p, code)).unwrap();
        let list = properties.iter().map(make).collect();
        Queues { cl, list }
    }

    /// Queues of the device and of two parts of it; `None` if it has no parts.
    fn of_parts() -> Option<Queues> {
        let (device, properties) = (the_device(), [CL_DEVICE_PARTITION_BY_COUNTS as isize, 1, 1, 0, 0]);
        let mut devices = [device, NULL, NULL];
        let parts = (&mut devices[1..]).into();
        if dev::clCreateSubDevices(device, list(&properties), 2, parts, Out::NULL) != CL_SUCCESS {
            return None;
        }
        let create = context::clCreateContext;
        let context = made(|code| create(In::NULL, 3, list(&devices), None, Memory::NULL, code)).unwrap();
        let make =
            |device: Handle| made(|code| queue::clCreateCommandQueue(context, device, 0, code)).unwrap();
        let queues =
            Queues { list: devices.map(make).to_vec(), cl: Cl { device, context, queue: make(device) } };
        devices[1..].iter().for_each(|part| assert_eq!(dev::clReleaseDevice(*part), CL_SUCCESS));
        Some(queues)
    }

    fn buffer(&self) -> Handle {
        let count = self.list.len() as cl_uint;
        made(|code| cb::clCreateCommandBufferKHR(count, list(&self.list), In::NULL, code)).unwrap()
    }
}

impl Drop for Queues {
    fn drop(&mut self) {
        for queue in &self.list {
            assert_eq!(queue::clReleaseCommandQueue(*queue), CL_SUCCESS);
        }
    }
}

fn info(buffer: Handle, name: cl_uint) -> Vec<u8> {
    query(|size, value, ret| cb::clGetCommandBufferInfoKHR(buffer, name, size, value, ret)).unwrap()
}

fn record(buffer: Handle, queue: Handle, kernel: Handle, points: &[cl_uint]) -> Result<cl_uint, cl_int> {
    let (mut point, global) = (0, [1usize << 14]);
    let waits = if points.is_empty() { In::NULL } else { list(points) };
    let code = cb::clCommandNDRangeKernelKHR(
        buffer,
        queue,
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

fn enqueue(buffer: Handle, queues: &[Handle]) -> Result<Handle, cl_int> {
    let mut event = NULL;
    let on = if queues.is_empty() { In::NULL } else { list(queues) };
    let count = queues.len() as cl_uint;
    let code = cb::clEnqueueCommandBufferKHR(count, on, buffer, 0, In::NULL, (&mut event).into());
    if code == CL_SUCCESS { Ok(event) } else { Err(code) }
}

fn finish(event: Handle) {
    assert_eq!((wait(&[event]), event::clReleaseEvent(event)), (CL_SUCCESS, CL_SUCCESS));
}

#[test]
fn what_platform_and_device_can_do() {
    assert!(has_extension("cl_khr_command_buffer_multi_device"));
    let name = CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR;
    let platform = query(|s, v, r| platform::clGetPlatformInfo(the_platform(), name, s, v, r));
    assert_eq!(platform.map(as_u64), Ok(7));
    let device = the_device();
    let count = device_info(device, CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR).map(as_u32);
    let list = device_info(device, CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR).unwrap();
    assert_eq!((count, as_sizes(list)), (Ok(1), vec![device as usize]));
    let own = as_u64(device_info(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR).unwrap());
    assert_ne!(own & CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR, 0);
}

/// Additions and doublings in turns, on queues in turns: lost order would be another sum.
#[test]
fn commands_of_several_queues_wait_for_each_other() {
    let out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let same = [[0, 0, 0], [0, out_of_order, 0], [out_of_order; 3]].map(|all| Some(Queues::new(&all)));
    for (kind, queues) in same.into_iter().chain([Queues::of_parts()]).flatten().enumerate() {
        let cl = &queues.cl;
        let program = cl.build(SOURCE, "").unwrap();
        let (add, twice) = (kernel_of(program, "add").unwrap(), kernel_of(program, "twice").unwrap());
        let a = cl.buffer_of(&[0i32; 1 << 14]);
        assert_eq!((set_arg(add, 0, a), set_arg(add, 1, 1), set_arg(twice, 0, a)), (0, 0, 0));
        let buffer = queues.buffer();
        assert_eq!(as_u32(info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR)), 3);
        assert_eq!(as_sizes(info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR))[2], queues.list[2] as usize);
        let mut last = Vec::new();
        for i in 0..12 {
            let kernel = if i % 2 == 0 { add } else { twice };
            last = vec![record(buffer, queues.list[i % 3], kernel, &last).unwrap()];
        }
        // A barrier of one queue is one for all.
        let barrier = cb::clCommandBarrierWithWaitListKHR;
        let code = barrier(buffer, queues.list[1], In::NULL, 0, In::NULL, Out::NULL, Out::NULL);
        assert_eq!(code, CL_SUCCESS);
        record(buffer, queues.list[2], add, &[]).unwrap();
        assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
        let expected = (0..6).fold(0, |x, _| (x + 1) * 2) + 1;
        let again = (0..6).fold(expected, |x, _| (x + 1) * 2) + 1;
        let event = enqueue(buffer, &[]).unwrap();
        let ask = |name| query(|s, v, r| event::clGetEventInfo(event, name, s, v, r)).unwrap();
        assert_eq!(as_handle(ask(CL_EVENT_COMMAND_QUEUE)), NULL);
        finish(event);
        assert_eq!(cl.read::<i32>(a, 1 << 14), [expected; 1 << 14]);
        // Other queues of the same device in their place.
        let others = match kind {
            3 => [cl.queue, queues.list[1], queues.list[2]],
            _ => [queues.list[2], cl.queue, queues.list[2]],
        };
        finish(enqueue(buffer, &others).unwrap());
        assert_eq!(cl.read::<i32>(a, 1 << 14), [again; 1 << 14]);
        assert_eq!(enqueue(buffer, &others[..2]), Err(CL_INVALID_VALUE));
        if kind == 3 {
            let swapped = [queues.list[1], queues.list[0], queues.list[2]];
            assert_eq!(enqueue(buffer, &swapped), Err(CL_INCOMPATIBLE_COMMAND_QUEUE_KHR));
            // A copy runs on the other devices.
            let remap = remap::clRemapCommandBufferKHR;
            let copy =
                made(|code| remap(buffer, 0, 3, list(&swapped), 0, In::NULL, Out::NULL, code)).unwrap();
            let before = cl.read::<i32>(a, 1)[0];
            finish(enqueue(copy, &[]).unwrap());
            assert_eq!(cl.read::<i32>(a, 1)[0], (0..6).fold(before, |x, _| (x + 1) * 2) + 1);
            assert_eq!(cb::clReleaseCommandBufferKHR(copy), CL_SUCCESS);
        }
        assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
        [add, twice].into_iter().for_each(release_kernel);
        release_program(program);
        release_mem(a);
    }
}

#[test]
fn queues_of_commands_are_checked() {
    let (queues, other) = (Queues::new(&[0, 0]), Cl::new());
    let cl = &queues.cl;
    let kernel = cl.kernel(SOURCE, "twice", "");
    let mem = cl.buffer(0, 4 << 14);
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    let create =
        |queues: &[Handle]| made(|code| cb::clCreateCommandBufferKHR(2, list(queues), In::NULL, code));
    assert_eq!(create(&[cl.queue, other.queue]), Err(CL_INVALID_CONTEXT));
    assert_eq!(create(&[cl.queue, NULL]), Err(CL_INVALID_COMMAND_QUEUE));
    let none = made(|code| cb::clCreateCommandBufferKHR(0, list(&queues.list), In::NULL, code));
    assert_eq!(none, Err(CL_INVALID_VALUE));
    let buffer = queues.buffer();
    assert_eq!(record(buffer, NULL, kernel, &[]), Err(CL_INVALID_COMMAND_QUEUE), "which of the two?");
    assert_eq!(record(buffer, cl.queue, kernel, &[]), Err(CL_INVALID_COMMAND_QUEUE), "neither of them");
    assert_eq!(record(buffer, mem, kernel, &[]), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(record(buffer, other.queue, kernel, &[]), Err(CL_INVALID_CONTEXT));
    assert!(record(buffer, queues.list[1], kernel, &[]).is_ok());
    assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
    // The only queue may be named.
    let one = made(|code| cb::clCreateCommandBufferKHR(1, list(&[cl.queue]), In::NULL, code)).unwrap();
    assert!(record(one, NULL, kernel, &[]).is_ok() && record(one, cl.queue, kernel, &[]).is_ok());
    assert_eq!(cb::clReleaseCommandBufferKHR(one), CL_SUCCESS);
    release_kernel(kernel);
    release_mem(mem);
}

#[test]
fn command_buffers_are_copied_for_other_queues() {
    let (queues, other) = (Queues::new(&[CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE; 2]), Cl::new());
    let cl = &queues.cl;
    let program = cl.build(SOURCE, "").unwrap();
    let (add, twice) = (kernel_of(program, "add").unwrap(), kernel_of(program, "twice").unwrap());
    let a = cl.buffer_of(&[0i32; 1 << 14]);
    assert_eq!((set_arg(add, 0, a), set_arg(add, 1, 1), set_arg(twice, 0, a)), (0, 0, 0));
    let flags = [CL_COMMAND_BUFFER_FLAGS_KHR.into(), CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let buffer =
        made(|code| cb::clCreateCommandBufferKHR(2, list(&queues.list), list(&flags), code)).unwrap();
    let mut command = NULL;
    let global = [1usize << 14];
    let (mut point, at) = (0u32, queues.list[0]);
    let code = cb::clCommandNDRangeKernelKHR(
        buffer,
        at,
        In::NULL,
        add,
        1,
        In::NULL,
        list(&global),
        In::NULL,
        0,
        In::NULL,
        (&mut point).into(),
        (&mut command).into(),
    );
    assert_eq!(code, CL_SUCCESS);
    for i in 1..10 {
        point = record(buffer, queues.list[i % 2], if i % 2 == 0 { add } else { twice }, &[point]).unwrap();
    }
    let mut copied = NULL;
    let mut remap = |automatic, on: &[Handle], handles: &[Handle], places: bool| {
        let given = if handles.is_empty() { In::NULL } else { list(handles) };
        let places = if places { (&mut copied).into() } else { Out::NULL };
        let (count, handle_count) = (on.len() as cl_uint, handles.len() as cl_uint);
        let queues = if on.is_empty() { In::NULL } else { list(on) };
        let remap = remap::clRemapCommandBufferKHR;
        made(|code| remap(buffer, automatic, count, queues, handle_count, given, places, code))
    };
    assert_eq!(remap(1, &[], &[], false), Err(CL_INVALID_VALUE));
    assert_eq!(remap(0, &[cl.queue], &[], false), Err(CL_INVALID_VALUE), "two are needed");
    assert_eq!(remap(1, &[cl.queue], &[command], false), Err(CL_INVALID_VALUE));
    assert_eq!(remap(1, &[cl.queue], &[], true), Err(CL_INVALID_VALUE));
    assert_eq!(remap(1, &[cl.queue], &[buffer], true), Err(CL_INVALID_VALUE));
    assert_eq!(remap(1, &[NULL], &[], false), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(remap(1, &[other.queue], &[], false), Err(CL_INVALID_CONTEXT));

    // One that is being recorded can be recorded further.
    let one = remap(1, &[cl.queue], &[command], true).unwrap();
    assert_eq!(as_u32(info(one, CL_COMMAND_BUFFER_STATE_KHR)), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert!(record(one, NULL, add, &[]).is_ok());
    let two = remap(0, &[queues.list[1], cl.queue], &[], false).unwrap();
    let ask = |name| query(|s, v, r| mutable_command::clGetMutableCommandInfoKHR(copied, name, s, v, r));
    assert_eq!(ask(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR).map(as_handle), Ok(one));
    assert_eq!(ask(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR).map(as_handle), Ok(cl.queue));
    let mut value = (0..5).fold(0, |x, _| (x + 1) * 2);
    for (buffer, more) in [(buffer, 0), (one, 1), (two, 0)] {
        assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
        finish(enqueue(buffer, &[]).unwrap());
        value += more;
        assert_eq!(cl.read::<i32>(a, 1 << 14), [value; 1 << 14]);
        value = (0..5).fold(value, |x, _| (x + 1) * 2);
    }
    // A copy is as its original was, and changes of one are none of the other.
    let third = made(|code| {
        remap::clRemapCommandBufferKHR(one, 1, 2, list(&queues.list), 0, In::NULL, Out::NULL, code)
    })
    .unwrap();
    assert_eq!(as_u32(info(third, CL_COMMAND_BUFFER_STATE_KHR)), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    assert_eq!(cb::clReleaseCommandBufferKHR(one), CL_SUCCESS);
    finish(enqueue(third, &[]).unwrap());
    for buffer in [buffer, two, third] {
        assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
    }
    [add, twice].into_iter().for_each(release_kernel);
    release_program(program);
    release_mem(a);
}
