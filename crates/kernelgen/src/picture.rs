//! Images by the words of OpenCL's specification: what a pixel holds, what a sampler gives, what a
//! writing leaves. Numbers are `f64`, which hold every channel and every weight exactly.

/// The kinds of images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageKind {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
}

impl ImageKind {
    pub const ALL: [ImageKind; 5] =
        [ImageKind::D1, ImageKind::D1Array, ImageKind::D2, ImageKind::D2Array, ImageKind::D3];

    /// How many coordinates are sampled; the one after them is that of an array's image.
    pub fn dimensions(self) -> usize {
        match self {
            ImageKind::D1 | ImageKind::D1Array => 1,
            ImageKind::D2 | ImageKind::D2Array => 2,
            ImageKind::D3 => 3,
        }
    }

    pub fn is_array(self) -> bool {
        matches!(self, ImageKind::D1Array | ImageKind::D2Array)
    }

    /// How many coordinates a place has.
    pub fn coordinates(self) -> usize {
        self.dimensions() + usize::from(self.is_array())
    }
}

/// The channels of a pixel, in the order they have in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
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
    Depth,
    SRgba,
    SBgra,
}

impl Order {
    fn channels(self) -> usize {
        use Order::*;
        match self {
            R | A | Intensity | Luminance | Depth => 1,
            Rg | Ra => 2,
            Rgb => 3,
            Rgba | Bgra | Argb | Abgr | SRgba | SBgra => 4,
        }
    }
}

/// What a channel holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channel {
    Snorm8,
    Snorm16,
    Unorm8,
    Unorm16,
    Unorm565,
    Unorm555,
    Unorm101010,
    Unorm101010_2,
    Signed8,
    Signed16,
    Signed32,
    Unsigned8,
    Unsigned16,
    Unsigned32,
    Half,
    Float,
}

/// The numbers that functions of OpenCL C read and write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Float,
    Signed,
    Unsigned,
}

impl Channel {
    /// The bytes of a channel, or of the number that holds all of them.
    pub fn bytes(self) -> usize {
        use Channel::*;
        match self {
            Snorm8 | Unorm8 | Signed8 | Unsigned8 => 1,
            Snorm16 | Unorm16 | Unorm565 | Unorm555 | Signed16 | Unsigned16 | Half => 2,
            Unorm101010 | Unorm101010_2 | Signed32 | Unsigned32 | Float => 4,
        }
    }

    pub fn family(self) -> Family {
        use Channel::*;
        match self {
            Signed8 | Signed16 | Signed32 => Family::Signed,
            Unsigned8 | Unsigned16 | Unsigned32 => Family::Unsigned,
            _ => Family::Float,
        }
    }

    /// The place and the number of bits of each channel that shares a number with the others.
    fn fields(self) -> Option<&'static [(u32, u32)]> {
        match self {
            Channel::Unorm565 => Some(&[(11, 5), (5, 6), (0, 5)]),
            Channel::Unorm555 => Some(&[(10, 5), (5, 5), (0, 5)]),
            Channel::Unorm101010 => Some(&[(20, 10), (10, 10), (0, 10)]),
            Channel::Unorm101010_2 => Some(&[(22, 10), (12, 10), (2, 10), (0, 2)]),
            _ => None,
        }
    }
}

/// How a coordinate outside of the image is brought inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressing {
    None,
    ClampToEdge,
    Clamp,
    Repeat,
    MirroredRepeat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampler {
    pub normalized: bool,
    pub addressing: Addressing,
    pub linear: bool,
}

/// An image with its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    pub kind: ImageKind,
    pub order: Order,
    pub channel: Channel,
    /// Width, height and depth; the images of an array count as rows or slices.
    pub sizes: [usize; 3],
    /// The bytes from row to row, and from slice to slice.
    pub pitches: [usize; 2],
    pub bytes: Vec<u8>,
}

impl Picture {
    pub fn pixel_bytes(&self) -> usize {
        let channels = if self.channel.fields().is_some() { 1 } else { self.order.channels() };
        channels * self.channel.bytes()
    }

    /// Where a pixel begins.
    pub fn offset(&self, [x, y, z]: [usize; 3]) -> usize {
        x * self.pixel_bytes() + y * self.pitches[0] + z * self.pitches[1]
    }

    /// The channels of a pixel in memory's order.
    fn channels(&self, at: [usize; 3]) -> Vec<f64> {
        let bytes = &self.bytes[self.offset(at)..][..self.pixel_bytes()];
        let Some(fields) = self.channel.fields() else {
            return bytes.chunks_exact(self.channel.bytes()).map(|c| number(self.channel, c)).collect();
        };
        let word = little_endian(bytes);
        let most = |bits: u32| (1u32 << bits) - 1;
        fields.iter().map(|&(at, bits)| f64::from(word >> at & most(bits)) / f64::from(most(bits))).collect()
    }

    /// A pixel as kernels see it.
    fn texel(&self, at: [usize; 3]) -> [f64; 4] {
        use Order::*;
        let c = self.channels(at);
        let linear = |i: usize| srgb_to_linear(c[i]);
        match self.order {
            R | Depth => [c[0], 0.0, 0.0, 1.0],
            A => [0.0, 0.0, 0.0, c[0]],
            Rg => [c[0], c[1], 0.0, 1.0],
            Ra => [c[0], 0.0, 0.0, c[1]],
            Rgb => [c[0], c[1], c[2], 1.0],
            Rgba => [c[0], c[1], c[2], c[3]],
            Bgra => [c[2], c[1], c[0], c[3]],
            Argb => [c[1], c[2], c[3], c[0]],
            Abgr => [c[3], c[2], c[1], c[0]],
            Intensity => [c[0]; 4],
            Luminance => [c[0], c[0], c[0], 1.0],
            SRgba => [linear(0), linear(1), linear(2), c[3]],
            SBgra => [linear(2), linear(1), linear(0), c[3]],
        }
    }

    fn border(&self) -> [f64; 4] {
        let opaque = matches!(self.order, Order::R | Order::Rg | Order::Rgb | Order::Luminance);
        [0.0, 0.0, 0.0, if opaque { 1.0 } else { 0.0 }]
    }

    /// A pixel, or the border where a coordinate is none.
    fn texel_or_border(&self, at: [Option<usize>; 3]) -> [f64; 4] {
        match at {
            [Some(x), Some(y), Some(z)] => self.texel([x, y, z]),
            _ => self.border(),
        }
    }

    /// The pixel of whole coordinates, if they are inside. Those that the image does not have count
    /// for nothing.
    pub fn inside(&self, c: [i32; 3]) -> Option<[usize; 3]> {
        let used = self.kind.coordinates();
        let inside = |i: usize| i >= used || (0..self.sizes[i] as i32).contains(&c[i]);
        let at = std::array::from_fn(|i| if i < used { c[i] as usize } else { 0 });
        (0..3).all(inside).then_some(at)
    }

    /// What a reading with whole coordinates gives.
    pub fn pick(&self, sampler: Option<Sampler>, c: [i32; 3]) -> [f64; 4] {
        let dims = self.kind.dimensions();
        let border = sampler.is_some_and(|s| s.addressing == Addressing::Clamp);
        self.texel_or_border(std::array::from_fn(|i| {
            let (size, inside) = (self.sizes[i] as i32, (0..self.sizes[i] as i32).contains(&c[i]));
            let at = if i < self.kind.coordinates() { c[i].clamp(0, size - 1) as usize } else { 0 };
            (inside || i >= dims || !border).then_some(at)
        }))
    }

    /// What a reading with a sampler gives.
    pub fn sample(&self, sampler: Sampler, c: [f32; 3]) -> [f64; 4] {
        let dims = self.kind.dimensions();
        let linear = sampler.linear && self.channel.family() == Family::Float;
        // Along each dimension: the pixels with their weights.
        let parts: [Vec<(Option<usize>, f64)>; 3] = std::array::from_fn(|i| {
            if i < dims {
                along(sampler, c[i], self.sizes[i], linear)
            } else if i == dims && self.kind.is_array() {
                // The images of an array are not filtered.
                let layer = c[i].round_ties_even().clamp(0.0, self.sizes[i] as f32 - 1.0);
                vec![(Some(layer as usize), 1.0)]
            } else {
                vec![(Some(0), 1.0)]
            }
        });
        let mut sum = [0.0; 4];
        for &(x, wx) in &parts[0] {
            for &(y, wy) in &parts[1] {
                for &(z, wz) in &parts[2] {
                    let texel = self.texel_or_border([x, y, z]);
                    sum.iter_mut().zip(texel).for_each(|(sum, t)| *sum += wx * wy * wz * t);
                }
            }
        }
        sum
    }

    /// Writes a colour to a pixel that is inside.
    pub fn put(&mut self, at: [usize; 3], colour: [f64; 4]) {
        let bytes = self.encode(colour);
        let offset = self.offset(at);
        self.bytes[offset..offset + bytes.len()].copy_from_slice(&bytes);
    }

    /// The bytes of a pixel for a colour.
    fn encode(&self, [r, g, b, a]: [f64; 4]) -> Vec<u8> {
        use Order::*;
        if let Some(fields) = self.channel.fields() {
            let word = fields.iter().zip([r, g, b, a]).fold(0u32, |word, (&(at, bits), c)| {
                let most = f64::from((1u32 << bits) - 1);
                word | ((c * most).clamp(0.0, most).round_ties_even() as u32) << at
            });
            return word.to_le_bytes()[..self.channel.bytes()].to_vec();
        }
        let s = |x: f64| {
            let x = x.clamp(0.0, 1.0);
            if x <= 0.0031308 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
        };
        let channels: &[f64] = match self.order {
            R | Intensity | Luminance | Depth => &[r],
            A => &[a],
            Rg => &[r, g],
            Ra => &[r, a],
            Rgb => &[r, g, b],
            Rgba => &[r, g, b, a],
            Bgra => &[b, g, r, a],
            Argb => &[a, r, g, b],
            Abgr => &[a, b, g, r],
            SRgba => &[s(r), s(g), s(b), a],
            SBgra => &[s(b), s(g), s(r), a],
        };
        channels.iter().flat_map(|&c| channel_bytes(self.channel, c)).collect()
    }
}

fn srgb_to_linear(c: f64) -> f64 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte))
}

fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    match exponent {
        0 => sign * mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    }
}

/// The bits of the half that is nearest to a number of ordinary size.
pub(crate) fn half_bits(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x < 2f64.powi(-14) {
        return sign | (x * 2f64.powi(24)).round_ties_even() as u16;
    }
    let exponent = x.log2().floor() as i32;
    let mantissa = (x / 2f64.powi(exponent - 10)).round_ties_even();
    sign | ((((exponent + 15) as u16) << 10) + (mantissa as u16 - 1024))
}

/// The number in the bytes of a channel.
fn number(channel: Channel, c: &[u8]) -> f64 {
    use Channel::*;
    let unsigned = little_endian(c);
    let unused = 32 - 8 * c.len();
    let signed = f64::from((unsigned << unused) as i32 >> unused);
    match channel {
        Unorm8 | Unorm16 => f64::from(unsigned) / f64::from((1u32 << (8 * c.len())) - 1),
        Snorm8 | Snorm16 => (signed / f64::from((1u32 << (8 * c.len() - 1)) - 1)).max(-1.0),
        Signed8 | Signed16 | Signed32 => signed,
        Unsigned8 | Unsigned16 | Unsigned32 => f64::from(unsigned),
        Half => half_to_f64(unsigned as u16),
        Float => f64::from(f32::from_bits(unsigned)),
        Unorm565 | Unorm555 | Unorm101010 | Unorm101010_2 => unreachable!("it has fields"),
    }
}

/// The bytes of a channel for a number.
fn channel_bytes(channel: Channel, x: f64) -> Vec<u8> {
    use Channel::*;
    let size = channel.bytes();
    let bits = 8 * size as u32;
    let norm = |most: f64, low: f64| (x * most).clamp(low, most).round_ties_even();
    let number = match channel {
        Unorm8 | Unorm16 => norm(2f64.powi(bits as i32) - 1.0, 0.0) as i64,
        Snorm8 | Snorm16 => {
            let most = 2f64.powi(bits as i32 - 1) - 1.0;
            norm(most, -most - 1.0) as i64
        }
        Signed8 | Signed16 | Signed32 => (x as i64).clamp(-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        Unsigned8 | Unsigned16 | Unsigned32 => (x as i64).clamp(0, (1i64 << bits) - 1),
        Half => half_bits(x).into(),
        Float => (x as f32).to_bits().into(),
        Unorm565 | Unorm555 | Unorm101010 | Unorm101010_2 => unreachable!("it has fields"),
    };
    number.to_le_bytes()[..size].to_vec()
}

/// The pixels along one dimension that a coordinate is made of, with their weights; none is the
/// border.
fn along(sampler: Sampler, s: f32, size: usize, linear: bool) -> Vec<(Option<usize>, f64)> {
    let n = size as f32;
    let mode = sampler.addressing;
    let u = match mode {
        Addressing::Repeat => (s - s.floor()) * n,
        Addressing::MirroredRepeat => (s - 2.0 * (0.5 * s).round_ties_even()).abs() * n,
        _ if sampler.normalized => s * n,
        _ => s,
    };
    let at = |i: i64| -> Option<usize> {
        let last = size as i64 - 1;
        match mode {
            Addressing::Repeat => Some(i.rem_euclid(size as i64) as usize),
            Addressing::Clamp if !(0..=last).contains(&i) => None,
            _ => Some(i.clamp(0, last) as usize),
        }
    };
    if !linear {
        return vec![(at(u.floor() as i64), 1.0)];
    }
    let place = u - 0.5;
    let (first, weight) = (place.floor(), f64::from(place - place.floor()));
    vec![(at(first as i64), 1.0 - weight), (at(first as i64 + 1), weight)]
}
