//! Extensions that are no part of OpenCL 3.1: clocks in kernels, arithmetic over work-groups, hints
//! for queues, names that programs look for.

mod common;

use common::*;
use std::process::Command;

fn extensions() -> Vec<String> {
    let text = as_text(device_info(the_device(), CL_DEVICE_EXTENSIONS).unwrap());
    text.split(' ').map(str::to_owned).collect()
}

fn queue_with(cl: &Cl, list_of: &[u64]) -> Result<Handle, cl_int> {
    made(|code| queue::clCreateCommandQueueWithProperties(cl.context, the_device(), list(list_of), code))
}

#[test]
fn queues_have_priorities_and_throttles() {
    let names = ["cl_khr_priority_hints", "cl_khr_throttle_hints"];
    assert!(names.iter().all(|name| extensions().iter().any(|e| e == name)));
    let cl = Cl::new();
    let kernel = cl.kernel("kernel void f(global int *out) { out[get_global_id(0)] += 1; }", "f", "");
    let out = cl.buffer_of(&[0i32; 1000]);
    assert_eq!(set_arg(kernel, 0, out), CL_SUCCESS);
    let mut runs = 0;
    for key in [CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR] {
        for level in [CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR] {
            let properties = [key.into(), level.into(), 0];
            let made = queue_with(&cl, &properties).unwrap();
            let info = |name| {
                query(|size, value, ret| queue::clGetCommandQueueInfo(made, name, size, value, ret)).unwrap()
            };
            assert_eq!(as_sizes(info(CL_QUEUE_PROPERTIES_ARRAY)), properties.map(|word| word as usize));
            let code = launch::clEnqueueNDRangeKernel(
                made,
                kernel,
                1,
                In::NULL,
                list(&[1000]),
                In::NULL,
                0,
                In::NULL,
                Out::NULL,
            );
            assert_eq!((code, queue::clFinish(made)), (CL_SUCCESS, CL_SUCCESS));
            assert_eq!(queue::clReleaseCommandQueue(made), CL_SUCCESS);
            runs += 1;
        }
        for level in [0, 3, 8, 1 << 32 | 1] {
            assert_eq!(queue_with(&cl, &[key.into(), level, 0]), Err(CL_INVALID_VALUE), "{key:#x}, {level}");
        }
    }
    assert_eq!(cl.read::<i32>(out, 1000), [runs; 1000]);
    release_kernel(kernel);
    release_mem(out);
}

#[test]
fn clocks_go_on() {
    let cl = Cl::new();
    let source = "
        #if !defined(cl_khr_kernel_clock) || !__opencl_c_kernel_clock_scope_device \\
            || !__opencl_c_kernel_clock_scope_work_group || !__opencl_c_kernel_clock_scope_sub_group
        #error no clock
        #endif
        kernel void f(global ulong *times, global int *data) {
            size_t i = get_global_id(0);
            times[4 * i] = clock_read_device();
            for (int k = 0; k < 1000; k++) data[i] = data[i] * 3 + k;
            uint2 halves = clock_read_hilo_device();
            times[4 * i + 1] = upsample(halves.hi, halves.lo);
            uint2 group = clock_read_hilo_work_group();
            times[4 * i + 2] = clock_read_work_group() - upsample(group.hi, group.lo);
            uint2 part = clock_read_hilo_sub_group();
            times[4 * i + 3] = clock_read_sub_group() - upsample(part.hi, part.lo);
        }";
    let capabilities = device_info(the_device(), CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR).unwrap();
    assert_eq!(as_u64(capabilities), 0b111);
    let (times, data) = (cl.buffer(0, 8 * 4 * 256), cl.buffer(0, 4 * 256));
    for options in ["-cl-std=CL3.0 -Wall -Werror", "-cl-std=CL1.2", "-cl-wfv=never", "-cl-wfv=always"] {
        let source = match options {
            // The macros of features are of 3.0.
            "-cl-std=CL3.0 -Wall -Werror" => source.to_owned(),
            _ => source.replace("#error", "//"),
        };
        let kernel = cl.kernel(&source, "f", options);
        assert_eq!((set_arg(kernel, 0, times), set_arg(kernel, 1, data)), (CL_SUCCESS, CL_SUCCESS));
        let mut before = 0;
        for _ in 0..3 {
            assert_eq!(cl.run(kernel, &[256], Some(&[64])), CL_SUCCESS);
            let read = cl.read::<u64>(times, 4 * 256);
            let (first, last) = (read.chunks(4).map(|c| c[0]).min(), read.chunks(4).map(|c| c[1]).max());
            for (i, item) in read.chunks(4).enumerate() {
                assert!(item[0] < item[1], "{options}: work-item {i}: {} to {}", item[0], item[1]);
                assert!(item[2] < 1 << 40 && item[3] < 1 << 40, "{options}: work-item {i}: {item:?}");
            }
            assert!(before < first.unwrap(), "{options}: a launch began before the last one ended");
            before = last.unwrap();
        }
        release_kernel(kernel);
    }
    [times, data].into_iter().for_each(release_mem);
}

/// An operation over a work-group: its name, its type, what it makes of two values, its identity.
type Operation = (&'static str, &'static str, fn(i64, i64) -> i64, i64);

/// Each function against a loop, over groups of several sizes.
#[test]
fn work_groups_multiply_and_combine_bits() {
    let cl = Cl::new();
    let operations: [Operation; 7] = [
        ("mul", "long", i64::wrapping_mul, 1),
        ("and", "ulong", |x, y| x & y, -1),
        ("or", "long", |x, y| x | y, 0),
        ("xor", "ulong", |x, y| x ^ y, 0),
        ("logical_and", "int", |x, y| i64::from(x != 0 && y != 0), 1),
        ("logical_or", "int", |x, y| i64::from(x != 0 || y != 0), 0),
        ("logical_xor", "int", |x, y| i64::from((x != 0) != (y != 0)), 0),
    ];
    let input: Vec<i64> = (0..96i64).map(|i| (i * 0x9e37_79b9_7f4a) >> (i % 7) & !(i % 5)).collect();
    let truths: Vec<i64> = (0..96).map(|i| i64::from(i % 11 != 3) * 5).collect();
    let (from, to) = (cl.buffer(0, 8 * 96), cl.buffer(0, 3 * 8 * 96));
    for (name, ty, combine, identity) in operations {
        let source = format!(
            "#ifndef cl_khr_work_group_uniform_arithmetic
            #error no arithmetic
            #endif
            kernel void f(global const long *from, global long *to) {{
                size_t i = get_global_id(0);
                {ty} x = ({ty})from[i];
                to[3 * i] = work_group_reduce_{name}(x);
                to[3 * i + 1] = work_group_scan_inclusive_{name}(x);
                to[3 * i + 2] = work_group_scan_exclusive_{name}(x);
            }}"
        );
        let values = if ty == "int" { &truths } else { &input };
        let code = transfer::clEnqueueWriteBuffer(
            cl.queue,
            from,
            1,
            0,
            8 * 96,
            memory(values),
            0,
            In::NULL,
            Out::NULL,
        );
        assert_eq!(code, CL_SUCCESS);
        let kernel = cl.kernel(&source, "f", "-cl-std=CL3.0");
        assert_eq!((set_arg(kernel, 0, from), set_arg(kernel, 1, to)), (CL_SUCCESS, CL_SUCCESS));
        for local in [1, 3, 16, 32, 96] {
            assert_eq!(cl.run(kernel, &[96], Some(&[local])), CL_SUCCESS);
            let results = cl.read::<i64>(to, 3 * 96);
            for (group, values) in values.chunks(local).enumerate() {
                let all = values.iter().fold(identity, |x, y| combine(x, *y));
                let mut before = identity;
                for (i, value) in values.iter().enumerate() {
                    let inclusive = combine(before, *value);
                    let at = 3 * (group * local + i);
                    let expected = [all, inclusive, before];
                    assert_eq!(results[at..at + 3], expected, "{name} of {local}, work-item {i}");
                    before = inclusive;
                }
            }
        }
        release_kernel(kernel);
    }
    [from, to].into_iter().for_each(release_mem);
}

/// Products of floating-point numbers that are exact.
#[test]
fn work_groups_multiply_floats() {
    let cl = Cl::new();
    let out = cl.buffer(0, 4 * 8 * 64);
    for ty in ["float", "double", "half"] {
        let source = format!(
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
            kernel void f(global float *out) {{
                size_t i = get_global_id(0);
                {ty} x = i % 2 ? ({ty})2 : ({ty})0.5;
                out[3 * i] = work_group_reduce_mul(x);
                out[3 * i + 1] = work_group_scan_inclusive_mul(x);
                out[3 * i + 2] = work_group_scan_exclusive_mul(x);
            }}"
        );
        let kernel = cl.kernel(&source, "f", "-cl-std=CL3.0");
        assert_eq!(set_arg(kernel, 0, out), CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[64], Some(&[16])), CL_SUCCESS);
        let expected: Vec<f32> =
            (0..64).flat_map(|i| if i % 2 == 0 { [1.0, 0.5, 1.0] } else { [1.0, 1.0, 0.5] }).collect();
        assert_eq!(cl.read::<f32>(out, 3 * 64), expected, "{ty}");
        release_kernel(kernel);
    }
    release_mem(out);
}

/// Dot products of bytes, packed and in vectors, which are instructions of some CPUs, in scalar and
/// in vector code.
#[test]
fn bytes_are_multiplied() {
    let cl = Cl::new();
    let cases: [(&str, u32, u32, Option<i32>, i32); 12] = [
        ("uu_uint", 0x0102_0304, 0x0101_0101, None, 10),
        ("uu_uint", u32::MAX, u32::MAX, None, 260_100),
        ("ss_int", u32::MAX, 0x0102_0304, None, -10),
        ("ss_int", 0x8080_8080, 0x8080_8080, None, 65_536),
        ("us_int", u32::MAX, u32::MAX, None, -1020),
        ("su_int", 0xff00_0000, 0x0200_0000, None, -2),
        ("uu_uint", 0xff, 0xff, Some(1), 65_026),
        ("uu_uint", u32::MAX, u32::MAX, Some(-5), -1),
        ("ss_int", 0x80, 0x80, Some(i32::MAX), i32::MAX),
        ("us_int", 1, 0xff, Some(3), 2),
        ("su_int", 0x8080_8080, u32::MAX, Some(i32::MIN + 5), i32::MIN),
        ("su_int", 0xff, 1, Some(3), 2),
    ];
    let out = cl.buffer(0, 4 * 67);
    for (name, x, y, sum, expected) in cases {
        let kinds = name.chars().take(2).map(|kind| if kind == 'u' { "uchar4" } else { "char4" });
        let [x_kind, y_kind] = kinds.collect::<Vec<_>>().try_into().unwrap();
        let vectors = format!("as_{x_kind}(x[i]), as_{y_kind}(y)");
        // A sum of unsigned bytes is unsigned.
        let sum_of = if name == "uu_uint" { "(uint)sum" } else { "sum" };
        let (packed, apart) = match sum {
            Some(_) => ("dot_acc_sat_4x8packed_", format!("dot_acc_sat({vectors}, {sum_of})")),
            None => ("dot_4x8packed_", format!("dot({vectors})")),
        };
        let more = if sum.is_some() { ", sum" } else { "" };
        let call = format!("{packed}{name}(x[i], y{more})");
        let source = format!(
            "kernel void f(global const uint *x, uint y, int sum, global int *out) {{
                 size_t i = get_global_id(0);
                 int packed = {call}, apart = {apart};
                 out[i] = packed == apart ? packed : 0x55555555;
             }}"
        );
        let from = cl.buffer_of(&[x; 67]);
        for options in ["", "-cl-wfv=never"] {
            let kernel = cl.kernel(&source, "f", options);
            assert_eq!([set_arg(kernel, 0, from), set_arg(kernel, 1, y)], [CL_SUCCESS; 2]);
            assert_eq!([set_arg(kernel, 2, sum.unwrap_or(0)), set_arg(kernel, 3, out)], [CL_SUCCESS; 2]);
            assert_eq!(cl.run(kernel, &[67], None), CL_SUCCESS);
            assert_eq!(cl.read::<i32>(out, 67), [expected; 67], "{call} of {x:#x}, {y:#x}, {options}");
            release_kernel(kernel);
        }
        release_mem(from);
    }
    release_mem(out);
}

/// In a process of its own: the variables are read when they are asked for.
#[test]
fn names_that_programs_look_for() {
    if std::env::var_os("LANEWISE_TEST_CHILD").is_none() {
        let uuid = device_info(the_device(), CL_DEVICE_UUID_KHR).unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "names_that_programs_look_for"])
            .envs([("LANEWISE_PLATFORM_NAME", "A platform"), ("LANEWISE_DEVICE_NAME", "A device")])
            .env("LANEWISE_TEST_CHILD", format!("{uuid:?}"))
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let platform = query(|size, value, ret| {
        platform::clGetPlatformInfo(the_platform(), CL_PLATFORM_NAME, size, value, ret)
    });
    assert_eq!(as_text(platform.unwrap()), "A platform");
    assert_eq!(as_text(device_info(the_device(), CL_DEVICE_NAME).unwrap()), "A device");
    // The device is the same one.
    let uuid = device_info(the_device(), CL_DEVICE_UUID_KHR).unwrap();
    assert_eq!(format!("{uuid:?}"), std::env::var("LANEWISE_TEST_CHILD").unwrap());
}
