//! Buffers and images as pictures.

use std::io::{BufReader, BufWriter};
use std::path::Path;

use png::{BitDepth, ColorType, Compression};
use runtime::{ChannelOrder, ChannelType, ImageFormat, ImageShape};

use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::imagespec;
use crate::literal::half_to_f32;
use compiler::Scalar;

/// Writes a buffer as a picture of `width` by `height`, one element a pixel, rows from the top.
///
/// `uchar4` and `uint` (red in its low byte) are RGBA, `uchar3` is RGB, `uchar` is grey. `float` is
/// grey and `float4` RGBA, with 0 to 1 for dark to bright.
pub fn write_png(path: &Path, bytes: &[u8], element: ElementType, width: usize, height: usize) -> Result<()> {
    let size = check(path, bytes.len(), element, width, height)?;
    let Some((color, samples)) = samples(bytes, element) else { return Ok(()) };
    encode(path, size, color, &samples)
}

fn encode(path: &Path, (columns, rows): (u32, u32), color: ColorType, samples: &[u8]) -> Result<()> {
    let wrong = |why: String| Error::input(format!("{}: {why}", path.display()));
    let file = std::fs::File::create(path).map_err(|e| Error::file("write", path, &e))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), columns, rows);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let write = || {
        let mut writer = encoder.write_header()?;
        writer.write_image_data(samples)?;
        writer.finish()
    };
    write().map_err(|error| wrong(format!("cannot write the picture: {error}")))
}

/// Reads a picture: its width, its height, and RGBA of 8 bits for each pixel, rows from the top.
pub fn read_png(path: &Path) -> Result<(usize, usize, Vec<u8>)> {
    let file = std::fs::File::open(path).map_err(|e| Error::file("read", path, &e))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let read = || {
        let mut reader = decoder.read_info()?;
        let mut samples = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let info = reader.next_frame(&mut samples)?;
        samples.truncate(info.buffer_size());
        Ok((info, samples))
    };
    let (info, samples) = read().map_err(|error: png::DecodingError| {
        Error::input(format!("{}: cannot read the picture: {error}", path.display()))
    })?;
    let rgba = match info.color_type {
        ColorType::Rgba => samples,
        ColorType::Rgb => samples.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
        ColorType::GrayscaleAlpha => samples.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => samples.iter().flat_map(|grey| [*grey, *grey, *grey, 255]).collect(),
    };
    Ok((info.width as usize, info.height as usize, rgba))
}

/// Writes the pixels of an image, its rows from the top. The images of an array and the slices of a
/// 3D image stand below each other.
pub fn write_image(path: &Path, bytes: &[u8], shape: &ImageShape) -> Result<()> {
    let size = check_image(path, shape)?;
    let Some((color, samples)) = pixels(bytes, shape.format) else { return Ok(()) };
    encode(path, size, color, &samples)
}

/// Whether an image makes a picture: its width and height as PNG has them.
pub fn check_image(path: &Path, shape: &ImageShape) -> Result<(u32, u32)> {
    let wrong = |why: String| Error::input(format!("{}: {why}", path.display()));
    let [width, height, depth] = shape.extent();
    let rows = height.checked_mul(depth).and_then(|rows| u32::try_from(rows).ok());
    let (Ok(columns), Some(rows)) = (u32::try_from(width), rows) else {
        return Err(wrong(format!("a picture of {} is too large for PNG", imagespec::describe(shape))));
    };
    if pixels(&[], shape.format).is_none() {
        return Err(wrong(format!(
            "an image of {} makes no picture; one or four channels of unorm8, uint8, unorm16, half or \
             float do",
            imagespec::describe(shape)
        )));
    }
    Ok((columns, rows))
}

/// An image's pixels as PNG has them, or `None` if they are no colours.
fn pixels(bytes: &[u8], format: ImageFormat) -> Option<(ColorType, Vec<u8>)> {
    use ChannelOrder::*;
    use ChannelType::*;
    let shorts = || bytes.chunks_exact(2).map(|b| u16::from_ne_bytes([b[0], b[1]]));
    let bytes = match format.channel {
        UnormInt8 | UnsignedInt8 => bytes.to_vec(),
        UnormInt16 => shorts().map(|value| (value >> 8) as u8).collect(),
        HalfFloat => shorts().map(|half| (half_to_f32(half) * 255.0 + 0.5) as u8).collect(),
        Float => from_floats(bytes),
        _ => return None,
    };
    // Where red, green, blue and alpha are.
    let places = match format.order {
        R | A | Intensity | Luminance | Depth => return Some((ColorType::Grayscale, bytes)),
        Rgba | SRgba => [0, 1, 2, 3],
        Bgra | SBgra => [2, 1, 0, 3],
        Argb => [1, 2, 3, 0],
        Abgr => [3, 2, 1, 0],
        _ => return None,
    };
    let rgba = bytes.chunks_exact(4).flat_map(|pixel| places.map(|place| pixel[place])).collect();
    Some((ColorType::Rgba, rgba))
}

/// Whether `bytes` bytes make a picture: its width and height as PNG has them.
pub fn check(
    path: &Path,
    bytes: usize,
    element: ElementType,
    width: usize,
    height: usize,
) -> Result<(u32, u32)> {
    let wrong = |why: String| Error::input(format!("{}: {why}", path.display()));
    let pixels = bytes / element.size();
    if Some(pixels) != width.checked_mul(height) {
        return Err(wrong(format!("{pixels} elements do not make a picture of {width} x {height} pixels")));
    }
    let (Ok(columns), Ok(rows)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(wrong(format!("a picture of {width} x {height} pixels is too large for PNG")));
    };
    if samples(&[], element).is_none() {
        return Err(wrong(format!(
            "a buffer of {element} makes no picture; uchar, uchar3, uchar4, uint, float and float4 do"
        )));
    }
    Ok((columns, rows))
}

/// The picture's bytes as PNG has them, or `None` if `element` is no pixel.
fn samples(bytes: &[u8], element: ElementType) -> Option<(ColorType, Vec<u8>)> {
    Some(match (element.kind, element.lanes) {
        (Scalar::UChar, 4) | (Scalar::UInt, 1) => (ColorType::Rgba, bytes.to_vec()),
        (Scalar::UChar, 3) => {
            (ColorType::Rgb, bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
        }
        (Scalar::UChar, 1) => (ColorType::Grayscale, bytes.to_vec()),
        (Scalar::Float, 1) => (ColorType::Grayscale, from_floats(bytes)),
        (Scalar::Float, 4) => (ColorType::Rgba, from_floats(bytes)),
        _ => return None,
    })
}

/// 0 to 1 becomes 0 to 255; values outside are clamped, NaN becomes 0.
fn from_floats(bytes: &[u8]) -> Vec<u8> {
    let values = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    values.map(|value| (value * 255.0 + 0.5) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str) -> ElementType {
        ElementType::parse(name).unwrap()
    }

    fn round_trip(name: &str, bytes: &[u8], width: usize, height: usize) -> (ColorType, Vec<u8>) {
        let path = std::env::temp_dir().join(format!("lanewise-{}-{name}.png", std::process::id()));
        write_png(&path, bytes, element(name), width, height).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width as usize, info.height as usize), (width, height));
        pixels.truncate(info.buffer_size());
        std::fs::remove_file(&path).unwrap();
        (info.color_type, pixels)
    }

    #[test]
    fn pictures() {
        let bytes: Vec<u8> = (0..24).collect();
        assert_eq!(round_trip("uchar4", &bytes, 3, 2), (ColorType::Rgba, bytes.clone()));
        assert_eq!(round_trip("uint", &bytes, 6, 1), (ColorType::Rgba, bytes.clone()));
        assert_eq!(round_trip("uchar", &bytes, 4, 6), (ColorType::Grayscale, bytes.clone()));
        assert_eq!(round_trip("uchar3", &bytes[..8], 2, 1), (ColorType::Rgb, vec![0, 1, 2, 4, 5, 6]));
        let floats: Vec<u8> =
            [0.0f32, 1.0, -3.0, 7.0, 0.5, f32::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(round_trip("float", &floats, 3, 2), (ColorType::Grayscale, vec![0, 255, 0, 255, 128, 0]));
    }

    #[test]
    fn refusals() {
        let refused = |name: &str, path: &str, width, height| {
            write_png(Path::new(path), &[0; 16], element(name), width, height).unwrap_err().to_string()
        };
        assert_eq!(refused("uint", "a.png", 3, 1), "a.png: 4 elements do not make a picture of 3 x 1 pixels");
        assert!(refused("uint", "a.png", usize::MAX, 2).contains("do not make a picture"));
        assert!(refused("int", "a.png", 2, 2).contains("a buffer of int makes no picture"));
        assert_eq!(
            refused("uint", "/nowhere/a.png", 2, 2),
            "cannot write /nowhere/a.png: No such file or directory"
        );
    }
}
