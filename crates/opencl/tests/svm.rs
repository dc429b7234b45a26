//! Shared virtual memory.

mod common;

use common::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const SOURCE: &str = "
    typedef struct Node { int value; global struct Node *next; } Node;
    kernel void sum(global Node *head, global int *out) {
        int sum = 0;
        for (global Node *n = head; n; n = n->next) sum += n->value;
        *out = sum;
    }";

#[repr(C)]
struct Node {
    value: i32,
    next: *const Node,
}

#[test]
fn kernels_follow_pointers_of_the_host() {
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "sum", "-cl-std=CL3.0");
    // Memory of the system's, at any grain.
    let last = Node { value: 5, next: std::ptr::null() };
    let first = [Node { value: 7, next: &last }];
    let mut out = [0i32];
    assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 0, memory(&first)), CL_SUCCESS);
    assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 1, memory_mut(&mut out)), CL_SUCCESS);
    assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 2, memory(&first)), CL_INVALID_ARG_INDEX);
    assert_eq!(kernel::clSetKernelArgSVMPointer(NULL, 0, memory(&first)), CL_INVALID_KERNEL);
    assert_eq!(cl.run(kernel, &[1], None), CL_SUCCESS);
    cl.finish();
    assert_eq!(out, [12]);
    // An empty list.
    assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 0, Memory::NULL), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[1], None), CL_SUCCESS);
    cl.finish();
    assert_eq!(out, [0]);
    let info = |name, size, value| kernel::clSetKernelExecInfo(kernel, name, size, value);
    let pointers = [first.as_ptr()];
    assert_eq!(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, memory(&pointers)), CL_SUCCESS);
    assert_eq!(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, memory(&pointers)), CL_INVALID_VALUE);
    assert_eq!(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, Memory::NULL), CL_INVALID_VALUE);
    assert_eq!(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, Memory::NULL), CL_SUCCESS);
    assert_eq!(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, memory(&pointers)), CL_INVALID_VALUE);
    assert_eq!(info(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 4, memory(&[1u32])), CL_SUCCESS);
    assert_eq!(info(0x9999, 4, memory(&[1u32])), CL_INVALID_VALUE);
    assert_eq!(kernel::clSetKernelExecInfo(NULL, 0, 0, Memory::NULL), CL_INVALID_KERNEL);
    release_kernel(kernel);
}

#[test]
fn allocations_check_their_arguments() {
    let cl = Cl::new();
    let alloc = |flags, size, align| svm::clSVMAlloc(cl.context, flags, size, align);
    for (flags, size, align) in [
        (0, 0, 0),
        (0, usize::MAX, 0),
        (0, 16, 3),
        (0, 16, 4096),
        (CL_MEM_SVM_ATOMICS, 16, 0),
        (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, 0),
        (CL_MEM_USE_HOST_PTR, 16, 0),
    ] {
        assert!(alloc(flags, size, align).is_null(), "{flags:#x} {size} {align}");
    }
    assert!(svm::clSVMAlloc(NULL, 0, 16, 0).is_null());
    for align in [0, 1, 64, 128] {
        let at = alloc(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 1000, align);
        assert!(!at.is_null() && (at as usize).is_multiple_of(128));
        svm::clSVMFree(cl.context, pointer(at));
    }
    svm::clSVMFree(cl.context, Memory::NULL);
    svm::clSVMFree(NULL, Memory::NULL);
    let at = alloc(0, 64, 0);
    let flags = CL_MEM_USE_HOST_PTR;
    let mem = made(|code| buffer::clCreateBuffer(cl.context, flags, 64, pointer(at), code)).unwrap();
    let name = CL_MEM_USES_SVM_POINTER;
    let uses = query(|size, value, ret| buffer::clGetMemObjectInfo(mem, name, size, value, ret));
    assert_eq!(as_u32(uses.unwrap()), 1);
    release_mem(mem);
    let more = made(|code| buffer::clCreateBuffer(cl.context, flags, 65, pointer(at), code));
    assert_eq!(more, Err(CL_INVALID_BUFFER_SIZE));
    svm::clSVMFree(cl.context, pointer(at));
}

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn free(_: Handle, count: cl_uint, _: *mut *mut c_void, data: *mut c_void) {
    FREED.store(count as usize + data as usize, SeqCst);
}

#[test]
fn commands_on_shared_memory() {
    let cl = Cl::new();
    let at = svm::clSVMAlloc(cl.context, 0, 64, 0);
    let shared = pointer(at);
    let behind = pointer(at.wrapping_byte_add(16));
    let mut own = [0u32; 4];
    let none = (0, In::NULL, Out::NULL);
    let fill = |memory, pattern, pattern_size, size| {
        svm::clEnqueueSVMMemFill(cl.queue, memory, pattern, pattern_size, size, none.0, none.1, none.2)
    };
    let copy = |to, from, size| svm::clEnqueueSVMMemcpy(cl.queue, 1, to, from, size, none.0, none.1, none.2);
    assert_eq!(fill(shared, memory(&[9u32]), 4, 64), CL_SUCCESS);
    assert_eq!(fill(Memory::NULL, memory(&[9u32]), 4, 64), CL_INVALID_VALUE);
    assert_eq!(fill(shared, Memory::NULL, 4, 64), CL_INVALID_VALUE);
    assert_eq!(fill(shared, memory(&[9u32]), 3, 63), CL_INVALID_VALUE);
    assert_eq!(fill(shared, memory(&[9u32]), 4, 63), CL_INVALID_VALUE);
    assert_eq!(fill(pointer(at.wrapping_byte_add(1)), memory(&[9u32]), 4, 4), CL_INVALID_VALUE);
    assert_eq!(copy(memory_mut(&mut own), shared, 16), CL_SUCCESS);
    assert_eq!(own, [9; 4]);
    assert_eq!(copy(behind, shared, 17), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(behind, shared, 16), CL_SUCCESS);
    assert_eq!(copy(Memory::NULL, shared, 16), CL_INVALID_VALUE);

    let map_it =
        |flags, memory, size| svm::clEnqueueSVMMap(cl.queue, 1, flags, memory, size, none.0, none.1, none.2);
    assert_eq!(map_it(CL_MAP_READ, shared, 64), CL_SUCCESS);
    assert_eq!(map_it(CL_MAP_READ, Memory::NULL, 64), CL_INVALID_VALUE);
    assert_eq!(map_it(CL_MAP_READ, shared, 0), CL_INVALID_VALUE);
    assert_eq!(map_it(1 << 9, shared, 64), CL_INVALID_VALUE);
    let unmap = |memory| svm::clEnqueueSVMUnmap(cl.queue, memory, none.0, none.1, none.2);
    assert_eq!((unmap(shared), unmap(Memory::NULL)), (CL_SUCCESS, CL_INVALID_VALUE));
    let migrate = |count, pointers: In<Memory>, sizes: In<usize>, flags| {
        svm::clEnqueueSVMMigrateMem(cl.queue, count, pointers, sizes, flags, none.0, none.1, none.2)
    };
    assert_eq!(migrate(1, list(&[shared]), In::NULL, 0), CL_SUCCESS);
    assert_eq!(migrate(1, list(&[shared]), list(&[65]), 0), CL_INVALID_VALUE);
    assert_eq!(migrate(1, In::NULL, In::NULL, 0), CL_INVALID_VALUE);
    assert_eq!(migrate(1, list(&[shared]), In::NULL, 1 << 9), CL_INVALID_VALUE);

    let enqueue_free = |count, pointers: In<Memory>, function| {
        let data = pointer(40 as *mut c_void);
        svm::clEnqueueSVMFree(cl.queue, count, pointers, function, data, none.0, none.1, none.2)
    };
    assert_eq!(enqueue_free(1, In::NULL, None), CL_INVALID_VALUE);
    assert_eq!(enqueue_free(2, list(&[shared, behind]), Some(free as _)), CL_SUCCESS);
    cl.finish();
    assert_eq!(FREED.load(SeqCst), 42);
    assert_eq!(enqueue_free(1, list(&[shared]), None), CL_SUCCESS);
    cl.finish();
}
