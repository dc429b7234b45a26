//! Kernel objects, their arguments and their queries.

use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, because, create, ensure, ensure_or, err, status};
use crate::handle::{self, Object, get};
use crate::objects::kernel::Arg;
use crate::objects::{Device, Kernel, Mem, Program, Sampler};
use compiler::{Access, ArgKind, ImageArg, Standard};
use runtime::ChannelOrder;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

pub extern "C" fn clCreateKernel(program: Handle, name: In<c_char>, code: Out<cl_int>) -> *mut c_void {
    create(code, || {
        let program = get::<Program>(program)?;
        ensure(program.executable().is_some(), CL_INVALID_PROGRAM_EXECUTABLE)?;
        let name = name.text().ok_or(ErrorCode(CL_INVALID_VALUE))?;
        Ok(Kernel::new(&program, &name)?.handle())
    })
}

pub extern "C" fn clCreateKernelsInProgram(
    program: Handle,
    count: cl_uint,
    kernels: Out<Handle>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    status(|| {
        let program = get::<Program>(program)?;
        let names = program.kernel_names()?;
        if !kernels.is_null() {
            ensure(count as usize >= names.len(), CL_INVALID_VALUE)?;
            let mut made = Vec::new();
            for name in &names {
                made.push(Kernel::new(&program, name)?.handle());
            }
            kernels.put_list(&made);
        }
        count_ret.put(names.len() as cl_uint);
        Ok(())
    })
}

pub extern "C" fn clCloneKernel(kernel: Handle, code: Out<cl_int>) -> *mut c_void {
    create(code, || Ok(get::<Kernel>(kernel)?.duplicate()?.handle()))
}

pub extern "C" fn clRetainKernel(kernel: Handle) -> cl_int {
    status(|| handle::retain::<Kernel>(kernel))
}

pub extern "C" fn clReleaseKernel(kernel: Handle) -> cl_int {
    status(|| handle::release::<Kernel>(kernel).map(drop))
}

fn wrong_size(kernel: &Kernel, index: usize, size: usize, expected: usize) -> String {
    let (name, arg) = (&kernel.info.name, &kernel.info.args[index]);
    let (spelled, ty) = (&arg.name, &arg.type_name);
    format!(
        "argument {index} ({ty} {spelled}) of kernel '{name}' has {expected} bytes, and {size} were given"
    )
}

/// The error `CL_INVALID_ARG_SIZE` unless the argument is given as a handle.
fn handle_size(kernel: &Kernel, index: usize, size: usize) -> Res<()> {
    let expected = size_of::<Handle>();
    ensure_or(size == expected, CL_INVALID_ARG_SIZE, || wrong_size(kernel, index, size, expected))
}

/// The image for an argument, if the argument takes it.
fn image_arg(kernel: &Kernel, index: usize, size: usize, value: Memory) -> Res<Arg> {
    let arg = &kernel.info.args[index];
    let mem = get::<Mem>(value.as_handle().unwrap_or(std::ptr::null_mut()))?;
    ensure(Arc::ptr_eq(&mem.context, &kernel.program.context), CL_INVALID_CONTEXT)?;
    let shape = mem.image()?.shape();
    let is_depth = shape.format.order == ChannelOrder::Depth;
    // A binary may lack the type of the image argument.
    let Some(wanted) = arg.image else { return err(CL_INVALID_MEM_OBJECT) };
    ensure_or((wanted.kind, wanted.is_depth) == (shape.kind, is_depth), CL_INVALID_MEM_OBJECT, || {
        let given = ImageArg { kind: shape.kind, is_depth, access: wanted.access };
        let (name, spelled) = (&kernel.info.name, &arg.name);
        format!("argument {index} ({wanted} {spelled}) of kernel '{name}' was given a {given}")
    })?;
    handle_size(kernel, index, size)?;
    let forbidden = match wanted.access {
        Access::ReadOnly => CL_MEM_WRITE_ONLY,
        Access::WriteOnly => CL_MEM_READ_ONLY,
        Access::ReadWrite => CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
    };
    ensure_or(mem.flags & forbidden == 0, CL_INVALID_ARG_VALUE, || {
        let (name, spelled) = (&kernel.info.name, &arg.name);
        format!("argument {index} ({wanted} {spelled}) of kernel '{name}': the image's flags forbid that")
    })?;
    Ok(Arg::Image(Arc::downgrade(&mem), wanted.access))
}

pub extern "C" fn clSetKernelArg(kernel: Handle, index: cl_uint, size: usize, value: Memory) -> cl_int {
    status(|| {
        let kernel = get::<Kernel>(kernel)?;
        kernel.set_arg(index as usize, arg(&kernel, index as usize, size, value)?);
        Ok(())
    })
}

/// The value of an argument, if the argument takes it.
pub(super) fn arg(kernel: &Kernel, index: usize, size: usize, value: Memory) -> Res<Arg> {
    let arg = kernel.info.args.get(index).ok_or_else(|| {
        because(CL_INVALID_ARG_INDEX, || {
            let (name, count) = (&kernel.info.name, kernel.info.args.len());
            format!("kernel '{name}' has {count} arguments, counted from 0, and this is number {index}")
        })
    })?;
    let value = match arg.kind {
        ArgKind::Local => {
            ensure(value.is_null(), CL_INVALID_ARG_VALUE)?;
            let may_be_empty = compiler::opencl_version() >= Standard::Cl31;
            ensure(size > 0 || may_be_empty, CL_INVALID_ARG_SIZE)?;
            Arg::Local(size)
        }
        ArgKind::Value => {
            ensure(!value.is_null(), CL_INVALID_ARG_VALUE)?;
            ensure_or(size == arg.size, CL_INVALID_ARG_SIZE, || wrong_size(kernel, index, size, arg.size))?;
            Arg::Bytes(value.bytes(size))
        }
        ArgKind::Image => image_arg(kernel, index, size, value)?,
        ArgKind::Sampler => {
            let sampler = get::<Sampler>(value.as_handle().unwrap_or(std::ptr::null_mut()))?;
            ensure(Arc::ptr_eq(&sampler.context, &kernel.program.context), CL_INVALID_CONTEXT)?;
            handle_size(kernel, index, size)?;
            Arg::Sampler(sampler.sampler)
        }
        ArgKind::Global | ArgKind::Constant => {
            handle_size(kernel, index, size)?;
            match value.as_handle() {
                None => Arg::Null,
                Some(mem) => {
                    let mem = get::<Mem>(mem)?;
                    ensure(Arc::ptr_eq(&mem.context, &kernel.program.context), CL_INVALID_CONTEXT)?;
                    mem.must_be_buffer()?;
                    Arg::Mem(Arc::downgrade(&mem))
                }
            }
        }
    };
    Ok(value)
}

pub extern "C" fn clSetKernelArgSVMPointer(kernel: Handle, index: cl_uint, value: Memory) -> cl_int {
    status(|| {
        let kernel = get::<Kernel>(kernel)?;
        kernel.set_arg(index as usize, pointer_arg(&kernel, index as usize, value)?);
        Ok(())
    })
}

/// Kernels can access any memory of the process.
pub(super) fn pointer_arg(kernel: &Kernel, index: usize, value: Memory) -> Res<Arg> {
    let arg = kernel.info.args.get(index).ok_or(ErrorCode(CL_INVALID_ARG_INDEX))?;
    ensure(matches!(arg.kind, ArgKind::Global | ArgKind::Constant), CL_INVALID_ARG_VALUE)?;
    Ok(if value.is_null() { Arg::Null } else { Arg::Address(value.addr()) })
}

/// Kernels can access any memory of the process: the pointer need not be to a buffer.
pub extern "C" fn clSetKernelArgDevicePointerEXT(kernel: Handle, index: cl_uint, address: u64) -> cl_int {
    status(|| {
        let kernel = get::<Kernel>(kernel)?;
        let arg = kernel.info.args.get(index as usize).ok_or(ErrorCode(CL_INVALID_ARG_INDEX))?;
        ensure(arg.kind == ArgKind::Global, CL_INVALID_ARG_INDEX)?;
        kernel.set_arg(index as usize, if address == 0 { Arg::Null } else { Arg::Address(address as usize) });
        Ok(())
    })
}

pub extern "C" fn clSetKernelExecInfo(kernel: Handle, name: cl_uint, size: usize, value: Memory) -> cl_int {
    status(|| {
        get::<Kernel>(kernel)?;
        check_exec_info(name, size, value)
    })
}

/// Checks the values only: kernels can access all memory of the process.
pub(super) fn check_exec_info(name: cl_uint, size: usize, value: Memory) -> Res<()> {
    match name {
        // A size of 0 with a null pointer is an empty list.
        CL_KERNEL_EXEC_INFO_SVM_PTRS
        | CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL
        | CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => {
            let words = size.is_multiple_of(size_of::<usize>());
            ensure(words && (size == 0) == value.is_null(), CL_INVALID_VALUE)
        }
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
        | CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR
        | CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
            ensure(size == 4 && !value.is_null(), CL_INVALID_VALUE)
        }
        _ => err(CL_INVALID_VALUE),
    }
}

pub extern "C" fn clGetKernelInfo(
    kernel: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Kernel>(kernel)?.info(name)?.give(size, value, size_ret))
}

pub extern "C" fn clGetKernelArgInfo(
    kernel: Handle,
    index: cl_uint,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let kernel = get::<Kernel>(kernel)?;
        ensure((index as usize) < kernel.info.args.len(), CL_INVALID_ARG_INDEX)?;
        kernel.arg_info(index as usize, name)?.give(size, value, size_ret)
    })
}

/// The device of a query. The handle may be null if the kernel is for one device only.
fn device_of(kernel: &Kernel, device: Handle) -> Res<Arc<Device>> {
    if device.is_null() {
        let [only] = kernel.program.devices.as_slice() else { return err(CL_INVALID_DEVICE) };
        return Ok(only.clone());
    }
    let device = get::<Device>(device)?;
    ensure(kernel.program.index_of(&device).is_some(), CL_INVALID_DEVICE)?;
    Ok(device)
}

pub extern "C" fn clGetKernelWorkGroupInfo(
    kernel: Handle,
    device: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let kernel = get::<Kernel>(kernel)?;
        let device = device_of(&kernel, device)?;
        kernel.work_group_info(&device, name)?.give(size, value, size_ret)
    })
}

/// The local size or the number of sub-groups that a query is about. Queries that take no input
/// read none.
fn sub_group_input(name: cl_uint, bytes: usize, input: Memory) -> Res<Vec<usize>> {
    let most = match name {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE | CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => 3,
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => 1,
        _ => return Ok(Vec::new()),
    };
    let word = size_of::<usize>();
    // The size is checked before a byte is read: it may be anything.
    let good = !input.is_null() && bytes.is_multiple_of(word) && (1..=most).contains(&(bytes / word));
    ensure(good, CL_INVALID_VALUE)?;
    let size = |bytes: &[u8]| usize::from_ne_bytes(bytes.try_into().expect("the bytes of one word"));
    Ok(input.bytes(bytes).chunks_exact(word).map(size).collect())
}

pub extern "C" fn clGetKernelSubGroupInfo(
    kernel: Handle,
    device: Handle,
    name: cl_uint,
    input_size: usize,
    input: Memory,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let kernel = get::<Kernel>(kernel)?;
        let device = device_of(&kernel, device)?;
        let input = sub_group_input(name, input_size, input)?;
        kernel.sub_group_info(&device, name, &input, size)?.give(size, value, size_ret)
    })
}
