//! Checked mode in OpenCL programs: what buffers, their flags, parts and lives say of accesses, and
//! reports by the context's notify function.

mod common;

use common::*;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn told(message: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: the driver passes text that ends with NUL.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).push(text);
}

/// A context whose reports are kept; one test at a time has it.
fn checked() -> (MutexGuard<'static, ()>, Cl) {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let device = the_device();
    let context =
        made(|code| context::clCreateContext(In::NULL, 1, list(&[device]), Some(told), Memory::NULL, code))
            .unwrap();
    let queue = made(|code| queue::clCreateCommandQueueWithProperties(context, device, In::NULL, code));
    (alone, Cl { device, context, queue: queue.unwrap() })
}

/// The first lines of the reports of a launch over 16 work-items.
fn reports(cl: &Cl, kernel: Handle) -> Vec<String> {
    assert_eq!(cl.run(kernel, &[16], Some(&[16])), CL_SUCCESS);
    cl.finish();
    let all = std::mem::take(&mut *TOLD.lock().unwrap_or_else(PoisonError::into_inner));
    all.iter().map(|text| text.lines().next().unwrap_or_default().to_owned()).collect()
}

const COPY: &str = "kernel void k(global const int *in, global int *out) {
  int i = get_global_id(0);
  out[i] = in[i];
}";

#[test]
fn buffers_that_nobody_wrote() {
    let (_alone, cl) = checked();
    let kernel = cl.kernel(COPY, "k", "-cl-lanewise-check=uninitialized");
    let (from, to) = (cl.buffer(0, 64), cl.buffer(0, 64));
    assert_eq!((set_arg(kernel, 0, from), set_arg(kernel, 1, to)), (CL_SUCCESS, CL_SUCCESS));
    let expected = ["lanewise: a value that is not initialized is written in kernel 'k'"];
    assert_eq!(reports(&cl, kernel), expected);
    // All but the last element.
    let values = [7i32; 15];
    let written =
        transfer::clEnqueueWriteBuffer(cl.queue, from, 1, 0, 60, memory(&values), 0, In::NULL, Out::NULL);
    assert_eq!(written, CL_SUCCESS);
    assert_eq!(reports(&cl, kernel), expected);
    let code =
        transfer::clEnqueueFillBuffer(cl.queue, from, memory(&[1i32]), 4, 60, 4, 0, In::NULL, Out::NULL);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(reports(&cl, kernel), Vec::<String>::new());
    // What a kernel has written is defined: the copy is its own source now.
    assert_eq!((set_arg(kernel, 0, to), set_arg(kernel, 1, from)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(reports(&cl, kernel), Vec::<String>::new());
    [from, to].into_iter().for_each(release_mem);
    release_kernel(kernel);
}

#[test]
fn parts_and_flags_of_buffers() {
    let (_alone, cl) = checked();
    let kernel = cl.kernel(COPY, "k", "-cl-lanewise-check=bounds");
    let from = cl.buffer_of(&[1i32; 1024]);
    let region = [0usize, 32];
    let part = made(|code| {
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        buffer::clCreateSubBuffer(from, 0, kind, list(&[region]), code)
    })
    .unwrap();
    let to = cl.buffer(CL_MEM_READ_ONLY, 64);
    assert_eq!((set_arg(kernel, 0, part), set_arg(kernel, 1, to)), (CL_SUCCESS, CL_SUCCESS));
    let expected = [
        "lanewise: write of 4 bytes of memory that may only be read in kernel 'k'",
        "lanewise: read of 4 bytes out of bounds in kernel 'k'",
    ];
    assert_eq!(reports(&cl, kernel), expected);
    let source = cl.buffer(CL_MEM_WRITE_ONLY, 64);
    let target = cl.buffer(0, 64);
    assert_eq!((set_arg(kernel, 0, source), set_arg(kernel, 1, target)), (CL_SUCCESS, CL_SUCCESS));
    let expected = ["lanewise: read of 4 bytes of memory that may only be written in kernel 'k'"];
    assert_eq!(reports(&cl, kernel), expected);
    [part, from, to, source, target].into_iter().for_each(release_mem);
    release_kernel(kernel);
}

#[test]
fn pointers_in_memory_and_freed_memory() {
    let (_alone, cl) = checked();
    let source = "kernel void k(global const ulong *p, global int *out) {
      int i = get_global_id(0);
      out[i] = ((global int *)p[0])[i];
    }";
    let kernel = cl.kernel(source, "k", "-cl-lanewise-check=bounds");
    let allocate = |size: usize| svm::clSVMAlloc(cl.context, CL_MEM_READ_WRITE, size, 0);
    let (large, small) = (allocate(64), allocate(60));
    let out = cl.buffer(0, 64);
    for (memory, expected) in
        [(large, vec![]), (small, vec!["lanewise: read of 4 bytes out of bounds in kernel 'k'".to_owned()])]
    {
        let pointers = cl.buffer_of(&[memory as u64]);
        assert_eq!((set_arg(kernel, 0, pointers), set_arg(kernel, 1, out)), (CL_SUCCESS, CL_SUCCESS));
        assert_eq!(reports(&cl, kernel), expected);
        release_mem(pointers);
    }
    let pointers = cl.buffer_of(&[large as u64]);
    assert_eq!((set_arg(kernel, 0, pointers), set_arg(kernel, 1, out)), (CL_SUCCESS, CL_SUCCESS));
    svm::clSVMFree(cl.context, pointer(large));
    assert_eq!(reports(&cl, kernel), ["lanewise: read of 4 bytes of freed memory in kernel 'k'"]);
    svm::clSVMFree(cl.context, pointer(small));
    [pointers, out].into_iter().for_each(release_mem);
    release_kernel(kernel);
}
