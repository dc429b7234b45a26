//! The code of `docs/new-target.md`, as a newcomer would write it down: its device runs kernels of
//! OpenCL programs, and `clinfo` lists it.

mod common;

use common::*;
use std::process::Command;

mod page {
    include!(concat!(env!("OUT_DIR"), "/tutorial.rs"));
}

/// The devices of the platform: the CPU and that of the page.
fn both() -> [Handle; 2] {
    cpu_and(page::one_item)
}

fn with_both() -> (Handle, [Handle; 2], [Handle; 2]) {
    let devices = both();
    let context =
        made(|code| context::clCreateContext(In::NULL, 2, list(&devices), None, Memory::NULL, code)).unwrap();
    let queues = devices
        .map(|d| made(|code| queue::clCreateCommandQueueWithProperties(context, d, In::NULL, code)).unwrap());
    (context, devices, queues)
}

#[test]
fn a_program_runs_on_the_new_device_and_on_the_cpu() {
    let (context, devices, queues) = with_both();
    assert_eq!(as_text(device_info(devices[1], CL_DEVICE_NAME).unwrap()), "one item at a time");
    let one = Cl { device: devices[1], context, queue: queues[1] };
    let source = "kernel void k(global float *a, float f) {
        size_t i = get_global_id(1) * 7 + get_global_id(0);
        a[i] = a[i] * f + i;
    }";
    let program = one.build(source, "").unwrap_or_else(|(code, log)| panic!("{code}: {log}"));
    let kernel = kernel_of(program, "k").unwrap();
    let buffer = one.buffer_of(&[1f32; 7 * 5]);
    assert_eq!(set_arg(kernel, 0, buffer), CL_SUCCESS);
    assert_eq!(set_arg(kernel, 1, 2f32), CL_SUCCESS);
    // The same buffer on both devices, one after the other.
    assert_eq!(one.run(kernel, &[7, 5], Some(&[7, 1])), CL_SUCCESS);
    one.finish();
    let cpu = std::mem::ManuallyDrop::new(Cl { device: devices[0], context, queue: queues[0] });
    assert_eq!(cpu.run(kernel, &[7, 5], None), CL_SUCCESS);
    cpu.finish();
    let expected: Vec<f32> = (0..35).map(|i| (2.0 + i as f32) * 2.0 + i as f32).collect();
    assert_eq!(one.read::<f32>(buffer, 35), expected);
    release_kernel(kernel);
    release_program(program);
    release_mem(buffer);
    assert_eq!(queue::clReleaseCommandQueue(queues[0]), CL_SUCCESS);
}

#[test]
fn what_the_device_lacks_is_an_error_with_a_name() {
    let (context, devices, queues) = with_both();
    assert_eq!(queue::clReleaseCommandQueue(queues[0]), CL_SUCCESS);
    let one = Cl { device: devices[1], context, queue: queues[1] };
    let (code, log) =
        one.build("kernel void k(global int *a) {\n  double d = a[0];\n  a[0] = d; }", "").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("program.cl:2:") && log.contains("double"), "{log}");
    // Machine code of this device's programs is made at their first launch.
    let kernel = one.kernel("kernel void k(global int *a) { a[0] = get_local_size(0); }", "k", "");
    let buffer = one.buffer_of(&[0i32]);
    assert_eq!(set_arg(kernel, 0, buffer), CL_SUCCESS);
    assert_eq!(one.run(kernel, &[1], None), CL_OUT_OF_RESOURCES);
    release_kernel(kernel);
    release_mem(buffer);
}

#[test]
fn without_sub_groups_there_is_no_word_of_them() {
    let (context, devices, queues) = with_both();
    assert_eq!(queue::clReleaseCommandQueue(queues[0]), CL_SUCCESS);
    let one = Cl { device: devices[1], context, queue: queues[1] };
    let listed = |device, name| String::from_utf8_lossy(&device_info(device, name).unwrap()).into_owned();
    for name in [CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_DEVICE_OPENCL_C_FEATURES] {
        assert!(listed(devices[0], name).contains("subgroup"));
        assert!(!listed(one.device, name).contains("subgroup"), "{}", listed(one.device, name));
    }
    for name in [CL_DEVICE_MAX_NUM_SUB_GROUPS, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS] {
        assert_eq!(as_u32(device_info(one.device, name).unwrap()), 0);
    }
    assert_eq!(device_info(one.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL), Err(CL_INVALID_VALUE));
    // In OpenCL C and in SPIR-V.
    for call in ["sub_group_barrier(CLK_LOCAL_MEM_FENCE)", "a[0] = get_sub_group_size()"] {
        let source = format!("kernel void k(global int *a) {{\n  {call};\n}}");
        let (code, log) = one.build(&source, "-cl-std=CL3.0").unwrap_err();
        assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
        assert!(log.contains("program.cl:2:") && log.contains("sub_group_"), "{log}");
    }
    let words = spirv::assemble("OpCapability SubgroupDispatch\nOpMemoryModel Physical64 OpenCL").unwrap();
    let make = |code| program::clCreateProgramWithIL(context, memory(&words), size_of_val(&words[..]), code);
    let program = made(make).unwrap();
    let code = build::clBuildProgram(program, 1, list(&[one.device]), In::NULL, None, Memory::NULL);
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(one.log(program).contains("capability SubgroupDispatch"), "{}", one.log(program));
    release_program(program);
    // All queries about the sub-groups of kernels are refused.
    let kernel = one.kernel("kernel void k(global int *a) { a[0] = 1; }", "k", "");
    let one_item = [1usize];
    for name in [
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
        CL_KERNEL_MAX_NUM_SUB_GROUPS,
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
    ] {
        let ask = |size, value, ret| {
            kernel::clGetKernelSubGroupInfo(kernel, one.device, name, 8, memory(&one_item), size, value, ret)
        };
        assert_eq!(query(ask), Err(CL_INVALID_OPERATION), "{name:#x}");
    }
    release_kernel(kernel);
}

#[test]
fn clinfo_lists_it() {
    let tests = std::env::current_exe().unwrap();
    let driver = tests.parent().unwrap().parent().unwrap().join("examples/libone_item_driver.so");
    // Cargo builds examples with the tests, but not with a single one.
    if !driver.exists() {
        let cargo = Command::new(env!("CARGO")).args(["build", "--example", "one_item_driver"]).status();
        assert!(cargo.unwrap().success());
    }
    let out = Command::new("clinfo")
        .arg("-l")
        .env("OCL_ICD_VENDORS", driver)
        .env("LANEWISE_CACHE", "0")
        .output()
        .expect("clinfo is installed by `make setup`");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.contains("Device #1: one item at a time"), "{text}");
}
