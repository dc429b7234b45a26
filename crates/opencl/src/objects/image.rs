//! Images: what a memory object has beyond its memory, and OpenCL's numbers for it.

use crate::cl::*;
use crate::ffi::{Answer, Res, ensure, ensure_or, err};
use crate::handle::Object;
use crate::objects::{Context, Device, Mem};
use runtime::{
    Access, Addressing, ChannelOrder, ChannelType, Filter, Image, ImageFormat, ImageKind, ImageShape,
};
use std::sync::Arc;

/// The most pixels of an image in each direction.
pub const MAX_SIZE_2D: usize = 32768;
pub const MAX_SIZE_3D: usize = 2048;
/// The most images of an array.
pub const MAX_ARRAY: usize = 2048;
/// The most pixels of a 1D image from a buffer.
pub const MAX_BUFFER: usize = 1 << 27;
/// The most images, and the most samplers, among a kernel's arguments.
pub const MAX_IMAGE_ARGS: u32 = 128;
pub const MAX_SAMPLERS: u32 = 128;

/// An OpenCL number and what it stands for, in both directions.
type Numbers<T, const N: usize> = [(cl_uint, T); N];

const KINDS: Numbers<ImageKind, 6> = [
    (CL_MEM_OBJECT_IMAGE1D, ImageKind::D1),
    (CL_MEM_OBJECT_IMAGE1D_BUFFER, ImageKind::D1Buffer),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY, ImageKind::D1Array),
    (CL_MEM_OBJECT_IMAGE2D, ImageKind::D2),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, ImageKind::D2Array),
    (CL_MEM_OBJECT_IMAGE3D, ImageKind::D3),
];

const ORDERS: Numbers<ChannelOrder, 19> = [
    (CL_R, ChannelOrder::R),
    (CL_A, ChannelOrder::A),
    (CL_RG, ChannelOrder::Rg),
    (CL_RA, ChannelOrder::Ra),
    (CL_RGB, ChannelOrder::Rgb),
    (CL_RGBA, ChannelOrder::Rgba),
    (CL_BGRA, ChannelOrder::Bgra),
    (CL_ARGB, ChannelOrder::Argb),
    (CL_ABGR, ChannelOrder::Abgr),
    (CL_INTENSITY, ChannelOrder::Intensity),
    (CL_LUMINANCE, ChannelOrder::Luminance),
    (CL_Rx, ChannelOrder::Rx),
    (CL_RGx, ChannelOrder::Rgx),
    (CL_RGBx, ChannelOrder::Rgbx),
    (CL_DEPTH, ChannelOrder::Depth),
    (CL_sRGB, ChannelOrder::SRgb),
    (CL_sRGBx, ChannelOrder::SRgbx),
    (CL_sRGBA, ChannelOrder::SRgba),
    (CL_sBGRA, ChannelOrder::SBgra),
];

const TYPES: Numbers<ChannelType, 16> = [
    (CL_SNORM_INT8, ChannelType::SnormInt8),
    (CL_SNORM_INT16, ChannelType::SnormInt16),
    (CL_UNORM_INT8, ChannelType::UnormInt8),
    (CL_UNORM_INT16, ChannelType::UnormInt16),
    (CL_UNORM_SHORT_565, ChannelType::UnormShort565),
    (CL_UNORM_SHORT_555, ChannelType::UnormShort555),
    (CL_UNORM_INT_101010, ChannelType::UnormInt101010),
    (CL_UNORM_INT_101010_2, ChannelType::UnormInt101010_2),
    (CL_SIGNED_INT8, ChannelType::SignedInt8),
    (CL_SIGNED_INT16, ChannelType::SignedInt16),
    (CL_SIGNED_INT32, ChannelType::SignedInt32),
    (CL_UNSIGNED_INT8, ChannelType::UnsignedInt8),
    (CL_UNSIGNED_INT16, ChannelType::UnsignedInt16),
    (CL_UNSIGNED_INT32, ChannelType::UnsignedInt32),
    (CL_HALF_FLOAT, ChannelType::HalfFloat),
    (CL_FLOAT, ChannelType::Float),
];

pub const ADDRESSING: Numbers<Addressing, 5> = [
    (CL_ADDRESS_NONE, Addressing::None),
    (CL_ADDRESS_CLAMP_TO_EDGE, Addressing::ClampToEdge),
    (CL_ADDRESS_CLAMP, Addressing::Clamp),
    (CL_ADDRESS_REPEAT, Addressing::Repeat),
    (CL_ADDRESS_MIRRORED_REPEAT, Addressing::MirroredRepeat),
];

pub const FILTERS: Numbers<Filter, 2> =
    [(CL_FILTER_NEAREST, Filter::Nearest), (CL_FILTER_LINEAR, Filter::Linear)];

/// The value that a number of OpenCL stands for.
pub fn meaning<T: Copy>(numbers: &[(cl_uint, T)], number: cl_uint) -> Option<T> {
    numbers.iter().find(|(known, _)| *known == number).map(|(_, value)| *value)
}

/// OpenCL's number for a value.
pub fn number<T: PartialEq>(numbers: &[(cl_uint, T)], value: &T) -> cl_uint {
    numbers.iter().find(|(_, known)| known == value).map_or(0, |(number, _)| *number)
}

/// The kind of image that a type of memory objects is.
pub fn kind_of(number: cl_uint) -> Option<ImageKind> {
    meaning(&KINDS, number)
}

/// The format of OpenCL's numbers, if order and type may be combined; no device need have it.
pub fn format_of(format: ClImageFormat) -> Option<ImageFormat> {
    use ChannelOrder::*;
    use ChannelType::*;
    let (order, channel) = (meaning(&ORDERS, format.order)?, meaning(&TYPES, format.data_type)?);
    let has_fraction = matches!(channel, SnormInt8 | SnormInt16 | UnormInt8 | UnormInt16 | HalfFloat | Float);
    let agree = match order {
        Rgb | Rgbx => matches!(channel, UnormShort565 | UnormShort555 | UnormInt101010),
        Rgba => !matches!(channel, UnormShort565 | UnormShort555 | UnormInt101010),
        Intensity | Luminance => has_fraction,
        Bgra | Argb | Abgr => channel.bytes() == 1,
        Depth => matches!(channel, UnormInt16 | Float),
        SRgb | SRgbx | SRgba | SBgra => channel == UnormInt8,
        R | A | Rg | Ra | Rx | Rgx => !channel.is_packed(),
    };
    let format = ImageFormat { order, channel };
    (agree && format.pixel_bytes().is_power_of_two()).then_some(format)
}

/// A format in OpenCL's numbers.
pub fn format_numbers(format: ImageFormat) -> ClImageFormat {
    ClImageFormat { order: number(&ORDERS, &format.order), data_type: number(&TYPES, &format.channel) }
}

/// Whether the pixels of an image can be seen through another with a different order of channels.
pub fn is_view(order: ChannelOrder, of: ChannelOrder) -> bool {
    use ChannelOrder::*;
    matches!(
        (order, of),
        (SBgra, Bgra)
            | (Bgra, SBgra)
            | (SRgba, Rgba)
            | (Rgba, SRgba)
            | (SRgb, Rgb)
            | (Rgb, SRgb)
            | (SRgbx, Rgbx)
            | (Rgbx, SRgbx)
            | (Depth, R)
    )
}

/// The ways in which kernels use images that are made with these flags, each of which a format must
/// allow.
pub fn accesses(flags: u64) -> &'static [Access] {
    if flags & CL_MEM_KERNEL_READ_AND_WRITE != 0 {
        &[Access::ReadWrite]
    } else if flags & CL_MEM_READ_ONLY != 0 {
        &[Access::ReadOnly]
    } else if flags & CL_MEM_WRITE_ONLY != 0 {
        &[Access::WriteOnly]
    } else {
        &[Access::ReadOnly, Access::WriteOnly]
    }
}

impl Device {
    pub fn has_images(&self) -> bool {
        self.device.images().is_some()
    }

    /// The formats of images that all these ways can be used in.
    pub fn image_formats(&self, kind: ImageKind, accesses: &[Access]) -> Vec<ImageFormat> {
        let Some(images) = self.device.images() else { return Vec::new() };
        let mut lists = accesses.iter().map(|access| images.formats(kind, *access));
        let first = lists.next().unwrap_or_default();
        let others: Vec<_> = lists.collect();
        first.into_iter().filter(|format| others.iter().all(|list| list.contains(format))).collect()
    }
}

impl Context {
    pub fn has_images(&self) -> bool {
        self.devices.iter().any(|device| device.has_images())
    }

    /// The formats of images that some device has.
    pub fn image_formats(&self, kind: ImageKind, accesses: &[Access]) -> Vec<ImageFormat> {
        let mut all = Vec::new();
        for format in self.devices.iter().flat_map(|device| device.image_formats(kind, accesses)) {
            if !all.contains(&format) {
                all.push(format);
            }
        }
        all
    }
}

/// What makes a memory object an image.
pub struct Pixels {
    pub image: Arc<Image>,
    /// For the devices of its context that have images.
    devices: Vec<OnDevice>,
}

/// An image as a device has it.
struct OnDevice {
    device: &'static dyn runtime::Device,
    /// How its kernels may use the format.
    accesses: Vec<Access>,
    descriptor: Arc<[u64]>,
}

impl Pixels {
    /// The image must lie in the memory of the context's devices.
    pub fn new(context: &Context, image: Image) -> Pixels {
        let image = Arc::new(image);
        let ImageShape { kind, format, .. } = image.shape;
        let on = |device: &Arc<Device>| {
            let images = device.device.images()?;
            let is_allowed = |access: &Access| images.formats(kind, *access).contains(&format);
            let accesses: Vec<_> = Access::ALL.into_iter().filter(is_allowed).collect();
            let has_format = !accesses.is_empty();
            let descriptor = if has_format { images.descriptor(&image) } else { Box::default() };
            Some(OnDevice { device: device.device, accesses, descriptor: descriptor.into() })
        };
        Pixels { devices: context.devices.iter().filter_map(on).collect(), image }
    }

    pub fn shape(&self) -> &ImageShape {
        &self.image.shape
    }

    /// The type of the memory object.
    pub fn kind_number(&self) -> cl_uint {
        number(&KINDS, &self.shape().kind)
    }

    fn on(&self, device: &Device) -> Res<&OnDevice> {
        let found = self.devices.iter().find(|on| std::ptr::addr_eq(on.device, device.device));
        let on = match found {
            Some(on) => on,
            None => return err(CL_INVALID_OPERATION),
        };
        ensure(!on.accesses.is_empty(), CL_IMAGE_FORMAT_NOT_SUPPORTED)?;
        Ok(on)
    }

    /// The error of a command on the image unless the device has such images.
    pub fn must_be_usable(&self, device: &Device) -> Res<()> {
        self.on(device).map(drop)
    }

    /// What a kernel that accesses the image so is given for it.
    pub fn descriptor(&self, device: &Device, access: Access) -> Res<Arc<[u64]>> {
        let on = self.on(device)?;
        ensure_or(on.accesses.contains(&access), CL_IMAGE_FORMAT_NOT_SUPPORTED, || {
            let ImageFormat { order, channel } = self.shape().format;
            format!("images of {order:?} and {channel:?} cannot be {}", access.name())
        })?;
        Ok(on.descriptor.clone())
    }

    /// What `clGetImageInfo` tells of the image that is `mem`'s.
    pub fn info(&self, mem: &Mem, name: cl_uint) -> Res<Answer> {
        let shape = self.shape();
        let (is_array, is_3d) =
            (matches!(shape.kind, ImageKind::D1Array | ImageKind::D2Array), shape.kind == ImageKind::D3);
        let has_rows = matches!(shape.kind, ImageKind::D2 | ImageKind::D2Array | ImageKind::D3);
        let or_none = |is_there: bool, value: usize| if is_there { value } else { 0 };
        Ok(match name {
            CL_IMAGE_FORMAT => {
                let ClImageFormat { order, data_type } = format_numbers(shape.format);
                [order, data_type].as_slice().into()
            }
            CL_IMAGE_ELEMENT_SIZE => shape.format.pixel_bytes().into(),
            CL_IMAGE_ROW_PITCH => shape.row_pitch.into(),
            CL_IMAGE_SLICE_PITCH => or_none(is_array || is_3d, shape.slice_pitch).into(),
            CL_IMAGE_WIDTH => shape.width.into(),
            CL_IMAGE_HEIGHT => or_none(has_rows, shape.height).into(),
            CL_IMAGE_DEPTH => or_none(is_3d, shape.depth).into(),
            CL_IMAGE_ARRAY_SIZE => or_none(is_array, shape.layers).into(),
            CL_IMAGE_BUFFER => {
                let buffer = mem.parent.as_ref().filter(|parent| parent.image.is_none());
                buffer.map_or(std::ptr::null_mut(), |buffer| buffer.handle()).into()
            }
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => 0u32.into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}
