//! The images of devices whose kernels work on the memory of this process, as [`crate::HostMemory`]
//! is their memory.
//!
//! An image is the address of a description, a sampler its constant in OpenCL C
//! (`ir::DefaultBuiltinInfo`). The library's functions (`crates/builtins/cl/image.h`) read the
//! description; nobody else does.

use crate::image::{Addressing, ChannelOrder, ChannelType, Filter, Image, ImageFormat, Images, Sampler};
use compiler::{Access, ImageKind};

/// The images of devices whose kernels work on the memory of this process, and have images and
/// samplers as `ir::DefaultBuiltinInfo` says.
pub struct HostImages;

impl HostImages {
    pub fn get() -> &'static dyn Images {
        &HostImages
    }
}

/// The number that OpenCL has for an order of channels, from that of `CL_R` on.
fn order_number(order: ChannelOrder) -> u32 {
    use ChannelOrder::*;
    match order {
        R => 0,
        A => 1,
        Rg => 2,
        Ra => 3,
        Rgb => 4,
        Rgba => 5,
        Bgra => 6,
        Argb => 7,
        Intensity => 8,
        Luminance => 9,
        Rx => 10,
        Rgx => 11,
        Rgbx => 12,
        Depth => 13,
        SRgb => 15,
        SRgbx => 16,
        SRgba => 17,
        SBgra => 18,
        Abgr => 19,
    }
}

/// The number that OpenCL has for a type of channels, from that of `CL_SNORM_INT8` on.
fn type_number(channel: ChannelType) -> u32 {
    use ChannelType::*;
    match channel {
        SnormInt8 => 0,
        SnormInt16 => 1,
        UnormInt8 => 2,
        UnormInt16 => 3,
        UnormShort565 => 4,
        UnormShort555 => 5,
        UnormInt101010 => 6,
        SignedInt8 => 7,
        SignedInt16 => 8,
        SignedInt32 => 9,
        UnsignedInt8 => 10,
        UnsignedInt16 => 11,
        UnsignedInt32 => 12,
        HalfFloat => 13,
        Float => 14,
        UnormInt101010_2 => 16,
    }
}

/// The first word of a descriptor, for which code is specialized: the format.
fn word(format: ImageFormat, is_small: bool) -> u32 {
    type_number(format.channel)
        | order_number(format.order) << 8
        | (format.pixel_bytes() as u32) << 16
        | format.channel.bytes().ilog2() << 24
        | u32::from(is_small) << 28
}

/// The types of channels that are stored one by one, and last the one that packs four into a word.
const CHANNELS: [ChannelType; 13] = {
    use ChannelType::*;
    [
        SnormInt8,
        SnormInt16,
        UnormInt8,
        UnormInt16,
        SignedInt8,
        SignedInt16,
        SignedInt32,
        UnsignedInt8,
        UnsignedInt16,
        UnsignedInt32,
        HalfFloat,
        Float,
        UnormInt101010_2,
    ]
};

/// The types of channels that go with an order.
fn channel_types(order: ChannelOrder) -> &'static [ChannelType] {
    use ChannelOrder::*;
    use ChannelType::*;
    match order {
        R | A | Rg | Ra => &CHANNELS[..12],
        Rgba => &CHANNELS,
        Intensity | Luminance => &[SnormInt8, SnormInt16, UnormInt8, UnormInt16, HalfFloat, Float],
        Rgb => &[UnormShort565, UnormShort555, UnormInt101010],
        Bgra | Argb | Abgr => &[SnormInt8, UnormInt8, SignedInt8, UnsignedInt8],
        Depth => &[UnormInt16, Float],
        SRgba | SBgra => &[UnormInt8],
        Rx | Rgx | Rgbx | SRgb | SRgbx => &[],
    }
}

impl Images for HostImages {
    fn formats(&self, kind: ImageKind, access: Access) -> Vec<ImageFormat> {
        use ChannelOrder::*;
        let orders = [R, A, Rg, Ra, Rgb, Rgba, Bgra, Argb, Abgr, Intensity, Luminance, Depth, SRgba, SBgra];
        let is_there = |order: &ChannelOrder| match order {
            Depth => matches!(kind, ImageKind::D2 | ImageKind::D2Array),
            // Encoding and decoding round: a kernel would read back another value than it wrote.
            SRgba | SBgra => access != Access::ReadWrite,
            _ => true,
        };
        let of = |order| channel_types(order).iter().map(move |&channel| ImageFormat { order, channel });
        orders.into_iter().filter(is_there).flat_map(of).collect()
    }

    fn descriptor(&self, image: &Image) -> Box<[u64]> {
        let shape = &image.shape;
        // The images of an array are rows or slices.
        let (height, depth, row_pitch) = match shape.kind {
            ImageKind::D1Array => (shape.layers, 1, shape.slice_pitch),
            ImageKind::D2Array => (shape.height, shape.layers, shape.row_pitch),
            _ => (shape.height, shape.depth, shape.row_pitch),
        };
        let row = shape.width * shape.format.pixel_bytes();
        let bytes = (height - 1) * row_pitch + (depth - 1) * shape.slice_pitch + row;
        let word = word(shape.format, bytes <= i32::MAX as usize);
        let pair = |low: u32, high: usize| u64::from(low) | (high as u64) << 32;
        Box::new([
            pair(word, shape.width),
            pair(height as u32, depth),
            row_pitch as u64,
            shape.slice_pitch as u64,
            image.buffer.start() as u64,
        ])
    }

    fn sampler(&self, sampler: Sampler) -> u32 {
        let addressing = match sampler.addressing {
            Addressing::None => 0,
            Addressing::ClampToEdge => 2,
            Addressing::Clamp => 4,
            Addressing::Repeat => 6,
            Addressing::MirroredRepeat => 8,
        };
        let filter = match sampler.filter {
            Filter::Nearest => 0x10,
            Filter::Linear => 0x20,
        };
        addressing | filter | u32::from(sampler.normalized_coords)
    }
}
