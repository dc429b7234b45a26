//! Program objects: their creation and their queries.

use crate::build::{Built, For};
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, because, create, ensure, err, status};
use crate::handle::{self, Object, get, get_all};
use crate::il::Il;
use crate::objects::context::DestructorFn;
use crate::objects::program::Build;
use crate::objects::{Context, Device, Program};
use crate::reserve::make_room;
use jit::Busy;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// The most bytes of a specialization constant.
const MOST_CONSTANT_BYTES: usize = 512;

pub extern "C" fn clCreateProgramWithSource(
    context: Handle,
    count: cl_uint,
    strings: In<In<c_char>>,
    lengths: In<usize>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        ensure(count > 0 && !strings.is_null(), CL_INVALID_VALUE)?;
        let lengths = lengths.list(count as usize);
        let mut source = Vec::new();
        for (i, text) in strings.list(count as usize).into_iter().enumerate() {
            let len = lengths.get(i).copied().unwrap_or(0);
            let text = text.bytes_of(len).ok_or(ErrorCode(CL_INVALID_VALUE))?;
            match i {
                0 => source = text,
                _ => {
                    make_room(&mut source, text.len());
                    source.extend_from_slice(&text);
                }
            }
        }
        Ok(Program::from_source(&context, source)?.handle())
    })
}

/// Takes SPIR-V.
pub extern "C" fn clCreateProgramWithIL(
    context: Handle,
    il: Memory,
    length: usize,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        ensure(!il.is_null() && length > 0, CL_INVALID_VALUE)?;
        let il = Il::new(il.bytes(length)).ok_or(ErrorCode(CL_INVALID_VALUE))?;
        Ok(Program::from_il(&context, il)?.handle())
    })
}

/// The devices of a list, each once and of this context.
pub(super) fn devices_of(context: &Context, count: cl_uint, list: In<Handle>) -> Res<Vec<Arc<Device>>> {
    let devices = get_all::<Device>(&list.list(count as usize))?;
    for (i, device) in devices.iter().enumerate() {
        let again = devices[..i].iter().any(|d| Arc::ptr_eq(d, device));
        ensure(context.has(device) && !again, CL_INVALID_DEVICE)?;
    }
    Ok(devices)
}

pub extern "C" fn clCreateProgramWithBinary(
    context: Handle,
    count: cl_uint,
    devices: In<Handle>,
    lengths: In<usize>,
    binaries: In<Memory>,
    binary_status: Out<cl_int>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        ensure(!devices.is_null() && count > 0, CL_INVALID_VALUE)?;
        let devices = devices_of(&context, count, devices)?;
        ensure(!lengths.is_null() && !binaries.is_null(), CL_INVALID_VALUE)?;
        let (lengths, binaries) = (lengths.list(count as usize), binaries.list(count as usize));
        let mut statuses = Vec::new();
        let mut builds = Vec::new();
        for (device, (length, bytes)) in devices.iter().zip(lengths.into_iter().zip(binaries)) {
            if length == 0 || bytes.is_null() {
                statuses.push(CL_INVALID_VALUE);
                continue;
            }
            let _busy = Busy::new();
            let (callback, options) = (context.message_callback(), context.build_options());
            let target = For { device: device.device, callback, options };
            let built = Built::from_binary(&bytes.bytes(length), &target);
            let built = built.map_err(|why| because(CL_INVALID_BINARY, || why).0);
            statuses.push(built.as_ref().map_or_else(|code| *code, |_| CL_SUCCESS));
            builds.extend(built.map(|built| Build { built: Some(built), ..Build::none() }));
        }
        binary_status.put_list(&statuses);
        if let Some(bad) = statuses.into_iter().find(|s| *s != CL_SUCCESS) {
            return err(bad);
        }
        Ok(Program::new(&context, devices, None, builds)?.handle())
    })
}

/// There are no built-in kernels, so that every name is invalid.
pub extern "C" fn clCreateProgramWithBuiltInKernels(
    context: Handle,
    count: cl_uint,
    devices: In<Handle>,
    names: In<c_char>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let context = get::<Context>(context)?;
        ensure(!devices.is_null() && count > 0, CL_INVALID_VALUE)?;
        ensure(!names.is_null(), CL_INVALID_VALUE)?;
        devices_of(&context, count, devices)?;
        err(CL_INVALID_VALUE)
    })
}

pub extern "C" fn clRetainProgram(program: Handle) -> cl_int {
    status(|| handle::retain::<Program>(program))
}

pub extern "C" fn clReleaseProgram(program: Handle) -> cl_int {
    status(|| handle::release::<Program>(program).map(drop))
}

/// Only programs with constructors and destructors in an intermediate language have such callbacks.
pub extern "C" fn clSetProgramReleaseCallback(
    program: Handle,
    notify: Option<DestructorFn>,
    _data: Memory,
) -> cl_int {
    status(|| {
        get::<Program>(program)?;
        ensure(notify.is_some(), CL_INVALID_VALUE)?;
        err(CL_INVALID_OPERATION)
    })
}

/// Only programs in an intermediate language have specialization constants.
pub extern "C" fn clSetProgramSpecializationConstant(
    program: Handle,
    id: cl_uint,
    size: usize,
    value: Memory,
) -> cl_int {
    status(|| {
        let program = get::<Program>(program)?;
        let Some(il) = &program.il else { return err(CL_INVALID_PROGRAM) };
        ensure(!value.is_null() && size <= MOST_CONSTANT_BYTES, CL_INVALID_VALUE)?;
        il.specialize(id, value.bytes(size))
    })
}

pub extern "C" fn clGetProgramInfo(
    program: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let program = get::<Program>(program)?;
        if name != CL_PROGRAM_BINARIES {
            return program.info(name)?.give(size, value, size_ret);
        }
        // The value is a list of addresses to write the binaries to.
        let needed = program.devices.len() * size_of::<Handle>();
        if !value.is_null() {
            ensure(size >= needed, CL_INVALID_VALUE)?;
            let places = value.as_places().list(program.devices.len());
            for (place, binary) in places.into_iter().zip(&*program.binaries(true)) {
                place.put_list(binary);
            }
        }
        size_ret.put(needed);
        Ok(())
    })
}

pub extern "C" fn clGetProgramBuildInfo(
    program: Handle,
    device: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let program = get::<Program>(program)?;
        let device = get::<Device>(device)?;
        program.build_info(&device, name)?.give(size, value, size_ret)
    })
}
