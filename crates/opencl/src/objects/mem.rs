//! Memory objects: buffers, parts of them, and images.

use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, Memory, Res, because, ensure, ensure_or, err};
use crate::handle::{Object, Owner};
use crate::objects::context::Destructors;
use crate::objects::image::Pixels;
use crate::objects::{Context, lock};
use runtime::Buffer;
use std::sync::{Arc, Mutex};

pub struct Mem {
    pub owner: Owner,
    pub context: Arc<Context>,
    pub buffer: Arc<Buffer>,
    /// The flags, including those that are inherited from a parent or are the default.
    pub flags: u64,
    /// The pointer of `CL_MEM_USE_HOST_PTR`.
    pub host_ptr: Memory,
    pub parent: Option<Arc<Mem>>,
    /// The offset from the start of the parent, in bytes.
    pub offset: usize,
    pub uses_svm: bool,
    /// The property list of `clCreateBufferWithProperties` or `clCreateImageWithProperties`, with
    /// its final 0.
    pub properties: Option<Vec<u64>>,
    /// The addresses of mappings, one entry for each. A mapping keeps the object alive, and with it
    /// the memory under the program's pointer, until it is unmapped, even if the program has
    /// released the object.
    pub maps: Mutex<Vec<(usize, Arc<Mem>)>>,
    pub destructors: Destructors,
    /// What makes it an image.
    pub image: Option<Pixels>,
}

impl Object for Mem {
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

/// The flags for the device's access.
pub const ACCESS_FLAGS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
/// The flags for the host's access.
pub const HOST_FLAGS: u64 = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
/// The flags for where the memory comes from.
pub const POINTER_FLAGS: u64 = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// Whether no two flags contradict each other and none is unknown.
pub fn flags_are_good(flags: u64) -> bool {
    let one_of = |group: u64| (flags & group).count_ones() <= 1;
    let pointer = flags & POINTER_FLAGS;
    flags & !(ACCESS_FLAGS | HOST_FLAGS | POINTER_FLAGS) == 0
        && one_of(ACCESS_FLAGS)
        && one_of(HOST_FLAGS)
        && (pointer & CL_MEM_USE_HOST_PTR == 0 || pointer == CL_MEM_USE_HOST_PTR)
}

/// Says of a buffer's memory what kernels may do with it by these flags.
pub fn restrict(buffer: &Buffer, flags: u64) {
    buffer.set_kernel_access(flags & CL_MEM_WRITE_ONLY == 0, flags & CL_MEM_READ_ONLY == 0);
}

impl Mem {
    /// What makes it an image; the error `CL_INVALID_MEM_OBJECT` if it is none.
    pub fn image(&self) -> Res<&Pixels> {
        let why = || "the memory object is a buffer, where an image should be".to_owned();
        self.image.as_ref().ok_or_else(|| because(CL_INVALID_MEM_OBJECT, why))
    }

    pub fn must_be_buffer(&self) -> Res<()> {
        let why = || "the memory object is an image, where a buffer should be".to_owned();
        ensure_or(self.image.is_none(), CL_INVALID_MEM_OBJECT, why)
    }

    pub fn size(&self) -> usize {
        self.buffer.len()
    }

    /// The start of the object's memory.
    pub fn start(&self) -> *mut u8 {
        self.buffer.as_ptr()
    }

    /// Whether programs may ask for its address: it, or the buffer it is a part of, was made so.
    fn has_device_address(&self) -> bool {
        let own = [CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT.into(), 1, 0];
        self.properties.as_deref() == Some(&own)
            || self.parent.as_ref().is_some_and(|p| p.has_device_address())
    }

    /// The error `CL_INVALID_VALUE` unless `bytes` bytes from `offset` on lie within it.
    pub fn check(&self, offset: usize, bytes: usize) -> Res<()> {
        ensure(self.buffer.check(offset, bytes).is_ok(), CL_INVALID_VALUE)
    }

    pub fn host_may_read(&self) -> bool {
        self.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    pub fn host_may_write(&self) -> bool {
        self.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Records a mapping that begins at `address`.
    pub fn map(self: &Arc<Self>, address: usize) {
        lock(&self.maps).push((address, self.clone()));
    }

    pub fn is_mapped_at(&self, address: usize) -> bool {
        lock(&self.maps).iter().any(|(at, _)| *at == address)
    }

    /// Removes one mapping that begins at `address`.
    pub fn unmap(&self, address: usize) -> Res<()> {
        let mut maps = lock(&self.maps);
        let index = maps.iter().position(|(at, _)| *at == address).ok_or(ErrorCode(CL_INVALID_VALUE))?;
        let mapping = maps.swap_remove(index);
        drop(maps);
        // The lock must be free before the last reference is dropped.
        drop(mapping);
        Ok(())
    }

    /// Whether the memory of the two overlaps.
    pub fn overlaps(&self, offset: usize, other: &Mem, other_offset: usize, bytes: usize) -> bool {
        let (a, b) = (self.buffer.start() as usize + offset, other.buffer.start() as usize + other_offset);
        a < b.saturating_add(bytes) && b < a.saturating_add(bytes)
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_MEM_TYPE => self.image.as_ref().map_or(CL_MEM_OBJECT_BUFFER, Pixels::kind_number).into(),
            CL_MEM_FLAGS => self.flags.into(),
            CL_MEM_SIZE => self.size().into(),
            CL_MEM_HOST_PTR => self.host_ptr.addr().into(),
            CL_MEM_MAP_COUNT => (lock(&self.maps).len() as cl_uint).into(),
            CL_MEM_REFERENCE_COUNT => self.owner.references().into(),
            CL_MEM_CONTEXT => self.context.handle().into(),
            CL_MEM_ASSOCIATED_MEMOBJECT => {
                self.parent.as_ref().map_or(std::ptr::null_mut(), |p| p.handle()).into()
            }
            CL_MEM_OFFSET => self.offset.into(),
            CL_MEM_USES_SVM_POINTER => self.uses_svm.into(),
            CL_MEM_DEVICE_ADDRESS_EXT => {
                ensure(self.has_device_address(), CL_INVALID_OPERATION)?;
                // The devices of a context share their memory.
                vec![self.start() as u64; self.context.devices.len()].as_slice().into()
            }
            CL_MEM_PROPERTIES => self.properties.as_deref().unwrap_or_default().into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}

impl Drop for Mem {
    fn drop(&mut self) {
        self.destructors.call(self.owner.raw());
    }
}
