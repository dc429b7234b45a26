//! Contexts.

use crate::api::device::{is_type, of_type};
use crate::cl::*;
use crate::complaint;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, create, ensure, err, status};
use crate::handle::{self, Object, get, get_all, publish};
use crate::objects::context::{Callback, DestructorFn, Destructors, NotifyFn};
use crate::objects::{Context, Device, Platform};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// The property list as it was given, if it is valid.
fn properties(list: In<isize>) -> Res<Option<Vec<isize>>> {
    let Some(pairs) = list.pairs() else { return Ok(None) };
    let mut seen = Vec::new();
    for (key, value) in &pairs {
        ensure(!seen.contains(key), CL_INVALID_PROPERTY)?;
        seen.push(*key);
        match *key as cl_uint {
            CL_CONTEXT_PLATFORM => drop(get::<Platform>(*value as Handle)?),
            CL_CONTEXT_MEMORY_INITIALIZE_KHR => {
                ensure(*value as u64 & !INITIALIZED == 0, CL_INVALID_PROPERTY)?;
            }
            CL_CONTEXT_INTEROP_USER_SYNC => {
                ensure(*value == 0 || *value == 1, CL_INVALID_PROPERTY)?;
            }
            _ => return err(CL_INVALID_PROPERTY),
        }
    }
    Ok(Some(pairs.iter().flat_map(|(k, v)| [*k, *v]).chain([0]).collect()))
}

const INITIALIZED: u64 = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;

fn make(
    properties: Option<Vec<isize>>,
    devices: Vec<Arc<Device>>,
    notify: Option<Callback<NotifyFn>>,
) -> Res<Handle> {
    if notify.is_some() {
        complaint::expect_callback();
    }
    // All devices of a context must share one memory: a buffer has one address.
    let first = devices.first().ok_or(ErrorCode(CL_INVALID_VALUE))?.device;
    let shared = devices.iter().all(|device| device.device.shares_memory_with(first));
    ensure(shared, CL_INVALID_DEVICE)?;
    let pairs = properties.as_deref().unwrap_or_default().chunks_exact(2);
    let initialized = pairs.filter(|pair| pair[0] as cl_uint == CL_CONTEXT_MEMORY_INITIALIZE_KHR);
    let initialized = initialized.map(|pair| pair[1] as u64).sum();
    let context = publish(|owner| Context {
        owner,
        devices,
        properties,
        initialized,
        notify,
        destructors: Destructors::default(),
        allocations: Mutex::default(),
        queues: Mutex::default(),
    })?;
    Ok(context.handle())
}

pub extern "C" fn clCreateContext(
    property_list: In<isize>,
    count: cl_uint,
    devices: In<Handle>,
    notify: Option<NotifyFn>,
    data: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let properties = properties(property_list)?;
        ensure(!devices.is_null() && count > 0, CL_INVALID_VALUE)?;
        ensure(notify.is_some() || data.is_null(), CL_INVALID_VALUE)?;
        let mut list = Vec::new();
        for device in get_all::<Device>(&devices.list(count as usize))? {
            if !list.iter().any(|d| Arc::ptr_eq(d, &device)) {
                list.push(device);
            }
        }
        make(properties, list, notify.map(|function| Callback { function, data }))
    })
}

pub extern "C" fn clCreateContextFromType(
    property_list: In<isize>,
    kind: u64,
    notify: Option<NotifyFn>,
    data: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let properties = properties(property_list)?;
        ensure(notify.is_some() || data.is_null(), CL_INVALID_VALUE)?;
        ensure(is_type(kind), CL_INVALID_DEVICE_TYPE)?;
        let devices = of_type(kind)?;
        ensure(!devices.is_empty(), CL_DEVICE_NOT_FOUND)?;
        let notify = notify.map(|function| Callback { function, data });
        make(properties, devices.to_vec(), notify)
    })
}

pub extern "C" fn clRetainContext(context: Handle) -> cl_int {
    status(|| handle::retain::<Context>(context))
}

pub extern "C" fn clReleaseContext(context: Handle) -> cl_int {
    status(|| handle::release::<Context>(context).map(drop))
}

pub extern "C" fn clGetContextInfo(
    context: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Context>(context)?.info(name)?.give(size, value, size_ret))
}

pub extern "C" fn clSetContextDestructorCallback(
    context: Handle,
    notify: Option<DestructorFn>,
    data: Memory,
) -> cl_int {
    status(|| {
        let context = get::<Context>(context)?;
        context.destructors.add(notify.ok_or(ErrorCode(CL_INVALID_VALUE))?, data);
        Ok(())
    })
}
