//! Platforms, and how the loader finds this one.

use crate::cl::*;
use crate::dispatch;
use crate::ffi::{In, Memory, Out, create, ensure, status};
use crate::handle::{self, Object, get};
use crate::objects::Platform;
use std::ffi::{c_char, c_void};

pub extern "C" fn clGetPlatformIDs(
    count: cl_uint,
    platforms: Out<Handle>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    status(|| {
        ensure(platforms.is_null() || count > 0, CL_INVALID_VALUE)?;
        ensure(!platforms.is_null() || !count_ret.is_null(), CL_INVALID_VALUE)?;
        jit::watch_main_thread();
        runtime::watch_forks();
        platforms.put(Platform::get()?.handle());
        count_ret.put(1);
        Ok(())
    })
}

pub extern "C" fn clGetPlatformInfo(
    platform: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Platform>(platform)?.info(name)?.give(size, value, size_ret))
}

pub extern "C" fn clUnloadPlatformCompiler(platform: Handle) -> cl_int {
    status(|| get::<Platform>(platform).map(drop))
}

pub extern "C" fn clUnloadCompiler() -> cl_int {
    CL_SUCCESS
}

pub extern "C" fn clGetExtensionFunctionAddress(name: In<c_char>) -> *mut c_void {
    name.text().map_or(std::ptr::null_mut(), |name| dispatch::extension(&name))
}

pub extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: Handle,
    name: In<c_char>,
) -> *mut c_void {
    create(Out::NULL, || get::<Platform>(platform).map(|_| clGetExtensionFunctionAddress(name)))
}

pub extern "C" fn clIcdGetPlatformIDsKHR(
    count: cl_uint,
    platforms: Out<Handle>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    clGetPlatformIDs(count, platforms, count_ret)
}

pub extern "C" fn clIcdGetFunctionAddressForPlatformKHR(platform: Handle, name: In<c_char>) -> *mut c_void {
    create(Out::NULL, || {
        get::<Platform>(platform)?;
        Ok(dispatch::function(&name.text().unwrap_or_default()))
    })
}

pub extern "C" fn clIcdSetPlatformDispatchDataKHR(platform: Handle, data: Memory) -> cl_int {
    status(|| {
        get::<Platform>(platform)?;
        handle::set_loader_data(data.raw());
        Ok(())
    })
}
