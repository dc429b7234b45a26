//! Between the images of the reference (`kernelgen::picture`) and those of the runtime.

use crate::Result;
use crate::run::{buffer, device};
use kernelgen::picture::{self, Channel, Order, Picture};
use runtime::{
    Addressing, ArgValue, ChannelOrder, ChannelType, Filter, Image, ImageFormat, ImageKind, ImageShape,
    Sampler,
};
use std::sync::Arc;

const KINDS: [(picture::ImageKind, ImageKind); 5] = [
    (picture::ImageKind::D1, ImageKind::D1),
    (picture::ImageKind::D1Array, ImageKind::D1Array),
    (picture::ImageKind::D2, ImageKind::D2),
    (picture::ImageKind::D2Array, ImageKind::D2Array),
    (picture::ImageKind::D3, ImageKind::D3),
];

const ORDERS: [(Order, ChannelOrder); 14] = [
    (Order::R, ChannelOrder::R),
    (Order::A, ChannelOrder::A),
    (Order::Rg, ChannelOrder::Rg),
    (Order::Ra, ChannelOrder::Ra),
    (Order::Rgb, ChannelOrder::Rgb),
    (Order::Rgba, ChannelOrder::Rgba),
    (Order::Bgra, ChannelOrder::Bgra),
    (Order::Argb, ChannelOrder::Argb),
    (Order::Abgr, ChannelOrder::Abgr),
    (Order::Intensity, ChannelOrder::Intensity),
    (Order::Luminance, ChannelOrder::Luminance),
    (Order::Depth, ChannelOrder::Depth),
    (Order::SRgba, ChannelOrder::SRgba),
    (Order::SBgra, ChannelOrder::SBgra),
];

const CHANNELS: [(Channel, ChannelType); 16] = [
    (Channel::Snorm8, ChannelType::SnormInt8),
    (Channel::Snorm16, ChannelType::SnormInt16),
    (Channel::Unorm8, ChannelType::UnormInt8),
    (Channel::Unorm16, ChannelType::UnormInt16),
    (Channel::Unorm565, ChannelType::UnormShort565),
    (Channel::Unorm555, ChannelType::UnormShort555),
    (Channel::Unorm101010, ChannelType::UnormInt101010),
    (Channel::Unorm101010_2, ChannelType::UnormInt101010_2),
    (Channel::Signed8, ChannelType::SignedInt8),
    (Channel::Signed16, ChannelType::SignedInt16),
    (Channel::Signed32, ChannelType::SignedInt32),
    (Channel::Unsigned8, ChannelType::UnsignedInt8),
    (Channel::Unsigned16, ChannelType::UnsignedInt16),
    (Channel::Unsigned32, ChannelType::UnsignedInt32),
    (Channel::Half, ChannelType::HalfFloat),
    (Channel::Float, ChannelType::Float),
];

const ADDRESSING: [(picture::Addressing, Addressing); 5] = [
    (picture::Addressing::None, Addressing::None),
    (picture::Addressing::ClampToEdge, Addressing::ClampToEdge),
    (picture::Addressing::Clamp, Addressing::Clamp),
    (picture::Addressing::Repeat, Addressing::Repeat),
    (picture::Addressing::MirroredRepeat, Addressing::MirroredRepeat),
];

/// The runtime's name of one of the reference's.
fn theirs<A: PartialEq + Copy, B: Copy>(table: &[(A, B)], of: A) -> B {
    table.iter().find(|(a, _)| *a == of).expect("the tables are complete").1
}

/// The reference's name of one of the runtime's, if it knows it.
fn ours<A: Copy, B: PartialEq + Copy>(table: &[(A, B)], of: B) -> Option<A> {
    table.iter().find(|(_, b)| *b == of).map(|(a, _)| *a)
}

/// What the reference takes an image for; a 1D image from a buffer is a 1D image.
pub fn picture(shape: &ImageShape, bytes: Vec<u8>) -> Option<Picture> {
    let kind = ours(&KINDS, shape.kind).unwrap_or(picture::ImageKind::D1);
    let (sizes, row) = match shape.kind {
        ImageKind::D1Array => ([shape.width, shape.layers, 1], shape.slice_pitch),
        ImageKind::D2Array => ([shape.width, shape.height, shape.layers], shape.row_pitch),
        _ => ([shape.width, shape.height, shape.depth], shape.row_pitch),
    };
    let order = ours(&ORDERS, shape.format.order)?;
    let channel = ours(&CHANNELS, shape.format.channel)?;
    Some(Picture { kind, order, channel, sizes, pitches: [row, shape.slice_pitch], bytes })
}

pub fn sampler(sampler: Sampler) -> picture::Sampler {
    picture::Sampler {
        normalized: sampler.normalized_coords,
        addressing: ours(&ADDRESSING, sampler.addressing).expect("the table is complete"),
        linear: sampler.filter == Filter::Linear,
    }
}

/// An argument for an image with the contents of a picture.
pub(crate) fn image_argument(picture: &Picture) -> Result<(ArgValue, Arc<Image>)> {
    let format =
        ImageFormat { order: theirs(&ORDERS, picture.order), channel: theirs(&CHANNELS, picture.channel) };
    let kind = theirs(&KINDS, picture.kind);
    let ([width, rows, slices], [row_pitch, slice_pitch]) = (picture.sizes, picture.pitches);
    let (height, depth, layers, slice_pitch) = match kind {
        ImageKind::D1Array => (1, 1, rows, row_pitch),
        ImageKind::D2Array => (rows, 1, slices, slice_pitch),
        _ => (rows, slices, 1, slice_pitch),
    };
    let shape = ImageShape { kind, format, width, height, depth, layers, row_pitch, slice_pitch };
    let image = Arc::new(Image { buffer: buffer(&picture.bytes)?, shape });
    let images = device().images().ok_or("the device has no images")?;
    let descriptor = images.descriptor(&image);
    Ok((ArgValue::Image(image.clone(), descriptor.into()), image))
}

pub(crate) fn sampler_argument(sampler: picture::Sampler) -> Result<ArgValue> {
    let images = device().images().ok_or("the device has no images")?;
    let sampler = Sampler {
        normalized_coords: sampler.normalized,
        addressing: theirs(&ADDRESSING, sampler.addressing),
        filter: if sampler.linear { Filter::Linear } else { Filter::Nearest },
    };
    Ok(ArgValue::Bytes(images.sampler(sampler).to_le_bytes().to_vec()))
}
