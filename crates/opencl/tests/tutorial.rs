//! The code of `docs/new-target.md`, as a newcomer would write it down: its device runs kernels of OpenCL programs, and `clinfo`
//! lists it.

mod common;

use common::*;
use std::process::Command;
use std::sync::Once;

mod page {
    include!(concat!(env!("OUT_DIR"), "/tutorial.rs"));
}

/// The devices of the platform: the CPU and that of the page.
fn both() -> [Handle; 2] {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| devices::add(page::one_item()).unwrap());
    let (mut found, mut count) = ([NULL; 2], 0);
    let kind = CL_DEVICE_TYPE_ALL.into();
    let places = found.as_mut_slice().into();
    assert_eq!(dev::clGetDeviceIDs(the_platform(), kind, 2, places, (&mut count).into()), CL_SUCCESS);
    assert_eq!(count, 2);
    found
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
    let local = [1usize];
    let size = |size, value, ret| {
        let name = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
        kernel::clGetKernelSubGroupInfo(kernel, one.device, name, 8, memory(&local), size, value, ret)
    };
    assert_eq!(query(size), Err(CL_INVALID_OPERATION));
    release_kernel(kernel);
    release_mem(buffer);
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
