//! Checked mode through the API: memory that only it can make, free or forbid, launches of several
//! queues, and the ways by which a program is told. Each test runs its commands in a process of its
//! own, since a process asks the environment once: as they are and with the mistake mended.

mod common;
#[path = "../../cli/tests/common/findings.rs"]
mod findings;

use common::*;
use findings::{Expectation, Json, Places};
use std::ffi::{CStr, c_char, c_void};
use std::process::{Command, Output};
use std::sync::Mutex;

const CHILD: &str = "LANEWISE_TEST_CHILD";

/// Runs one test again in a process of its own.
fn child(test: &str, part: &str, variables: &[(&str, &str)]) -> (Output, Vec<Json>) {
    let file = std::env::temp_dir().join(format!("lanewise-checked-{}-{test}-{part}", std::process::id()));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(CHILD, part).env("LANEWISE_CHECK_JSON", &file);
    let output = command.env_remove("LANEWISE_CHECK").envs(variables.iter().copied()).output().unwrap();
    let found = findings::read(&file).unwrap();
    let _ = std::fs::remove_file(file);
    (output, found)
}

/// Calls `body` with whether the mistake is mended, each in a process that checks, and compares
/// what is found. The kernel is `f`, in which the markers of `Places` stand.
fn check(test: &str, source: &str, expected: &[&str], body: fn(bool)) {
    match std::env::var(CHILD) {
        Ok(part) => body(part == "mended"),
        Err(_) => {
            for (part, expected) in [("faulty", expected), ("mended", &[])] {
                let (output, found) = child(test, part, &[("LANEWISE_CHECK", "1")]);
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{part}: {}\n{text}", output.status);
                compare(source, expected, &found, &format!("{part}\n{text}"));
            }
        }
    }
}

fn compare(source: &str, expected: &[&str], found: &[Json], text: &str) {
    let places = Places::of(source);
    let expected: Vec<_> = expected.iter().map(|text| Expectation::new(text)).collect();
    for finding in found {
        let matched: Vec<_> = expected.iter().map(|e| e.matches("f", &places, finding)).collect();
        assert!(matched.iter().any(Result::is_ok), "{finding:?}: {matched:?}\n{text}");
    }
    for expected in &expected {
        let is_found = found.iter().any(|finding| expected.matches("f", &places, finding).is_ok());
        assert!(is_found, "{} is not in {found:?}\n{text}", expected.text);
    }
}

/// Launches `f` with arguments that are handles or values of eight bytes.
fn run(cl: &Cl, source: &str, arguments: &[Handle], global: &[usize], local: &[usize]) {
    let kernel = cl.kernel(source, "f", "-cl-std=CL3.0");
    for (i, argument) in (0..).zip(arguments) {
        assert_eq!(set_arg(kernel, i, *argument), CL_SUCCESS, "argument {i}");
    }
    assert_eq!(cl.run(kernel, global, Some(local)), CL_SUCCESS);
    cl.finish();
    release_kernel(kernel);
}

const COPY: &str = "kernel void f(global int *out, global int *in) {
    int i = get_global_id(0);
    out[i] = in[i]; // HERE
}";

#[test]
fn a_sub_buffer_ends_before_its_buffer() {
    check(
        "a_sub_buffer_ends_before_its_buffer",
        COPY,
        &["out-of-bounds write argument=0 offset=128 size=4 global_id=32,0,0 count=1"],
        |mended| {
            let cl = Cl::new();
            let (whole, from) = (cl.buffer_of(&[7i32; 128]), cl.buffer_of(&[1i32; 64]));
            let kind = CL_BUFFER_CREATE_TYPE_REGION;
            let region = [[128usize, 128]];
            let part = made(|code| buffer::clCreateSubBuffer(whole, 0, kind, list(&region), code)).unwrap();
            let count = if mended { 32 } else { 33 };
            run(&cl, COPY, &[part, from], &[count], &[count]);
            // The write beyond the sub-buffer is dropped, though the buffer goes on there.
            let values = cl.read::<i32>(whole, 128);
            assert!(values.iter().enumerate().all(|(i, v)| *v == if (32..64).contains(&i) { 1 } else { 7 }));
        },
    );
}

#[test]
fn a_sub_buffer_begins_after_its_buffer() {
    const SOURCE: &str = "kernel void f(global int *out, global int *in) {
        int i = get_global_id(0);
        out[i] = in[i - 1]; // HERE
    }";
    check(
        "a_sub_buffer_begins_after_its_buffer",
        SOURCE,
        &["out-of-bounds read argument=1 offset=-4 size=4 global_id=0,0,0 count=1"],
        |mended| {
            let cl = Cl::new();
            let (out, whole) = (cl.buffer_of(&[5i32; 64]), cl.buffer_of(&[1i32; 128]));
            let kind = CL_BUFFER_CREATE_TYPE_REGION;
            let region = [[128usize, 128]];
            let part = made(|code| buffer::clCreateSubBuffer(whole, 0, kind, list(&region), code)).unwrap();
            let kernel = cl.kernel(SOURCE, "f", "-cl-std=CL3.0");
            assert_eq!([set_arg(kernel, 0, out), set_arg(kernel, 1, part)], [CL_SUCCESS; 2]);
            // With an offset of one, the first work-item reads the first element.
            let offset = [usize::from(mended)];
            assert_eq!(cl.run_at(kernel, &offset, &[16], Some(&[16])), CL_SUCCESS);
            cl.finish();
            // A bad read gives 0.
            assert_eq!(cl.read::<i32>(out, 1), [if mended { 5 } else { 0 }]);
        },
    );
}

const FILL: &str = "kernel void f(global int *out) {
    int i = get_global_id(0);
    out[i] = i; // HERE
}";

/// Launches a kernel over memory that a pointer names.
fn run_on_pointer(cl: &Cl, source: &str, memory: Memory, count: usize) {
    let kernel = cl.kernel(source, "f", "-cl-std=CL3.0");
    assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 0, memory), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[count], Some(&[count])), CL_SUCCESS);
    cl.finish();
    release_kernel(kernel);
}

#[test]
fn bounds_of_shared_virtual_memory() {
    check(
        "bounds_of_shared_virtual_memory",
        FILL,
        &["out-of-bounds write argument=0 offset=256 size=4 global_id=64,0,0 count=1"],
        |mended| {
            let cl = Cl::new();
            let at = pointer(svm::clSVMAlloc(cl.context, 0, 256, 0));
            run_on_pointer(&cl, FILL, at, if mended { 64 } else { 65 });
            svm::clSVMFree(cl.context, at);
        },
    );
}

fn device_memory(cl: &Cl, size: usize) -> Memory {
    pointer(made(|code| usm::clDeviceMemAllocINTEL(cl.context, cl.device, In::NULL, size, 0, code)).unwrap())
}

#[test]
fn bounds_of_unified_shared_memory() {
    check(
        "bounds_of_unified_shared_memory",
        FILL,
        &["out-of-bounds write argument=0 size=4 global_id=64,0,0"],
        |mended| {
            let cl = Cl::new();
            let host = |c| usm::clHostMemAllocINTEL(cl.context, In::NULL, 256, 0, c);
            let shared = |c| usm::clSharedMemAllocINTEL(cl.context, cl.device, In::NULL, 256, 0, c);
            let all = [device_memory(&cl, 256), pointer(made(host).unwrap()), pointer(made(shared).unwrap())];
            let kernel = cl.kernel(FILL, "f", "");
            for memory in all {
                assert_eq!(usm::clSetKernelArgMemPointerINTEL(kernel, 0, memory), CL_SUCCESS);
                let count = if mended { 64 } else { 65 };
                assert_eq!(cl.run(kernel, &[count], Some(&[count])), CL_SUCCESS);
                cl.finish();
                assert_eq!(usm::clMemFreeINTEL(cl.context, memory), CL_SUCCESS);
            }
        },
    );
}

/// A pointer to the middle of an allocation, which is behind a pointer in memory.
const LIST: &str = "
    typedef struct Node { global struct Node *next; int value; } Node;
    kernel void f(global Node *head) {
        int sum = 0;
        for (global Node *n = head; n; n = n->next) // HERE
            sum += n->value; // HERE
        head->value = sum;
    }";

#[test]
fn freed_memory_behind_a_pointer() {
    check("freed_memory_behind_a_pointer", LIST, &["freed read global_id=0,0,0 count=1"], |mended| {
        let cl = Cl::new();
        let shared = |c| usm::clSharedMemAllocINTEL(cl.context, cl.device, In::NULL, 64, 0, c);
        let [head, next] = [(); 2].map(|()| pointer(made(shared).unwrap()));
        let fill = |memory: Memory, next: *mut c_void| {
            let node = [next as u64, 5];
            let code = usm::clEnqueueMemcpyINTEL(
                cl.queue,
                1,
                memory,
                common::memory(&node),
                16,
                0,
                In::NULL,
                Out::NULL,
            );
            assert_eq!(code, CL_SUCCESS);
        };
        fill(next, std::ptr::null_mut());
        fill(head, next.raw());
        if !mended {
            assert_eq!(usm::clMemFreeINTEL(cl.context, next), CL_SUCCESS);
        }
        run_on_pointer(&cl, LIST, head, 1);
    });
}

#[test]
fn freed_shared_virtual_memory() {
    const SOURCE: &str = "kernel void f(global int *out) {
        int i = get_global_id(0);
        if (i == 3) out[i] = i; // HERE
    }";
    check(
        "freed_shared_virtual_memory",
        SOURCE,
        &["freed write size=4 offset=12 global_id=3,0,0 count=1"],
        |mended| {
            let cl = Cl::new();
            let at = pointer(svm::clSVMAlloc(cl.context, 0, 256, 0));
            let kernel = cl.kernel(SOURCE, "f", "");
            assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 0, at), CL_SUCCESS);
            if !mended {
                svm::clSVMFree(cl.context, at);
            }
            assert_eq!(cl.run(kernel, &[16], Some(&[16])), CL_SUCCESS);
            cl.finish();
        },
    );
}

#[test]
fn a_buffer_that_was_released() {
    const SOURCE: &str = "
        kernel void keep(global ulong *to, global int *a) { *to = (ulong)(a + 2); }
        kernel void f(global ulong *from, global int *out) {
            int i = get_global_id(0);
            if (i == 1) *out = *(global int *)*from; // HERE
        }";
    check("a_buffer_that_was_released", SOURCE, &["freed read size=4 global_id=1,0,0 count=1"], |mended| {
        let cl = Cl::new();
        let (keeps, kept, out) = (cl.buffer_of(&[0u64]), cl.buffer_of(&[9i32; 1024]), cl.buffer_of(&[1i32]));
        let keep = cl.kernel(SOURCE, "keep", "");
        assert_eq!([set_arg(keep, 0, keeps), set_arg(keep, 1, kept)], [CL_SUCCESS; 2]);
        assert_eq!(cl.run(keep, &[1], None), CL_SUCCESS);
        cl.finish();
        release_kernel(keep);
        if !mended {
            release_mem(kept);
        }
        run(&cl, SOURCE, &[keeps, out], &[4], &[4]);
        assert_eq!(cl.read::<i32>(out, 1), [if mended { 9 } else { 0 }]);
    });
}

#[test]
fn a_buffer_that_kernels_may_only_read() {
    check(
        "a_buffer_that_kernels_may_only_read",
        FILL,
        &["read-only write argument=0 offset=0 size=4 global_id=0,0,0 count=1"],
        |mended| {
            let cl = Cl::new();
            let flags = if mended { CL_MEM_READ_WRITE } else { CL_MEM_READ_ONLY };
            run(&cl, FILL, &[cl.buffer(flags, 4)], &[1], &[1]);
        },
    );
}

#[test]
fn a_buffer_that_kernels_may_only_write() {
    check(
        "a_buffer_that_kernels_may_only_write",
        COPY,
        &["write-only read argument=1 size=4 count=16"],
        |mended| {
            let cl = Cl::new();
            let flags = if mended { CL_MEM_READ_WRITE } else { CL_MEM_WRITE_ONLY };
            let (flags, values) = (flags | CL_MEM_COPY_HOST_PTR, [1i32; 16]);
            let from = made(|c| buffer::clCreateBuffer(cl.context, flags, 64, memory(&values), c)).unwrap();
            run(&cl, COPY, &[cl.buffer(0, 64), from], &[16], &[8]);
        },
    );
}

#[test]
fn a_buffer_that_nobody_wrote() {
    check("a_buffer_that_nobody_wrote", COPY, &["uninitialized global_id=9,0,0 count=1"], |mended| {
        let cl = Cl::new();
        let from = cl.buffer(0, 64);
        // All but the tenth element, in all the ways there are.
        let write = |at: usize, count: usize| {
            let values = [3i32; 16];
            let (at, size, from_host) = (4 * at, 4 * count, memory(&values));
            let code = transfer::clEnqueueWriteBuffer(
                cl.queue,
                from,
                1,
                at,
                size,
                from_host,
                0,
                In::NULL,
                Out::NULL,
            );
            assert_eq!(code, CL_SUCCESS);
        };
        write(0, 3);
        let pattern = [5i32];
        let fill = |at: usize, size: usize| {
            let pattern = memory(&pattern);
            transfer::clEnqueueFillBuffer(cl.queue, from, pattern, 4, 4 * at, size, 0, In::NULL, Out::NULL)
        };
        assert_eq!(fill(3, 12), CL_SUCCESS);
        let other = cl.buffer_of(&[1i32; 16]);
        let code = transfer::clEnqueueCopyBuffer(cl.queue, other, from, 0, 24, 12, 0, In::NULL, Out::NULL);
        assert_eq!(code, CL_SUCCESS);
        let writer = "kernel void f(global int *a) { a[10 + get_global_id(0)] = 7; }";
        run(&cl, writer, &[from], &[6], &[6]);
        if mended {
            write(9, 1);
        }
        run(&cl, COPY, &[cl.buffer(0, 64), from], &[16], &[8]);
    });
}

#[test]
fn a_copy_of_what_nobody_wrote() {
    check("a_copy_of_what_nobody_wrote", COPY, &["uninitialized global_id=8,0,0 count=8"], |mended| {
        let cl = Cl::new();
        let (from, to) = (cl.buffer(0, 64), cl.buffer(0, 64));
        let half = [0i32; 8];
        let (queue, none) = (cl.queue, In::NULL);
        let write =
            |at| transfer::clEnqueueWriteBuffer(queue, from, 1, at, 32, memory(&half), 0, none, Out::NULL);
        assert_eq!(write(0), CL_SUCCESS);
        if mended {
            assert_eq!(write(32), CL_SUCCESS);
        }
        assert_eq!(transfer::clEnqueueCopyBuffer(queue, from, to, 0, 0, 64, 0, none, Out::NULL), CL_SUCCESS);
        run(&cl, COPY, &[cl.buffer(0, 64), to], &[16], &[8]);
    });
}

#[test]
fn a_buffer_that_was_mapped_is_written() {
    check("a_buffer_that_was_mapped_is_written", COPY, &["uninitialized count=16"], |mended| {
        let cl = Cl::new();
        let from = cl.buffer(0, 64);
        if mended {
            let map = |code| {
                map::clEnqueueMapBuffer(cl.queue, from, 1, CL_MAP_WRITE, 0, 64, 0, In::NULL, Out::NULL, code)
            };
            let at = pointer(made(map).unwrap());
            let code = map::clEnqueueUnmapMemObject(cl.queue, from, at, 0, In::NULL, Out::NULL);
            assert_eq!(code, CL_SUCCESS);
        }
        run(&cl, COPY, &[cl.buffer(0, 64), from], &[16], &[8]);
    });
}

#[test]
fn one_buffer_for_two_arguments() {
    const SOURCE: &str = "kernel void f(global int *out, global int *in) {
        int i = get_global_id(0);
        out[i] = in[15 - i]; // HERE
    }";
    check("one_buffer_for_two_arguments", SOURCE, &["race size=4"], |mended| {
        let cl = Cl::new();
        let (out, from) = (cl.buffer_of(&[1i32; 16]), cl.buffer_of(&[2i32; 16]));
        run(&cl, SOURCE, &[if mended { out } else { from }, from], &[16], &[4]);
    });
}

fn image(cl: &Cl, flags: u64, width: usize, height: usize) -> Handle {
    let format = [ClImageFormat { order: CL_RGBA, data_type: CL_FLOAT }];
    let desc = [ClImageDesc {
        kind: CL_MEM_OBJECT_IMAGE2D,
        width,
        height,
        depth: 1,
        array_size: 1,
        row_pitch: 0,
        slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: NULL,
    }];
    let zeros = vec![0f32; 4 * width * height];
    let (flags, zeros) = (flags | CL_MEM_COPY_HOST_PTR, memory(&zeros));
    made(|code| image::clCreateImage(cl.context, flags, list(&format), list(&desc), zeros, code)).unwrap()
}

#[test]
fn a_write_beside_an_image() {
    const SOURCE: &str = "kernel void f(write_only image2d_t to) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(to, at, (float4)(1)); // HERE
    }";
    check(
        "a_write_beside_an_image",
        SOURCE,
        &["out-of-bounds write argument=0 global_id=8,0,0|8,1,0|8,2,0|8,3,0 count=4"],
        |mended| {
            let cl = Cl::new();
            run(&cl, SOURCE, &[image(&cl, 0, 8, 4)], &[if mended { 8 } else { 9 }, 4], &[1, 4]);
        },
    );
}

#[test]
fn a_read_beside_an_image() {
    const SOURCE: &str = "kernel void f(read_only image2d_t from, global float *out) {
        int2 at = (int2)(get_global_id(0), 3);
        out[at.x] = read_imagef(from, at).x; // HERE
    }";
    check(
        "a_read_beside_an_image",
        SOURCE,
        &["out-of-bounds read argument=0 global_id=8,0,0 count=1"],
        |mended| {
            let cl = Cl::new();
            let out = cl.buffer(0, 64);
            run(&cl, SOURCE, &[image(&cl, 0, 8, 4), out], &[if mended { 8 } else { 9 }], &[1]);
        },
    );
}

/// Samplers say what is beside an image; only `CLK_ADDRESS_NONE` says that nobody looks there.
#[test]
fn a_sampler_beside_an_image() {
    const SOURCE: &str = "kernel void f(read_only image2d_t from, global float *out, ulong n) {
        const sampler_t clamp = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
        const sampler_t none = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
        int x = get_global_id(0);
        float sum = read_imagef(from, clamp, (int2)(x + 5, -1)).x;
        sum += read_imagef(from, edge, (float2)(-3, 9)).x;
        sum += read_imagef(from, none, (int2)(x + n, 0)).x; // HERE
        out[x] = sum;
    }";
    check(
        "a_sampler_beside_an_image",
        SOURCE,
        &["out-of-bounds read argument=0 global_id=7,0,0 count=1"],
        |mended| {
            let cl = Cl::new();
            let n = usize::from(!mended) as Handle;
            run(&cl, SOURCE, &[image(&cl, 0, 8, 4), cl.buffer(0, 64), n], &[8], &[8]);
        },
    );
}

#[test]
fn launches_of_one_queue_are_in_order() {
    check("launches_of_one_queue_are_in_order", FILL, &[], |_| {
        let cl = Cl::new();
        let kernel = cl.kernel(FILL, "f", "");
        assert_eq!(set_arg(kernel, 0, cl.buffer(0, 64)), CL_SUCCESS);
        for _ in 0..3 {
            assert_eq!(cl.run(kernel, &[16], Some(&[4])), CL_SUCCESS);
        }
        cl.finish();
    });
}

/// Two kernels of which the second is later in the source.
const PAIR: &str = "kernel void g(global int *a, int from) {
        a[get_global_id(0) + from] = 1; // OTHER
    }
    kernel void f(global int *a, int from) {
        a[get_global_id(0) + from] += 2; // HERE
    }";

/// Enqueues a kernel over sixteen elements.
fn enqueue(queue: Handle, kernel: Handle, buffer: Handle, from: i32, waits: &[Handle]) -> Handle {
    assert_eq!([set_arg(kernel, 0, buffer), set_arg(kernel, 1, from)], [CL_SUCCESS; 2]);
    let (sizes, mut event) = ([16usize], std::ptr::null_mut() as Handle);
    let code = launch::clEnqueueNDRangeKernel(
        queue,
        kernel,
        1,
        In::NULL,
        list(&sizes),
        list(&[4usize]),
        waits.len() as cl_uint,
        if waits.is_empty() { In::NULL } else { list(waits) },
        (&mut event).into(),
    );
    assert_eq!(code, CL_SUCCESS);
    event
}

fn second_queue(cl: &Cl) -> Handle {
    let none = [0u64];
    let make = |c| queue::clCreateCommandQueueWithProperties(cl.context, cl.device, list(&none), c);
    made(make).unwrap()
}

/// The read and the write of `+=`, both with the write of the other launch.
const BOTH: &str =
    "race write argument=0 offset=0 size=4 global_id=0,0,0 other_kernel=g other_global_id=0,0,0 count=16";

#[test]
fn launches_of_two_queues() {
    check("launches_of_two_queues", PAIR, &[BOTH], |mended| {
        let cl = Cl::new();
        let (other, a) = (second_queue(&cl), cl.buffer_of(&[0i32; 32]));
        let [f, g] = ["f", "g"].map(|name| cl.kernel(PAIR, name, "-cl-std=CL3.0"));
        let first = enqueue(other, g, a, 0, &[]);
        queue::clFlush(other);
        enqueue(cl.queue, f, a, 0, if mended { std::slice::from_ref(&first) } else { &[] });
        // Neither of them touches the other half.
        enqueue(cl.queue, g, a, 16, &[]);
        cl.finish();
        queue::clFinish(other);
        // The program has waited.
        enqueue(other, f, a, 0, &[]);
        wait(&[enqueue(other, f, a, 16, &[])]);
        enqueue(cl.queue, g, a, 0, &[]);
        cl.finish();
        queue::clReleaseCommandQueue(other);
    });
}

/// The second one starts after the program has waited for the first, but was enqueued before.
#[test]
fn launches_of_two_queues_that_are_finished_in_turn() {
    check("launches_of_two_queues_that_are_finished_in_turn", PAIR, &[BOTH], |mended| {
        let cl = Cl::new();
        let (other, a) = (second_queue(&cl), cl.buffer_of(&[0i32; 32]));
        let [f, g] = ["f", "g"].map(|name| cl.kernel(PAIR, name, "-cl-std=CL3.0"));
        enqueue(cl.queue, g, a, 0, &[]);
        if mended {
            cl.finish();
        }
        enqueue(other, f, a, 0, &[]);
        cl.finish();
        queue::clFinish(other);
        queue::clReleaseCommandQueue(other);
    });
}

/// One only writes the image, and the other only reads it.
#[test]
fn pixels_of_two_queues() {
    const SOURCE: &str = "kernel void g(write_only image2d_t to, global float *out) {
        write_imagef(to, (int2)(get_global_id(0), 1), (float4)(1)); // OTHER
    }
    kernel void f(read_only image2d_t from, global float *out) {
        int x = get_global_id(0);
        out[x] = read_imagef(from, (int2)(x, 1)).x; // HERE
    }";
    let expected = "race read argument=0 global_id=0,0,0 other_kernel=g other_global_id=0,0,0 count=8";
    check("pixels_of_two_queues", SOURCE, &[expected], |mended| {
        let cl = Cl::new();
        let (other, image, out) = (second_queue(&cl), image(&cl, 0, 8, 4), cl.buffer(0, 64));
        for (name, queue) in [("g", cl.queue), ("f", other)] {
            let kernel = cl.kernel(SOURCE, name, "-cl-std=CL3.0");
            assert_eq!([set_arg(kernel, 0, image), set_arg(kernel, 1, out)], [CL_SUCCESS; 2]);
            let (sizes, none) = ([8usize], In::NULL);
            let (events, event) = (In::NULL, Out::NULL);
            launch::clEnqueueNDRangeKernel(queue, kernel, 1, none, list(&sizes), none, 0, events, event);
            if mended {
                queue::clFinish(queue);
            }
        }
        cl.finish();
        queue::clFinish(other);
        queue::clReleaseCommandQueue(other);
    });
}

#[test]
fn launches_of_an_out_of_order_queue() {
    check("launches_of_an_out_of_order_queue", PAIR, &[BOTH], |mended| {
        let cl = Cl::with_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let a = cl.buffer_of(&[0i32; 32]);
        let [f, g] = ["f", "g"].map(|name| cl.kernel(PAIR, name, "-cl-std=CL3.0"));
        let before = enqueue(cl.queue, g, a, 16, &[]);
        let first = enqueue(cl.queue, g, a, 0, &[before]);
        if mended {
            queue::clEnqueueBarrier(cl.queue);
        }
        let second = enqueue(cl.queue, f, a, 0, &[before]);
        // Orders by way of another, and by an event of the program's.
        let last = enqueue(cl.queue, f, a, 0, &[first, second]);
        let own = user_event(&cl);
        enqueue(cl.queue, f, a, 0, &[own]);
        wait(&[last]);
        assert_eq!(event::clSetUserEventStatus(own, CL_COMPLETE), CL_SUCCESS);
        cl.finish();
    });
}

#[test]
fn atomics_of_two_queues() {
    const SOURCE: &str = "kernel void g(global int *a, int from) { // OTHER
        a[0] = get_global_id(0) + 1; } // OTHER
    kernel void f(global int *a, int from) {
        atomic_add(a, from); // HERE
    }";
    let expected = "race atomic argument=0 offset=0 size=4 other_kernel=g";
    check("atomics_of_two_queues", SOURCE, &[expected], |mended| {
        let cl = Cl::new();
        let (other, a) = (second_queue(&cl), cl.buffer_of(&[0i32; 32]));
        let [f, g] = ["f", "g"].map(|name| cl.kernel(SOURCE, name, "-cl-std=CL3.0"));
        let one = [1usize];
        assert_eq!([set_arg(g, 0, a), set_arg(g, 1, a)], [CL_SUCCESS, CL_INVALID_ARG_SIZE]);
        assert_eq!(set_arg(g, 1, 0), CL_SUCCESS);
        let (sizes, none) = (list(&one), In::NULL);
        launch::clEnqueueNDRangeKernel(other, g, 1, none, sizes, none, 0, In::NULL, Out::NULL);
        if mended {
            queue::clFinish(other);
        }
        enqueue(cl.queue, f, a, 0, &[]);
        enqueue(other, f, a, 0, &[]);
        cl.finish();
        queue::clFinish(other);
        queue::clReleaseCommandQueue(other);
    });
}

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn told(message: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: the driver gives a text.
    let text = unsafe { CStr::from_ptr(message) };
    TOLD.lock().unwrap().push(text.to_str().unwrap().to_owned());
}

/// The notify function of the context gets the report.
#[test]
fn the_context_is_told() {
    check("the_context_is_told", FILL, &["out-of-bounds write argument=0 offset=64"], |mended| {
        let (device, devices) = (the_device(), [the_device()]);
        let make = |c| context::clCreateContext(In::NULL, 1, list(&devices), Some(told), Memory::NULL, c);
        let context = made(make).unwrap();
        let none = [0u64];
        let make = |c| queue::clCreateCommandQueueWithProperties(context, device, list(&none), c);
        let cl = Cl { device, context, queue: made(make).unwrap() };
        run(&cl, FILL, &[cl.buffer(0, 64)], &[if mended { 16 } else { 17 }], &[1]);
        drop(cl);
        let told = TOLD.lock().unwrap();
        let about = told.iter().filter(|text| text.contains("argument 0")).collect::<Vec<_>>();
        assert_eq!(about.len(), usize::from(!mended), "{told:?}");
        assert!(about.iter().all(|text| text.contains("`out`") && text.contains("3:")), "{told:?}");
    });
}

fn write_beyond() {
    let cl = Cl::new();
    let count = if std::env::var(CHILD).is_ok_and(|part| part == "mended") { 16 } else { 17 };
    run(&cl, FILL, &[cl.buffer(0, 64)], &[count], &[1]);
}

#[test]
fn the_report_says_where_a_buffer_was_made() {
    const TEST: &str = "the_report_says_where_a_buffer_was_made";
    if std::env::var_os(CHILD).is_some() {
        return write_beyond();
    }
    let (output, found) = child(TEST, "faulty", &[("LANEWISE_CHECK", "1")]);
    let memory = found.first().map(|finding| finding["memory"].text().to_owned()).unwrap_or_default();
    // The function of the test that called OpenCL, or what it was inlined into.
    assert!(
        memory.contains("(buffer of 64 bytes made at ")
            && (memory.contains("checked") || memory.contains("tests/common")),
        "{memory} {output:?}"
    );
}

/// A kernel that writes all of a buffer defines it: the next launch may read it.
#[test]
fn a_buffer_that_a_kernel_wrote() {
    const SOURCE: &str = "kernel void fill(global int *out) { out[get_global_id(0)] = 3; }
    kernel void f(global int *out, global const int *in) {
        int i = get_global_id(0);
        out[i] = in[i]; // HERE
    }";
    let expected = "uninitialized argument=0 offset=60 size=4 global_id=15,0,0 count=1";
    check("a_buffer_that_a_kernel_wrote", SOURCE, &[expected], |mended| {
        let cl = Cl::new();
        let (out, mem) = (cl.buffer(0, 64), cl.buffer(0, 64));
        let fill = cl.kernel(SOURCE, "fill", "-cl-std=CL3.0");
        assert_eq!(set_arg(fill, 0, mem), CL_SUCCESS);
        assert_eq!(cl.run(fill, &[if mended { 16 } else { 15 }], Some(&[1])), CL_SUCCESS);
        cl.finish();
        release_kernel(fill);
        run(&cl, SOURCE, &[out, mem], &[16], &[4]);
    });
}

#[test]
fn the_exit_code_of_the_program() {
    if std::env::var_os(CHILD).is_some() {
        return write_beyond();
    }
    let code = |part, value| {
        let (output, found) = child("the_exit_code_of_the_program", part, &[("LANEWISE_CHECK", value)]);
        assert_eq!(found.len(), usize::from(part == "faulty" && value != "0"), "{value} {output:?}");
        output.status.code().unwrap()
    };
    assert_eq!([code("faulty", "0"), code("faulty", "1"), code("mended", "fatal")], [0; 3]);
    assert_ne!(code("faulty", "fatal"), 0);
}

#[test]
fn the_build_option() {
    const TEST: &str = "the_build_option";
    if let Ok(part) = std::env::var(CHILD) {
        let cl = Cl::new();
        let kernel = cl.kernel(FILL, "f", if part == "mended" { "" } else { "-cl-lanewise-check" });
        // Room for the write that is not checked.
        let room = cl.buffer(0, 4096);
        let region = [[0usize, 64]];
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        let part = made(|code| buffer::clCreateSubBuffer(room, 0, kind, list(&region), code)).unwrap();
        assert_eq!(set_arg(kernel, 0, part), CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[17], Some(&[17])), CL_SUCCESS);
        return cl.finish();
    }
    for (part, expected) in [
        ("faulty", ["out-of-bounds write argument=0 offset=64 global_id=16,0,0"].as_slice()),
        ("mended", &[]),
    ] {
        let (output, found) = child(TEST, part, &[]);
        assert!(output.status.success(), "{output:?}");
        compare(FILL, expected, &found, part);
    }
}
