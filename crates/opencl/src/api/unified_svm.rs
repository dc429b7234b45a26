//! `cl_khr_unified_svm`: all types of shared memory by the same functions.

use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, In, Memory, Out, Res, create, ensure, err, status};
use crate::handle::{Object, get};
use crate::objects::allocation::{Allocation, SvmType};
use crate::objects::device_info::BASE_ALIGN;
use crate::objects::{Context, Device, lock};
use std::ffi::c_void;
use std::sync::Arc;

const ACCESS_FLAGS: u64 = CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR
    | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR
    | CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR
    | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;

/// The properties of an allocation.
#[derive(Default)]
struct Properties {
    device: Option<Arc<Device>>,
    access: u64,
    /// As they were given, with the final 0.
    list: Vec<u64>,
}

impl Properties {
    fn read(context: &Context, list: In<u64>) -> Res<Properties> {
        let mut read = Properties::default();
        let Some(pairs) = list.pairs() else { return Ok(read) };
        for (i, (key, value)) in pairs.iter().enumerate() {
            ensure(pairs[..i].iter().all(|(other, _)| other != key), CL_INVALID_PROPERTY)?;
            match cl_uint::try_from(*key) {
                Ok(CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR) if *value == 0 => {}
                Ok(CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR) => {
                    let device = get::<Device>(*value as usize as Handle)?;
                    ensure(context.has(&device), CL_INVALID_DEVICE)?;
                    read.device = Some(device);
                }
                Ok(CL_SVM_ALLOC_ACCESS_FLAGS_KHR) => {
                    ensure(value & !ACCESS_FLAGS == 0, CL_INVALID_PROPERTY)?;
                    read.access = *value;
                }
                // All memory has the alignment of the largest type.
                Ok(CL_SVM_ALLOC_ALIGNMENT_KHR) => {
                    let known = *value == 0 || (value.is_power_of_two() && *value <= BASE_ALIGN as u64);
                    ensure(known, CL_INVALID_PROPERTY)?;
                }
                _ => return err(CL_INVALID_PROPERTY),
            }
        }
        read.list = pairs.iter().flat_map(|(key, value)| [*key, *value]).chain([0]).collect();
        Ok(read)
    }
}

pub extern "C" fn clSVMAllocWithPropertiesKHR(
    context: Handle,
    properties: In<u64>,
    type_index: cl_uint,
    size: usize,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        let ty = SvmType::ALL.get(type_index as usize).copied().ok_or(ErrorCode(CL_INVALID_VALUE))?;
        let properties = Properties::read(&context, properties)?;
        ensure(properties.device.is_some() || ty.is_unassociated(), CL_INVALID_DEVICE)?;
        ensure(size > 0 && size as u64 <= context.max_alloc_size(), CL_INVALID_BUFFER_SIZE)?;
        let buffer = context.memory().allocate(size).map_err(|_| ErrorCode(CL_OUT_OF_RESOURCES))?;
        let Properties { device, access, list } = properties;
        let may = |forbidden: u64| access & forbidden == 0;
        buffer.set_kernel_access(
            may(CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR),
            may(CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR),
        );
        let made = Allocation { device, access, properties: list, ..Allocation::new(buffer, ty) };
        Ok(context.add_allocation(made))
    })
}

pub extern "C" fn clSVMFreeWithPropertiesKHR(
    context: Handle,
    properties: In<u64>,
    flags: u64,
    memory: Memory,
) -> cl_int {
    status(|| {
        let context = get::<Context>(context)?;
        // No properties and no flags are defined.
        ensure(properties.get().is_none_or(|key| key == 0), CL_INVALID_PROPERTY)?;
        ensure(flags == 0, CL_INVALID_VALUE)?;
        if memory.is_null() {
            return Ok(());
        }
        let freed = lock(&context.allocations).remove(&memory.addr());
        freed.map(drop).ok_or(ErrorCode(CL_INVALID_VALUE))
    })
}

/// Answers for any pointer, also into the middle of an allocation.
pub extern "C" fn clGetSVMPointerInfoKHR(
    context: Handle,
    device: Handle,
    memory: Memory,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let context = get::<Context>(context)?;
        // All devices promise the same of a type.
        ensure(device.is_null() || context.has(&get::<Device>(device)?), CL_INVALID_DEVICE)?;
        let found = context.allocation_at(memory.addr());
        let found = found.as_ref();
        let answer: Answer = match name {
            CL_SVM_INFO_TYPE_INDEX_KHR => found.map_or(cl_uint::MAX, |a| a.ty as cl_uint).into(),
            CL_SVM_INFO_CAPABILITIES_KHR => found.map_or(0, |a| a.ty.capabilities()).into(),
            CL_SVM_INFO_PROPERTIES_KHR => {
                found.map_or(&[][..], |allocation| allocation.properties.as_slice()).into()
            }
            CL_SVM_INFO_ACCESS_FLAGS_KHR => found.map_or(0, |a| a.access).into(),
            CL_SVM_INFO_BASE_PTR_KHR => found.map_or(0, Allocation::start).into(),
            CL_SVM_INFO_SIZE_KHR => found.map_or(0, |a| a.buffer.len()).into(),
            CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR => {
                let device = found.and_then(|a| a.device.as_ref());
                device.map_or(std::ptr::null_mut(), |device| device.handle()).into()
            }
            _ => return err(CL_INVALID_VALUE),
        };
        answer.give(size, value, size_ret)
    })
}

/// The first of the types with all required capabilities that has the most of the desired ones.
pub extern "C" fn clGetSVMSuggestedTypeIndexKHR(
    context: Handle,
    required: u64,
    desired: u64,
    properties: In<u64>,
    _size: usize,
    suggested: Out<cl_uint>,
) -> cl_int {
    status(|| {
        let context = get::<Context>(context)?;
        let properties = Properties::read(&context, properties)?;
        ensure(!suggested.is_null(), CL_INVALID_VALUE)?;
        let fits = |ty: &&SvmType| ty.capabilities() & required == required;
        // Among equals, one that can be allocated with these properties.
        let rank = |ty: &&SvmType| {
            let wanted = (ty.capabilities() & desired).count_ones();
            (wanted, properties.device.is_some() || ty.is_unassociated())
        };
        // `max_by_key` would give the last of equals.
        let best = SvmType::ALL.iter().rev().filter(fits).max_by_key(rank);
        suggested.put(best.map_or(cl_uint::MAX, |ty| *ty as cl_uint));
        Ok(())
    })
}
