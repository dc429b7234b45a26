//! `cl_khr_unified_svm`: all types of shared memory by the same functions.

mod common;

use common::*;

const ASSOCIATED: u64 = CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR as u64;
const ACCESS: u64 = CL_SVM_ALLOC_ACCESS_FLAGS_KHR as u64;
const ALIGNMENT: u64 = CL_SVM_ALLOC_ALIGNMENT_KHR as u64;

fn as_list(bytes: Vec<u8>) -> Vec<u64> {
    as_sizes(bytes).into_iter().map(|word| word as u64).collect()
}

fn types() -> Vec<u64> {
    as_list(device_info(the_device(), CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR).unwrap())
}

fn alloc(cl: &Cl, properties: &[u64], index: usize, size: usize) -> Result<Memory, cl_int> {
    let properties = if properties.is_empty() { In::NULL } else { list(properties) };
    let alloc = unified_svm::clSVMAllocWithPropertiesKHR;
    made(|code| alloc(cl.context, properties, index as cl_uint, size, code)).map(pointer)
}

fn free(cl: &Cl, memory: Memory) -> cl_int {
    unified_svm::clSVMFreeWithPropertiesKHR(cl.context, In::NULL, 0, memory)
}

fn info(cl: &Cl, device: Handle, memory: Memory, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| {
        unified_svm::clGetSVMPointerInfoKHR(cl.context, device, memory, name, size, value, ret)
    })
}

fn suggested(cl: &Cl, required: u64, desired: u64, properties: In<u64>) -> Result<cl_uint, cl_int> {
    let mut index = 77;
    let ask = unified_svm::clGetSVMSuggestedTypeIndexKHR;
    match ask(cl.context, required, desired, properties, 64, (&mut index).into()) {
        CL_SUCCESS => Ok(index),
        code => Err(code),
    }
}

#[test]
fn platform_and_device_have_the_same_types() {
    assert!(has_extension("cl_khr_unified_svm"));
    let name = CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR;
    let platform =
        query(|size, value, ret| platform::clGetPlatformInfo(the_platform(), name, size, value, ret));
    assert_eq!(as_list(platform.unwrap()), types());
    // What is written of the types as their macros: device, host, shared, coarse grain, fine grain,
    // system.
    let macros = [0x4e05, 0x46f9, 0x46c1, 0x0f19, 0x1fd9, 0x7fdb];
    assert_eq!(types().len(), macros.len());
    for (own, least) in types().into_iter().zip(macros) {
        assert_eq!(own & least, least, "{own:#x}");
    }
}

#[test]
fn allocations_check_their_arguments() {
    let cl = Cl::new();
    let device = cl.device as u64;
    let system = types().len() - 1;
    let make = |properties: &[u64], size| alloc(&cl, properties, system, size);
    assert_eq!(alloc(&cl, &[], types().len(), 64), Err(CL_INVALID_VALUE));
    assert_eq!(make(&[], 0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(make(&[], usize::MAX), Err(CL_INVALID_BUFFER_SIZE));
    for wrong in [
        &[0x1234, 0, 0][..],
        &[ACCESS, 4, 0],
        &[ALIGNMENT, 3, 0],
        &[ALIGNMENT, 256, 0],
        &[ACCESS, 0, ACCESS, 0, 0],
        &[1 << 32 | ACCESS, 0, 0],
    ] {
        assert_eq!(make(wrong, 64), Err(CL_INVALID_PROPERTY), "{wrong:x?}");
        assert_eq!(suggested(&cl, 0, 0, list(wrong)), Err(CL_INVALID_PROPERTY), "{wrong:x?}");
    }
    assert_eq!(make(&[ASSOCIATED, cl.context as u64, 0], 64), Err(CL_INVALID_DEVICE));
    for (index, capabilities) in types().into_iter().enumerate() {
        let unassociated = capabilities & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0;
        assert_eq!(alloc(&cl, &[], index, 64).map(|memory| free(&cl, memory)).is_ok(), unassociated);
        for alignment in (0..8).map(|log| 1 << log) {
            let all = [ASSOCIATED, device, ACCESS, 0x303, ALIGNMENT, alignment, 0];
            let memory = alloc(&cl, &all, index, 64).unwrap();
            assert!((memory.addr() as u64).is_multiple_of(alignment));
            assert_eq!(free(&cl, memory), CL_SUCCESS);
            assert_eq!(free(&cl, memory), CL_INVALID_VALUE);
        }
    }
    let free = unified_svm::clSVMFreeWithPropertiesKHR;
    assert_eq!(free(NULL, In::NULL, 0, Memory::NULL), CL_INVALID_CONTEXT);
    assert_eq!(free(cl.context, list(&[1, 1, 0]), 0, Memory::NULL), CL_INVALID_PROPERTY);
    assert_eq!(free(cl.context, list(&[0]), 1, Memory::NULL), CL_INVALID_VALUE);
    assert_eq!(free(cl.context, list(&[0]), 0, Memory::NULL), CL_SUCCESS);
}

#[test]
fn a_pointer_tells_of_its_allocation() {
    let cl = Cl::new();
    let properties = [ASSOCIATED, cl.device as u64, ACCESS, 2, 0];
    for (index, capabilities) in types().into_iter().enumerate() {
        let memory = alloc(&cl, &properties, index, 100).unwrap();
        let inside = pointer(memory.raw().wrapping_byte_add(99));
        for (device, at) in [(NULL, memory), (cl.device, inside)] {
            let ask = |name| info(&cl, device, at, name).unwrap();
            assert_eq!(as_u32(ask(CL_SVM_INFO_TYPE_INDEX_KHR)), index as u32);
            assert_eq!(as_u64(ask(CL_SVM_INFO_CAPABILITIES_KHR)), capabilities);
            assert_eq!(as_list(ask(CL_SVM_INFO_PROPERTIES_KHR)), properties);
            assert_eq!(as_u64(ask(CL_SVM_INFO_ACCESS_FLAGS_KHR)), 2);
            assert_eq!(as_handle(ask(CL_SVM_INFO_BASE_PTR_KHR)), memory.raw());
            assert_eq!(as_u64(ask(CL_SVM_INFO_SIZE_KHR)), 100);
            assert_eq!(as_handle(ask(CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR)), cl.device);
        }
        assert_eq!(info(&cl, NULL, memory, 0x1234), Err(CL_INVALID_VALUE));
        assert_eq!(info(&cl, cl.queue, memory, CL_SVM_INFO_SIZE_KHR), Err(CL_INVALID_DEVICE));
        assert_eq!(free(&cl, memory), CL_SUCCESS);
    }
    let own = [0u8; 4];
    for device in [NULL, cl.device] {
        let ask = |name| info(&cl, device, memory(&own), name).unwrap();
        assert_eq!(as_u32(ask(CL_SVM_INFO_TYPE_INDEX_KHR)), u32::MAX);
        assert_eq!(ask(CL_SVM_INFO_PROPERTIES_KHR).len(), 0);
        for name in [
            CL_SVM_INFO_CAPABILITIES_KHR,
            CL_SVM_INFO_ACCESS_FLAGS_KHR,
            CL_SVM_INFO_BASE_PTR_KHR,
            CL_SVM_INFO_SIZE_KHR,
            CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR,
        ] {
            assert_eq!(as_u64(ask(name)), 0);
        }
    }
}

/// The older functions allocate memory of these types, too, and free it.
#[test]
fn memory_of_the_older_functions_has_a_type() {
    let cl = Cl::new();
    let index = |memory| as_u32(info(&cl, NULL, memory, CL_SVM_INFO_TYPE_INDEX_KHR).unwrap());
    let host = made(|code| usm::clHostMemAllocINTEL(cl.context, In::NULL, 64, 0, code)).map(pointer).unwrap();
    let coarse = pointer(svm::clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0));
    let fine = pointer(svm::clSVMAlloc(cl.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    assert_eq!([host, coarse, fine].map(index), [1, 3, 4]);
    assert_eq!(usm::clMemFreeINTEL(cl.context, coarse), CL_INVALID_VALUE);
    assert_eq!([host, coarse, fine].map(|memory| free(&cl, memory)), [CL_SUCCESS; 3]);
    let again = alloc(&cl, &[], 1, 64).unwrap();
    assert_eq!(usm::clMemFreeINTEL(cl.context, again), CL_SUCCESS);
    let again = alloc(&cl, &[], 3, 64).unwrap();
    svm::clSVMFree(cl.context, again);
    assert_eq!(index(again), u32::MAX);
}

#[test]
fn a_type_is_suggested() {
    let cl = Cl::new();
    let types = types();
    let associated = [ASSOCIATED, cl.device as u64, 0];
    for required in types.iter().copied().chain((0..15).map(|bit| 1 << bit)) {
        for properties in [In::NULL, list(&associated)] {
            let index = suggested(&cl, required, 0, properties).unwrap();
            assert_eq!(types[index as usize] & required, required);
        }
    }
    assert_eq!(suggested(&cl, 1 << 20, 0, In::NULL), Ok(u32::MAX));
    // All have the first, one alone the second.
    let (read, owned) = (CL_SVM_CAPABILITY_DEVICE_READ_KHR, CL_SVM_CAPABILITY_HOST_OWNED_KHR);
    assert_eq!(suggested(&cl, read, owned, In::NULL), Ok(1));
    assert_eq!(suggested(&cl, read, 0, list(&associated)), Ok(0));
    // Memory that belongs to a device cannot be had without one.
    assert_eq!(suggested(&cl, read, 0, In::NULL), Ok(1));
    let ask = unified_svm::clGetSVMSuggestedTypeIndexKHR;
    assert_eq!(ask(cl.context, 0, 0, In::NULL, 0, Out::NULL), CL_INVALID_VALUE);
    assert_eq!(ask(NULL, 0, 0, In::NULL, 0, Out::NULL), CL_INVALID_CONTEXT);
}

/// Kernels, copies and fills, directly and by pointers in memory.
#[test]
fn kernels_and_commands_use_every_type() {
    let cl = Cl::new();
    let source = "kernel void add(global int *const global *all, global int *sum, int n) {
            int total = 0;
            for (int i = 0; i < n; i++) total += all[i][get_global_id(0)];
            sum[get_global_id(0)] = total;
        }";
    let kernel = cl.kernel(source, "add", "-cl-std=CL3.0");
    let associated = [ASSOCIATED, cl.device as u64, 0];
    let count = types().len();
    let all: Vec<Memory> = (0..count).map(|index| alloc(&cl, &associated, index, 400).unwrap()).collect();
    for (i, to) in all.iter().enumerate() {
        let pattern = [1i32 << i];
        let fill = svm::clEnqueueSVMMemFill;
        assert_eq!(fill(cl.queue, *to, memory(&pattern), 4, 400, 0, In::NULL, Out::NULL), CL_SUCCESS);
    }
    let table = alloc(&cl, &[], count - 1, 8 * count).unwrap();
    let copy = |to, from, size| svm::clEnqueueSVMMemcpy(cl.queue, 1, to, from, size, 0, In::NULL, Out::NULL);
    assert_eq!(copy(table, memory(&all), 8 * count), CL_SUCCESS);
    let indirect = CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR;
    assert_eq!(kernel::clSetKernelExecInfo(kernel, indirect, 4, memory(&[1u32])), CL_SUCCESS);
    assert_eq!(kernel::clSetKernelExecInfo(kernel, indirect, 8, memory(&[1u64])), CL_INVALID_VALUE);
    for sum in &all {
        assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 0, table), CL_SUCCESS);
        assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 1, *sum), CL_SUCCESS);
        assert_eq!(set_arg(kernel, 2, count as i32), CL_SUCCESS);
        let mut before = [0i32; 1];
        assert_eq!(copy(memory_mut(&mut before), *sum, 4), CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[100], None), CL_SUCCESS);
        let mut values = [0i32; 100];
        assert_eq!(copy(memory_mut(&mut values), *sum, 400), CL_SUCCESS);
        let others: i32 = (0..count as i32).map(|i| 1 << i).sum();
        assert_eq!(values, [others; 100]);
        let restore = svm::clEnqueueSVMMemFill;
        assert_eq!(restore(cl.queue, *sum, memory(&before), 4, 400, 0, In::NULL, Out::NULL), CL_SUCCESS);
        cl.finish();
    }
    // A buffer over the memory of each type.
    for memory in &all {
        let over =
            made(|code| buffer::clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, 400, *memory, code)).unwrap();
        let ask = |s, v, r| buffer::clGetMemObjectInfo(over, CL_MEM_USES_SVM_POINTER, s, v, r);
        assert_eq!(query(ask).map(as_u32), Ok(1));
        release_mem(over);
        let more = made(|code| buffer::clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, 401, *memory, code));
        assert_eq!(more, Err(CL_INVALID_BUFFER_SIZE));
    }
    assert!(all.iter().chain([&table]).all(|memory| free(&cl, *memory) == CL_SUCCESS));
    release_kernel(kernel);
}
