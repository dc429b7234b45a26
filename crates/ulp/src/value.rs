//! Floating-point values as bits, and how far one is from the truth.

use rug::Float;
use rug::float::Special;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Half,
    Float,
    Double,
}

impl Type {
    pub const ALL: [Type; 3] = [Type::Half, Type::Float, Type::Double];

    pub fn name(self) -> &'static str {
        ["half", "float", "double"][self as usize]
    }

    pub fn bytes(self) -> usize {
        [2, 4, 8][self as usize]
    }

    /// Bits of the significand, with the one that is not stored.
    pub fn precision(self) -> u32 {
        [11, 24, 53][self as usize]
    }

    /// The exponent of one is 0 here.
    pub fn max_exponent(self) -> i32 {
        [15, 127, 1023][self as usize]
    }

    pub fn min_exponent(self) -> i32 {
        1 - self.max_exponent()
    }

    pub fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }

    /// Enough to tell errors of a thousandth of an ULP, and that no argument is rounded.
    pub fn working_precision(self) -> u32 {
        [64, 80, 128][self as usize]
    }

    pub fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }

    pub fn infinity(self) -> u64 {
        let fraction = self.precision() - 1;
        (2 * self.max_exponent() as u64 + 1) << fraction
    }

    /// The value of the bits, at the working precision.
    pub fn value(self, bits: u64) -> Float {
        let precision = self.working_precision();
        let fraction_bits = self.precision() - 1;
        let magnitude = bits & (self.sign_bit() - 1);
        let fraction = magnitude & ((1 << fraction_bits) - 1);
        let exponent = (magnitude >> fraction_bits) as i32;
        let mut value = if magnitude > self.infinity() {
            Float::with_val(precision, Special::Nan)
        } else if magnitude == self.infinity() {
            Float::with_val(precision, Special::Infinity)
        } else if exponent == 0 {
            Float::with_val(precision, fraction) << (self.min_exponent() - fraction_bits as i32)
        } else {
            Float::with_val(precision, fraction | 1 << fraction_bits)
                << (exponent - self.max_exponent() - fraction_bits as i32)
        };
        if bits & self.sign_bit() != 0 {
            value = -value;
        }
        value
    }

    /// The value of the bits.
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            Type::Half => {
                let (exponent, fraction) = (bits >> 10 & 31, (bits & 0x3ff) as f64);
                let size = match exponent {
                    0 => fraction * 2f64.powi(-24),
                    31 if fraction == 0.0 => f64::INFINITY,
                    31 => f64::NAN,
                    _ => f64::from_bits((exponent + 1023 - 15) << 52 | (bits & 0x3ff) << 42),
                };
                if bits & self.sign_bit() == 0 { size } else { -size }
            }
            Type::Float => f32::from_bits(bits as u32).into(),
            Type::Double => f64::from_bits(bits),
        }
    }

    /// The bits of the value nearest to a double.
    pub fn near(self, value: f64) -> u64 {
        match self {
            Type::Half => self.nearest(&Float::with_val(53, value)),
            Type::Float => u64::from((value as f32).to_bits()),
            Type::Double => value.to_bits(),
        }
    }

    /// The bits of the nearest value.
    pub fn nearest(self, value: &Float) -> u64 {
        let sign = if value.is_sign_negative() { self.sign_bit() } else { 0 };
        if value.is_nan() {
            return self.infinity() + 1;
        }
        if value.is_infinite() {
            return sign | self.infinity();
        }
        if value.is_zero() {
            return sign;
        }
        let lowest = self.ulp_exponent(value);
        // At most 2^53, of which f64 knows every integer, unless the value is far too large.
        let units = (value.clone().abs() >> lowest).round_even().to_f64() as u64;
        let fraction_bits = self.precision() - 1;
        let bias = (lowest + fraction_bits as i32 - self.min_exponent()) as u64;
        // A carry out of the fraction goes into the exponent as it should.
        let bits = (bias << fraction_bits).saturating_add(units);
        sign | bits.min(self.infinity())
    }

    /// The exponent of the last place of a finite value that is not zero.
    fn ulp_exponent(self, value: &Float) -> i32 {
        // MPFR's significands are in [½, 1).
        let exponent = value.get_exp().unwrap_or(0) - 1;
        exponent.clamp(self.min_exponent(), self.max_exponent()) - (self.precision() as i32 - 1)
    }

    /// The distance between a result and the truth, in units in the last place of the truth. It is
    /// infinite where one is a NaN and the other is not, and where the truth is a zero or an
    /// infinity and the result another number.
    pub fn error(self, result: u64, truth: &Float) -> f64 {
        let magnitude = result & (self.sign_bit() - 1);
        if truth.is_nan() || magnitude > self.infinity() {
            return if truth.is_nan() && magnitude > self.infinity() { 0.0 } else { f64::INFINITY };
        }
        if truth.is_zero() || truth.is_infinite() {
            return if self.nearest(truth) == result { 0.0 } else { f64::INFINITY };
        }
        let precision = self.working_precision();
        let beyond = Float::with_val(precision, 1) << (self.max_exponent() + 1);
        let negative = result & self.sign_bit() != 0;
        let value = if magnitude == self.infinity() {
            // Overflow counts as the power of two after the largest number, and is right where the
            // truth is beyond it.
            if truth.clone().abs() >= beyond && negative == truth.is_sign_negative() {
                return 0.0;
            }
            if negative { -beyond } else { beyond }
        } else {
            self.value(result)
        };
        let difference = Float::with_val(precision, &value - truth).abs() >> self.ulp_exponent(truth);
        difference.to_f64()
    }

    pub fn absolute_error(self, result: u64, truth: &Float) -> f64 {
        let error = Float::with_val(self.working_precision(), self.value(result) - truth).abs().to_f64();
        if error.is_nan() { f64::INFINITY } else { error }
    }

    /// The value for people: decimal, with the bits.
    pub fn show(self, bits: u64) -> String {
        let value = match self {
            Type::Half => self.to_f64(bits).to_string(),
            Type::Float => format!("{:e}", f32::from_bits(bits as u32)),
            Type::Double => format!("{:e}", f64::from_bits(bits)),
        };
        format!("{value} (0x{bits:0width$x})", width = 2 * self.bytes())
    }

    pub fn read(self, bytes: &[u8], index: usize) -> u64 {
        let size = self.bytes();
        let mut buffer = [0; 8];
        buffer[..size].copy_from_slice(&bytes[index * size..][..size]);
        u64::from_le_bytes(buffer)
    }
}
