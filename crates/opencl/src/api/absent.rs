//! Entry points of features that the device does not have: pipes, and sharing with graphics.

use crate::cl::*;
use crate::ffi::{In, Memory, Out, Res, create, err, status};
use crate::handle::get;
use crate::objects::{Context, Mem};
use std::ffi::c_void;

fn absent_object(context: Handle) -> Res<*mut c_void> {
    get::<Context>(context)?;
    err(CL_INVALID_OPERATION)
}

pub extern "C" fn clCreatePipe(
    context: Handle,
    _flags: u64,
    _packet_size: cl_uint,
    _max_packets: cl_uint,
    _properties: In<isize>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || absent_object(context))
}

pub extern "C" fn clGetPipeInfo(
    pipe: Handle,
    _name: cl_uint,
    _size: usize,
    _value: Out<u8>,
    _size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        get::<Mem>(pipe)?;
        err(CL_INVALID_MEM_OBJECT)
    })
}

/// Stands for any function that returns a code, of an extension that the driver does not have. Its
/// arguments are ignored.
pub extern "C" fn absent_command() -> cl_int {
    CL_INVALID_OPERATION
}

macro_rules! absent_objects {
    ($($name:ident($($ty:ty),*);)*) => {$(
        pub extern "C" fn $name(context: Handle, $(_: $ty,)* code: Out<cl_int>) -> *mut c_void {
            create(code, || absent_object(context))
        }
    )*};
}

// The entry points of sharing with graphics that create objects: the first parameter is the
// context, the last the address for the error code.
absent_objects! {
    absent_gl_buffer(u64, cl_uint);
    absent_gl_texture(u64, cl_uint, cl_int, cl_uint);
    absent_gl_sync(Memory);
    absent_egl_image(Memory, Memory, u64, Memory);
    absent_egl_sync(Memory, Memory);
    absent_d3d_buffer(u64, Memory);
    absent_d3d_texture(u64, Memory, cl_uint);
    absent_dx9_surface(u64, cl_uint, Memory, cl_uint);
}
