//! `cl_ext_buffer_device_address`: addresses of buffers, and kernels that are given them.

mod common;

use common::*;

const PROPERTY: u64 = CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT as u64;

fn buffer(cl: &Cl, properties: &[u64], flags: u64, size: usize, host: Memory) -> Result<Handle, cl_int> {
    made(|code| buffer::clCreateBufferWithProperties(cl.context, list(properties), flags, size, host, code))
}

fn info(mem: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| buffer::clGetMemObjectInfo(mem, name, size, value, ret))
}

fn address(mem: Handle) -> Result<u64, cl_int> {
    info(mem, CL_MEM_DEVICE_ADDRESS_EXT).map(as_u64)
}

#[test]
fn properties_are_checked() {
    assert!(has_extension("cl_ext_buffer_device_address"));
    let cl = Cl::new();
    let make = |properties: &[u64]| buffer(&cl, properties, 0, 64, Memory::NULL);
    for wrong in [&[PROPERTY, 2, 0][..], &[PROPERTY, 1, PROPERTY, 1, 0], &[PROPERTY + 1, 1, 0]] {
        assert_eq!(make(wrong), Err(CL_INVALID_PROPERTY), "{wrong:?}");
    }
    for (without, listed) in
        [(cl.buffer(0, 64), 0), (make(&[0]).unwrap(), 1), (make(&[PROPERTY, 0, 0]).unwrap(), 3)]
    {
        assert_eq!(address(without), Err(CL_INVALID_OPERATION));
        assert_eq!(info(without, CL_MEM_PROPERTIES).unwrap().len(), 8 * listed);
        release_mem(without);
    }
    let with = make(&[PROPERTY, 1, 0]).unwrap();
    assert_ne!(address(with), Ok(0));
    assert_eq!(as_sizes(info(with, CL_MEM_PROPERTIES).unwrap()), [PROPERTY as usize, 1, 0]);
    release_mem(with);
}

/// Also the middle of a buffer, a part of one, and memory of `clSVMAlloc`.
#[test]
fn kernels_reach_buffers_by_their_address() {
    let cl = Cl::new();
    let source = "
        kernel void own(global int *buffer, global ulong *address) { *address = (ulong)buffer; }
        kernel void follow(global const ulong *address, global int *out) {
            *out = **(global int *global *)address;
        }
        kernel void before(global const int *p, constant int *q, global int *out, local int *l) {
            *out = p[-2];
        }";
    let program = cl.build(source, "").unwrap();
    let [own, follow, before] = ["own", "follow", "before"].map(|name| kernel_of(program, name).unwrap());
    let values: Vec<i32> = (0..1024).map(|i| i * 3).collect();
    let mem = buffer(&cl, &[PROPERTY, 1, 0], CL_MEM_COPY_HOST_PTR, 4096, memory(&values)).unwrap();
    let at = address(mem).unwrap();
    let (word, out) = (cl.buffer(0, 8), cl.buffer(0, 4));
    assert_eq!((set_arg(own, 0, mem), set_arg(own, 1, word)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(cl.run(own, &[1], None), CL_SUCCESS);
    assert_eq!(cl.read::<u64>(word, 1), [at]);

    let region = [1024usize, 256];
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    // SAFETY: the region is two words.
    let region = unsafe { In::new(region.as_ptr().cast()) };
    let part = made(|code| buffer::clCreateSubBuffer(mem, 0, kind, region, code)).unwrap();
    assert_eq!(address(part), Ok(at + 1024));

    let indirect = cl.buffer_of(&[at + 40]);
    assert_eq!((set_arg(follow, 0, indirect), set_arg(follow, 1, out)), (CL_SUCCESS, CL_SUCCESS));
    let told = |bytes| {
        let name = CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT;
        kernel::clSetKernelExecInfo(follow, name, bytes, memory(&[at]))
    };
    assert_eq!((told(8), told(4)), (CL_SUCCESS, CL_INVALID_VALUE));
    assert_eq!(cl.run(follow, &[1], None), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(out, 1), [30]);

    let set = |kernel, index, address| kernel::clSetKernelArgDevicePointerEXT(kernel, index, address);
    assert_eq!(set(NULL, 0, at), CL_INVALID_KERNEL);
    // Beyond the last argument, and arguments that are no pointers to global memory.
    assert_eq!([4, 1, 3].map(|index| set(before, index, at)), [CL_INVALID_ARG_INDEX; 3]);
    assert_eq!(set(before, 0, at + 4 * 1000), CL_SUCCESS);
    assert_eq!(set_arg(before, 1, mem), CL_SUCCESS);
    assert_eq!(kernel::clSetKernelArg(before, 3, 4, Memory::NULL), CL_SUCCESS);
    assert_eq!(set(before, 2, address(part).unwrap()), CL_SUCCESS);
    assert_eq!(cl.run(before, &[1], None), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(part, 1), [998 * 3]);

    let svm = pointer(svm::clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0));
    let over = buffer(&cl, &[PROPERTY, 1, 0], CL_MEM_USE_HOST_PTR, 64, svm).unwrap();
    assert_eq!(address(over), Ok(svm.addr() as u64));
    [over, part, mem, word, out, indirect].into_iter().for_each(release_mem);
    svm::clSVMFree(cl.context, svm);
    [own, follow, before].into_iter().for_each(release_kernel);
    release_program(program);
}
