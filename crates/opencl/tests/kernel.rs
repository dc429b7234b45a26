//! Kernels: arguments, queries, launches.

mod common;

use common::*;
use std::ffi::c_void;

const SOURCE: &str = "
    typedef struct { int a; float b; } Pair;
    kernel void all(global const float *restrict in, constant int *table, local int *scratch, Pair pair,
                    float4 v, volatile global int *out, uchar c) {
        if (in && table) out[get_global_id(0)] = pair.a + (int)pair.b + (int)v.w + c;
        scratch[get_local_id(0)] = 0;
    }
    kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int *out) {
        out[get_global_id(0) + 4 * get_global_id(1)] = get_local_size(0) * 10 + get_local_size(1);
    }
    kernel __attribute__((work_group_size_hint(8, 1, 1))) void hinted() {
        local int l[100];
        l[get_local_id(0)] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    kernel __attribute__((vec_type_hint(uchar3))) void bytes(global uchar *out, uint n) {
        uchar3 table[50];
        for (uint i = 0; i < n; i++) table[i] = (uchar)(out[i] + get_global_id(0));
        for (uint i = 0; i < n; i++) out[i] = table[table[i].x % n].y;
    }
    kernel __attribute__((vec_type_hint(float))) __attribute__((reqd_work_group_size(8, 1, 1))) void two() {}
    kernel void ids(global uint *out, global uint *sizes) {
        out[get_global_id(0) - get_global_offset(0)] = get_global_id(0);
        sizes[get_group_id(0)] = get_local_size(0);
    }";

fn info(kernel: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| kernel::clGetKernelInfo(kernel, name, size, value, ret))
}

fn arg_info(kernel: Handle, index: cl_uint, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| kernel::clGetKernelArgInfo(kernel, index, name, size, value, ret))
}

fn group_info(kernel: Handle, device: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| kernel::clGetKernelWorkGroupInfo(kernel, device, name, size, value, ret))
}

#[test]
fn kernels_tell_of_themselves() {
    let cl = Cl::new();
    let program = cl.build(SOURCE, "-cl-kernel-arg-info").unwrap();
    let kernel = kernel_of(program, "all").unwrap();
    assert_eq!(as_text(info(kernel, CL_KERNEL_FUNCTION_NAME).unwrap()), "all");
    assert_eq!(as_u32(info(kernel, CL_KERNEL_NUM_ARGS).unwrap()), 7);
    assert_eq!(as_u32(info(kernel, CL_KERNEL_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(as_handle(info(kernel, CL_KERNEL_CONTEXT).unwrap()), cl.context);
    assert_eq!(as_handle(info(kernel, CL_KERNEL_PROGRAM).unwrap()), program);
    assert_eq!(as_text(info(kernel, CL_KERNEL_ATTRIBUTES).unwrap()), "");
    assert_eq!(info(kernel, 0x999), Err(CL_INVALID_VALUE));
    assert_eq!(info(program, CL_KERNEL_NUM_ARGS), Err(CL_INVALID_KERNEL));

    let expected = [
        (
            "in",
            "float*",
            CL_KERNEL_ARG_ADDRESS_GLOBAL,
            CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT,
        ),
        ("table", "int*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST),
        ("scratch", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL, 0),
        ("pair", "Pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0),
        ("v", "float4", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0),
        ("out", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE),
        ("c", "uchar", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0),
    ];
    for (i, (name, ty, space, qualifiers)) in expected.into_iter().enumerate() {
        let get = |what| arg_info(kernel, i as cl_uint, what).unwrap();
        assert_eq!(as_text(get(CL_KERNEL_ARG_NAME)), name);
        assert_eq!(as_text(get(CL_KERNEL_ARG_TYPE_NAME)), ty);
        assert_eq!(as_u32(get(CL_KERNEL_ARG_ADDRESS_QUALIFIER)), space);
        assert_eq!(as_u64(get(CL_KERNEL_ARG_TYPE_QUALIFIER)), qualifiers);
        assert_eq!(as_u32(get(CL_KERNEL_ARG_ACCESS_QUALIFIER)), CL_KERNEL_ARG_ACCESS_NONE);
    }
    assert_eq!(arg_info(kernel, 7, CL_KERNEL_ARG_NAME), Err(CL_INVALID_ARG_INDEX));
    assert_eq!(arg_info(kernel, 0, 0x999), Err(CL_INVALID_VALUE));

    let fixed = kernel_of(program, "fixed").unwrap();
    assert_eq!(as_text(info(fixed, CL_KERNEL_ATTRIBUTES).unwrap()), "reqd_work_group_size(4,2,1)");
    let sizes = group_info(fixed, cl.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE).unwrap();
    assert_eq!(as_sizes(sizes), [4, 2, 1]);
    assert_eq!(as_sizes(group_info(fixed, NULL, CL_KERNEL_WORK_GROUP_SIZE).unwrap()), [8]);
    let hinted = kernel_of(program, "hinted").unwrap();
    assert_eq!(as_text(info(hinted, CL_KERNEL_ATTRIBUTES).unwrap()), "work_group_size_hint(8,1,1)");
    assert_eq!(as_u64(group_info(hinted, cl.device, CL_KERNEL_LOCAL_MEM_SIZE).unwrap()), 400);
    assert!(
        as_sizes(group_info(hinted, cl.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).unwrap())[0] > 0
    );
    assert_eq!(as_u64(group_info(hinted, cl.device, CL_KERNEL_PRIVATE_MEM_SIZE).unwrap()), 0);
    let bytes = kernel_of(program, "bytes").unwrap();
    assert_eq!(as_text(info(bytes, CL_KERNEL_ATTRIBUTES).unwrap()), "vec_type_hint(uchar3)");
    assert_eq!(as_u64(group_info(bytes, cl.device, CL_KERNEL_PRIVATE_MEM_SIZE).unwrap()), 200);
    let two = kernel_of(program, "two").unwrap();
    assert_eq!(
        as_text(info(two, CL_KERNEL_ATTRIBUTES).unwrap()),
        "reqd_work_group_size(8,1,1) vec_type_hint(float)"
    );
    assert_eq!(group_info(hinted, cl.device, CL_KERNEL_GLOBAL_WORK_SIZE), Err(CL_INVALID_VALUE));
    assert_eq!(group_info(hinted, cl.queue, CL_KERNEL_WORK_GROUP_SIZE), Err(CL_INVALID_DEVICE));
    assert_eq!(group_info(NULL, cl.device, CL_KERNEL_WORK_GROUP_SIZE), Err(CL_INVALID_KERNEL));
    let code =
        kernel::clGetKernelSubGroupInfo(hinted, cl.device, 0x2033, 0, Memory::NULL, 0, Out::NULL, Out::NULL);
    assert_eq!(code, CL_INVALID_VALUE);

    let mut count = 0;
    let all = |count, kernels, ret| kernel::clCreateKernelsInProgram(program, count, kernels, ret);
    assert_eq!(all(0, Out::NULL, (&mut count).into()), CL_SUCCESS);
    assert_eq!(count, 6);
    let mut kernels = [NULL; 6];
    assert_eq!(all(5, kernels.as_mut_slice().into(), Out::NULL), CL_INVALID_VALUE);
    assert_eq!(all(6, kernels.as_mut_slice().into(), Out::NULL), CL_SUCCESS);
    for (kernel, name) in kernels.into_iter().zip(["all", "fixed", "hinted", "bytes", "two", "ids"]) {
        assert_eq!(as_text(info(kernel, CL_KERNEL_FUNCTION_NAME).unwrap()), name);
        release_kernel(kernel);
        assert_eq!(kernel::clReleaseKernel(kernel), CL_INVALID_KERNEL);
    }
    [kernel, fixed, hinted, bytes, two].into_iter().for_each(release_kernel);
    release_program(program);
}

#[test]
fn arguments_are_checked_and_kept() {
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "all", "");
    let (input, table, out) = (cl.buffer(0, 16), cl.buffer(0, 16), cl.buffer(0, 64));
    let set = kernel::clSetKernelArg;
    assert_eq!(set(NULL, 0, 8, memory(&[input])), CL_INVALID_KERNEL);
    assert_eq!(set(kernel, 7, 8, memory(&[input])), CL_INVALID_ARG_INDEX);
    assert_eq!(set(kernel, 0, 4, memory(&[input])), CL_INVALID_ARG_SIZE);
    assert_eq!(set(kernel, 0, 8, memory(&[kernel])), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(kernel, 2, 8, memory(&[input])), CL_INVALID_ARG_VALUE);
    // As of OpenCL 3.1, local memory may have no bytes.
    assert_eq!(set(kernel, 2, 0, Memory::NULL), CL_SUCCESS);
    assert_eq!(set(kernel, 3, 8, Memory::NULL), CL_INVALID_ARG_VALUE);
    assert_eq!(set(kernel, 3, 4, memory(&[1u64])), CL_INVALID_ARG_SIZE);
    assert_eq!(kernel::clSetKernelArgSVMPointer(kernel, 3, memory(&[1u64])), CL_INVALID_ARG_VALUE);
    let other = Cl::new();
    let foreign = other.buffer(0, 16);
    assert_eq!(set_arg(kernel, 0, foreign), CL_INVALID_CONTEXT);
    release_mem(foreign);

    assert_eq!(cl.run(kernel, &[16], None), CL_INVALID_KERNEL_ARGS);
    assert_eq!(set_arg(kernel, 0, input), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 1, table), CL_SUCCESS);
    assert_eq!(set(kernel, 2, 64, Memory::NULL), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 3, (7i32, 3.5f32)), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 4, [1.0f32, 2.0, 3.0, 4.0]), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 5, out), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 6, 200u8), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[16], Some(&[16])), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(out, 16), [214; 16]);
    assert_eq!(as_u64(group_info(kernel, cl.device, CL_KERNEL_LOCAL_MEM_SIZE).unwrap()), 64);

    // A copy has arguments of its own.
    let copy = made(|code| kernel::clCloneKernel(kernel, code)).unwrap();
    assert_eq!(set_arg(kernel, 6, 0u8), CL_SUCCESS);
    assert_eq!(cl.run(copy, &[16], Some(&[4])), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(out, 16), [214; 16]);
    assert_eq!(cl.run(kernel, &[16], Some(&[4])), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(out, 16), [14; 16]);
    assert_eq!(made(|code| kernel::clCloneKernel(NULL, code)), Err(CL_INVALID_KERNEL));
    assert_eq!(kernel::clRetainKernel(copy), CL_SUCCESS);
    release_kernel(copy);
    release_kernel(copy);

    // No memory: the kernel sees a null pointer.
    assert_eq!(set(kernel, 0, 8, memory(&[NULL])), CL_SUCCESS);
    assert_eq!(set(kernel, 1, 8, Memory::NULL), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 6, 1u8), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[16], Some(&[4])), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(out, 16), [14; 16]);
    // Too much local memory.
    assert_eq!(set(kernel, 2, 1 << 30, Memory::NULL), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[16], Some(&[4])), CL_OUT_OF_RESOURCES);
    assert_eq!(set(kernel, 2, 64, Memory::NULL), CL_SUCCESS);
    // A kernel does not hold on to memory.
    release_mem(out);
    assert_eq!(cl.run(kernel, &[16], Some(&[4])), CL_INVALID_MEM_OBJECT);
    release_mem(input);
    release_mem(table);
    release_kernel(kernel);
}

#[test]
fn ranges_are_checked() {
    let cl = Cl::new();
    let (out, sizes) = (cl.buffer(0, 4000), cl.buffer(0, 4000));
    let ids = |options| {
        let kernel = cl.kernel(SOURCE, "ids", options);
        assert_eq!((set_arg(kernel, 0, out), set_arg(kernel, 1, sizes)), (CL_SUCCESS, CL_SUCCESS));
        kernel
    };
    let (old, new, uniform) =
        (ids(""), ids("-cl-std=CL3.0"), ids("-cl-std=CL3.0 -cl-uniform-work-group-size"));
    assert_eq!(cl.run(new, &[10], Some(&[4])), CL_SUCCESS);
    assert_eq!(cl.read::<u32>(out, 10), (0..10).collect::<Vec<_>>());
    assert_eq!(cl.read::<u32>(sizes, 3), [4, 4, 2]);
    assert_eq!(cl.run(old, &[10], Some(&[4])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl.run(uniform, &[10], Some(&[4])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl.run(old, &[10], Some(&[5])), CL_SUCCESS);
    assert_eq!(cl.run_at(old, &[100], &[10], None), CL_SUCCESS);
    assert_eq!(cl.read::<u32>(out, 10), (100..110).collect::<Vec<_>>());
    assert_eq!(cl.run(old, &[10], Some(&[0])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl.run(old, &[1 << 20], Some(&[1 << 13])), CL_INVALID_WORK_ITEM_SIZE);
    assert_eq!(cl.run(old, &[1 << 12, 2], Some(&[1 << 12, 2])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl.run(old, &[1, 1, 1, 1], None), CL_INVALID_WORK_DIMENSION);
    assert_eq!(cl.run(old, &[], None), CL_INVALID_WORK_DIMENSION);
    assert_eq!(cl.run_at(old, &[usize::MAX], &[10], None), CL_INVALID_GLOBAL_OFFSET);
    assert_eq!(cl.run(old, &[usize::MAX, 2], None), CL_INVALID_GLOBAL_WORK_SIZE);
    // An empty range ends at once.
    assert_eq!(cl.run(old, &[10, 0], None), CL_SUCCESS);
    let enqueue = |queue, kernel, global| {
        launch::clEnqueueNDRangeKernel(queue, kernel, 1, In::NULL, global, In::NULL, 0, In::NULL, Out::NULL)
    };
    assert_eq!(enqueue(cl.queue, old, In::NULL), CL_SUCCESS);
    assert_eq!(enqueue(NULL, old, list(&[1])), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(enqueue(cl.queue, NULL, list(&[1])), CL_INVALID_KERNEL);
    let other = Cl::new();
    assert_eq!(enqueue(other.queue, old, list(&[1])), CL_INVALID_CONTEXT);
    assert_eq!(launch::clEnqueueTask(cl.queue, old, 0, In::NULL, Out::NULL), CL_SUCCESS);
    assert_eq!(launch::clEnqueueTask(cl.queue, NULL, 0, In::NULL, Out::NULL), CL_INVALID_KERNEL);

    let fixed = cl.kernel(SOURCE, "fixed", "");
    assert_eq!(set_arg(fixed, 0, out), CL_SUCCESS);
    assert_eq!(cl.run(fixed, &[4, 4], Some(&[4, 1])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl.run(fixed, &[4], Some(&[4])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl.run(fixed, &[4, 3], None), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl.run(fixed, &[4, 4], None), CL_SUCCESS);
    assert_eq!(cl.read::<u32>(out, 16), [42; 16]);
    cl.finish();
    [old, new, uniform, fixed].into_iter().for_each(release_kernel);
    [out, sizes].into_iter().for_each(release_mem);
}

#[test]
fn a_local_size_is_suggested() {
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "ids", "");
    let (out, sizes) = (cl.buffer(0, 4 << 20), cl.buffer(0, 4 << 20));
    let suggest = |kernel, global: &[usize], out: Out<usize>| {
        launch::clGetKernelSuggestedLocalWorkSize(
            cl.queue,
            kernel,
            global.len() as cl_uint,
            In::NULL,
            list(global),
            out,
        )
    };
    let mut local = [0usize; 3];
    assert_eq!(suggest(kernel, &[1 << 20], local.as_mut_slice().into()), CL_INVALID_KERNEL_ARGS);
    assert_eq!((set_arg(kernel, 0, out), set_arg(kernel, 1, sizes)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(suggest(kernel, &[1 << 20], local.as_mut_slice().into()), CL_SUCCESS);
    assert!(local[0] > 1 && (1usize << 20).is_multiple_of(local[0]));
    // A launch without a local size takes the suggested one.
    assert_eq!(cl.run(kernel, &[1 << 20], None), CL_SUCCESS);
    assert_eq!(cl.read::<u32>(sizes, 1), [local[0] as u32]);
    assert_eq!(suggest(kernel, &[0], local.as_mut_slice().into()), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_eq!(suggest(kernel, &[], local.as_mut_slice().into()), CL_INVALID_WORK_DIMENSION);
    assert_eq!(suggest(kernel, &[16], Out::NULL), CL_INVALID_VALUE);
    assert_eq!(suggest(NULL, &[16], local.as_mut_slice().into()), CL_INVALID_KERNEL);
    release_kernel(kernel);
    let fixed = cl.kernel(SOURCE, "fixed", "");
    assert_eq!(set_arg(fixed, 0, out), CL_SUCCESS);
    assert_eq!(suggest(fixed, &[16, 16], local.as_mut_slice().into()), CL_SUCCESS);
    assert_eq!(local[..2], [4, 2]);
    release_kernel(fixed);
    [out, sizes].into_iter().for_each(release_mem);
}

#[repr(C)]
#[derive(Clone, Copy)]
struct NativeArgs {
    factor: i32,
    count: i32,
    data: *mut c_void,
}

unsafe extern "C" fn scale(args: *mut c_void) {
    // SAFETY: called with a copy of what the test enqueued, its handle replaced by the buffer's
    // memory.
    unsafe {
        let args = args.cast::<NativeArgs>().read();
        for i in 0..args.count as usize {
            *args.data.cast::<i32>().add(i) *= args.factor;
        }
    }
}

#[test]
fn native_kernels() {
    let cl = Cl::new();
    let mem = cl.buffer_of(&[1i32, 2, 3]);
    let args = [NativeArgs { factor: 5, count: 3, data: mem }];
    let place = memory(std::slice::from_ref(&args[0].data));
    let run = |function, args: Memory, size, count, mems, places| {
        launch::clEnqueueNativeKernel(
            cl.queue,
            function,
            args,
            size,
            count,
            mems,
            places,
            0,
            In::NULL,
            Out::NULL,
        )
    };
    let (size, mems, places) = (size_of::<NativeArgs>(), [mem], [place]);
    assert_eq!(run(Some(scale as _), memory(&args), size, 1, list(&mems), list(&places)), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(mem, 3), [5, 10, 15]);
    assert_eq!(run(None, memory(&args), size, 1, list(&mems), list(&places)), CL_INVALID_VALUE);
    assert_eq!(run(Some(scale as _), Memory::NULL, size, 0, In::NULL, In::NULL), CL_INVALID_VALUE);
    assert_eq!(run(Some(scale as _), memory(&args), 0, 0, In::NULL, In::NULL), CL_INVALID_VALUE);
    assert_eq!(run(Some(scale as _), memory(&args), size, 1, In::NULL, In::NULL), CL_INVALID_VALUE);
    assert_eq!(run(Some(scale as _), memory(&args), size, 0, list(&mems), In::NULL), CL_INVALID_VALUE);
    assert_eq!(
        run(Some(scale as _), memory(&args), size, 1, list(&[NULL]), list(&places)),
        CL_INVALID_MEM_OBJECT
    );
    assert_eq!(run(Some(scale as _), memory(&args), 8, 1, list(&mems), list(&places)), CL_INVALID_VALUE);
    release_mem(mem);
}

#[test]
fn a_part_of_the_device_runs_kernels_too() {
    let device = the_device();
    let mut part = [NULL; 64];
    let properties = [CL_DEVICE_PARTITION_EQUALLY as isize, 1, 0];
    let mut count = 0;
    let places = Out::from(part.as_mut_slice());
    if dev::clCreateSubDevices(device, list(&properties), 64, places, (&mut count).into()) != CL_SUCCESS {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "SKIPPED: one compute unit, there are no parts to test");
        return;
    }
    let devices = [part[0]];
    let context =
        made(|code| context::clCreateContext(In::NULL, 1, list(&devices), None, Memory::NULL, code)).unwrap();
    let queue = made(|code| queue::clCreateCommandQueue(context, part[0], 0, code)).unwrap();
    let cl = Cl { device: part[0], context, queue };
    let kernel =
        cl.kernel("kernel void f(global int *a) { a[get_global_id(0)] = get_global_id(0); }", "f", "");
    let mem = cl.buffer(0, 4 << 16);
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[1 << 16], None), CL_SUCCESS);
    assert!(cl.read::<i32>(mem, 1 << 16).into_iter().eq(0..1 << 16));
    release_kernel(kernel);
    release_mem(mem);
    drop(cl);
    for part in &part[..count as usize] {
        assert_eq!(dev::clReleaseDevice(*part), CL_SUCCESS);
    }
}

#[test]
fn what_is_built_for_a_device_is_built_for_its_parts() {
    let device = the_device();
    let mut parts = [NULL; 64];
    let properties = [CL_DEVICE_PARTITION_EQUALLY as isize, 1, 0];
    if dev::clCreateSubDevices(device, list(&properties), 64, parts.as_mut_slice().into(), Out::NULL)
        != CL_SUCCESS
    {
        eprintln!("SKIPPED: one compute unit, there are no parts to test");
        return;
    }
    let devices = [parts[0], device, parts[1]];
    let context =
        made(|code| context::clCreateContext(In::NULL, 3, list(&devices), None, Memory::NULL, code)).unwrap();
    let queue = made(|code| queue::clCreateCommandQueue(context, parts[1], 0, code)).unwrap();
    let cl = Cl { device: parts[1], context, queue };
    let build = |program, devices: &[Handle]| {
        build::clBuildProgram(program, devices.len() as cl_uint, list(devices), In::NULL, None, Memory::NULL)
    };
    let status = |program, device| {
        let ask = |size, value, ret| {
            program::clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, size, value, ret)
        };
        as_i32(query(ask).unwrap())
    };
    let source = "kernel void f(global int *a) { a[get_global_id(0)] = 7; }";
    let program = cl.source(source);
    assert_eq!(build(program, &[device]), CL_SUCCESS);
    assert!(devices.iter().all(|d| status(program, *d) == CL_BUILD_SUCCESS));
    let (kernel, mem) = (kernel_of(program, "f").unwrap(), cl.buffer(0, 64));
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[16], None), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(mem, 16), [7; 16]);
    release_kernel(kernel);
    release_program(program);
    // A build for a sub-device is none for its parent.
    let program = cl.source(source);
    assert_eq!(build(program, &[parts[1]]), CL_SUCCESS);
    assert_eq!(devices.map(|d| status(program, d)), [CL_BUILD_NONE, CL_BUILD_NONE, CL_BUILD_SUCCESS]);
    release_program(program);
    release_mem(mem);
    drop(cl);
    for part in parts.into_iter().filter(|part| !part.is_null()) {
        assert_eq!(dev::clReleaseDevice(part), CL_SUCCESS);
    }
}

#[test]
fn integer_division_never_traps() {
    let cl = Cl::new();
    for (ty, bytes, least) in [
        ("char", 1, i8::MIN as i64),
        ("short", 2, i16::MIN as i64),
        ("int", 4, i32::MIN as i64),
        ("long", 8, i64::MIN),
    ] {
        for vector in ["", "3"] {
            let source = format!(
                "kernel void f(global const {ty} *a, global const {ty} *b, global {ty}{vector} *q) {{
                     size_t i = get_global_id(0);
                     {ty}{vector} x = a[i], y = b[i];
                     q[4 * i] = x / y;
                     q[4 * i + 1] = x % y;
                     u{ty}{vector} u = as_u{ty}{vector}(x), v = as_u{ty}{vector}(y), d = u / v, r = u % v;
                     q[4 * i + 2] = as_{ty}{vector}(d);
                     q[4 * i + 3] = as_{ty}{vector}(r);
                 }}"
            );
            for options in ["", "-cl-opt-disable"] {
                // Each dividend with each divisor.
                let values = [least, 0, -1, 1, 7, -100, 33];
                let items = values.len() * values.len();
                let place = |v: i64| v.to_le_bytes()[..bytes].to_vec();
                let a: Vec<u8> = (0..items).flat_map(|i| place(values[i / values.len()])).collect();
                let b: Vec<u8> = (0..items).flat_map(|i| place(values[i % values.len()])).collect();
                let lanes = vector.parse().unwrap_or(1usize);
                let stride = lanes.next_power_of_two() * bytes;
                let kernel = cl.kernel(&source, "f", options);
                let mems = [cl.buffer_of(&a), cl.buffer_of(&b), cl.buffer(0, items * 4 * stride)];
                for (i, mem) in mems.iter().enumerate() {
                    assert_eq!(set_arg(kernel, i as cl_uint, *mem), CL_SUCCESS);
                }
                assert_eq!(cl.run(kernel, &[items], None), CL_SUCCESS);
                let results = cl.read::<u8>(mems[2], items * 4 * stride);
                for i in 0..items {
                    let (x, y) = (values[i / values.len()], values[i % values.len()]);
                    if y == 0 || (x == least && y == -1) {
                        continue;
                    }
                    for lane in 0..lanes {
                        let at = |r: usize| {
                            let start = (4 * i + r) * stride + lane * bytes;
                            results[start..start + bytes].to_vec()
                        };
                        assert_eq!((at(0), at(1)), (place(x / y), place(x % y)), "{ty}{vector} {x} / {y}");
                    }
                }
                mems.into_iter().for_each(release_mem);
                release_kernel(kernel);
            }
        }
    }
}

#[test]
fn code_for_a_large_range_runs_a_small_one() {
    let cl = Cl::new();
    let source = "kernel void f(volatile global atomic_int *cell, global int *old) {
        uint id = get_global_id(0);
        old[id] = atomic_exchange_explicit(&cell[0], id, memory_order_relaxed, memory_scope_work_group);
        for (int i = 0; i < 100; i++)
            old[id] = atomic_exchange_explicit(&cell[0], old[id], memory_order_relaxed, \
            memory_scope_work_group);
    }";
    let kernel = cl.kernel(source, "f", "-cl-std=CL3.0");
    let (cell, old) = (cl.buffer_of(&[1234i32]), cl.buffer(0, 4096));
    assert_eq!((set_arg(kernel, 0, cell), set_arg(kernel, 1, old)), (CL_SUCCESS, CL_SUCCESS));
    for (size, local) in [(1024, 1024), (1, 1), (7, 7), (1, 1)] {
        let start = [1234i32];
        let code =
            transfer::clEnqueueWriteBuffer(cl.queue, cell, 1, 0, 4, memory(&start), 0, In::NULL, Out::NULL);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[size], Some(&[local])), CL_SUCCESS);
        let mut values = [cl.read::<i32>(old, size), cl.read::<i32>(cell, 1)].concat();
        values.sort_unstable();
        assert!(values.into_iter().eq((0..size as i32).chain([1234])), "{size}");
    }
    release_kernel(kernel);
    release_mem(cell);
    release_mem(old);
}

#[test]
fn memory_is_seen_as_other_types() {
    let cl = Cl::new();
    let source = "kernel void f(global const ushort *in, global float *out) {
        size_t i = get_global_id(0);
        ushort halves[3];
        for (int k = 0; k < 3; k++) halves[k] = in[3 * i + k];
        vstore3(vload_half3(0, (private half *)halves), i, out);
        *(global uint *)(out + 3 * i) += 1;
        out[3 * i] += 1.0f;
    }";
    let kernel = cl.kernel(source, "f", "");
    // 1, 2 and -0.5 in half precision.
    let (input, out) = (cl.buffer_of(&[0x3c00u16, 0x4000, 0xb800].repeat(50)), cl.buffer(0, 600));
    assert_eq!((set_arg(kernel, 0, input), set_arg(kernel, 1, out)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(cl.run(kernel, &[50], None), CL_SUCCESS);
    let first = f32::from_bits(1.0f32.to_bits() + 1) + 1.0;
    assert_eq!(cl.read::<f32>(out, 150), [first, 2.0, -0.5].repeat(50));
    release_kernel(kernel);
    release_mem(input);
    release_mem(out);
}

#[test]
fn arguments_take_as_many_bytes_as_the_device_says() {
    let cl = Cl::new();
    let most = as_sizes(device_info(cl.device, CL_DEVICE_MAX_PARAMETER_SIZE).unwrap())[0];
    let source = |words: usize| {
        format!(
            "typedef struct {{ ulong words[{words}]; }} Many;
             kernel void sum(global ulong *out, Many many) {{
                 ulong sum = 0;
                 for (int i = 0; i < {words}; i++) sum += many.words[i];
                 *out = sum;
             }}"
        )
    };
    let words = most / 8 - 1;
    let (kernel, out) = (cl.kernel(&source(words), "sum", ""), cl.buffer(0, 8));
    let values: Vec<u64> = (0..words as u64).map(|i| i * i + 1).collect();
    assert_eq!(kernel::clSetKernelArg(kernel, 0, 8, memory(&[out])), CL_SUCCESS);
    assert_eq!(kernel::clSetKernelArg(kernel, 1, words * 8, memory(&values)), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[1], None), CL_SUCCESS);
    assert_eq!(cl.read::<u64>(out, 1), [values.iter().sum::<u64>()]);
    let (code, log) = cl.build(&source(words + 1), "").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("'sum'") && log.contains(&(most + 8).to_string()), "{log}");
    release_kernel(kernel);
    release_mem(out);
}

#[test]
fn the_preferred_multiple_is_the_width_of_the_kernel() {
    const SOURCE: &str = "
        kernel void floats(global float *a) { a[get_global_id(0)] *= 2; }
        kernel void bytes(global uchar *a) { a[get_global_id(0)] += 3; }
        kernel void doubles(global double *a) { a[get_global_id(0)] = sqrt(a[get_global_id(0)]); }";
    let cl = Cl::new();
    let mem = cl.buffer(0, 8 * 1024);
    for options in ["", "-cl-wfv=never"] {
        let program = cl.build(SOURCE, options).unwrap();
        for name in ["floats", "bytes", "doubles"] {
            let kernel = kernel_of(program, name).unwrap();
            let multiple = || {
                let name = CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
                as_sizes(group_info(kernel, cl.device, name).unwrap())[0]
            };
            let before = multiple();
            assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
            assert_eq!(cl.run(kernel, &[1024], Some(&[256])), CL_SUCCESS);
            assert_eq!(multiple(), before, "{name}");
            // The work-items that run at once are a sub-group.
            let local = [256usize];
            let width = query(|size, value, ret| {
                let name = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
                kernel::clGetKernelSubGroupInfo(kernel, cl.device, name, 8, memory(&local), size, value, ret)
            });
            let width = as_sizes(width.unwrap())[0];
            assert_eq!(width == 1, options == "-cl-wfv=never", "{name}: {width}");
            // In scalar code the multiple is the one that the device prefers.
            let wish =
                as_sizes(device_info(cl.device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).unwrap())[0];
            assert_eq!(before, if width > 1 { width } else { wish }, "{name}");
            assert_eq!(as_u64(group_info(kernel, cl.device, CL_KERNEL_SPILL_MEM_SIZE_INTEL).unwrap()), 0);
            release_kernel(kernel);
        }
        release_program(program);
    }
    release_mem(mem);
}

#[test]
fn library_functions_take_pointers_of_any_address_space() {
    const SOURCE: &str = "kernel void f(global const char *in, global char *out, local char *l) {
        size_t i = get_global_id(0), n = get_local_id(0);
        char p[8];
        for (int k = 0; k < 8; k++) p[k] = in[i + k] + k;
        vstore3(vload3(0, p + 2), n, l);
        barrier(CLK_LOCAL_MEM_FENCE);
        char3 theirs = vload3(get_local_size(0) - 1 - n, l);
        vstore4((char4)(theirs, vload3(0, in + 1).y), i, out);
    }";
    let cl = Cl::new();
    let input: Vec<i8> = (0..80i32).map(|i| (i * 3 % 50) as i8).collect();
    let (from, to) = (cl.buffer_of(&input), cl.buffer(0, 64 * 4));
    for options in ["-cl-std=CL1.2", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-wfv=never"] {
        let kernel = cl.kernel(SOURCE, "f", options);
        assert_eq!((set_arg(kernel, 0, from), set_arg(kernel, 1, to)), (0, 0));
        assert_eq!(kernel::clSetKernelArg(kernel, 2, 3 * 32, Memory::NULL), CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[64], Some(&[32])), CL_SUCCESS);
        let expected = (0..64usize).flat_map(|i| {
            let partner = i / 32 * 32 + 31 - i % 32;
            let part = |k: usize| input[partner + k] + k as i8;
            [part(2), part(3), part(4), input[2]]
        });
        assert_eq!(cl.read::<i8>(to, 256), expected.collect::<Vec<_>>(), "{options}");
        release_kernel(kernel);
    }
    release_mem(from);
    release_mem(to);
}
