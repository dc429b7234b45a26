//! Helpers for tests of the API: a context with a queue, and calls without raw pointers.

#![allow(dead_code, unused_imports, reason = "each test uses a part")]

pub use lanewise_opencl::api::{
    absent, buffer, build, command_buffer, context, device as dev, event, image, image_transfer, kernel,
    launch, map, mutable_command, platform, program, queue, rect, remap, sampler, svm, transfer, unified_svm,
    usm,
};
pub use lanewise_opencl::cl::*;
pub use lanewise_opencl::ffi::{In, Memory, Out};
use std::ffi::{CString, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

pub const NULL: Handle = std::ptr::null_mut();

/// Memory for a call that reads it before it returns, or for a command that is waited for.
pub fn memory<T>(values: &[T]) -> Memory {
    // SAFETY: tests keep the values until the commands that use them have ended.
    unsafe { Memory::new(values.as_ptr().cast_mut().cast()) }
}

/// Memory that is written before the call returns, or by a command that is waited for.
pub fn memory_mut<T>(values: &mut [T]) -> Memory {
    // SAFETY: tests keep the values until the commands that use them have ended.
    unsafe { Memory::new(values.as_mut_ptr().cast()) }
}

/// A pointer that came from the driver or is data of a callback's.
pub fn pointer(address: *mut c_void) -> Memory {
    // SAFETY: tests use pointers of the driver's as it says.
    unsafe { Memory::new(address) }
}

pub fn list<T>(values: &[T]) -> In<T> {
    values.into()
}

/// A value of a size that is not known to the caller.
pub fn query(ask: impl Fn(usize, Out<u8>, Out<usize>) -> cl_int) -> Result<Vec<u8>, cl_int> {
    let mut size = 0usize;
    match ask(0, Out::NULL, (&mut size).into()) {
        CL_SUCCESS => {}
        code => return Err(code),
    }
    let mut bytes = vec![0xabu8; size + 1];
    if size > 0 {
        assert_eq!(ask(size - 1, bytes.as_mut_slice().into(), Out::NULL), CL_INVALID_VALUE);
    }
    assert_eq!(ask(size, bytes.as_mut_slice().into(), Out::NULL), CL_SUCCESS);
    assert_eq!(bytes.pop(), Some(0xab), "more was written than there is");
    Ok(bytes)
}

pub fn as_u32(bytes: Vec<u8>) -> u32 {
    u32::from_ne_bytes(bytes.try_into().expect("four bytes"))
}

pub fn as_i32(bytes: Vec<u8>) -> i32 {
    as_u32(bytes) as i32
}

pub fn as_u64(bytes: Vec<u8>) -> u64 {
    u64::from_ne_bytes(bytes.try_into().expect("eight bytes"))
}

pub fn as_sizes(bytes: Vec<u8>) -> Vec<usize> {
    bytes.chunks_exact(8).map(|c| usize::from_ne_bytes(c.try_into().unwrap())).collect()
}

pub fn as_handle(bytes: Vec<u8>) -> Handle {
    as_u64(bytes) as usize as Handle
}

pub fn as_text(mut bytes: Vec<u8>) -> String {
    assert_eq!(bytes.pop(), Some(0));
    String::from_utf8(bytes).unwrap()
}

pub fn device_info(device: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| dev::clGetDeviceInfo(device, name, size, value, ret))
}

pub fn has_extension(name: &str) -> bool {
    let names = as_text(device_info(the_device(), CL_DEVICE_EXTENSIONS).unwrap());
    names.split(' ').any(|known| known == name)
}

/// The devices of the platform: the CPU, and a device that is added to it once.
pub fn cpu_and(device: fn() -> &'static dyn runtime::Device) -> [Handle; 2] {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| devices::add(device()).unwrap());
    let (mut found, mut count) = ([NULL; 2], 0);
    let kind = CL_DEVICE_TYPE_ALL.into();
    let places = found.as_mut_slice().into();
    assert_eq!(dev::clGetDeviceIDs(the_platform(), kind, 2, places, (&mut count).into()), CL_SUCCESS);
    assert_eq!(count, 2);
    found
}

pub fn the_platform() -> Handle {
    static CACHE_OFF: Once = Once::new();
    CACHE_OFF.call_once(|| {
        if std::env::var_os("LANEWISE_CACHE").is_none() {
            // SAFETY: all tests come here first, and wait for it.
            unsafe { std::env::set_var("LANEWISE_CACHE", "0") };
        }
    });
    let mut platform = NULL;
    assert_eq!(platform::clGetPlatformIDs(1, (&mut platform).into(), Out::NULL), CL_SUCCESS);
    platform
}

pub fn the_device() -> Handle {
    let mut device = NULL;
    let kind = CL_DEVICE_TYPE_ALL.into();
    assert_eq!(dev::clGetDeviceIDs(the_platform(), kind, 1, (&mut device).into(), Out::NULL), CL_SUCCESS);
    device
}

/// The result of a call that creates an object: its handle, or the error code.
pub fn made(make: impl FnOnce(Out<cl_int>) -> *mut c_void) -> Result<Handle, cl_int> {
    let mut code = 77;
    let handle = make((&mut code).into());
    assert_eq!(handle.is_null(), code != CL_SUCCESS, "code {code}");
    if code == CL_SUCCESS { Ok(handle) } else { Err(code) }
}

pub fn new_context() -> Handle {
    let devices = [the_device()];
    made(|code| context::clCreateContext(In::NULL, 1, list(&devices), None, Memory::NULL, code)).unwrap()
}

/// A context with a queue.
pub struct Cl {
    pub device: Handle,
    pub context: Handle,
    pub queue: Handle,
}

impl Cl {
    pub fn new() -> Cl {
        Cl::with_queue(0)
    }

    pub fn with_queue(properties: u64) -> Cl {
        let (device, context) = (the_device(), new_context());
        let properties = [CL_QUEUE_PROPERTIES.into(), properties, 0];
        let queue =
            made(|code| queue::clCreateCommandQueueWithProperties(context, device, list(&properties), code));
        Cl { device, context, queue: queue.unwrap() }
    }

    pub fn buffer(&self, flags: u64, size: usize) -> Handle {
        made(|code| buffer::clCreateBuffer(self.context, flags, size, Memory::NULL, code)).unwrap()
    }

    pub fn buffer_of<T>(&self, values: &[T]) -> Handle {
        let (flags, size) = (CL_MEM_COPY_HOST_PTR, size_of_val(values));
        made(|code| buffer::clCreateBuffer(self.context, flags, size, memory(values), code)).unwrap()
    }

    pub fn read<T: Copy + Default>(&self, mem: Handle, count: usize) -> Vec<T> {
        let mut values = vec![T::default(); count];
        let (size, to) = (size_of_val(values.as_slice()), memory_mut(&mut values));
        let code = transfer::clEnqueueReadBuffer(self.queue, mem, 1, 0, size, to, 0, In::NULL, Out::NULL);
        assert_eq!(code, CL_SUCCESS);
        values
    }

    pub fn source(&self, source: &str) -> Handle {
        let source = CString::new(source).unwrap();
        let strings = [In::from(source.as_c_str())];
        made(|code| program::clCreateProgramWithSource(self.context, 1, list(&strings), In::NULL, code))
            .unwrap()
    }

    pub fn build(&self, source: &str, options: &str) -> Result<Handle, (cl_int, String)> {
        let program = self.source(source);
        let options = CString::new(options).unwrap();
        match build::clBuildProgram(program, 0, In::NULL, options.as_c_str().into(), None, Memory::NULL) {
            CL_SUCCESS => Ok(program),
            code => {
                let log = self.log(program);
                release_program(program);
                Err((code, log))
            }
        }
    }

    pub fn log(&self, program: Handle) -> String {
        as_text(self.build_info(program, CL_PROGRAM_BUILD_LOG).unwrap())
    }

    pub fn build_info(&self, program: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
        query(|size, value, ret| program::clGetProgramBuildInfo(program, self.device, name, size, value, ret))
    }

    /// A kernel of a program of its own, which is kept by it alone.
    pub fn kernel(&self, source: &str, name: &str, options: &str) -> Handle {
        let program = self.build(source, options).unwrap_or_else(|(code, log)| panic!("{code}: {log}"));
        let kernel = kernel_of(program, name).unwrap();
        release_program(program);
        kernel
    }

    pub fn run(&self, kernel: Handle, global: &[usize], local: Option<&[usize]>) -> cl_int {
        self.run_at(kernel, &[], global, local)
    }

    pub fn run_at(
        &self,
        kernel: Handle,
        offset: &[usize],
        global: &[usize],
        local: Option<&[usize]>,
    ) -> cl_int {
        let offset = if offset.is_empty() { In::NULL } else { list(offset) };
        let (dims, local) = (global.len() as cl_uint, local.map_or(In::NULL, list));
        launch::clEnqueueNDRangeKernel(
            self.queue,
            kernel,
            dims,
            offset,
            list(global),
            local,
            0,
            In::NULL,
            Out::NULL,
        )
    }

    pub fn finish(&self) {
        assert_eq!(queue::clFinish(self.queue), CL_SUCCESS);
    }
}

impl Drop for Cl {
    fn drop(&mut self) {
        queue::clFinish(self.queue);
        queue::clReleaseCommandQueue(self.queue);
        context::clReleaseContext(self.context);
    }
}

pub fn kernel_of(program: Handle, name: &str) -> Result<Handle, cl_int> {
    let name = CString::new(name).unwrap();
    made(|code| kernel::clCreateKernel(program, name.as_c_str().into(), code))
}

pub fn release_program(program: Handle) {
    assert_eq!(program::clReleaseProgram(program), CL_SUCCESS);
}

pub fn release_mem(mem: Handle) {
    assert_eq!(buffer::clReleaseMemObject(mem), CL_SUCCESS);
}

pub fn release_kernel(handle: Handle) {
    assert_eq!(kernel::clReleaseKernel(handle), CL_SUCCESS);
}

pub fn set_arg<T: Copy>(kernel: Handle, index: u32, value: T) -> cl_int {
    kernel::clSetKernelArg(kernel, index, size_of::<T>(), memory(&[value]))
}

pub fn event_status(event: Handle) -> cl_int {
    let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
    as_i32(query(|size, value, ret| event::clGetEventInfo(event, name, size, value, ret)).unwrap())
}

pub fn wait(events: &[Handle]) -> cl_int {
    event::clWaitForEvents(events.len() as cl_uint, list(events))
}

pub fn user_event(cl: &Cl) -> Handle {
    made(|code| event::clCreateUserEvent(cl.context, code)).unwrap()
}

/// The sum of the data of all destructor callbacks ([`gone`]).
pub static GONE: AtomicUsize = AtomicUsize::new(0);

pub unsafe extern "C" fn gone(_: Handle, data: *mut c_void) {
    GONE.fetch_add(data as usize, SeqCst);
}

pub fn program_info(program: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| program::clGetProgramInfo(program, name, size, value, ret))
}

/// The binary of a program for its only device.
pub fn binary_of(program: Handle) -> Vec<u8> {
    let sizes = as_sizes(program_info(program, CL_PROGRAM_BINARY_SIZES).unwrap());
    let mut bytes = vec![0u8; sizes[0]];
    let mut places = [bytes.as_mut_ptr()];
    let value = Out::from(places.as_mut_slice());
    // SAFETY: a list with one place, which has the size the driver said.
    let value: Out<u8> = unsafe { std::mem::transmute(value) };
    let code = program::clGetProgramInfo(program, CL_PROGRAM_BINARIES, 8, value, Out::NULL);
    assert_eq!(code, CL_SUCCESS);
    bytes
}

/// A program from a binary, and the status of the binary.
pub fn from_binary(cl: &Cl, bytes: &[u8]) -> (Result<Handle, cl_int>, cl_int) {
    let mut status = 77;
    let program = made(|code| {
        program::clCreateProgramWithBinary(
            cl.context,
            1,
            list(&[cl.device]),
            list(&[bytes.len()]),
            list(&[memory(bytes)]),
            (&mut status).into(),
            code,
        )
    });
    (program, status)
}
