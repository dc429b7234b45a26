//! What the device does not have: images, samplers, pipes, and sharing with graphics.

use crate::cl::*;
use crate::ffi::{In, Memory, Out, Res, create, ensure, err, status};
use crate::handle::get;
use crate::objects::{Context, Mem, Queue};
use std::ffi::c_void;

fn no_images(context: Handle) -> Res<*mut c_void> {
    get::<Context>(context)?;
    err(CL_INVALID_OPERATION)
}

pub extern "C" fn clCreateImage(
    context: Handle,
    _flags: u64,
    _format: Memory,
    _desc: Memory,
    _host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || no_images(context))
}

pub extern "C" fn clCreateImageWithProperties(
    context: Handle,
    _properties: In<u64>,
    _flags: u64,
    _format: Memory,
    _desc: Memory,
    _host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || no_images(context))
}

pub extern "C" fn clCreateImage2D(
    context: Handle,
    _flags: u64,
    _format: Memory,
    _width: usize,
    _height: usize,
    _row_pitch: usize,
    _host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || no_images(context))
}

pub extern "C" fn clCreateImage3D(
    context: Handle,
    _flags: u64,
    _format: Memory,
    _width: usize,
    _height: usize,
    _depth: usize,
    _row_pitch: usize,
    _slice_pitch: usize,
    _host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || no_images(context))
}

pub extern "C" fn clGetSupportedImageFormats(
    context: Handle,
    _flags: u64,
    kind: cl_uint,
    count: cl_uint,
    formats: Out<u8>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    status(|| {
        get::<Context>(context)?;
        let is_image = (CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&kind);
        ensure(is_image, CL_INVALID_VALUE)?;
        ensure(formats.is_null() || count > 0, CL_INVALID_VALUE)?;
        count_ret.put(0);
        Ok(())
    })
}

/// No memory object is an image.
pub extern "C" fn clGetImageInfo(
    _image: Handle,
    _name: cl_uint,
    _size: usize,
    _value: Out<u8>,
    _size_ret: Out<usize>,
) -> cl_int {
    CL_INVALID_MEM_OBJECT
}

/// The error of a command on images: its queue is checked first, then there is no such object.
fn no_image_command(queue: Handle) -> Res<()> {
    get::<Queue>(queue)?;
    err(CL_INVALID_MEM_OBJECT)
}

macro_rules! image_commands {
    ($($name:ident($($ty:ty),*);)*) => {$(
        pub extern "C" fn $name(queue: Handle, $(_: $ty),*) -> cl_int {
            status(|| no_image_command(queue))
        }
    )*};
}

type Triple = In<[usize; 3]>;

image_commands! {
    clEnqueueReadImage(
        Handle, cl_uint, Triple, Triple, usize, usize, Memory, cl_uint, In<Handle>, Out<Handle>
    );
    clEnqueueWriteImage(
        Handle, cl_uint, Triple, Triple, usize, usize, Memory, cl_uint, In<Handle>, Out<Handle>
    );
    clEnqueueCopyImage(Handle, Handle, Triple, Triple, Triple, cl_uint, In<Handle>, Out<Handle>);
    clEnqueueCopyImageToBuffer(Handle, Handle, Triple, Triple, usize, cl_uint, In<Handle>, Out<Handle>);
    clEnqueueCopyBufferToImage(Handle, Handle, usize, Triple, Triple, cl_uint, In<Handle>, Out<Handle>);
    clEnqueueFillImage(Handle, Memory, Triple, Triple, cl_uint, In<Handle>, Out<Handle>);
}

pub extern "C" fn clEnqueueMapImage(
    queue: Handle,
    _image: Handle,
    _blocking: cl_uint,
    _flags: u64,
    _origin: Triple,
    _region: Triple,
    _row_pitch: Out<usize>,
    _slice_pitch: Out<usize>,
    _count: cl_uint,
    _list: In<Handle>,
    _event: Out<Handle>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || no_image_command(queue).map(|()| std::ptr::null_mut()))
}

pub extern "C" fn clCreateSampler(
    context: Handle,
    _normalized: cl_uint,
    _addressing: cl_uint,
    _filter: cl_uint,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || no_images(context))
}

pub extern "C" fn clCreateSamplerWithProperties(
    context: Handle,
    _properties: In<u64>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || no_images(context))
}

pub extern "C" fn clRetainSampler(_sampler: Handle) -> cl_int {
    CL_INVALID_SAMPLER
}

pub extern "C" fn clReleaseSampler(_sampler: Handle) -> cl_int {
    CL_INVALID_SAMPLER
}

pub extern "C" fn clGetSamplerInfo(
    _sampler: Handle,
    _name: cl_uint,
    _size: usize,
    _value: Out<u8>,
    _size_ret: Out<usize>,
) -> cl_int {
    CL_INVALID_SAMPLER
}

pub extern "C" fn clCreatePipe(
    context: Handle,
    _flags: u64,
    _packet_size: cl_uint,
    _max_packets: cl_uint,
    _properties: In<isize>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        get::<Context>(context)?;
        err(CL_INVALID_OPERATION)
    })
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

/// In place of any function of an extension we do not have that returns a code. Its arguments are
/// not looked at.
pub extern "C" fn absent_command() -> cl_int {
    CL_INVALID_OPERATION
}

macro_rules! absent_objects {
    ($($name:ident($($ty:ty),*);)*) => {$(
        pub extern "C" fn $name(context: Handle, $(_: $ty,)* code: Out<cl_int>) -> *mut c_void {
            create(code, || no_images(context))
        }
    )*};
}

// The entry points of sharing with graphics, in every shape of their parameters: the context comes
// first, and the place for the code last.
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
