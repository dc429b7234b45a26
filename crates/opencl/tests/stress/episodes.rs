//! The episodes of the stress test, which its threads run: each releases the objects it made.

use crate::common::*;
use crate::random::Random;
use std::ffi::{CString, c_void};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

pub type Episode = fn(&Shared, &mut Random);

pub const EPISODES: [(&str, Episode); 12] = [
    ("launch", launch_with_new_objects),
    ("launch on the common queue", launch_on_the_common_queue),
    ("build", build_and_run),
    ("broken build", broken_build),
    ("build in the background", build_in_the_background),
    ("compile and link", compile_and_link),
    ("binary", binary_again),
    ("copies", copies),
    ("events that fail", events_that_fail),
    ("wrong handles", wrong_handles),
    ("too much memory", too_much_memory),
    ("shared virtual memory", shared_virtual_memory),
];

const SOURCE: &str = "
    kernel void mix(global uint *a, uint b) {
        size_t i = get_global_id(0);
        a[i] = a[i] * 7 + b + FACTOR;
    }
    kernel void sums(global const uint *a, global uint *sums, local uint *part) {
        size_t l = get_local_id(0);
        part[l] = a[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            uint sum = 0;
            for (size_t i = 0; i < get_local_size(0); i++) sum += part[i];
            sums[get_group_id(0)] = sum;
        }
    }";

/// What all threads use at once.
pub struct Shared {
    cl: Cl,
    program: Handle,
}

// SAFETY: handles may be used from any thread.
unsafe impl Sync for Shared {}

impl Shared {
    pub fn new() -> Shared {
        let cl = Cl::with_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
        let program = cl.build(SOURCE, "-DFACTOR=3").unwrap();
        Shared { cl, program }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        release_program(self.program);
    }
}

fn release_event(event: Handle) {
    assert_eq!(event::clReleaseEvent(event), CL_SUCCESS);
}

fn a_queue(random: &mut Random) -> Cl {
    Cl::with_queue(if random.one_in(2) { 0 } else { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE })
}

/// Enqueues `mix` and `sums` over `values`, and checks what comes out. Waits go from one to the
/// other by events.
fn run_both(cl: &Cl, program: Handle, factor: u32, random: &mut Random) {
    let local = [1, 4, 16, 64][random.below(4)];
    let groups = 1 + random.below(40);
    let (values, b) = (random.words(groups * local), random.next() as u32);
    let (data, sums) = (cl.buffer_of(&values), cl.buffer(0, groups * 4));
    let (mix, sum) = (kernel_of(program, "mix").unwrap(), kernel_of(program, "sums").unwrap());
    assert_eq!((set_arg(mix, 0, data), set_arg(mix, 1, b)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!((set_arg(sum, 0, data), set_arg(sum, 1, sums)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(kernel::clSetKernelArg(sum, 2, 4 * local, Memory::NULL), CL_SUCCESS);
    let gate = random.one_in(3).then(|| user_event(cl));
    let run = |kernel, waits: &[Handle]| {
        let mut event = NULL;
        let (global, local) = ([groups * local], [local]);
        let waits_in = if waits.is_empty() { In::NULL } else { list(waits) };
        let code = launch::clEnqueueNDRangeKernel(
            cl.queue,
            kernel,
            1,
            In::NULL,
            list(&global),
            list(&local),
            waits.len() as cl_uint,
            waits_in,
            (&mut event).into(),
        );
        assert_eq!(code, CL_SUCCESS);
        event
    };
    let first = run(mix, gate.as_slice());
    let second = run(sum, &[first]);
    // Commands hold on to what they use.
    release_kernel(mix);
    release_kernel(sum);
    if let Some(gate) = gate {
        assert_eq!(queue::clFlush(cl.queue), CL_SUCCESS);
        assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        release_event(gate);
    }
    let mut results = vec![0u32; groups];
    let code = transfer::clEnqueueReadBuffer(
        cl.queue,
        sums,
        1,
        0,
        groups * 4,
        memory_mut(&mut results),
        1,
        list(&[second]),
        Out::NULL,
    );
    assert_eq!(code, CL_SUCCESS);
    let mixed = |v: &u32| v.wrapping_mul(7).wrapping_add(b).wrapping_add(factor);
    let expected = values.chunks(local).map(|part| part.iter().map(mixed).fold(0u32, u32::wrapping_add));
    assert!(results.into_iter().eq(expected), "{groups} groups of {local}");
    release_event(first);
    release_event(second);
    release_mem(data);
    release_mem(sums);
}

fn launch_with_new_objects(shared: &Shared, random: &mut Random) {
    // A queue of its own in the common context.
    let properties = [CL_QUEUE_PROPERTIES.into(), random.below(2) as u64, 0];
    let made_queue = made(|code| {
        queue::clCreateCommandQueueWithProperties(
            shared.cl.context,
            shared.cl.device,
            list(&properties),
            code,
        )
    });
    assert_eq!(context::clRetainContext(shared.cl.context), CL_SUCCESS);
    let cl = Cl { device: shared.cl.device, context: shared.cl.context, queue: made_queue.unwrap() };
    for _ in 0..1 + random.below(5) {
        run_both(&cl, shared.program, 3, random);
    }
}

fn launch_on_the_common_queue(shared: &Shared, random: &mut Random) {
    run_both(&shared.cl, shared.program, 3, random);
}

/// Some programs are new, others come from the cache.
fn factor(random: &mut Random) -> u32 {
    if random.one_in(4) { random.next() as u32 } else { random.below(5) as u32 }
}

fn build_and_run(_: &Shared, random: &mut Random) {
    let (cl, factor) = (a_queue(random), factor(random));
    let program = cl.build(SOURCE, &format!("-DFACTOR={factor}u")).unwrap();
    run_both(&cl, program, factor, random);
    release_program(program);
}

fn broken_build(_: &Shared, random: &mut Random) {
    let cl = a_queue(random);
    let (source, options) = [
        ("kernel void f(global int *a) { a[0] = nothing; }", ""),
        ("kernel void f(global int *a) { return", ""),
        (SOURCE, ""),
        (SOURCE, "-no-such-option"),
    ][random.below(4)];
    let (code, log) = cl.build(source, options).unwrap_err();
    let expected = if options.is_empty() { CL_BUILD_PROGRAM_FAILURE } else { CL_INVALID_BUILD_OPTIONS };
    assert!(code == expected && !log.is_empty(), "{code}: {log}");
}

unsafe extern "C" fn count_build(_: Handle, data: *mut c_void) {
    // SAFETY: a counter that lives until it has counted.
    unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, SeqCst);
}

unsafe extern "C" fn count_event(_: Handle, _: cl_int, data: *mut c_void) {
    // SAFETY: a counter that lives until it has counted.
    unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, SeqCst);
}

fn wait_for(counter: &AtomicUsize, count: usize) {
    let start = Instant::now();
    while counter.load(SeqCst) < count {
        assert!(start.elapsed() < Duration::from_secs(100), "a callback did not come");
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn build_in_the_background(_: &Shared, random: &mut Random) {
    let (cl, factor) = (a_queue(random), factor(random));
    let good = !random.one_in(3);
    let counter = AtomicUsize::new(0);
    let program = cl.source(SOURCE);
    let options = CString::new(if good { format!("-DFACTOR={factor}u") } else { String::new() }).unwrap();
    let data = memory(std::slice::from_ref(&counter));
    let code =
        build::clBuildProgram(program, 0, In::NULL, options.as_c_str().into(), Some(count_build), data);
    assert_eq!(code, CL_SUCCESS);
    // While it is built, there is nothing to run.
    if counter.load(SeqCst) == 0 && kernel_of(program, "mix").is_err() {
        wait_for(&counter, 1);
    }
    wait_for(&counter, 1);
    let status = as_i32(cl.build_info(program, CL_PROGRAM_BUILD_STATUS).unwrap());
    assert_eq!(status, if good { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR });
    if good {
        run_both(&cl, program, factor, random);
    }
    release_program(program);
}

fn compile_and_link(_: &Shared, random: &mut Random) {
    let (cl, factor) = (a_queue(random), factor(random));
    let header = cl.source(&format!("#define FACTOR {factor}u\n"));
    let object = cl.source(&format!("#include \"factor.h\"\n{SOURCE}"));
    let name = CString::new("factor.h").unwrap();
    let compile = |headers: &[Handle]| {
        let names = [In::from(name.as_c_str())];
        let (count, none) = (headers.len() as cl_uint, headers.is_empty());
        let headers = if none { In::NULL } else { list(headers) };
        let names = if none { In::NULL } else { list(&names) };
        build::clCompileProgram(object, 0, In::NULL, In::NULL, count, headers, names, None, Memory::NULL)
    };
    if random.one_in(4) {
        assert_eq!(compile(&[]), CL_COMPILE_PROGRAM_FAILURE);
    }
    assert_eq!(compile(&[header]), CL_SUCCESS);
    let inputs = [object];
    let linked = made(|code| {
        build::clLinkProgram(cl.context, 0, In::NULL, In::NULL, 1, list(&inputs), None, Memory::NULL, code)
    })
    .unwrap();
    release_program(header);
    release_program(object);
    run_both(&cl, linked, factor, random);
    release_program(linked);
}

fn binary_again(shared: &Shared, random: &mut Random) {
    let mut bytes = binary_of(shared.program);
    let broken = random.one_in(2);
    if broken {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    let cl = a_queue(random);
    let (program, status) = from_binary(&cl, &bytes);
    if broken {
        assert_eq!((program, status), (Err(CL_INVALID_BINARY), CL_INVALID_BINARY));
        return;
    }
    let program = program.unwrap();
    let code = build::clBuildProgram(program, 0, In::NULL, In::NULL, None, Memory::NULL);
    assert_eq!((status, code), (CL_SUCCESS, CL_SUCCESS));
    run_both(&cl, program, 3, random);
    release_program(program);
}

/// Fills, copies, maps and parts of buffers.
fn copies(_: &Shared, random: &mut Random) {
    let cl = a_queue(random);
    let words = 64 + 32 * random.below(2000);
    let mut host = random.words(words);
    let expected = host.clone();
    let flags = [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR]
        [random.below(3)];
    let from = made(|code| buffer::clCreateBuffer(cl.context, flags, words * 4, memory_mut(&mut host), code))
        .unwrap();
    let to = cl.buffer(0, words * 4);
    let half = [words / 2 * 4 / 128 * 128, 128];
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    let part = made(|code| buffer::clCreateSubBuffer(to, 0, kind, list(&[half]), code)).unwrap();
    let copy = transfer::clEnqueueCopyBuffer(cl.queue, from, to, 0, 0, words * 4, 0, In::NULL, Out::NULL);
    assert_eq!(copy, CL_SUCCESS);
    assert_eq!(queue::clEnqueueBarrier(cl.queue), CL_SUCCESS);
    let pattern = random.words(2);
    let fill =
        transfer::clEnqueueFillBuffer(cl.queue, part, memory(&pattern), 8, 0, 128, 0, In::NULL, Out::NULL);
    assert_eq!(fill, CL_SUCCESS);
    assert_eq!(queue::clEnqueueBarrier(cl.queue), CL_SUCCESS);
    // The parent is held by its part.
    release_mem(to);
    release_mem(from);
    let at = made(|code| {
        map::clEnqueueMapBuffer(cl.queue, part, 1, CL_MAP_READ, 0, 128, 0, In::NULL, Out::NULL, code)
    })
    .unwrap();
    // SAFETY: so many bytes are mapped.
    let mapped = unsafe { std::slice::from_raw_parts(at.cast::<u32>(), 32) };
    assert_eq!(mapped, pattern.repeat(16));
    let unmap = map::clEnqueueUnmapMemObject(cl.queue, part, pointer(at), 0, In::NULL, Out::NULL);
    assert_eq!(unmap, CL_SUCCESS);
    cl.finish();
    release_mem(part);
    assert_eq!(host, expected);
}

/// When a user event fails, the commands that wait for it fail, and no others.
fn events_that_fail(_: &Shared, random: &mut Random) {
    let cl = a_queue(random);
    let mem = cl.buffer_of(&[7u8; 64]);
    let gate = user_event(&cl);
    let counter = AtomicUsize::new(0);
    let mut events = vec![gate];
    let count = 1 + random.below(20);
    for _ in 0..count {
        let before = [events[random.below(events.len())]];
        let mut event = NULL;
        let code = transfer::clEnqueueFillBuffer(
            cl.queue,
            mem,
            memory(&[1u8]),
            1,
            0,
            64,
            1,
            list(&before),
            (&mut event).into(),
        );
        assert_eq!(code, CL_SUCCESS);
        let data = memory(std::slice::from_ref(&counter));
        assert_eq!(event::clSetEventCallback(event, CL_COMPLETE, Some(count_event), data), CL_SUCCESS);
        events.push(event);
    }
    assert_eq!(queue::clFlush(cl.queue), CL_SUCCESS);
    let fails = random.one_in(2);
    if fails {
        assert_eq!(event::clSetUserEventStatus(gate, -1000), CL_SUCCESS);
        assert_eq!(wait(&events[1..]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert!(events[1..].iter().all(|e| event_status(*e) < 0));
    } else {
        assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        assert_eq!(wait(&events[1..]), CL_SUCCESS);
    }
    let expected = if fails { 7 } else { 1 };
    assert_eq!(cl.read::<u8>(mem, 64), [expected; 64]);
    wait_for(&counter, count);
    events.into_iter().for_each(release_event);
    release_mem(mem);
}

/// Released, null and wrong handles give errors, also while other threads make new objects.
fn wrong_handles(shared: &Shared, random: &mut Random) {
    let cl = a_queue(random);
    let mem = cl.buffer(0, 64);
    let kernel = kernel_of(shared.program, "mix").unwrap();
    release_kernel(kernel);
    assert_eq!(set_arg(NULL, 0, mem), CL_INVALID_KERNEL);
    assert_eq!(cl.run(mem, &[1], None), CL_INVALID_KERNEL);
    assert_eq!(queue::clFinish(mem), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(buffer::clReleaseMemObject(cl.queue), CL_INVALID_MEM_OBJECT);
    assert_eq!(kernel_of(cl.context, "mix"), Err(CL_INVALID_PROGRAM));
    assert_eq!(kernel_of(shared.program, "no such kernel"), Err(CL_INVALID_KERNEL_NAME));
    assert_eq!(event::clReleaseEvent(wild(random)), CL_INVALID_EVENT);
    let other = kernel_of(shared.program, "mix").unwrap();
    // Of another context.
    assert_eq!(set_arg(other, 0, mem), CL_INVALID_CONTEXT);
    assert_eq!(cl.run(other, &[1], None), CL_INVALID_CONTEXT);
    release_kernel(other);
    release_mem(mem);
}

/// An address that is no handle.
fn wild(random: &mut Random) -> Handle {
    (random.next() >> 16 | 1) as usize as Handle
}

/// Allocations that are too large are refused, and other commands go on.
fn too_much_memory(shared: &Shared, random: &mut Random) {
    let cl = a_queue(random);
    let most = as_u64(device_info(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap()) as usize;
    let make = |size| made(|code| buffer::clCreateBuffer(cl.context, 0, size, Memory::NULL, code));
    assert_eq!(make(most + 1), Err(CL_INVALID_BUFFER_SIZE));
    let mut held = Vec::new();
    for _ in 0..random.below(4) {
        match make(most) {
            Ok(mem) => held.push(mem),
            Err(code) => assert_eq!(code, CL_MEM_OBJECT_ALLOCATION_FAILURE),
        }
    }
    held.into_iter().for_each(release_mem);
    let kernel = kernel_of(shared.program, "sums").unwrap();
    let too_much = local_memory(cl.device) + 1;
    assert_eq!(kernel::clSetKernelArg(kernel, 2, too_much, Memory::NULL), CL_SUCCESS);
    for index in [0, 1] {
        assert_eq!(kernel::clSetKernelArg(kernel, index, 8, Memory::NULL), CL_SUCCESS);
    }
    assert_eq!(shared.cl.run(kernel, &[16], Some(&[16])), CL_OUT_OF_RESOURCES);
    assert_eq!(shared.cl.run(kernel, &[1 << 20], Some(&[1 << 20])), CL_INVALID_WORK_ITEM_SIZE);
    release_kernel(kernel);
}

fn local_memory(device: Handle) -> usize {
    as_u64(device_info(device, CL_DEVICE_LOCAL_MEM_SIZE).unwrap()) as usize
}

fn shared_virtual_memory(_: &Shared, random: &mut Random) {
    let cl = a_queue(random);
    let words = 1 + random.below(3000);
    let at = svm::clSVMAlloc(cl.context, CL_MEM_READ_WRITE, words * 4, 0);
    assert!(!at.is_null());
    let (start, b) = (random.words(1)[0], random.next() as u32);
    let fill = svm::clEnqueueSVMMemFill(
        cl.queue,
        pointer(at),
        memory(&[start]),
        4,
        words * 4,
        0,
        In::NULL,
        Out::NULL,
    );
    assert_eq!(fill, CL_SUCCESS);
    assert_eq!(queue::clEnqueueBarrier(cl.queue), CL_SUCCESS);
    let program = cl.build(SOURCE, "-DFACTOR=4").unwrap();
    let kernel = kernel_of(program, "mix").unwrap();
    assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 0, pointer(at)), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 1, b), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[words], None), CL_SUCCESS);
    let mut values = vec![0u32; words];
    assert_eq!(queue::clEnqueueBarrier(cl.queue), CL_SUCCESS);
    let to = memory_mut(&mut values);
    let copy = svm::clEnqueueSVMMemcpy(cl.queue, 1, to, pointer(at), words * 4, 0, In::NULL, Out::NULL);
    assert_eq!(copy, CL_SUCCESS);
    assert!(values.into_iter().all(|v| v == start.wrapping_mul(7).wrapping_add(b).wrapping_add(4)));
    if random.one_in(2) {
        svm::clSVMFree(cl.context, pointer(at));
    } else {
        let pointers = [pointer(at)];
        let free =
            svm::clEnqueueSVMFree(cl.queue, 1, list(&pointers), None, Memory::NULL, 0, In::NULL, Out::NULL);
        assert_eq!(free, CL_SUCCESS);
    }
    release_kernel(kernel);
    release_program(program);
}
