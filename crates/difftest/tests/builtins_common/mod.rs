//! Library functions, run over lists of values and compared with references in Rust.
#![allow(dead_code)]

use compiler::NdRange;
use lanewise_difftest::{Program, buffer, contents, run};
use runtime::ArgValue;

/// A type of OpenCL C that has values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    pub name: &'static str,
    pub bits: u32,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Signed,
    Unsigned,
    Float,
}

const fn scalar(name: &'static str, bits: u32, kind: Kind) -> Scalar {
    Scalar { name, bits, kind }
}

pub const INTEGERS: [Scalar; 8] = [
    scalar("char", 8, Kind::Signed),
    scalar("uchar", 8, Kind::Unsigned),
    scalar("short", 16, Kind::Signed),
    scalar("ushort", 16, Kind::Unsigned),
    scalar("int", 32, Kind::Signed),
    scalar("uint", 32, Kind::Unsigned),
    scalar("long", 64, Kind::Signed),
    scalar("ulong", 64, Kind::Unsigned),
];
pub const FLOATS: [Scalar; 3] =
    [scalar("half", 16, Kind::Float), scalar("float", 32, Kind::Float), scalar("double", 64, Kind::Float)];

impl Scalar {
    pub fn size(self) -> usize {
        self.bits as usize / 8
    }

    pub fn is_float(self) -> bool {
        self.kind == Kind::Float
    }

    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    pub fn min(self) -> i128 {
        if self.kind == Kind::Signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        (1 << (self.bits - u32::from(self.kind == Kind::Signed))) - 1
    }

    /// The integer with these bits.
    pub fn integer(self, bits: u64) -> i128 {
        match self.kind {
            Kind::Signed => i128::from(((bits << (64 - self.bits)) as i64) >> (64 - self.bits)),
            _ => i128::from(bits & self.mask()),
        }
    }

    /// The float with these bits, which a double holds.
    pub fn float(self, bits: u64) -> f64 {
        match self.bits {
            16 => half_to_double(bits as u16),
            32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    pub fn is_nan(self, bits: u64) -> bool {
        self.is_float() && self.float(bits).is_nan()
    }
}

pub fn half_to_double(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

// ---- Rounding -----------------------------------------------------------------------------------

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Nearest,
    Zero,
    Up,
    Down,
}

pub const ROUNDINGS: [(&str, Rounding); 4] =
    [("_rte", Rounding::Nearest), ("_rtz", Rounding::Zero), ("_rtp", Rounding::Up), ("_rtn", Rounding::Down)];

/// A number that is not NaN.
#[derive(Clone, Copy, Debug)]
pub enum Exact {
    Integer(i128),
    Float(f64),
}

/// The float of a type that a number is rounded to, as bits.
pub fn round_to(to: Scalar, value: Exact, rounding: Rounding) -> u64 {
    let (precision, bias): (i32, i32) = match to.bits {
        16 => (11, 15),
        32 => (24, 127),
        _ => (53, 1023),
    };
    let (negative, mantissa, exponent): (bool, u128, i32) = match value {
        Exact::Integer(i) => (i < 0, i.unsigned_abs(), 0),
        Exact::Float(f) => {
            let bits = f.to_bits();
            let biased = (bits >> 52 & 0x7ff) as i32;
            let fraction = u128::from(bits << 12 >> 12);
            let lead = if biased == 0 { 0 } else { 1 << 52 };
            (f.is_sign_negative(), fraction | lead, biased.max(1) - 1075)
        }
    };
    let sign = u64::from(negative) << (to.bits - 1);
    let infinity = (2 * bias as u64 + 1) << (precision - 1);
    if matches!(value, Exact::Float(f) if f.is_infinite()) {
        return sign | infinity;
    }
    if mantissa == 0 {
        return sign;
    }
    // The last bit of the result is worth 2^last.
    let top = 127 - mantissa.leading_zeros() as i32 + exponent;
    let last = (top - precision + 1).max(1 - bias - precision + 1);
    let shift = last - exponent;
    let (kept, inexact, above_half) = if shift <= 0 {
        (mantissa << -shift, false, false)
    } else if shift > 127 {
        (0, true, false)
    } else {
        let (kept, rest, half) = (mantissa >> shift, mantissa & ((1 << shift) - 1), 1u128 << (shift - 1));
        (kept, rest != 0, rest > half || rest == half && kept & 1 == 1)
    };
    let away = match rounding {
        Rounding::Nearest => above_half,
        Rounding::Zero => false,
        Rounding::Up => inexact && !negative,
        Rounding::Down => inexact && negative,
    };
    let rounded = kept as u64 + u64::from(away);
    // With the exponent below the fraction's top, a carry goes where it belongs.
    let lowest = 1 - bias - precision + 1;
    let bits = ((last - lowest) as u64) << (precision - 1);
    let magnitude = if bits == 0 { rounded } else { bits + rounded };
    if magnitude >= infinity {
        let toward_zero = match rounding {
            Rounding::Nearest => false,
            Rounding::Zero => true,
            Rounding::Up => negative,
            Rounding::Down => !negative,
        };
        return sign | if toward_zero { infinity - 1 } else { infinity };
    }
    sign | magnitude
}

// ---- Values -------------------------------------------------------------------------------------

/// Numbers that are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Bits with long runs of equal ones, or short numbers, as often as any others.
    pub fn pattern(&mut self) -> u64 {
        let (value, shift) = (self.next(), self.next() % 64);
        match self.next() % 4 {
            0 => value,
            1 => value >> shift,
            2 => (1u64 << shift).wrapping_add(self.next() % 5).wrapping_sub(2),
            _ => !(value >> shift),
        }
    }
}

/// All values of a type of at most 16 bits; otherwise the edges and many at random. As many as a
/// multiple of 48.
pub fn values(ty: Scalar, count: usize) -> Vec<u64> {
    let mut random = Random(u64::from(ty.bits) * 31 + ty.name.len() as u64);
    let mut values: Vec<u64> = if ty.bits <= 16 { (0..=ty.mask()).collect() } else { Vec::new() };
    if ty.bits > 16 {
        values.extend([0, 1, 2, ty.mask(), ty.mask() >> 1, (ty.mask() >> 1) + 1]);
        if ty.is_float() {
            float_edges(ty, &mut values);
        }
    }
    while values.len() < count && ty.bits > 16 {
        let bits = match (ty.is_float(), random.next() % 4) {
            (true, 0) => random.next(),
            // Numbers of the size of integers, some of them just off the middle of two floats.
            (true, 1) => {
                let mut integer = (random.next() >> (random.next() % 63)) as i64;
                if random.next().is_multiple_of(2) {
                    integer = -integer;
                }
                of_double(ty, integer as f64 / [1.0, 2.0, 4.0, 65536.0][(random.next() % 4) as usize])
            }
            (true, 2) => of_double(ty, f64::from(f32::from_bits(random.next() as u32)))
                .wrapping_add(random.next() % 3)
                .wrapping_sub(1),
            (true, _) => {
                let half = half_to_double(random.next() as u16);
                of_double(ty, half).wrapping_add((random.next() % 3) << (random.next() % 43))
            }
            _ => random.pattern(),
        };
        values.push(bits & ty.mask());
    }
    while !values.len().is_multiple_of(48) {
        values.push(random.next() & ty.mask());
    }
    values
}

fn of_double(ty: Scalar, value: f64) -> u64 {
    if ty.bits == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
}

fn float_edges(ty: Scalar, values: &mut Vec<u64>) {
    for exponent in [
        -1074, -150, -149, -126, -26, -25, -24, -15, -14, -1, 0, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64,
        127, 128,
    ] {
        for offset in -3i64..=3 {
            let bits = of_double(ty, f64::from(exponent).exp2()).wrapping_add_signed(offset);
            values.extend([bits, bits ^ (1 << (ty.bits - 1))]);
        }
    }
    for value in [
        65504.0,
        65519.0,
        65520.0,
        0.5,
        1.5,
        2.5,
        254.5,
        255.5,
        127.5,
        32767.5,
        65535.5,
        f64::INFINITY,
        f64::NAN,
    ] {
        values.extend([of_double(ty, value), of_double(ty, -value)]);
    }
}

pub fn pack(ty: Scalar, values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|bits| bits.to_le_bytes()[..ty.size()].to_vec()).collect()
}

pub fn unpack(ty: Scalar, bytes: &[u8]) -> Vec<u64> {
    let value = |bytes: &[u8]| {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    };
    bytes.chunks_exact(ty.size()).map(value).collect()
}

// ---- Kernels ------------------------------------------------------------------------------------

pub fn build(source: &str) -> Program {
    build_with(source, "")
}

/// Without the vectorizer, which would take the vectors of a source apart.
pub fn build_as_written(source: &str) -> Program {
    build_with(source, "-cl-wfv=never")
}

fn build_with(source: &str, options: &str) -> Program {
    let source = format!("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{source}");
    Program::build(&source, &format!("-cl-std=CL3.0 {options}")).unwrap_or_else(|log| panic!("{log}"))
}

/// Runs a kernel of buffers, the last of which it fills with so many bytes.
pub fn fill(program: &Program, name: &str, range: NdRange, inputs: &[&[u8]], bytes: usize) -> Vec<u8> {
    let kernel = program.kernel(name).unwrap_or_else(|| panic!("no kernel '{name}'"));
    let output = buffer(&vec![0xcd; bytes]).unwrap();
    let mut args: Vec<_> = inputs.iter().map(|b| ArgValue::Buffer(buffer(b).unwrap(), 0)).collect();
    args.push(ArgValue::Buffer(output.clone(), 0));
    run(&kernel, range, &args).unwrap();
    contents(&output).unwrap()
}
