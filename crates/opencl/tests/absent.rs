//! What the device does not have is refused with the specified code.

mod common;

use common::*;
use std::ffi::CString;

#[test]
fn pipes_and_sharing_with_graphics() {
    let cl = Cl::new();
    let no = Memory::NULL;
    for (context, expected) in [(cl.context, CL_INVALID_OPERATION), (NULL, CL_INVALID_CONTEXT)] {
        let refused = Err(expected);
        assert_eq!(made(|code| absent::clCreatePipe(context, 0, 4, 4, In::NULL, code)), refused);
        assert_eq!(made(|code| absent::absent_gl_buffer(context, 0, 0, code)), refused);
        assert_eq!(made(|code| absent::absent_gl_texture(context, 0, 0, 0, 0, code)), refused);
        assert_eq!(made(|code| absent::absent_gl_sync(context, no, code)), refused);
        assert_eq!(made(|code| absent::absent_egl_image(context, no, no, 0, no, code)), refused);
        assert_eq!(made(|code| absent::absent_egl_sync(context, no, no, code)), refused);
    }
    let mem = cl.buffer(0, 64);
    assert_eq!(absent::clGetPipeInfo(mem, 0x1120, 0, Out::NULL, Out::NULL), CL_INVALID_MEM_OBJECT);
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
