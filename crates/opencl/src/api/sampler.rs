//! Samplers.

use crate::api::buffer::listed;
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Out, Res, create, ensure, err, status};
use crate::handle::{self, Object, get, publish};
use crate::objects::image::{ADDRESSING, FILTERS, meaning};
use crate::objects::{Context, Sampler};
use runtime::{Addressing, Filter};
use std::ffi::c_void;

/// A sampler by the names of its properties and their values, in any order; the others have their
/// defaults.
fn make(context: Handle, values: &[(u64, u64)], properties: Option<Vec<u64>>) -> Res<Handle> {
    let context = get::<Context>(context)?;
    let mut sampler =
        runtime::Sampler { normalized_coords: true, addressing: Addressing::Clamp, filter: Filter::Nearest };
    for (i, (name, value)) in values.iter().enumerate() {
        ensure(values[..i].iter().all(|(before, _)| before != name), CL_INVALID_VALUE)?;
        let value = cl_uint::try_from(*value).map_err(|_| ErrorCode(CL_INVALID_VALUE))?;
        match cl_uint::try_from(*name) {
            Ok(CL_SAMPLER_NORMALIZED_COORDS) => {
                ensure(value <= 1, CL_INVALID_VALUE)?;
                sampler.normalized_coords = value == 1;
            }
            Ok(CL_SAMPLER_ADDRESSING_MODE) => {
                sampler.addressing = meaning(&ADDRESSING, value).ok_or(ErrorCode(CL_INVALID_VALUE))?;
            }
            Ok(CL_SAMPLER_FILTER_MODE) => {
                sampler.filter = meaning(&FILTERS, value).ok_or(ErrorCode(CL_INVALID_VALUE))?;
            }
            _ => return err(CL_INVALID_VALUE),
        }
    }
    ensure(context.has_images(), CL_INVALID_OPERATION)?;
    Ok(publish(|owner| Sampler { owner, context, sampler, properties })?.handle())
}

pub extern "C" fn clCreateSampler(
    context: Handle,
    normalized: cl_uint,
    addressing: cl_uint,
    filter: cl_uint,
    code: Out<cl_int>,
) -> *mut c_void {
    let values = [
        (CL_SAMPLER_NORMALIZED_COORDS, normalized),
        (CL_SAMPLER_ADDRESSING_MODE, addressing),
        (CL_SAMPLER_FILTER_MODE, filter),
    ];
    create(code, || make(context, &values.map(|(name, value)| (name.into(), value.into())), None))
}

pub extern "C" fn clCreateSamplerWithProperties(
    context: Handle,
    properties: In<u64>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || make(context, &properties.pairs().unwrap_or_default(), listed(properties)))
}

pub extern "C" fn clRetainSampler(sampler: Handle) -> cl_int {
    status(|| handle::retain::<Sampler>(sampler))
}

pub extern "C" fn clReleaseSampler(sampler: Handle) -> cl_int {
    status(|| handle::release::<Sampler>(sampler).map(drop))
}

pub extern "C" fn clGetSamplerInfo(
    sampler: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Sampler>(sampler)?.info(name)?.give(size, value, size_ret))
}
