//! Images and samplers as a program describes them.
//!
//! An image is a [`Buffer`] with the shape and the format of its pixels. How kernels see it is the
//! device's matter: a device that has images gives, for each of them, the bytes that a kernel's
//! argument points to ([`Images::descriptor`]), which its own code and nobody else reads.

use crate::memory::Buffer;
use crate::support::half_bits;
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

    /// Which of red, green, blue and alpha each channel in memory holds. The padding channel of
    /// `Rx`, `Rgx` and `Rgbx` is filled with the next component.
    fn components(self) -> &'static [usize] {
        use ChannelOrder::*;
        match self {
            R | Intensity | Luminance | Depth => &[0],
            A => &[3],
            Rg | Rx => &[0, 1],
            Ra => &[0, 3],
            Rgb | Rgx | SRgb => &[0, 1, 2],
            Rgba | Rgbx | SRgbx | SRgba => &[0, 1, 2, 3],
            Bgra | SBgra => &[2, 1, 0, 3],
            Argb => &[3, 0, 1, 2],
            Abgr => &[3, 2, 1, 0],
        }
    }

    /// Whether red, green and blue are stored in the sRGB colour space.
    pub fn is_srgb(self) -> bool {
        use ChannelOrder::*;
        matches!(self, SRgb | SRgbx | SRgba | SBgra)
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
        self.fields().is_some()
    }

    /// Where the channels of a packed pixel are: the lowest bit and the number of bits of each.
    fn fields(self) -> Option<&'static [(u32, u32)]> {
        use ChannelType::*;
        match self {
            UnormShort565 => Some(&[(11, 5), (5, 6), (0, 5)]),
            UnormShort555 => Some(&[(10, 5), (5, 5), (0, 5)]),
            UnormInt101010 => Some(&[(20, 10), (10, 10), (0, 10)]),
            UnormInt101010_2 => Some(&[(22, 10), (12, 10), (2, 10), (0, 2)]),
            _ => None,
        }
    }

    /// The bytes of a channel that holds the value of this word. Of channels that are not packed.
    fn store(self, word: u32) -> Vec<u8> {
        use ChannelType::*;
        let (float, signed) = (f32::from_bits(word), word as i32);
        match self {
            // `as` saturates, and makes 0 of NaN.
            SnormInt8 => ((float * 127.0).round_ties_even() as i8).to_ne_bytes().to_vec(),
            SnormInt16 => ((float * 32767.0).round_ties_even() as i16).to_ne_bytes().to_vec(),
            UnormInt8 => vec![unorm(float, 0xff) as u8],
            UnormInt16 => (unorm(float, 0xffff) as u16).to_ne_bytes().to_vec(),
            SignedInt8 => (signed.clamp(i8::MIN.into(), i8::MAX.into()) as i8).to_ne_bytes().to_vec(),
            SignedInt16 => (signed.clamp(i16::MIN.into(), i16::MAX.into()) as i16).to_ne_bytes().to_vec(),
            UnsignedInt8 => vec![word.min(0xff) as u8],
            UnsignedInt16 => (word.min(0xffff) as u16).to_ne_bytes().to_vec(),
            HalfFloat => half_bits(float.into()).to_ne_bytes().to_vec(),
            _ => word.to_ne_bytes().to_vec(),
        }
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

    /// The bytes of a pixel of a colour: red, green, blue and alpha, each a word that holds what
    /// kernels write to such an image, a `float`, `int` or `uint`. Conversions are those of the
    /// OpenCL C specification: saturated, and rounded to the nearest, ties to even.
    pub fn pixel(self, colour: [u32; 4]) -> Vec<u8> {
        let channels = self.order.components().iter().map(|component| {
            let word = colour[*component];
            let is_colour = *component < 3;
            if self.order.is_srgb() && is_colour { srgb(f32::from_bits(word)).to_bits() } else { word }
        });
        match self.channel.fields() {
            Some(fields) => {
                let bits = channels.zip(fields).fold(0u32, |bits, (word, (shift, width))| {
                    bits | unorm(f32::from_bits(word), (1 << width) - 1) << shift
                });
                bits.to_ne_bytes()[..self.channel.bytes()].to_vec()
            }
            None => channels.flat_map(|word| self.channel.store(word)).collect(),
        }
    }
}

/// The integer of `0..=most` that stands for `value` of 0 to 1; NaN is 0.
fn unorm(value: f32, most: u32) -> u32 {
    let scaled = value * most as f32;
    (scaled.round_ties_even() as u32).min(most)
}

/// The sRGB encoding of a linear intensity, from 0 to 1.
fn srgb(linear: f32) -> f32 {
    let linear = f64::from(linear);
    // NaN fails all comparisons and becomes 0.
    let encoded = if linear >= 1.0 {
        1.0
    } else if linear >= 0.003_130_8 {
        1.055 * linear.powf(5.0 / 12.0) - 0.055
    } else if linear > 0.0 {
        12.92 * linear
    } else {
        0.0
    };
    encoded as f32
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

impl ImageShape {
    /// How many pixels there are in each direction of a region. The last of an array's is the
    /// image.
    pub fn extent(&self) -> [usize; 3] {
        match self.kind {
            ImageKind::D1 | ImageKind::D1Buffer => [self.width, 1, 1],
            ImageKind::D1Array => [self.width, self.layers, 1],
            ImageKind::D2 => [self.width, self.height, 1],
            ImageKind::D2Array => [self.width, self.height, self.layers],
            ImageKind::D3 => [self.width, self.height, self.depth],
        }
    }

    /// The bytes from one pixel to the next in the second and in the third of these directions.
    pub fn pitches(&self) -> [usize; 2] {
        match self.kind {
            ImageKind::D1Array => [self.slice_pitch, self.slice_pitch],
            _ => [self.row_pitch, self.slice_pitch],
        }
    }

    /// The size in bytes, with the padding after the last row; `None` if it overflows.
    pub fn bytes(&self) -> Option<usize> {
        match self.kind {
            ImageKind::D1 | ImageKind::D1Buffer => Some(self.row_pitch),
            ImageKind::D2 => self.row_pitch.checked_mul(self.height),
            ImageKind::D1Array | ImageKind::D2Array => self.slice_pitch.checked_mul(self.layers),
            ImageKind::D3 => self.slice_pitch.checked_mul(self.depth),
        }
    }
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

/// How a sampler filters the pixels around a coordinate.
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
    /// The formats that images of this kind can have for kernels with this access.
    fn formats(&self, kind: ImageKind, access: Access) -> Vec<ImageFormat>;

    /// What a kernel's argument for the image points to, which the launch keeps. Its first 32 bits
    /// are what code is made for: the format. The image's format is one of [`Images::formats`], and
    /// its memory holds all of its pixels.
    fn descriptor(&self, image: &Image) -> Box<[u64]>;

    /// The value of a kernel's argument for the sampler.
    fn sampler(&self, sampler: Sampler) -> u32;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(order: ChannelOrder, channel: ChannelType, colour: [f32; 4]) -> Vec<u8> {
        ImageFormat { order, channel }.pixel(colour.map(f32::to_bits))
    }

    /// The one channel of an image of integers.
    fn integer(channel: ChannelType, value: i64) -> Vec<u8> {
        ImageFormat { order: ChannelOrder::R, channel }.pixel([value as u32; 4])
    }

    #[test]
    fn channels_are_in_the_order_of_the_format() {
        use ChannelOrder::*;
        let all = [0.0, 0.2, 0.4, 0.6];
        let [r, g, b, a] = [0, 51, 102, 153];
        for (order, expected) in [
            (R, vec![r]),
            (A, vec![a]),
            (Rg, vec![r, g]),
            (Ra, vec![r, a]),
            (Rgb, vec![r, g, b]),
            (Rgba, vec![r, g, b, a]),
            (Bgra, vec![b, g, r, a]),
            (Argb, vec![a, r, g, b]),
            (Abgr, vec![a, b, g, r]),
            (Luminance, vec![r]),
            (Intensity, vec![r]),
        ] {
            assert_eq!(pixel(order, ChannelType::UnormInt8, all), expected, "{order:?}");
            assert_eq!(order.components().len(), order.channels());
        }
    }

    #[test]
    fn normalized_channels_saturate_and_round_to_even() {
        use ChannelType::*;
        let one = |channel, value: f32| pixel(ChannelOrder::R, channel, [value; 4]);
        // 0.5 / 255 and 1.5 / 255 lie between two values.
        for (value, expected) in [(0.5, 0), (1.5, 2), (254.5, 254), (1e9, 255), (-3.0, 0), (f32::NAN, 0)] {
            assert_eq!(one(UnormInt8, value / 255.0), [expected], "{value}");
        }
        for (value, expected) in [(-1.0, -127i8), (-9.0, -128), (9.0, 127), (0.5, 64), (f32::NAN, 0)] {
            assert_eq!(one(SnormInt8, value), expected.to_ne_bytes(), "{value}");
        }
        assert_eq!(one(UnormInt16, 0.5), 32768u16.to_ne_bytes());
        assert_eq!(one(UnormInt16, f32::INFINITY), 65535u16.to_ne_bytes());
        assert_eq!(one(SnormInt16, -f32::INFINITY), (-32768i16).to_ne_bytes());
        assert_eq!(one(HalfFloat, 1.0), 0x3c00u16.to_ne_bytes());
        assert_eq!(one(HalfFloat, 1e9), 0x7c00u16.to_ne_bytes());
        assert_eq!(one(Float, 1.5), 1.5f32.to_ne_bytes());
    }

    #[test]
    fn integers_saturate() {
        use ChannelType::*;
        assert_eq!(integer(SignedInt8, -129), (-128i8).to_ne_bytes());
        assert_eq!(integer(SignedInt8, 128), 127i8.to_ne_bytes());
        assert_eq!(integer(SignedInt16, -40_000), (-32768i16).to_ne_bytes());
        assert_eq!(integer(SignedInt32, -5), (-5i32).to_ne_bytes());
        assert_eq!(integer(UnsignedInt8, 256), [255]);
        assert_eq!(integer(UnsignedInt16, 4_000_000_000), 65535u16.to_ne_bytes());
        assert_eq!(integer(UnsignedInt32, 4_000_000_000), 4_000_000_000u32.to_ne_bytes());
    }

    #[test]
    fn the_first_channel_of_a_packed_pixel_is_in_its_highest_bits() {
        use ChannelType::*;
        let word = |channel, order| {
            let bytes = pixel(order, channel, [1.0, 0.0, 0.5, 1.0]);
            bytes.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte))
        };
        assert_eq!(word(UnormShort565, ChannelOrder::Rgb), 31 << 11 | 16);
        assert_eq!(word(UnormShort555, ChannelOrder::Rgb), 31 << 10 | 16);
        assert_eq!(word(UnormInt101010, ChannelOrder::Rgb), 1023 << 20 | 512);
        assert_eq!(word(UnormInt101010_2, ChannelOrder::Rgba), 1023 << 22 | 512 << 2 | 3);
        assert_eq!(pixel(ChannelOrder::Rgb, UnormShort565, [0.0; 4]).len(), 2);
    }

    #[test]
    fn colours_of_srgb_are_encoded_and_alpha_is_not() {
        let colour = [0.5, 0.002, 2.0, 0.5];
        assert_eq!(pixel(ChannelOrder::SRgba, ChannelType::UnormInt8, colour), [188, 7, 255, 128]);
        assert_eq!(pixel(ChannelOrder::SBgra, ChannelType::UnormInt8, colour), [255, 7, 188, 128]);
        assert_eq!(
            pixel(ChannelOrder::SRgba, ChannelType::UnormInt8, [f32::NAN, -1.0, 1.0, 0.0]),
            [0, 0, 255, 0]
        );
    }

    #[test]
    fn shapes_of_arrays() {
        let format = ImageFormat { order: ChannelOrder::R, channel: ChannelType::UnormInt8 };
        let shape = |kind, slice_pitch| ImageShape {
            kind,
            format,
            width: 5,
            height: 3,
            depth: 2,
            layers: 4,
            row_pitch: 8,
            slice_pitch,
        };
        for (kind, slice_pitch, extent, bytes) in [
            (ImageKind::D1, 8, [5, 1, 1], 8),
            (ImageKind::D1Buffer, 8, [5, 1, 1], 8),
            (ImageKind::D1Array, 16, [5, 4, 1], 64),
            (ImageKind::D2, 24, [5, 3, 1], 24),
            (ImageKind::D2Array, 32, [5, 3, 4], 128),
            (ImageKind::D3, 32, [5, 3, 2], 64),
        ] {
            let shape = shape(kind, slice_pitch);
            assert_eq!((shape.extent(), shape.bytes()), (extent, Some(bytes)), "{kind:?}");
        }
        assert_eq!(shape(ImageKind::D1Array, 16).pitches(), [16, 16]);
        assert_eq!(shape(ImageKind::D2Array, 32).pitches(), [8, 32]);
        assert_eq!(shape(ImageKind::D3, usize::MAX).bytes(), None);
    }
}
