//! Devices and sub-devices.

use crate::cl::*;
use crate::ffi::{ErrorCode, In, Out, Res, ensure, err, status};
use crate::handle::{self, Object, get};
use crate::objects::{Device, Platform};
use std::sync::Arc;

/// The devices of the platform whose type is in the bit field `wanted`.
pub fn of_type(wanted: u64) -> Res<&'static [Arc<Device>]> {
    let roots = Device::roots()?;
    Ok(match wanted {
        all if all & CL_DEVICE_TYPE_CPU != 0 => roots,
        default if default & CL_DEVICE_TYPE_DEFAULT != 0 => &roots[..1],
        _ => &[],
    })
}

/// Whether `wanted` is a valid `cl_device_type`.
pub fn is_type(wanted: u64) -> bool {
    let known = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    wanted == u64::from(CL_DEVICE_TYPE_ALL) || (wanted != 0 && wanted & !known == 0)
}

pub extern "C" fn clGetDeviceIDs(
    platform: Handle,
    kind: u64,
    count: cl_uint,
    devices: Out<Handle>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    status(|| {
        get::<Platform>(platform)?;
        ensure(is_type(kind), CL_INVALID_DEVICE_TYPE)?;
        ensure(devices.is_null() || count > 0, CL_INVALID_VALUE)?;
        ensure(!devices.is_null() || !count_ret.is_null(), CL_INVALID_VALUE)?;
        let found: Vec<Handle> = of_type(kind)?.iter().map(|device| device.handle()).collect();
        count_ret.put(found.len() as cl_uint);
        if found.is_empty() {
            return err(CL_DEVICE_NOT_FOUND);
        }
        devices.put_list(&found[..found.len().min(count as usize)]);
        Ok(())
    })
}

pub extern "C" fn clGetDeviceInfo(
    device: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Device>(device)?.info(name)?.give(size, value, size_ret))
}

pub extern "C" fn clCreateSubDevices(
    device: Handle,
    properties: In<isize>,
    count: cl_uint,
    devices: Out<Handle>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    status(|| {
        let parent = get::<Device>(device)?;
        let list = properties.until(0).ok_or(ErrorCode(CL_INVALID_VALUE))?;
        let (parts, told) = parent.partition(&list)?;
        ensure(devices.is_null() || count as usize >= parts.len(), CL_INVALID_VALUE)?;
        if !devices.is_null() {
            let made = parts.iter().map(|cores| Ok(Device::part(&parent, cores, told.clone())?.handle()));
            devices.put_list(&made.collect::<Res<Vec<Handle>>>()?);
        }
        count_ret.put(parts.len() as cl_uint);
        Ok(())
    })
}

pub extern "C" fn clRetainDevice(device: Handle) -> cl_int {
    status(|| {
        let object = get::<Device>(device)?;
        if object.is_root() { Ok(()) } else { handle::retain::<Device>(device) }
    })
}

pub extern "C" fn clReleaseDevice(device: Handle) -> cl_int {
    status(|| {
        let object = get::<Device>(device)?;
        if object.is_root() { Ok(()) } else { handle::release::<Device>(device).map(drop) }
    })
}

pub extern "C" fn clGetDeviceAndHostTimer(
    device: Handle,
    device_time: Out<u64>,
    host_time: Out<u64>,
) -> cl_int {
    status(|| {
        get::<Device>(device)?;
        ensure(!device_time.is_null() && !host_time.is_null(), CL_INVALID_VALUE)?;
        let now = runtime::now();
        device_time.put(now);
        host_time.put(now);
        Ok(())
    })
}

pub extern "C" fn clGetHostTimer(device: Handle, host_time: Out<u64>) -> cl_int {
    status(|| {
        get::<Device>(device)?;
        ensure(!host_time.is_null(), CL_INVALID_VALUE)?;
        host_time.put(runtime::now());
        Ok(())
    })
}
