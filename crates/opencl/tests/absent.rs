//! What the device does not have is refused with the specified code.

mod common;

use common::*;
use std::ffi::CString;

#[test]
fn images_samplers_and_pipes() {
    let cl = Cl::new();
    let no = Memory::NULL;
    for (context, expected) in [(cl.context, CL_INVALID_OPERATION), (NULL, CL_INVALID_CONTEXT)] {
        let refused = Err(expected);
        assert_eq!(made(|code| absent::clCreateImage(context, 0, no, no, no, code)), refused);
        assert_eq!(
            made(|code| absent::clCreateImageWithProperties(context, In::NULL, 0, no, no, no, code)),
            refused
        );
        assert_eq!(made(|code| absent::clCreateImage2D(context, 0, no, 1, 1, 0, no, code)), refused);
        assert_eq!(made(|code| absent::clCreateImage3D(context, 0, no, 1, 1, 1, 0, 0, no, code)), refused);
        assert_eq!(made(|code| absent::clCreateSampler(context, 0, 0, 0, code)), refused);
        assert_eq!(made(|code| absent::clCreateSamplerWithProperties(context, In::NULL, code)), refused);
        assert_eq!(made(|code| absent::clCreatePipe(context, 0, 4, 4, In::NULL, code)), refused);
        assert_eq!(made(|code| absent::absent_gl_buffer(context, 0, 0, code)), refused);
        assert_eq!(made(|code| absent::absent_gl_texture(context, 0, 0, 0, 0, code)), refused);
        assert_eq!(made(|code| absent::absent_gl_sync(context, no, code)), refused);
        assert_eq!(made(|code| absent::absent_egl_image(context, no, no, 0, no, code)), refused);
        assert_eq!(made(|code| absent::absent_egl_sync(context, no, no, code)), refused);
    }
    let mut count = 9;
    let formats =
        |context, kind, ret| absent::clGetSupportedImageFormats(context, 0, kind, 0, Out::NULL, ret);
    assert_eq!(formats(cl.context, CL_MEM_OBJECT_IMAGE2D, (&mut count).into()), CL_SUCCESS);
    assert_eq!(count, 0);
    assert_eq!(formats(cl.context, CL_MEM_OBJECT_BUFFER, Out::NULL), CL_INVALID_VALUE);
    assert_eq!(formats(NULL, CL_MEM_OBJECT_IMAGE2D, Out::NULL), CL_INVALID_CONTEXT);

    let mem = cl.buffer(0, 64);
    assert_eq!(absent::clGetImageInfo(mem, 0x1110, 0, Out::NULL, Out::NULL), CL_INVALID_MEM_OBJECT);
    assert_eq!(absent::clGetPipeInfo(mem, 0x1120, 0, Out::NULL, Out::NULL), CL_INVALID_MEM_OBJECT);
    assert_eq!(absent::clRetainSampler(mem), CL_INVALID_SAMPLER);
    assert_eq!(absent::clReleaseSampler(NULL), CL_INVALID_SAMPLER);
    assert_eq!(absent::clGetSamplerInfo(mem, 0x1150, 0, Out::NULL, Out::NULL), CL_INVALID_SAMPLER);
    for (queue, expected) in [(cl.queue, CL_INVALID_MEM_OBJECT), (NULL, CL_INVALID_COMMAND_QUEUE)] {
        let (at, end) = (In::NULL, (0, In::NULL, Out::NULL));
        let (n, l, e) = end;
        let codes = [
            absent::clEnqueueReadImage(queue, mem, 1, at, at, 0, 0, no, n, l, e),
            absent::clEnqueueWriteImage(queue, mem, 1, at, at, 0, 0, no, n, l, e),
            absent::clEnqueueCopyImage(queue, mem, mem, at, at, at, n, l, e),
            absent::clEnqueueCopyImageToBuffer(queue, mem, mem, at, at, 0, n, l, e),
            absent::clEnqueueCopyBufferToImage(queue, mem, mem, 0, at, at, n, l, e),
            absent::clEnqueueFillImage(queue, mem, no, at, at, n, l, e),
        ];
        assert_eq!(codes, [expected; 6]);
        let mapped = made(|code| {
            absent::clEnqueueMapImage(queue, mem, 1, 1, at, at, Out::NULL, Out::NULL, n, l, e, code)
        });
        assert_eq!(mapped, Err(expected));
    }
    release_mem(mem);
    assert_eq!(absent::absent_command(), CL_INVALID_OPERATION);
}

#[test]
fn built_in_kernels() {
    let cl = Cl::new();
    let devices = [cl.device];
    let name = CString::new("blur").unwrap();
    let names = In::from(name.as_c_str());
    let built_in = |context, count, devices, names| {
        made(|code| program::clCreateProgramWithBuiltInKernels(context, count, devices, names, code))
    };
    assert_eq!(built_in(cl.context, 1, list(&devices), names), Err(CL_INVALID_VALUE));
    assert_eq!(built_in(cl.context, 1, list(&devices), In::NULL), Err(CL_INVALID_VALUE));
    assert_eq!(built_in(cl.context, 1, list(&[NULL]), names), Err(CL_INVALID_DEVICE));
    assert_eq!(built_in(NULL, 1, list(&devices), names), Err(CL_INVALID_CONTEXT));
    let program = cl.source("kernel void f() {}");
    let release = program::clSetProgramReleaseCallback;
    assert_eq!(release(program, None, Memory::NULL), CL_INVALID_VALUE);
    release_program(program);
}
