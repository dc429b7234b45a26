//! Handles that are null, released, of another type or no handles at all; and many threads at once.

mod common;

use common::*;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The codes of all entry points that take one handle of each type.
fn codes(handle: Handle) -> [(cl_int, cl_int); 24] {
    let (none, size) = (Out::NULL, 0usize);
    let mut buffer_code = 0;
    buffer::clCreateBuffer(handle, 0, 4, Memory::NULL, (&mut buffer_code).into());
    [
        (platform::clGetPlatformInfo(handle, CL_PLATFORM_NAME, size, none, Out::NULL), CL_INVALID_PLATFORM),
        (dev::clGetDeviceInfo(handle, CL_DEVICE_NAME, size, none, Out::NULL), CL_INVALID_DEVICE),
        (dev::clRetainDevice(handle), CL_INVALID_DEVICE),
        (dev::clReleaseDevice(handle), CL_INVALID_DEVICE),
        (context::clGetContextInfo(handle, CL_CONTEXT_DEVICES, size, none, Out::NULL), CL_INVALID_CONTEXT),
        (context::clRetainContext(handle), CL_INVALID_CONTEXT),
        (context::clReleaseContext(handle), CL_INVALID_CONTEXT),
        (buffer_code, CL_INVALID_CONTEXT),
        (queue::clRetainCommandQueue(handle), CL_INVALID_COMMAND_QUEUE),
        (queue::clReleaseCommandQueue(handle), CL_INVALID_COMMAND_QUEUE),
        (queue::clFinish(handle), CL_INVALID_COMMAND_QUEUE),
        (queue::clFlush(handle), CL_INVALID_COMMAND_QUEUE),
        (buffer::clRetainMemObject(handle), CL_INVALID_MEM_OBJECT),
        (buffer::clReleaseMemObject(handle), CL_INVALID_MEM_OBJECT),
        (buffer::clGetMemObjectInfo(handle, CL_MEM_SIZE, size, none, Out::NULL), CL_INVALID_MEM_OBJECT),
        (program::clRetainProgram(handle), CL_INVALID_PROGRAM),
        (program::clReleaseProgram(handle), CL_INVALID_PROGRAM),
        (program::clGetProgramInfo(handle, CL_PROGRAM_SOURCE, size, none, Out::NULL), CL_INVALID_PROGRAM),
        (kernel::clRetainKernel(handle), CL_INVALID_KERNEL),
        (kernel::clReleaseKernel(handle), CL_INVALID_KERNEL),
        (kernel::clSetKernelArg(handle, 0, 8, Memory::NULL), CL_INVALID_KERNEL),
        (event::clRetainEvent(handle), CL_INVALID_EVENT),
        (event::clReleaseEvent(handle), CL_INVALID_EVENT),
        (event::clSetUserEventStatus(handle, 0), CL_INVALID_EVENT),
    ]
}

#[test]
fn what_is_no_handle_is_refused_everywhere() {
    let cl = Cl::new();
    let mem = cl.buffer(0, 4);
    let inside = mem.wrapping_byte_add(8);
    let stack = 0u64;
    let elsewhere = std::ptr::from_ref(&stack).cast_mut().cast();
    for handle in [NULL, 1 as Handle, usize::MAX as Handle, inside, elsewhere] {
        for (i, (code, expected)) in codes(handle).into_iter().enumerate() {
            assert_eq!(code, expected, "{handle:?}, entry {i}");
        }
    }
    release_mem(mem);
}

#[test]
fn released_handles_are_refused_everywhere() {
    let cl = Cl::new();
    let program = cl.build("kernel void f(global int *a) {}", "").unwrap();
    let kernel = kernel_of(program, "f").unwrap();
    let (mem, event) = (cl.buffer(0, 4), user_event(&cl));
    let (context, queue) = (cl.context, cl.queue);
    release_kernel(kernel);
    release_program(program);
    release_mem(mem);
    assert_eq!(event::clReleaseEvent(event), CL_SUCCESS);
    drop(cl);
    for handle in [kernel, program, mem, event, queue, context] {
        for (i, (code, expected)) in codes(handle).into_iter().enumerate() {
            assert_eq!(code, expected, "{handle:?}, entry {i}");
        }
        // The loader reads the first word of whatever it is given.
        // SAFETY: handles stay readable for ever.
        assert!(!unsafe { handle.cast::<*const u8>().read() }.is_null());
    }
}

#[test]
fn a_handle_of_another_type_is_refused() {
    let cl = Cl::new();
    let (mem, event) = (cl.buffer(0, 4), user_event(&cl));
    // Retained once more: the release functions of their own types are called, too.
    assert_eq!(context::clRetainContext(cl.context), CL_SUCCESS);
    assert_eq!(queue::clRetainCommandQueue(cl.queue), CL_SUCCESS);
    assert_eq!(buffer::clRetainMemObject(mem), CL_SUCCESS);
    assert_eq!(event::clRetainEvent(event), CL_SUCCESS);
    for (handle, own) in [
        (the_platform(), CL_INVALID_PLATFORM),
        (the_device(), CL_INVALID_DEVICE),
        (cl.context, CL_INVALID_CONTEXT),
        (cl.queue, CL_INVALID_COMMAND_QUEUE),
        (mem, CL_INVALID_MEM_OBJECT),
        (event, CL_INVALID_EVENT),
    ] {
        for (i, (code, expected)) in codes(handle).into_iter().enumerate() {
            assert_eq!(code, if expected == own { CL_SUCCESS } else { expected }, "{handle:?}, entry {i}");
        }
    }
    assert_eq!(context::clReleaseContext(cl.context), CL_SUCCESS);
    assert_eq!(queue::clReleaseCommandQueue(cl.queue), CL_SUCCESS);
    for _ in 0..2 {
        release_mem(mem);
        assert_eq!(event::clReleaseEvent(event), CL_SUCCESS);
    }
}

#[test]
fn many_threads_at_once() {
    let shared = Cl::with_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let source = "kernel void add(global int *a, int b) { atomic_add(a + get_global_id(0) % 4, b); }";
    let program = shared.build(source, "").unwrap();
    let total = shared.buffer_of(&[0i32; 4]);
    let launches = AtomicUsize::new(0);
    let (shared, program, total) = (&Shared(&shared), Shared(&program), Shared(&total));
    std::thread::scope(|scope| {
        for t in 0..6usize {
            let (launches, program, total) = (&launches, &program, &total);
            scope.spawn(move || {
                let cl = shared.0;
                for i in 0..40 {
                    let kernel = kernel_of(*program.0, "add").unwrap();
                    assert_eq!(
                        (set_arg(kernel, 0, *total.0), set_arg(kernel, 1, 1i32)),
                        (CL_SUCCESS, CL_SUCCESS)
                    );
                    assert_eq!(cl.run(kernel, &[64], None), CL_SUCCESS);
                    launches.fetch_add(1, SeqCst);
                    release_kernel(kernel);
                    // Each thread makes objects of its own, with failing calls among them.
                    let own = Cl::new();
                    let mem = own.buffer_of(&[t as u32; 100]);
                    assert_eq!(buffer::clReleaseMemObject(own.queue), CL_INVALID_MEM_OBJECT);
                    assert_eq!(own.read::<u32>(mem, 100), [t as u32; 100]);
                    release_mem(mem);
                    assert_eq!(buffer::clReleaseMemObject(mem), CL_INVALID_MEM_OBJECT);
                    if i % 10 == 0 {
                        let text = format!("kernel void f(global int *a) {{ a[0] = {}; }}", t * 1000 + i);
                        let kernel = own.kernel(&text, "f", "");
                        let out = own.buffer(0, 4);
                        assert_eq!(set_arg(kernel, 0, out), CL_SUCCESS);
                        assert_eq!(own.run(kernel, &[1], None), CL_SUCCESS);
                        assert_eq!(own.read::<i32>(out, 1), [(t * 1000 + i) as i32]);
                        release_kernel(kernel);
                        release_mem(out);
                        assert!(own.build("kernel void f( {", "").is_err());
                        cl.finish();
                    }
                }
            });
        }
    });
    let (cl, program, total) = (shared.0, *program.0, *total.0);
    cl.finish();
    assert_eq!(cl.read::<i32>(total, 4), [launches.load(SeqCst) as i32 * 16; 4]);
    release_mem(total);
    release_program(program);
}

/// What threads share: handles may be used by all of them.
struct Shared<'a, T>(&'a T);

// SAFETY: the API may be called from any thread.
unsafe impl<T> Sync for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Send for Shared<'_, T> {}
