//! What OpenCL 3.1 made part of the core, by its names there, and the version that programs are
//! told.

mod common;

use common::*;
use std::ffi::{CStr, CString, c_char};
use std::process::Command;

const NUMERIC_3_1: u32 = 3 << 22 | 1 << 12;

fn extensions() -> Vec<String> {
    let text = as_text(device_info(the_device(), CL_DEVICE_EXTENSIONS).unwrap());
    text.split(' ').map(str::to_owned).collect()
}

/// The numbers of the versions of a list of `cl_name_version`.
fn versions(name: cl_uint) -> Vec<u32> {
    let bytes = device_info(the_device(), name).unwrap();
    bytes.chunks_exact(68).map(|entry| u32::from_ne_bytes(entry[..4].try_into().unwrap())).collect()
}

#[test]
fn the_version_is_told() {
    if std::env::var_os("LANEWISE_TEST_CHILD").is_some() {
        return;
    }
    let device = the_device();
    assert!(as_text(device_info(device, CL_DEVICE_VERSION).unwrap()).starts_with("OpenCL 3.1 "));
    assert_eq!(as_u32(device_info(device, CL_DEVICE_NUMERIC_VERSION).unwrap()), NUMERIC_3_1);
    let number = |major: u32, minor: u32| major << 22 | minor << 12;
    let expected = [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)].map(|(major, minor)| number(major, minor));
    assert_eq!(versions(CL_DEVICE_OPENCL_C_ALL_VERSIONS), expected);
    let languages = versions(CL_DEVICE_ILS_WITH_VERSION);
    assert!((0..=4).all(|minor| languages.contains(&number(1, minor))));
    assert!(as_u32(device_info(device, CL_DEVICE_MAX_NUM_SUB_GROUPS).unwrap()) > 0);
    for name in [
        "cl_khr_device_uuid",
        "cl_khr_extended_bit_ops",
        "cl_khr_integer_dot_product",
        "cl_khr_spirv_queries",
        "cl_khr_subgroup_extended_types",
        "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_shuffle_relative",
        "cl_khr_suggested_local_work_size",
    ] {
        assert!(extensions().iter().any(|extension| extension == name), "{name}");
    }
}

/// With `LANEWISE_VERSION=3.0` there is no word of 3.1, and what 3.1 allows is an error.
#[test]
fn programs_that_know_only_3_0() {
    if std::env::var_os("LANEWISE_TEST_CHILD").is_none() {
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "programs_that_know_only_3_0"])
            .envs([("LANEWISE_VERSION", "3.0"), ("LANEWISE_TEST_CHILD", "1")])
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let version = query(|size, value, ret| {
        platform::clGetPlatformInfo(the_platform(), CL_PLATFORM_VERSION, size, value, ret)
    });
    for text in [version, device_info(the_device(), CL_DEVICE_VERSION)] {
        assert!(as_text(text.unwrap()).starts_with("OpenCL 3.0 "));
    }
    assert_eq!(as_u32(device_info(the_device(), CL_DEVICE_NUMERIC_VERSION).unwrap()), 3 << 22);
    assert!(!versions(CL_DEVICE_OPENCL_C_ALL_VERSIONS).contains(&NUMERIC_3_1));
    let cl = Cl::new();
    let (code, log) = cl.build(SOURCE, "-cl-std=CL3.1").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("-cl-std=CL3.1 is newer than the device"), "{log}");
    let kernel = cl.kernel("kernel void k(local int *a) { }", "k", "");
    assert_eq!(kernel::clSetKernelArg(kernel, 0, 0, Memory::NULL), CL_INVALID_ARG_SIZE);
    release_kernel(kernel);
}

/// Functions that 3.1 made part of the language, without a word of their extensions.
const SOURCE: &str = "
#if __OPENCL_C_VERSION__ != 310 || __OPENCL_VERSION__ != CL_VERSION_3_1
#error the version
#endif
kernel void k(global uint *bits, global int *dots, global ulong *lanes) {
    uint i = get_global_id(0), x = i * 0x9e3779b9u;
    bits[i] = bitfield_insert(bit_reverse(x), i, 3, 5) ^ bitfield_extract_unsigned(x, 4, 9);
    char4 a = as_char4(x);
    uchar4 b = as_uchar4(x + 77);
    dots[i] = dot(a, b) + dot_acc_sat_4x8packed_su_int(x, x + 77, i);
    ushort s = (ushort)get_sub_group_local_id();
    uint size = get_sub_group_size();
    lanes[i] = sub_group_shuffle_xor(s, 0) + 1000 * sub_group_rotate((ulong)s, 1)
        + 1000000 * sub_group_broadcast((short2)(s, size), 0).y + 1000000000ul * sub_group_shuffle_up(s, 0);
}";

#[test]
fn the_language_has_what_were_extensions() {
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "k", "-cl-std=CL3.1 -Wall -Werror");
    let (bits, dots, lanes) = (cl.buffer(0, 4 * 128), cl.buffer(0, 4 * 128), cl.buffer(0, 8 * 128));
    for (i, mem) in [bits, dots, lanes].into_iter().enumerate() {
        assert_eq!(set_arg(kernel, i as u32, mem), CL_SUCCESS);
    }
    assert_eq!(cl.run(kernel, &[128], Some(&[64])), CL_SUCCESS);
    let inputs = (0..128u32).map(|i| i.wrapping_mul(0x9e37_79b9));
    let expected: Vec<u32> = inputs
        .clone()
        .enumerate()
        .map(|(i, x)| (x.reverse_bits() & !(0x1f << 3) | (i as u32 & 0x1f) << 3) ^ (x >> 4 & 0x1ff))
        .collect();
    assert_eq!(cl.read::<u32>(bits, 128), expected);
    let dot = |x: u32| -> i32 {
        let y = x.wrapping_add(77).to_le_bytes();
        x.to_le_bytes().iter().zip(y).map(|(a, b)| i32::from(*a as i8) * i32::from(b)).sum()
    };
    let expected: Vec<i32> = inputs.enumerate().map(|(i, x)| 2 * dot(x) + i as i32).collect();
    assert_eq!(cl.read::<i32>(dots, 128), expected);
    // Rotations are defined for whole sub-groups: their sizes divide 64.
    let lanes_read = cl.read::<u64>(lanes, 128);
    let size_of = |at: usize| (lanes_read[at] / 1_000_000 % 1000) as usize;
    for group in 0..2 {
        let mut at = group * 64;
        while at < group * 64 + 64 {
            let size = size_of(at);
            for lane in 0..size as u64 {
                let rotated = (lane + 1) % size as u64;
                let want = lane + 1000 * rotated + 1_000_000 * size as u64 + 1_000_000_000 * lane;
                assert_eq!(lanes_read[at + lane as usize], want, "work-item {}", at + lane as usize);
            }
            at += size;
        }
        assert_eq!(at, group * 64 + 64);
    }
    release_kernel(kernel);
    [bits, dots, lanes].into_iter().for_each(release_mem);
}

/// A pointer to local memory may have no bytes: nothing is read through it.
#[test]
fn local_arguments_may_be_empty() {
    let cl = Cl::new();
    let source = "kernel void k(local int *none, local int *some, int n, global int *out) {
        int i = get_local_id(0);
        some[i] = i * 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < n; j++) none[j] = 7;
        out[get_global_id(0)] = some[get_local_size(0) - 1 - i];
    }";
    let out = cl.buffer(0, 4 * 64);
    for options in ["", "-cl-lanewise-check"] {
        let kernel = cl.kernel(source, "k", options);
        assert_eq!(kernel::clSetKernelArg(kernel, 0, 0, Memory::NULL), CL_SUCCESS);
        assert_eq!(kernel::clSetKernelArg(kernel, 1, 64, Memory::NULL), CL_SUCCESS);
        assert_eq!((set_arg(kernel, 2, 0i32), set_arg(kernel, 3, out)), (CL_SUCCESS, CL_SUCCESS));
        assert_eq!(cl.run(kernel, &[64], Some(&[16])), CL_SUCCESS);
        let expected: Vec<i32> = (0..64).map(|i| (15 - i % 16) * 3).collect();
        assert_eq!(cl.read::<i32>(out, 64), expected, "{options}");
        release_kernel(kernel);
    }
    release_mem(out);
}

#[test]
fn a_local_size_of_zero_is_an_error() {
    let cl = Cl::new();
    let kernel = cl.kernel("kernel void k() { }", "k", "");
    assert_eq!(cl.run(kernel, &[64], Some(&[0])), CL_INVALID_WORK_GROUP_SIZE);
    release_kernel(kernel);
}

/// The texts that a query's addresses are of.
fn texts(name: cl_uint) -> Vec<String> {
    let addresses = as_sizes(device_info(the_device(), name).unwrap());
    // SAFETY: the answer is an array of addresses of strings that stay.
    let text = |address: usize| unsafe { CStr::from_ptr(address as *const c_char) };
    addresses.into_iter().map(|address| text(address).to_str().unwrap().to_owned()).collect()
}

#[test]
fn what_spirv_may_ask_for() {
    assert_eq!(texts(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS), ["OpenCL.std"]);
    let extensions = texts(CL_DEVICE_SPIRV_EXTENSIONS);
    for name in ["SPV_KHR_bit_instructions", "SPV_KHR_integer_dot_product", "SPV_KHR_subgroup_rotate"] {
        assert!(extensions.iter().any(|extension| extension == name), "{name}");
    }
    let bytes = device_info(the_device(), CL_DEVICE_SPIRV_CAPABILITIES).unwrap();
    let capabilities: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
    // Addresses, Linkage, Kernel, Vector16, Int64, Int16, Int8, Groups, GenericPointer,
    // SubgroupDispatch, shuffles, dot products, rotations, BitInstructions.
    for number in [4, 5, 6, 7, 11, 22, 39, 18, 38, 58, 65, 66, 6017, 6018, 6019, 6025, 6026] {
        assert!(capabilities.contains(&number), "{number}");
    }
    assert!(capabilities.is_sorted() && !capabilities.contains(&1), "there are no shaders");
    assert!(
        !capabilities.contains(&17) && !capabilities.contains(&19),
        "there are no pipes nor device queues"
    );
    // What is told is taken.
    let cl = Cl::new();
    for (number, minor) in capabilities.iter().flat_map(|number| [(*number, 0u32), (*number, 6)]) {
        // A module of capabilities and a memory model: it has no kernels.
        let mut words = vec![0x0723_0203, 1 << 16 | minor << 8, 0, 1, 0];
        for capability in [4, 5, 6, number] {
            words.extend([2 << 16 | 17, capability]);
        }
        words.extend([3 << 16 | 14, 2, 2]);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let program =
            made(|code| program::clCreateProgramWithIL(cl.context, memory(&bytes), bytes.len(), code))
                .unwrap();
        let code = build::clBuildProgram(program, 0, In::NULL, In::NULL, None, Memory::NULL);
        assert_eq!(code, CL_SUCCESS, "{number} in 1.{minor}: {}", cl.log(program));
        release_program(program);
    }
}

/// The new entry point of the core is found by its name.
#[test]
fn a_local_size_is_suggested_by_the_core() {
    let find = |name: &str| {
        let name = CString::new(name).unwrap();
        platform::clIcdGetFunctionAddressForPlatformKHR(the_platform(), name.as_c_str().into())
    };
    let (core, extension) =
        (find("clGetKernelSuggestedLocalWorkSize"), find("clGetKernelSuggestedLocalWorkSizeKHR"));
    assert!(!core.is_null() && core == extension);
}
