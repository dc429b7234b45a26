//! Unified shared memory.

mod common;

use common::*;

fn host(cl: &Cl, properties: &[u64], size: usize, alignment: cl_uint) -> Result<Memory, cl_int> {
    made(|code| usm::clHostMemAllocINTEL(cl.context, list(properties), size, alignment, code)).map(pointer)
}

fn shared(cl: &Cl, device: Handle, properties: In<u64>, size: usize) -> Result<Memory, cl_int> {
    made(|code| usm::clSharedMemAllocINTEL(cl.context, device, properties, size, 0, code)).map(pointer)
}

fn on_device(cl: &Cl, size: usize) -> Memory {
    pointer(made(|code| usm::clDeviceMemAllocINTEL(cl.context, cl.device, In::NULL, size, 0, code)).unwrap())
}

fn info(cl: &Cl, memory: Memory, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| usm::clGetMemAllocInfoINTEL(cl.context, memory, name, size, value, ret))
}

#[test]
fn the_device_has_all_kinds() {
    for name in [
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
    ] {
        assert_eq!(device_info(the_device(), name).map(as_u64), Ok(15));
    }
}

#[test]
fn allocations_check_their_arguments() {
    let cl = Cl::new();
    let flags = u64::from(CL_MEM_ALLOC_FLAGS_INTEL);
    let none = [0];
    assert_eq!(host(&cl, &none, 0, 0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(host(&cl, &none, usize::MAX, 0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(host(&cl, &none, 16, 3), Err(CL_INVALID_VALUE));
    assert_eq!(host(&cl, &[flags + 100, 0, 0], 16, 0), Err(CL_INVALID_PROPERTY));
    assert_eq!(host(&cl, &[flags, 0, flags, 0, 0], 16, 0), Err(CL_INVALID_PROPERTY));
    assert_eq!(host(&cl, &[flags, 2, 0], 16, 0), Err(CL_INVALID_PROPERTY), "a place is for shared memory");
    assert_eq!(shared(&cl, cl.device, list(&[flags, 6, 0]), 16), Err(CL_INVALID_PROPERTY), "two places");
    assert_eq!(shared(&cl, cl.queue, In::NULL, 16), Err(CL_INVALID_DEVICE));
    let alloc = |context, device| made(|c| usm::clDeviceMemAllocINTEL(context, device, In::NULL, 16, 0, c));
    assert_eq!(alloc(NULL, cl.device), Err(CL_INVALID_CONTEXT));
    assert_eq!(alloc(cl.context, NULL), Err(CL_INVALID_DEVICE));
    let memory = host(&cl, &[flags, 1, 0], 16, 64).unwrap();
    assert_eq!(usm::clMemFreeINTEL(cl.queue, memory), CL_INVALID_CONTEXT);
    assert_eq!(usm::clMemFreeINTEL(cl.context, memory), CL_SUCCESS);
    assert_eq!(usm::clMemFreeINTEL(cl.context, memory), CL_INVALID_VALUE);
    assert_eq!(usm::clMemBlockingFreeINTEL(cl.context, memory), CL_INVALID_VALUE);
    assert_eq!(usm::clMemFreeINTEL(cl.context, Memory::NULL), CL_SUCCESS);
}

#[test]
fn a_pointer_tells_of_its_allocation() {
    let cl = Cl::new();
    let flags = u64::from(CL_MEM_ALLOC_FLAGS_INTEL);
    let memory =
        shared(&cl, cl.device, list(&[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0]), 100).unwrap();
    let inside = pointer(memory.raw().wrapping_byte_add(99));
    assert_eq!(info(&cl, inside, CL_MEM_ALLOC_TYPE_INTEL).map(as_u32), Ok(CL_MEM_TYPE_SHARED_INTEL));
    assert_eq!(info(&cl, inside, CL_MEM_ALLOC_BASE_PTR_INTEL).map(as_handle), Ok(memory.raw()));
    assert_eq!(info(&cl, inside, CL_MEM_ALLOC_SIZE_INTEL).map(as_u64), Ok(100));
    assert_eq!(info(&cl, inside, CL_MEM_ALLOC_DEVICE_INTEL).map(as_handle), Ok(cl.device));
    assert_eq!(info(&cl, inside, CL_MEM_ALLOC_FLAGS_INTEL).map(as_u64), Ok(4));
    assert_eq!(info(&cl, inside, 0x4000), Err(CL_INVALID_VALUE));
    let after = pointer(memory.raw().wrapping_byte_add(100));
    assert_eq!(info(&cl, after, CL_MEM_ALLOC_TYPE_INTEL).map(as_u32), Ok(CL_MEM_TYPE_UNKNOWN_INTEL));
    assert_eq!(info(&cl, after, CL_MEM_ALLOC_BASE_PTR_INTEL).map(as_handle), Ok(NULL));
    assert_eq!(usm::clMemFreeINTEL(cl.context, memory), CL_SUCCESS);
    assert_eq!(info(&cl, inside, CL_MEM_ALLOC_TYPE_INTEL).map(as_u32), Ok(CL_MEM_TYPE_UNKNOWN_INTEL));
}

#[test]
fn kernels_and_commands_use_it() {
    let cl = Cl::new();
    let source = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }";
    let kernel = cl.kernel(source, "twice", "");
    let size = 1000 * size_of::<i32>();
    let (device, shared) = (on_device(&cl, size), shared(&cl, NULL, In::NULL, size).unwrap());
    let pattern = [21i32];
    let fill = |memory, pattern, pattern_size, size| {
        usm::clEnqueueMemFillINTEL(cl.queue, memory, pattern, pattern_size, size, 0, In::NULL, Out::NULL)
    };
    assert_eq!(fill(device, memory(&pattern), 4, size), CL_SUCCESS);
    assert_eq!(fill(device, memory(&pattern), 3, size), CL_INVALID_VALUE);
    assert_eq!(usm::clSetKernelArgMemPointerINTEL(kernel, 1, device), CL_INVALID_ARG_INDEX);
    assert_eq!(usm::clSetKernelArgMemPointerINTEL(kernel, 0, device), CL_SUCCESS);
    for name in [
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    ] {
        assert_eq!(kernel::clSetKernelExecInfo(kernel, name, 4, memory(&[1u32])), CL_SUCCESS);
        assert_eq!(kernel::clSetKernelExecInfo(kernel, name, 1, memory(&[1u32])), CL_INVALID_VALUE);
    }
    assert_eq!(cl.run(kernel, &[1000], None), CL_SUCCESS);
    let mut event = NULL;
    let copy = |to, from, event| usm::clEnqueueMemcpyINTEL(cl.queue, 0, to, from, size, 0, In::NULL, event);
    assert_eq!(copy(shared, device, (&mut event).into()), CL_SUCCESS);
    assert_eq!(copy(shared, shared, Out::NULL), CL_MEM_COPY_OVERLAP);
    let kind =
        query(|size, value, ret| event::clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, size, value, ret));
    assert_eq!(kind.map(as_u32), Ok(CL_COMMAND_MEMCPY_INTEL));
    assert_eq!(event::clReleaseEvent(event), CL_SUCCESS);
    let advise =
        |advice| usm::clEnqueueMemAdviseINTEL(cl.queue, shared, size, advice, 0, In::NULL, Out::NULL);
    assert_eq!((advise(0), advise(1)), (CL_SUCCESS, CL_INVALID_VALUE));
    let migrate = |size| usm::clEnqueueMigrateMemINTEL(cl.queue, shared, size, 0, 0, In::NULL, Out::NULL);
    assert_eq!((migrate(size), migrate(0)), (CL_SUCCESS, CL_INVALID_VALUE));
    // Waits for the kernel and the copy.
    assert_eq!(usm::clMemBlockingFreeINTEL(cl.context, device), CL_SUCCESS);
    assert_eq!(shared.bytes(size), 42i32.to_ne_bytes().repeat(1000));
    assert_eq!(usm::clMemFreeINTEL(cl.context, shared), CL_SUCCESS);
    release_kernel(kernel);
}
