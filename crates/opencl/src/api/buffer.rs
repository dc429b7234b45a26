//! Entry points for memory objects of all kinds, and the creation of buffers and sub-buffers.

use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, create, ensure, ensure_or, err, status};
use crate::handle::{self, Object, get, publish};
use crate::objects::context::{DestructorFn, Destructors};
use crate::objects::device_info::BASE_ALIGN;
use crate::objects::mem::{self, ACCESS_FLAGS, HOST_FLAGS, POINTER_FLAGS, flags_are_good};
use crate::objects::{Context, Mem};
use runtime::Buffer;
use std::ffi::c_void;
use std::sync::Mutex;

/// A list of properties with the 0 at its end.
pub(super) fn listed(properties: In<u64>) -> Option<Vec<u64>> {
    let pairs = properties.pairs();
    pairs.map(|pairs| pairs.into_iter().flat_map(|(key, value)| [key, value]).chain([0]).collect())
}

fn make(
    context: Handle,
    properties: Option<Vec<u64>>,
    flags: u64,
    size: usize,
    host_ptr: Memory,
) -> Res<Handle> {
    let context = get::<Context>(context)?;
    match properties.as_deref().unwrap_or_default() {
        [] | [0] => {}
        // Every buffer has one address as long as it lives.
        [key, 0 | 1, 0] if *key == u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT) => {}
        _ => return err(CL_INVALID_PROPERTY),
    }
    ensure(flags_are_good(flags), CL_INVALID_VALUE)?;
    let most = context.max_alloc_size();
    ensure_or(size > 0 && size as u64 <= most, CL_INVALID_BUFFER_SIZE, || {
        format!("a buffer of {size} bytes; the devices of the context allow 1 to {most}")
    })?;
    let wants_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure(wants_pointer != host_ptr.is_null(), CL_INVALID_HOST_PTR)?;

    let in_place = flags & CL_MEM_USE_HOST_PTR != 0;
    let svm = context.allocation_at(host_ptr.addr()).filter(|_| wants_pointer);
    if let Some(svm) = &svm {
        let offset = host_ptr.addr() - svm.start();
        ensure(svm.buffer.check(offset, size).is_ok(), CL_INVALID_BUFFER_SIZE)?;
    }
    let buffer = if in_place {
        // SAFETY: the program keeps the memory for as long as the object lives.
        unsafe { Buffer::over(host_ptr.raw().cast(), size) }
    } else {
        context.memory().allocate(size)
    };
    let buffer = buffer.map_err(|_| ErrorCode(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    mem::restrict(&buffer, flags);
    if !wants_pointer && runtime::checks::is_in_use() {
        buffer.set_undefined();
    }
    if flags & CL_MEM_COPY_HOST_PTR != 0 {
        // SAFETY: the program promises `size` bytes at `host_ptr`; the buffer is new, so they do
        // not overlap.
        unsafe { std::ptr::copy_nonoverlapping(host_ptr.raw().cast(), buffer.as_ptr(), size) };
    }
    let mem = publish(|owner| Mem {
        owner,
        buffer,
        flags: if flags & ACCESS_FLAGS == 0 { flags | CL_MEM_READ_WRITE } else { flags },
        host_ptr: if in_place { host_ptr } else { Memory::NULL },
        parent: None,
        offset: 0,
        uses_svm: in_place && svm.is_some(),
        properties,
        maps: Mutex::default(),
        destructors: Destructors::default(),
        image: None,
        context,
    })?;
    Ok(mem.handle())
}

pub extern "C" fn clCreateBuffer(
    context: Handle,
    flags: u64,
    size: usize,
    host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || make(context, None, flags, size, host_ptr))
}

pub extern "C" fn clCreateBufferWithProperties(
    context: Handle,
    properties: In<u64>,
    flags: u64,
    size: usize,
    host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || make(context, listed(properties), flags, size, host_ptr))
}

/// The flags of an object made from another memory object: its own, and those that it inherits.
pub(super) fn part_flags(parent: u64, flags: u64) -> Res<u64> {
    let clashes = [
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY),
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY),
    ];
    let clash = clashes.iter().any(|(theirs, ours)| parent & theirs != 0 && flags & ours != 0);
    ensure(flags_are_good(flags) && flags & POINTER_FLAGS == 0 && !clash, CL_INVALID_VALUE)?;
    let own = |group: u64| if flags & group == 0 { parent & group } else { flags & group };
    Ok(own(ACCESS_FLAGS) | own(HOST_FLAGS) | parent & POINTER_FLAGS)
}

pub extern "C" fn clCreateSubBuffer(
    buffer: Handle,
    flags: u64,
    kind: cl_uint,
    region: In<[usize; 2]>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let parent = get::<Mem>(buffer)?;
        parent.must_be_buffer()?;
        ensure(parent.parent.is_none(), CL_INVALID_MEM_OBJECT)?;
        let flags = part_flags(parent.flags, flags)?;
        ensure(kind == CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_VALUE)?;
        let [offset, size] = region.get().ok_or(ErrorCode(CL_INVALID_VALUE))?;
        parent.check(offset, size)?;
        ensure(size > 0, CL_INVALID_BUFFER_SIZE)?;
        ensure(offset.is_multiple_of(BASE_ALIGN), CL_MISALIGNED_SUB_BUFFER_OFFSET)?;
        let part = Buffer::part(&parent.buffer, offset, size).map_err(|_| ErrorCode(CL_INVALID_VALUE))?;
        mem::restrict(&part, flags);
        let host_ptr = parent.host_ptr;
        let mem = publish(|owner| Mem {
            owner,
            context: parent.context.clone(),
            buffer: part,
            flags,
            host_ptr: if host_ptr.is_null() {
                host_ptr
            } else {
                // SAFETY: within the memory that the program promised for the parent.
                unsafe { Memory::new(host_ptr.raw().wrapping_byte_add(offset)) }
            },
            offset,
            uses_svm: parent.uses_svm,
            properties: None,
            maps: Mutex::default(),
            destructors: Destructors::default(),
            image: None,
            parent: Some(parent),
        })?;
        Ok(mem.handle())
    })
}

pub extern "C" fn clRetainMemObject(mem: Handle) -> cl_int {
    status(|| handle::retain::<Mem>(mem))
}

pub extern "C" fn clReleaseMemObject(mem: Handle) -> cl_int {
    status(|| handle::release::<Mem>(mem).map(drop))
}

pub extern "C" fn clSetMemObjectDestructorCallback(
    mem: Handle,
    notify: Option<DestructorFn>,
    data: Memory,
) -> cl_int {
    status(|| {
        let mem = get::<Mem>(mem)?;
        mem.destructors.add(notify.ok_or(ErrorCode(CL_INVALID_VALUE))?, data);
        Ok(())
    })
}

pub extern "C" fn clGetMemObjectInfo(
    mem: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Mem>(mem)?.info(name)?.give(size, value, size_ret))
}
