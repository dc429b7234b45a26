//! `cl_intel_device_attribute_query`.

mod common;

use common::*;

#[test]
fn the_parts_of_the_device_are_told() {
    let device = the_device();
    assert!(has_extension("cl_intel_device_attribute_query"));
    let ask = |name| as_u32(device_info(device, name).unwrap());
    let parts = [
        CL_DEVICE_NUM_SLICES_INTEL,
        CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL,
        CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL,
        CL_DEVICE_NUM_THREADS_PER_EU_INTEL,
    ]
    .map(ask);
    assert!(parts.iter().all(|count| *count >= 1), "{parts:?}");
    assert!(parts.iter().product::<u32>() >= ask(CL_DEVICE_MAX_COMPUTE_UNITS), "{parts:?}");
    let [family, model, stepping] = runtime::Properties::this_machine().model;
    let version = ask(CL_DEVICE_IP_VERSION_INTEL);
    assert_eq!((version >> 22, version >> 12 & 0x3ff), (family.min(0x3ff), model.min(0x3ff)));
    let id = ask(CL_DEVICE_ID_INTEL);
    assert_eq!((id >> 8 & 15) + (id >> 20), family);
    assert_eq!((id >> 4 & 15 | id >> 12 & 0xf0, id & 15), (model & 0xff, stepping & 15));
    // The same answer as that of `cl_khr_integer_dot_product`.
    let name = CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4X8BIT_PACKED_KHR;
    let accelerated = device_info(device, name).unwrap()[0];
    let features = as_u64(device_info(device, CL_DEVICE_FEATURE_CAPABILITIES_INTEL).unwrap());
    assert_eq!(features & CL_DEVICE_FEATURE_FLAG_DP4A_INTEL, u64::from(accelerated));
}

/// A sub-device of one compute unit has one slice of one thread.
#[test]
fn a_part_of_the_device_has_fewer() {
    let device = the_device();
    if as_u32(device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS).unwrap()) < 2 {
        return;
    }
    let (mut part, properties) = (NULL, [CL_DEVICE_PARTITION_BY_COUNTS as isize, 1, 0, 0]);
    let code = dev::clCreateSubDevices(device, list(&properties), 1, (&mut part).into(), Out::NULL);
    assert_eq!(code, CL_SUCCESS);
    for name in [CL_DEVICE_NUM_SLICES_INTEL, CL_DEVICE_NUM_THREADS_PER_EU_INTEL] {
        assert_eq!(device_info(part, name).map(as_u32), Ok(1));
    }
    let id = |device| device_info(device, CL_DEVICE_ID_INTEL).map(as_u32);
    assert_eq!(id(part), id(device));
    assert_eq!(dev::clReleaseDevice(part), CL_SUCCESS);
}
