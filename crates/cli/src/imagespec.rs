//! Images and samplers as the command line gives them: `image:photo.png`,
//! `image2d:640x480:rgba:float`, `sampler:linear,clamp,normalized`.

use std::fmt;
use std::path::PathBuf;

use compiler::{ImageArg, Scalar};
use runtime::{
    Addressing, ChannelOrder, ChannelType, Filter, ImageFormat, ImageKind, ImageShape, Images, Sampler,
};

use crate::element::ElementType;
use crate::image;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageSpec {
    /// `image:FILE.png`
    File(PathBuf),
    /// `image2d:WIDTHxHEIGHT:ORDER:TYPE`, all zero.
    Zeros(ImageShape),
}

/// The pixels of an image, tightly packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub shape: ImageShape,
    /// All zero if there are none.
    pub bytes: Option<Vec<u8>>,
}

const KINDS: [(&str, ImageKind, usize); 6] = [
    ("image1d", ImageKind::D1, 1),
    ("image1d_buffer", ImageKind::D1Buffer, 1),
    ("image1d_array", ImageKind::D1Array, 2),
    ("image2d", ImageKind::D2, 2),
    ("image2d_array", ImageKind::D2Array, 3),
    ("image3d", ImageKind::D3, 3),
];

const ORDERS: [(&str, ChannelOrder); 14] = [
    ("r", ChannelOrder::R),
    ("a", ChannelOrder::A),
    ("rg", ChannelOrder::Rg),
    ("ra", ChannelOrder::Ra),
    ("rgb", ChannelOrder::Rgb),
    ("rgba", ChannelOrder::Rgba),
    ("bgra", ChannelOrder::Bgra),
    ("argb", ChannelOrder::Argb),
    ("abgr", ChannelOrder::Abgr),
    ("intensity", ChannelOrder::Intensity),
    ("luminance", ChannelOrder::Luminance),
    ("depth", ChannelOrder::Depth),
    ("srgba", ChannelOrder::SRgba),
    ("sbgra", ChannelOrder::SBgra),
];

const TYPES: [(&str, ChannelType); 16] = [
    ("unorm8", ChannelType::UnormInt8),
    ("unorm16", ChannelType::UnormInt16),
    ("snorm8", ChannelType::SnormInt8),
    ("snorm16", ChannelType::SnormInt16),
    ("unorm565", ChannelType::UnormShort565),
    ("unorm555", ChannelType::UnormShort555),
    ("unorm101010", ChannelType::UnormInt101010),
    ("unorm101010_2", ChannelType::UnormInt101010_2),
    ("int8", ChannelType::SignedInt8),
    ("int16", ChannelType::SignedInt16),
    ("int32", ChannelType::SignedInt32),
    ("uint8", ChannelType::UnsignedInt8),
    ("uint16", ChannelType::UnsignedInt16),
    ("uint32", ChannelType::UnsignedInt32),
    ("half", ChannelType::HalfFloat),
    ("float", ChannelType::Float),
];

const ADDRESSING: [(&str, Addressing); 5] = [
    ("none", Addressing::None),
    ("edge", Addressing::ClampToEdge),
    ("clamp", Addressing::Clamp),
    ("repeat", Addressing::Repeat),
    ("mirror", Addressing::MirroredRepeat),
];

const FILTERS: [(&str, Filter); 2] = [("nearest", Filter::Nearest), ("linear", Filter::Linear)];

const COORDINATES: [(&str, bool); 2] = [("pixels", false), ("normalized", true)];

fn named<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

fn names<T>(table: &[(&str, T)]) -> String {
    table.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// `rgba:float`.
struct Named(ImageFormat);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", name_of(&ORDERS, &self.0.order), name_of(&TYPES, &self.0.channel))
    }
}

impl ImageSpec {
    /// Parses `KIND:REST`; `None` if the kind is none of an image. The error says what the text
    /// should be.
    pub fn parse(kind: &str, rest: &str) -> Option<Result<Self, String>> {
        if kind == "image" {
            let is_png = rest.to_ascii_lowercase().ends_with(".png");
            return Some(if is_png { Ok(Self::File(rest.into())) } else { Err("image:FILE.png".to_owned()) });
        }
        let (_, shape, dimensions) = KINDS.into_iter().find(|(name, _, _)| *name == kind)?;
        Some(Self::zeros(kind, shape, dimensions, rest))
    }

    fn zeros(name: &str, kind: ImageKind, dimensions: usize, rest: &str) -> Result<Self, String> {
        let mut parts = rest.split(':');
        let sizes: Option<Vec<usize>> =
            parts.next().unwrap_or_default().split('x').map(|word| word.parse().ok()).collect();
        let sizes = sizes.filter(|sizes| sizes.len() == dimensions && !sizes.contains(&0));
        let Some(sizes) = sizes else {
            let letters = ["WIDTH", "WIDTHxHEIGHT", "WIDTHxHEIGHTxDEPTH"][dimensions - 1];
            return Err(format!("{name}:{letters}, or {name}:{letters}:ORDER:TYPE"));
        };
        let order = named(&ORDERS, parts.next().unwrap_or("rgba"))
            .ok_or_else(|| format!("{name}:SIZE:ORDER:TYPE, ORDER one of {}", names(&ORDERS)))?;
        let channel = named(&TYPES, parts.next().unwrap_or("unorm8"))
            .ok_or_else(|| format!("{name}:SIZE:ORDER:TYPE, TYPE one of {}", names(&TYPES)))?;
        if parts.next().is_some() {
            return Err(format!("{name}:SIZE:ORDER:TYPE"));
        }
        let size = |at: usize| sizes.get(at).copied().unwrap_or(1);
        let format = ImageFormat { order, channel };
        let shape = match kind {
            ImageKind::D1Array => packed(kind, format, [size(0), 1, 1], size(1)),
            ImageKind::D2Array => packed(kind, format, [size(0), size(1), 1], size(2)),
            _ => packed(kind, format, [size(0), size(1), size(2)], 1),
        };
        shape.map(Self::Zeros).ok_or_else(|| "an image that fits into memory".to_owned())
    }

    /// The image for a parameter on a device with these images.
    pub fn evaluate(&self, wanted: ImageArg, images: &dyn Images) -> Result<Pixels, String> {
        let pixels = match self {
            Self::Zeros(shape) => Pixels { shape: *shape, bytes: None },
            Self::File(path) => {
                let (width, height, bytes) = image::read_png(path).map_err(|e| e.to_string())?;
                let format = ImageFormat { order: ChannelOrder::Rgba, channel: ChannelType::UnormInt8 };
                let shape = packed(ImageKind::D2, format, [width, height, 1], 1);
                Pixels { shape: shape.ok_or("the picture is too large")?, bytes: Some(bytes) }
            }
        };
        let ImageShape { kind, format, .. } = pixels.shape;
        let is_depth = format.order == ChannelOrder::Depth;
        if (kind, is_depth) != (wanted.kind, wanted.is_depth) {
            let given = ImageArg { kind, is_depth, ..wanted };
            return Err(format!("it is a {wanted}, and this is a {given}"));
        }
        if !images.formats(kind, wanted.access).contains(&format) {
            let name = Named(format);
            return Err(format!("the device has no {} images of {name}", wanted.access.name()));
        }
        Ok(pixels)
    }
}

/// The shape of an image without gaps; `None` if its size overflows.
fn packed(
    kind: ImageKind,
    format: ImageFormat,
    [width, height, depth]: [usize; 3],
    layers: usize,
) -> Option<ImageShape> {
    let row_pitch = width.checked_mul(format.pixel_bytes())?;
    let slice_pitch = row_pitch.checked_mul(height)?;
    let shape = ImageShape { kind, format, width, height, depth, layers, row_pitch, slice_pitch };
    shape.bytes().map(|_| shape)
}

/// `640 x 480 of rgba:unorm8`.
pub fn describe(shape: &ImageShape) -> String {
    let sizes: Vec<String> = rows_first(shape).iter().rev().map(usize::to_string).collect();
    format!("{} of {}", sizes.join(" x "), Named(shape.format))
}

/// The shape as that of an array in a file: the fastest dimension last.
pub fn rows_first(shape: &ImageShape) -> Vec<usize> {
    let [width, height, depth] = shape.extent();
    match shape.kind {
        ImageKind::D1 | ImageKind::D1Buffer => vec![width],
        ImageKind::D1Array | ImageKind::D2 => vec![height, width],
        ImageKind::D2Array | ImageKind::D3 => vec![depth, height, width],
    }
}

/// What a pixel is in memory.
pub fn element(format: ImageFormat) -> ElementType {
    use ChannelType::*;
    let kind = match format.channel {
        UnormInt8 | UnsignedInt8 => Scalar::UChar,
        SnormInt8 | SignedInt8 => Scalar::Char,
        UnormInt16 | UnsignedInt16 | UnormShort565 | UnormShort555 => Scalar::UShort,
        SnormInt16 | SignedInt16 => Scalar::Short,
        UnsignedInt32 | UnormInt101010 | UnormInt101010_2 => Scalar::UInt,
        SignedInt32 => Scalar::Int,
        HalfFloat => Scalar::Half,
        Float => Scalar::Float,
    };
    let lanes = if format.channel.is_packed() { 1 } else { format.order.channels() };
    ElementType::vector(kind, lanes)
}

/// Parses what follows `sampler:`; the error says what the text should be.
pub fn parse_sampler(text: &str) -> Result<Sampler, String> {
    let mut sampler =
        Sampler { normalized_coords: false, addressing: Addressing::Clamp, filter: Filter::Nearest };
    for word in text.split(',') {
        if let Some(filter) = named(&FILTERS, word) {
            sampler.filter = filter;
        } else if let Some(addressing) = named(&ADDRESSING, word) {
            sampler.addressing = addressing;
        } else if let Some(is_normalized) = named(&COORDINATES, word) {
            sampler.normalized_coords = is_normalized;
        } else {
            let [filters, addressing, coordinates] =
                [names(&FILTERS), names(&ADDRESSING), names(&COORDINATES)];
            return Err(format!("sampler:WORDS with commas, of {filters}, {addressing}, {coordinates}"));
        }
    }
    Ok(sampler)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros(kind: &str, rest: &str) -> ImageShape {
        match ImageSpec::parse(kind, rest) {
            Some(Ok(ImageSpec::Zeros(shape))) => shape,
            other => panic!("{kind}:{rest}: {other:?}"),
        }
    }

    #[test]
    fn images() {
        let shape = zeros("image2d", "640x480:bgra:unorm8");
        assert_eq!((shape.width, shape.height, shape.row_pitch), (640, 480, 2560));
        assert_eq!(describe(&shape), "640 x 480 of bgra:unorm8");
        assert_eq!(describe(&zeros("image1d", "7")), "7 of rgba:unorm8");
        assert_eq!(describe(&zeros("image1d_array", "7x3:r:float")), "7 x 3 of r:float");
        let shape = zeros("image2d_array", "5x4x3:rg:half");
        assert_eq!((shape.layers, shape.depth, rows_first(&shape)), (3, 1, vec![3, 4, 5]));
        assert_eq!((element(shape.format), shape.bytes()), (ElementType::parse("half2").unwrap(), Some(240)));
        assert_eq!(zeros("image3d", "5x4x3").depth, 3);
        assert_eq!(ImageSpec::parse("image", "a.png"), Some(Ok(ImageSpec::File("a.png".into()))));
        assert_eq!(ImageSpec::parse("zeros", "3"), None);
        for (kind, rest, expected) in [
            ("image", "a.jpg", "image:FILE.png"),
            ("image2d", "640", "image2d:WIDTHxHEIGHT, or image2d:WIDTHxHEIGHT:ORDER:TYPE"),
            ("image2d", "640x0", "image2d:WIDTHxHEIGHT, or image2d:WIDTHxHEIGHT:ORDER:TYPE"),
            ("image2d", "4x4:rgba:float:x", "image2d:SIZE:ORDER:TYPE"),
        ] {
            assert_eq!(ImageSpec::parse(kind, rest), Some(Err(expected.to_owned())));
        }
        assert!(ImageSpec::parse("image2d", "4x4:rgb8").unwrap().unwrap_err().contains("ORDER one of r, a"));
        assert!(ImageSpec::parse("image2d", "4x4:r:f").unwrap().unwrap_err().contains("TYPE one of unorm8"));
    }

    #[test]
    fn samplers() {
        let sampler = parse_sampler("linear,mirror,normalized").unwrap();
        let expected = Sampler {
            normalized_coords: true,
            addressing: Addressing::MirroredRepeat,
            filter: Filter::Linear,
        };
        assert_eq!(sampler, expected);
        let plain = parse_sampler("nearest").unwrap();
        assert_eq!((plain.normalized_coords, plain.addressing), (false, Addressing::Clamp));
        assert!(parse_sampler("bilinear").unwrap_err().contains("nearest, linear, none, edge"));
    }
}
