//! Images: how they are made, and what can be asked about them.

use crate::api::buffer::{listed, part_flags};
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, because, create, ensure, ensure_or, status};
use crate::handle::{self, Object, get, publish};
use crate::objects::context::Destructors;
use crate::objects::image::{
    MAX_ARRAY, MAX_BUFFER, MAX_SIZE_2D, MAX_SIZE_3D, Pixels, accesses, format_numbers, format_of, is_view,
    kind_of,
};
use crate::objects::mem::{ACCESS_FLAGS, flags_are_good};
use crate::objects::{Context, Mem};
use runtime::{Buffer, Image, ImageFormat, ImageKind, ImageShape};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// What an image is to be made of.
struct Wanted {
    flags: u64,
    format: In<ClImageFormat>,
    desc: Option<ClImageDesc>,
    host_ptr: Memory,
    /// The error for pitches that the image cannot have.
    bad_pitch: cl_int,
}

/// An error about the descriptor, with the reason in words.
fn bad_descriptor(why: &str) -> ErrorCode {
    because(CL_INVALID_IMAGE_DESCRIPTOR, || why.to_owned())
}

impl Wanted {
    fn make(&self, context: Handle, properties: Option<Vec<u64>>) -> Res<Handle> {
        let context = get::<Context>(context)?;
        ensure_or(context.has_images(), CL_INVALID_OPERATION, || "no device has images".to_owned())?;
        ensure(properties.as_ref().is_none_or(|list| list.len() <= 1), CL_INVALID_PROPERTY)?;
        // Flags are checked before the descriptor, and inherit those of the parent that it names.
        let parent = self.desc.and_then(|desc| handle::find::<Mem>(desc.mem_object));
        ensure(flags_are_good(self.flags), CL_INVALID_VALUE)?;
        let flags = match &parent {
            Some(parent) => part_flags(parent.flags, self.flags)?,
            None if self.flags & ACCESS_FLAGS == 0 => self.flags | CL_MEM_READ_WRITE,
            None => self.flags,
        };
        let format = self.format.get().and_then(format_of).ok_or_else(|| {
            let given = self.format.get().map(|f| format!("{:#x} and {:#x}", f.order, f.data_type));
            let given = given.unwrap_or_else(|| "NULL".to_owned());
            because(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, || format!("{given} are no image format"))
        })?;
        let desc = self.desc.ok_or_else(|| bad_descriptor("the descriptor is NULL"))?;
        let shape = self.shape(&desc, format, parent.as_deref(), &context)?;
        check_size(&shape)?;
        let wants_pointer = self.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        ensure(wants_pointer != self.host_ptr.is_null(), CL_INVALID_HOST_PTR)?;
        let formats = context.image_formats(shape.kind, accesses(flags));
        ensure_or(formats.contains(&format), CL_IMAGE_FORMAT_NOT_SUPPORTED, || {
            let ImageFormat { order, channel } = format;
            format!("no device has images of {order:?} and {channel:?} for such use")
        })?;

        let buffer = match &parent {
            Some(parent) => over_parent(parent, &shape)?,
            None => self.memory(&context, &shape)?,
        };
        let in_place = self.flags & CL_MEM_USE_HOST_PTR != 0;
        let image = Pixels::new(&context, Image { buffer: buffer.clone(), shape });
        let mem = publish(|owner| Mem {
            owner,
            buffer,
            flags,
            host_ptr: if in_place { self.host_ptr } else { Memory::NULL },
            uses_svm: in_place && context.allocation_at(self.host_ptr.addr()).is_some(),
            parent,
            offset: 0,
            properties,
            maps: Mutex::default(),
            destructors: Destructors::default(),
            image: Some(image),
            context,
        })?;
        Ok(mem.handle())
    }

    /// The shape that the descriptor asks for, with the pitches that it leaves out.
    fn shape(
        &self,
        desc: &ClImageDesc,
        format: ImageFormat,
        parent: Option<&Mem>,
        context: &Arc<Context>,
    ) -> Res<ImageShape> {
        let kind = kind_of(desc.kind).ok_or_else(|| bad_descriptor("there is no such type of image"))?;
        ensure_or(desc.num_mip_levels == 0, CL_INVALID_IMAGE_DESCRIPTOR, || "mip-maps".to_owned())?;
        ensure_or(desc.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR, || "several samples".to_owned())?;
        let is_same = parent.is_none_or(|parent| Arc::ptr_eq(&parent.context, context));
        if desc.mem_object.is_null() != parent.is_none() || !is_same {
            return Err(bad_descriptor("the memory object is none of this context"));
        }
        let or_one = |is_there: bool, size: usize| if is_there { size } else { 1 };
        let height = or_one(matches!(kind, ImageKind::D2 | ImageKind::D2Array | ImageKind::D3), desc.height);
        let (row_pitch, slice_pitch) = self.pitches(desc, kind, format, height, parent)?;
        let shape = ImageShape {
            kind,
            format,
            width: desc.width,
            height,
            depth: or_one(kind == ImageKind::D3, desc.depth),
            layers: or_one(matches!(kind, ImageKind::D1Array | ImageKind::D2Array), desc.array_size),
            row_pitch,
            slice_pitch,
        };
        match parent {
            None if kind == ImageKind::D1Buffer => Err(bad_descriptor("the image needs a buffer")),
            None => Ok(shape),
            Some(parent) => check_parent(parent, shape),
        }
    }

    /// The pitches of rows and slices.
    fn pitches(
        &self,
        desc: &ClImageDesc,
        kind: ImageKind,
        format: ImageFormat,
        height: usize,
        parent: Option<&Mem>,
    ) -> Res<(usize, usize)> {
        let bad = || ErrorCode(self.bad_pitch);
        let pixel = format.pixel_bytes();
        let row = desc.width.checked_mul(pixel).ok_or(ErrorCode(CL_INVALID_IMAGE_SIZE))?;
        // An image that shares the pixels of another has its row pitch.
        let row =
            parent.and_then(|parent| parent.image.as_ref()).map_or(row, |image| image.shape().row_pitch);
        // The conformance suite gives a row pitch for 1D images from buffers, too.
        let may_have_row_pitch = !self.host_ptr.is_null() || parent.is_some();
        let row_pitch = match desc.row_pitch {
            0 => row,
            given => {
                let is_good = may_have_row_pitch && given >= row && given.is_multiple_of(pixel);
                ensure(is_good, self.bad_pitch)?;
                given
            }
        };
        let least = row_pitch.checked_mul(height).ok_or_else(bad)?;
        let has_slices = matches!(kind, ImageKind::D1Array | ImageKind::D2Array | ImageKind::D3);
        let slice_pitch = match desc.slice_pitch {
            0 => least,
            _ if self.host_ptr.is_null() => return Err(bad()),
            _ if !has_slices => least,
            given => {
                // A row pitch of 0 means a width of 0, which is refused as a wrong size.
                let is_good = given >= least && (row_pitch == 0 || given.is_multiple_of(row_pitch));
                ensure(is_good, self.bad_pitch)?;
                given
            }
        };
        Ok((row_pitch, slice_pitch))
    }

    /// Memory of the image's own, or the program's.
    fn memory(&self, context: &Context, shape: &ImageShape) -> Res<Arc<Buffer>> {
        let failure = ErrorCode(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        let bytes = shape.bytes().filter(|bytes| *bytes as u64 <= context.max_alloc_size()).ok_or(failure)?;
        if self.flags & CL_MEM_USE_HOST_PTR != 0 {
            // SAFETY: the program keeps the memory for as long as the object lives.
            return unsafe { Buffer::over(self.host_ptr.raw().cast(), bytes) }.map_err(|_| failure);
        }
        let buffer = context.memory().allocate(bytes).map_err(|_| failure)?;
        if self.flags & CL_MEM_COPY_HOST_PTR != 0 {
            // The padding between rows may not be the program's memory: rows are copied one by one.
            let [width, rows, planes] = shape.extent();
            let ([row, plane], width) = (shape.pitches(), width * shape.format.pixel_bytes());
            let from = self.host_ptr.raw().cast::<u8>();
            for at in (0..planes).flat_map(|z| (0..rows).map(move |y| z * plane + y * row)) {
                // SAFETY: the program says that pixels of this shape are there; the buffer is new.
                unsafe { std::ptr::copy_nonoverlapping(from.add(at), buffer.as_ptr().add(at), width) };
            }
        }
        Ok(buffer)
    }
}

/// The shape of an image over the memory of another object, if it can have it.
fn check_parent(parent: &Mem, shape: ImageShape) -> Res<ImageShape> {
    let Some(pixels) = &parent.image else {
        if !matches!(shape.kind, ImageKind::D1Buffer | ImageKind::D2) {
            return Err(bad_descriptor("images of this type are not made from buffers"));
        }
        let fits = shape.bytes().is_some_and(|bytes| bytes <= parent.size());
        ensure_or(fits, CL_INVALID_IMAGE_DESCRIPTOR, || "the buffer is too small".to_owned())?;
        let is_aligned = (parent.start() as usize).is_multiple_of(shape.format.pixel_bytes());
        ensure_or(is_aligned, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, || {
            "the buffer does not begin at a multiple of the size of a pixel".to_owned()
        })?;
        return Ok(shape);
    };
    let theirs = pixels.shape();
    let same = ImageShape { format: theirs.format, ..shape };
    if same != *theirs || shape.kind != ImageKind::D2 {
        return Err(bad_descriptor("a view of a 2D image has its sizes and pitches"));
    }
    let is_view =
        shape.format.channel == theirs.format.channel && is_view(shape.format.order, theirs.format.order);
    ensure(is_view, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    Ok(shape)
}

fn over_parent(parent: &Arc<Mem>, shape: &ImageShape) -> Res<Arc<Buffer>> {
    let failure = ErrorCode(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    let bytes = shape.bytes().ok_or(failure)?;
    Buffer::part(&parent.buffer, 0, bytes).map_err(|_| failure)
}

fn check_size(shape: &ImageShape) -> Res<()> {
    let (width, height) = match shape.kind {
        ImageKind::D1Buffer => (MAX_BUFFER, 1),
        ImageKind::D3 => (MAX_SIZE_3D, MAX_SIZE_3D),
        _ => (MAX_SIZE_2D, MAX_SIZE_2D),
    };
    let sizes =
        [(shape.width, width), (shape.height, height), (shape.depth, MAX_SIZE_3D), (shape.layers, MAX_ARRAY)];
    let fits = sizes.iter().all(|(size, most)| (1..=*most).contains(size));
    ensure_or(fits, CL_INVALID_IMAGE_SIZE, || {
        let given = sizes.map(|(size, _)| size.to_string()).join(" x ");
        let most = sizes.map(|(_, most)| most.to_string()).join(" x ");
        format!("width, height, depth and array size are {given}; the devices allow 1 to {most}")
    })
}

pub extern "C" fn clCreateImage(
    context: Handle,
    flags: u64,
    format: In<ClImageFormat>,
    desc: In<ClImageDesc>,
    host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let bad_pitch = CL_INVALID_IMAGE_DESCRIPTOR;
        Wanted { flags, format, desc: desc.get(), host_ptr, bad_pitch }.make(context, None)
    })
}

pub extern "C" fn clCreateImageWithProperties(
    context: Handle,
    properties: In<u64>,
    flags: u64,
    format: In<ClImageFormat>,
    desc: In<ClImageDesc>,
    host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let bad_pitch = CL_INVALID_IMAGE_DESCRIPTOR;
        Wanted { flags, format, desc: desc.get(), host_ptr, bad_pitch }.make(context, listed(properties))
    })
}

/// The descriptor of an image by the parameters of OpenCL 1.1's functions.
fn old_desc(kind: cl_uint, [width, height, depth]: [usize; 3], pitches: [usize; 2]) -> Option<ClImageDesc> {
    Some(ClImageDesc {
        kind,
        width,
        height,
        depth,
        array_size: 0,
        row_pitch: pitches[0],
        slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: std::ptr::null_mut(),
    })
}

pub extern "C" fn clCreateImage2D(
    context: Handle,
    flags: u64,
    format: In<ClImageFormat>,
    width: usize,
    height: usize,
    row_pitch: usize,
    host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let desc = old_desc(CL_MEM_OBJECT_IMAGE2D, [width, height, 1], [row_pitch, 0]);
        Wanted { flags, format, desc, host_ptr, bad_pitch: CL_INVALID_IMAGE_SIZE }.make(context, None)
    })
}

pub extern "C" fn clCreateImage3D(
    context: Handle,
    flags: u64,
    format: In<ClImageFormat>,
    width: usize,
    height: usize,
    depth: usize,
    row_pitch: usize,
    slice_pitch: usize,
    host_ptr: Memory,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        // One slice is no 3D image for this function: like none.
        let depth = if depth == 1 { 0 } else { depth };
        let desc = old_desc(CL_MEM_OBJECT_IMAGE3D, [width, height, depth], [row_pitch, slice_pitch]);
        Wanted { flags, format, desc, host_ptr, bad_pitch: CL_INVALID_IMAGE_SIZE }.make(context, None)
    })
}

pub extern "C" fn clGetSupportedImageFormats(
    context: Handle,
    flags: u64,
    kind: cl_uint,
    count: cl_uint,
    formats: Out<ClImageFormat>,
    count_ret: Out<cl_uint>,
) -> cl_int {
    status(|| {
        let context = get::<Context>(context)?;
        // Only here there is a flag for images that a kernel both reads and writes.
        let others = flags & !CL_MEM_KERNEL_READ_AND_WRITE;
        ensure(flags_are_good(others), CL_INVALID_VALUE)?;
        let kind = kind_of(kind).ok_or(ErrorCode(CL_INVALID_VALUE))?;
        ensure(formats.is_null() || count > 0, CL_INVALID_VALUE)?;
        let found = context.image_formats(kind, accesses(flags));
        let numbers: Vec<_> = found.into_iter().map(format_numbers).collect();
        formats.put_list(&numbers[..numbers.len().min(count as usize)]);
        count_ret.put(numbers.len() as cl_uint);
        Ok(())
    })
}

pub extern "C" fn clGetImageInfo(
    image: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| {
        let mem = get::<Mem>(image)?;
        mem.image()?.info(&mem, name)?.give(size, value, size_ret)
    })
}
