//! Images and samplers as a program describes them.
//!
//! An image is a [`Buffer`] with the shape and the format of its pixels. How kernels see it is the
//! device's matter: a device that has images gives, for each of them, the bytes that a kernel's
//! argument points to ([`Images::descriptor`]), which its own code and nobody else reads.

use crate::memory::Buffer;
use compiler::{Access, ImageKind};
use std::sync::Arc;

/// The channels of a pixel and their order in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelOrder {
    R,
    A,
    Rg,
    Ra,
    Rgb,
    Rgba,
    Bgra,
    Argb,
    Abgr,
    Intensity,
    Luminance,
    Rx,
    Rgx,
    Rgbx,
    Depth,
    SRgb,
    SRgbx,
    SRgba,
    SBgra,
}

impl ChannelOrder {
    /// How many channels a pixel has in memory.
    pub fn channels(self) -> usize {
        use ChannelOrder::*;
        match self {
            R | A | Intensity | Luminance | Depth => 1,
            Rg | Ra | Rx => 2,
            Rgb | Rgx | SRgb => 3,
            Rgba | Bgra | Argb | Abgr | Rgbx | SRgbx | SRgba | SBgra => 4,
        }
    }
}

/// How a channel is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelType {
    SnormInt8,
    SnormInt16,
    UnormInt8,
    UnormInt16,
    /// All of a pixel in 16 bits.
    UnormShort565,
    UnormShort555,
    /// All of a pixel in 32 bits.
    UnormInt101010,
    UnormInt101010_2,
    SignedInt8,
    SignedInt16,
    SignedInt32,
    UnsignedInt8,
    UnsignedInt16,
    UnsignedInt32,
    HalfFloat,
    Float,
}

impl ChannelType {
    /// The bytes of one channel, or of the whole pixel where channels are packed.
    pub fn bytes(self) -> usize {
        use ChannelType::*;
        match self {
            SnormInt8 | UnormInt8 | SignedInt8 | UnsignedInt8 => 1,
            SnormInt16 | UnormInt16 | SignedInt16 | UnsignedInt16 | HalfFloat => 2,
            UnormShort565 | UnormShort555 => 2,
            SignedInt32 | UnsignedInt32 | Float | UnormInt101010 | UnormInt101010_2 => 4,
        }
    }

    /// Whether one number holds all channels of a pixel.
    pub fn is_packed(self) -> bool {
        use ChannelType::*;
        matches!(self, UnormShort565 | UnormShort555 | UnormInt101010 | UnormInt101010_2)
    }
}

/// The format of an image's pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    pub order: ChannelOrder,
    pub channel: ChannelType,
}

impl ImageFormat {
    /// The bytes of a pixel.
    pub fn pixel_bytes(self) -> usize {
        match self.channel.is_packed() {
            true => self.channel.bytes(),
            false => self.channel.bytes() * self.order.channels(),
        }
    }
}

/// The shape of an image. Sizes that its kind does not have are 1; pitches are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    pub kind: ImageKind,
    pub format: ImageFormat,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    /// The number of images of an array.
    pub layers: usize,
    /// From one row to the next.
    pub row_pitch: usize,
    /// From one slice of a 3D image, or one image of an array, to the next.
    pub slice_pitch: usize,
}

/// An image: its memory, and the shape.
#[derive(Clone, Debug)]
pub struct Image {
    pub buffer: Arc<Buffer>,
    pub shape: ImageShape,
}

/// How a sampler treats coordinates outside of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addressing {
    None,
    ClampToEdge,
    Clamp,
    Repeat,
    MirroredRepeat,
}

/// How a sampler finds a value from the pixels around a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    Nearest,
    Linear,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    pub normalized_coords: bool,
    pub addressing: Addressing,
    pub filter: Filter,
}

/// The images of a device that has some ([`crate::Device::images`]).
pub trait Images: Send + Sync {
    /// The formats of images of a kind that kernels can use so.
    fn formats(&self, kind: ImageKind, access: Access) -> Vec<ImageFormat>;

    /// The bytes that a kernel's argument for the image points to; the launch keeps them. The
    /// image's format is one of [`Images::formats`], and its memory holds all of its pixels.
    fn descriptor(&self, image: &Image) -> Box<[u64]>;

    /// The value of a kernel's argument for the sampler.
    fn sampler(&self, sampler: Sampler) -> u32;
}
