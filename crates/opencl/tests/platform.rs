//! Platforms, devices, sub-devices, timers, functions by name.

mod common;

use common::*;
use std::ffi::CString;

fn platform_info(name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| platform::clGetPlatformInfo(the_platform(), name, size, value, ret))
}

#[test]
fn there_is_one_platform() {
    let mut count = 0;
    assert_eq!(platform::clGetPlatformIDs(0, Out::NULL, (&mut count).into()), CL_SUCCESS);
    assert_eq!(count, 1);
    let mut handle = NULL;
    assert_eq!(platform::clGetPlatformIDs(0, (&mut handle).into(), Out::NULL), CL_INVALID_VALUE);
    assert_eq!(platform::clGetPlatformIDs(0, Out::NULL, Out::NULL), CL_INVALID_VALUE);
    assert_eq!(as_text(platform_info(CL_PLATFORM_PROFILE).unwrap()), "FULL_PROFILE");
    assert!(as_text(platform_info(CL_PLATFORM_VERSION).unwrap()).starts_with("OpenCL 3.1 "));
    assert_eq!(as_u32(platform_info(CL_PLATFORM_NUMERIC_VERSION).unwrap()), 3 << 22 | 1 << 12);
    assert_eq!(as_text(platform_info(CL_PLATFORM_NAME).unwrap()), "Lanewise");
    assert!(!as_text(platform_info(CL_PLATFORM_VENDOR).unwrap()).is_empty());
    assert!(as_text(platform_info(CL_PLATFORM_EXTENSIONS).unwrap()).contains("cl_khr_icd"));
    assert_eq!(as_text(platform_info(CL_PLATFORM_ICD_SUFFIX_KHR).unwrap()), "LANEWISE");
    assert_eq!(as_u64(platform_info(CL_PLATFORM_HOST_TIMER_RESOLUTION).unwrap()), 1);
    assert_eq!(platform_info(0x1234), Err(CL_INVALID_VALUE));
    let code = platform::clGetPlatformInfo(NULL, CL_PLATFORM_NAME, 0, Out::NULL, Out::NULL);
    assert_eq!(code, CL_INVALID_PLATFORM);
    assert_eq!(platform::clUnloadPlatformCompiler(the_platform()), CL_SUCCESS);
    assert_eq!(platform::clUnloadPlatformCompiler(the_device()), CL_INVALID_PLATFORM);
    assert_eq!(platform::clUnloadCompiler(), CL_SUCCESS);
}

#[test]
fn there_is_one_device_and_it_is_a_cpu() {
    let count_of = |kind: u64| {
        let mut count = 77;
        let code = dev::clGetDeviceIDs(the_platform(), kind, 0, Out::NULL, (&mut count).into());
        (code, count)
    };
    for kind in [CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_ALL.into()] {
        assert_eq!(count_of(kind), (CL_SUCCESS, 1));
    }
    assert_eq!(count_of(CL_DEVICE_TYPE_GPU), (CL_DEVICE_NOT_FOUND, 0));
    assert_eq!(count_of(0).0, CL_INVALID_DEVICE_TYPE);
    assert_eq!(count_of(1 << 20).0, CL_INVALID_DEVICE_TYPE);
    let mut handle = NULL;
    let cpu = CL_DEVICE_TYPE_CPU;
    let ask = |platform, count, devices| dev::clGetDeviceIDs(platform, cpu, count, devices, Out::NULL);
    assert_eq!(ask(NULL, 1, (&mut handle).into()), CL_INVALID_PLATFORM);
    assert_eq!(ask(the_platform(), 0, (&mut handle).into()), CL_INVALID_VALUE);
    assert_eq!(ask(the_platform(), 0, Out::NULL), CL_INVALID_VALUE);
}

/// All names of OpenCL 3.1.
#[test]
fn every_query_of_the_device_has_an_answer() {
    let device = the_device();
    let holes = [0x1034, 0x1039, 0x1042];
    for name in (0x1000..=0x1076).chain(0x12b9..=0x12bb).filter(|name| !holes.contains(name)) {
        let answer = device_info(device, name);
        let unused = [0x1055, 0x1056, 0x1057, 0x1058, 0x1069, 0x106f].contains(&name);
        if let Err(code) = answer {
            assert_eq!(code, CL_INVALID_VALUE, "{name:#x}");
            assert!(unused, "{name:#x} has no answer");
        }
    }
    assert_eq!(device_info(device, 0x4242), Err(CL_INVALID_VALUE));
    assert_eq!(device_info(the_platform(), CL_DEVICE_NAME), Err(CL_INVALID_DEVICE));
}

#[test]
fn the_device_agrees_with_the_compiler() {
    let device = the_device();
    let text = as_text(device_info(device, CL_DEVICE_EXTENSIONS).unwrap());
    let extensions: Vec<_> = text.split(' ').collect();
    for extension in clc::extensions(&clc::Device::FULL) {
        assert!(extensions.contains(&extension), "{extension}");
    }
    let names = |name| {
        let bytes = device_info(device, name).unwrap();
        let entries = bytes
            .chunks_exact(68)
            .map(|c| String::from_utf8(c[4..].iter().copied().take_while(|b| *b != 0).collect()).unwrap());
        entries.collect::<Vec<_>>()
    };
    assert_eq!(names(CL_DEVICE_EXTENSIONS_WITH_VERSION), extensions);
    assert_eq!(names(CL_DEVICE_OPENCL_C_FEATURES), clc::features(&clc::Device::FULL).collect::<Vec<_>>());
    let has = |feature: &str| clc::features(&clc::Device::FULL).any(|f| f == feature);
    let flag = |name| as_u32(device_info(device, name).unwrap()) != 0;
    assert_eq!(flag(CL_DEVICE_IMAGE_SUPPORT), has("__opencl_c_images"));
    assert_eq!(flag(CL_DEVICE_PIPE_SUPPORT), has("__opencl_c_pipes"));
    assert_eq!(flag(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT), has("__opencl_c_generic_address_space"));
    assert_eq!(
        as_u32(device_info(device, CL_DEVICE_MAX_NUM_SUB_GROUPS).unwrap()) > 0,
        has("__opencl_c_subgroups")
    );
}

/// An extension whose capabilities cannot be asked for is only half there.
#[test]
fn the_capabilities_of_float_atomics_are_answered() {
    for name in [
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
        CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT,
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
    ] {
        let has = as_u64(device_info(the_device(), name).unwrap());
        // Load and store, add, min and max: in global memory, and in local memory.
        assert_eq!(has, 0b111 | 0b111 << 16, "{name:#x}");
    }
}

#[test]
fn integer_dot_products_are_reported() {
    let device = the_device();
    assert_eq!(as_u64(device_info(device, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR).unwrap()), 3);
    for name in [
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4X8BIT_PACKED_KHR,
    ] {
        assert_eq!(device_info(device, name).unwrap().len(), 24);
    }
    let bytes = device_info(device, CL_DEVICE_EXTENSIONS_WITH_VERSION).unwrap();
    let entry = bytes.chunks_exact(68).find(|c| c[4..].starts_with(b"cl_khr_integer_dot_product"));
    assert_eq!(entry.unwrap()[..4], (2u32 << 22).to_ne_bytes());
}

#[test]
fn limits_are_those_of_the_full_profile_at_least() {
    let number = |name| as_u64(device_info(the_device(), name).unwrap());
    let memory = number(CL_DEVICE_GLOBAL_MEM_SIZE);
    assert!(number(CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= (memory / 4).clamp(32 << 20, 1 << 30));
    assert!(number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 64 << 10);
    assert!(number(CL_DEVICE_LOCAL_MEM_SIZE) >= 32 << 10);
    assert!(number(CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
    assert!(number(CL_DEVICE_PRINTF_BUFFER_SIZE) >= 1 << 20);
    let sizes = as_sizes(device_info(the_device(), CL_DEVICE_MAX_WORK_ITEM_SIZES).unwrap());
    assert_eq!(sizes.len(), 3);
    assert!(number(CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize <= sizes[0]);
}

fn sub_devices(parent: Handle, properties: &[isize]) -> Result<Vec<Handle>, cl_int> {
    let mut count = 0;
    match dev::clCreateSubDevices(parent, list(properties), 0, Out::NULL, (&mut count).into()) {
        CL_SUCCESS => {}
        code => return Err(code),
    }
    let mut devices = vec![NULL; count as usize];
    let places = Out::from(devices.as_mut_slice());
    match dev::clCreateSubDevices(parent, list(properties), count, places, Out::NULL) {
        CL_SUCCESS => Ok(devices),
        code => Err(code),
    }
}

#[test]
fn the_device_is_cut_into_parts() {
    let device = the_device();
    let (equally, counts) = (CL_DEVICE_PARTITION_EQUALLY as isize, CL_DEVICE_PARTITION_BY_COUNTS as isize);
    let units = as_u32(device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS).unwrap());
    assert_eq!(sub_devices(device, &[0]), Err(CL_INVALID_VALUE));
    assert_eq!(sub_devices(device, &[equally, 0, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(sub_devices(device, &[0x1089, 1, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(sub_devices(NULL, &[equally, 1, 0]), Err(CL_INVALID_DEVICE));
    assert_eq!(dev::clCreateSubDevices(device, In::NULL, 0, Out::NULL, Out::NULL), CL_INVALID_VALUE);
    if units < 2 {
        assert_eq!(sub_devices(device, &[equally, 1, 0]), Err(CL_DEVICE_PARTITION_FAILED));
        return;
    }
    assert_eq!(
        sub_devices(device, &[counts, units as isize, 1, 0, 0]),
        Err(CL_INVALID_DEVICE_PARTITION_COUNT)
    );
    assert_eq!(
        sub_devices(device, &[equally, units as isize + 1, 0]),
        Err(CL_INVALID_DEVICE_PARTITION_COUNT)
    );
    assert_eq!(sub_devices(device, &[equally, units as isize, 0]), Err(CL_DEVICE_PARTITION_FAILED));
    let parts = sub_devices(device, &[equally, 1, 0]).unwrap();
    assert_eq!(parts.len(), units as usize);
    let part = parts[0];
    assert_eq!(as_u32(device_info(part, CL_DEVICE_MAX_COMPUTE_UNITS).unwrap()), 1);
    assert_eq!(as_handle(device_info(part, CL_DEVICE_PARENT_DEVICE).unwrap()), device);
    assert_eq!(as_sizes(device_info(part, CL_DEVICE_PARTITION_TYPE).unwrap()), [equally as usize, 1, 0]);
    assert_eq!(as_u32(device_info(part, CL_DEVICE_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(dev::clRetainDevice(part), CL_SUCCESS);
    assert_eq!(as_u32(device_info(part, CL_DEVICE_REFERENCE_COUNT).unwrap()), 2);
    assert_eq!(dev::clReleaseDevice(part), CL_SUCCESS);
    let parts_by_count = sub_devices(device, &[counts, 1, 1, 0, 0]).unwrap();
    assert_eq!(parts_by_count.len(), 2);
    for part in parts.into_iter().chain(parts_by_count) {
        assert_eq!(dev::clReleaseDevice(part), CL_SUCCESS);
        assert_eq!(dev::clReleaseDevice(part), CL_INVALID_DEVICE);
    }
    // The root is not counted.
    assert_eq!(dev::clRetainDevice(device), CL_SUCCESS);
    assert_eq!(dev::clReleaseDevice(device), CL_SUCCESS);
    assert_eq!(dev::clReleaseDevice(device), CL_SUCCESS);
    assert_eq!(as_u32(device_info(device, CL_DEVICE_REFERENCE_COUNT).unwrap()), 1);
}

#[test]
fn the_device_is_cut_along_its_caches() {
    let device = the_device();
    let number = |device, name| u64::from(as_u32(device_info(device, name).unwrap()));
    let by_affinity = |domain: u64| [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as isize, domain as isize, 0];
    let domains = as_u64(device_info(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN).unwrap());
    let kinds = as_sizes(device_info(device, CL_DEVICE_PARTITION_PROPERTIES).unwrap());
    assert_eq!(kinds.contains(&(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as usize)), domains != 0);
    let next = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    assert_eq!(domains & next != 0, domains != 0);
    let mut first = 0;
    for bit in (0..5).map(|i| 1u64 << i) {
        if domains & bit == 0 {
            assert_eq!(sub_devices(device, &by_affinity(bit)), Err(CL_INVALID_VALUE));
            continue;
        }
        first = if first == 0 { bit } else { first };
        let parts = sub_devices(device, &by_affinity(bit)).unwrap();
        assert!(parts.len() > 1);
        let units: u64 = parts.iter().map(|part| number(*part, CL_DEVICE_MAX_COMPUTE_UNITS)).sum();
        assert_eq!(units, number(device, CL_DEVICE_MAX_COMPUTE_UNITS));
        for part in parts {
            // All of a part share what it was cut along.
            let left = as_u64(device_info(part, CL_DEVICE_PARTITION_AFFINITY_DOMAIN).unwrap());
            assert_eq!(left & bit, 0);
            assert_eq!(sub_devices(part, &by_affinity(bit)), Err(CL_DEVICE_PARTITION_FAILED));
            assert_eq!(dev::clReleaseDevice(part), CL_SUCCESS);
        }
    }
    for bad in [0, 1 << 6, 3] {
        assert_eq!(sub_devices(device, &by_affinity(bad)), Err(CL_INVALID_VALUE));
    }
    if domains == 0 {
        assert_eq!(sub_devices(device, &by_affinity(next)), Err(CL_DEVICE_PARTITION_FAILED));
        return;
    }
    // The parts say what they were cut along.
    for part in sub_devices(device, &by_affinity(next)).unwrap() {
        let told = as_sizes(device_info(part, CL_DEVICE_PARTITION_TYPE).unwrap());
        assert_eq!(told, [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as usize, first as usize, 0]);
        assert_eq!(dev::clReleaseDevice(part), CL_SUCCESS);
    }
}

#[test]
fn host_and_device_have_one_clock() {
    let (mut there, mut here, mut later) = (0, 0, 0);
    let device = the_device();
    assert_eq!(dev::clGetDeviceAndHostTimer(device, (&mut there).into(), (&mut here).into()), CL_SUCCESS);
    assert_eq!(dev::clGetHostTimer(device, (&mut later).into()), CL_SUCCESS);
    assert!(there == here && here > 0 && later >= here);
    assert_eq!(dev::clGetHostTimer(NULL, (&mut later).into()), CL_INVALID_DEVICE);
    assert_eq!(dev::clGetHostTimer(device, Out::NULL), CL_INVALID_VALUE);
    assert_eq!(dev::clGetDeviceAndHostTimer(device, Out::NULL, (&mut here).into()), CL_INVALID_VALUE);
    assert_eq!(
        dev::clGetDeviceAndHostTimer(NULL, (&mut there).into(), (&mut here).into()),
        CL_INVALID_DEVICE
    );
}

#[test]
fn functions_are_found_by_name() {
    let text = |name: &str| CString::new(name).unwrap();
    let extension = |name: &str| platform::clGetExtensionFunctionAddress(text(name).as_c_str().into());
    let core = |name: &str| {
        platform::clIcdGetFunctionAddressForPlatformKHR(the_platform(), text(name).as_c_str().into())
    };
    for name in [
        "clIcdGetPlatformIDsKHR",
        "clIcdGetFunctionAddressForPlatformKHR",
        "clIcdSetPlatformDispatchDataKHR",
        "clGetKernelSuggestedLocalWorkSizeKHR",
        "clCreateCommandQueueWithPropertiesKHR",
        "clCreateProgramWithILKHR",
        "clCreateCommandBufferKHR",
        "clFinalizeCommandBufferKHR",
        "clRetainCommandBufferKHR",
        "clReleaseCommandBufferKHR",
        "clEnqueueCommandBufferKHR",
        "clCommandBarrierWithWaitListKHR",
        "clCommandCopyBufferKHR",
        "clCommandCopyBufferRectKHR",
        "clCommandCopyBufferToImageKHR",
        "clCommandCopyImageKHR",
        "clCommandCopyImageToBufferKHR",
        "clCommandFillBufferKHR",
        "clCommandFillImageKHR",
        "clCommandNDRangeKernelKHR",
        "clCommandSVMMemcpyKHR",
        "clCommandSVMMemFillKHR",
        "clGetCommandBufferInfoKHR",
    ] {
        assert!(!extension(name).is_null() && extension(name) == core(name), "{name}");
    }
    assert!(extension("clNoSuchThing").is_null() && core("clNoSuchThing").is_null());
    assert!(!core("clGetPlatformIDs").is_null() && !core("clSetContextDestructorCallback").is_null());
    for absent in ["clCreateFromGLBuffer", "clCreateFromEGLImageKHR", "clCreateSubDevicesEXT"] {
        assert!(core(absent).is_null() && extension(absent).is_null());
    }
    assert!(platform::clGetExtensionFunctionAddress(In::NULL).is_null());
    let name = text("clIcdGetPlatformIDsKHR");
    let for_platform =
        |platform| platform::clGetExtensionFunctionAddressForPlatform(platform, name.as_c_str().into());
    assert!(!for_platform(the_platform()).is_null() && for_platform(the_device()).is_null());
    let data = |handle| platform::clIcdSetPlatformDispatchDataKHR(handle, Memory::NULL);
    assert_eq!((data(the_platform()), data(NULL)), (CL_SUCCESS, CL_INVALID_PLATFORM));
}

/// The build options beyond OpenCL's are those of an extension, which platform and device report,
/// and are taken.
#[test]
fn the_extension_of_build_options_is_reported() {
    let cl = Cl::new();
    let name = "cl_codeplay_extra_build_options";
    assert!(as_text(platform_info(CL_PLATFORM_EXTENSIONS).unwrap()).split(' ').any(|e| e == name));
    assert!(as_text(device_info(cl.device, CL_DEVICE_EXTENSIONS).unwrap()).split(' ').any(|e| e == name));
    let options = "-g -cl-wfv=always -cl-vec=all";
    release_program(cl.build("kernel void k(global int *p) { p[0] = 1; }", options).unwrap());
}
