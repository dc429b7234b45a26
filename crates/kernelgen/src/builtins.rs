//! Functions of OpenCL C whose results are exactly specified, on operands and with results of one
//! type.

use crate::types::{Scalar, extend, f64_of_half, half_of, signed_min, truncate};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    // Of integers.
    /// `abs` and `abs_diff` give unsigned numbers: they are printed with `as_…`.
    Abs,
    AbsDiff,
    AddSat,
    BitSelect,
    Clz,
    Ctz,
    Hadd,
    MadHi,
    MadSat,
    MulHi,
    PopCount,
    Rhadd,
    Rotate,
    SubSat,
    // Of floating-point numbers.
    Ceil,
    Fabs,
    Floor,
    Fma,
    Fmod,
    Rint,
    Round,
    Trunc,
}

use Builtin::*;

pub(crate) const OF_INTEGERS: &[Builtin] =
    &[Abs, AbsDiff, AddSat, BitSelect, Clz, Ctz, Hadd, MadHi, MadSat, MulHi, PopCount, Rhadd, Rotate, SubSat];

/// The last one is not for halves: their products and sums together are more than doubles hold.
pub(crate) const OF_FLOATS: &[Builtin] = &[Ceil, Fabs, Floor, Fmod, Rint, Round, Trunc, Fma];

impl Builtin {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Abs => "abs",
            AbsDiff => "abs_diff",
            AddSat => "add_sat",
            BitSelect => "bitselect",
            Clz => "clz",
            Ctz => "ctz",
            Hadd => "hadd",
            MadHi => "mad_hi",
            MadSat => "mad_sat",
            MulHi => "mul_hi",
            PopCount => "popcount",
            Rhadd => "rhadd",
            Rotate => "rotate",
            SubSat => "sub_sat",
            Ceil => "ceil",
            Fabs => "fabs",
            Floor => "floor",
            Fma => "fma",
            Fmod => "fmod",
            Rint => "rint",
            Round => "round",
            Trunc => "trunc",
        }
    }

    pub(crate) fn operands(self) -> usize {
        match self {
            Abs | Clz | Ctz | PopCount | Ceil | Fabs | Floor | Rint | Round | Trunc => 1,
            AbsDiff | AddSat | Hadd | MulHi | Rhadd | Rotate | SubSat | Fmod => 2,
            BitSelect | MadHi | MadSat | Fma => 3,
        }
    }

    /// Whether the result is unsigned where the operands are signed.
    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Abs | AbsDiff)
    }

    /// One lane.
    pub(crate) fn lane(self, s: Scalar, operands: [u64; 3]) -> u64 {
        match s {
            Scalar::F32 => {
                let value = float(self, operands.map(|bits| f32::from_bits(bits as u32)));
                u64::from(value.to_bits())
            }
            Scalar::F64 => float(self, operands.map(f64::from_bits)).to_bits(),
            Scalar::F16 => half_of(float(self, operands.map(f64_of_half))),
            _ => truncate(s, self.integer(s, operands) as u64),
        }
    }

    fn integer(self, s: Scalar, operands: [u64; 3]) -> i128 {
        let bits = s.bits();
        let value = |bits: u64| {
            if s.is_signed() { i128::from(extend(s, bits)) } else { i128::from(truncate(s, bits)) }
        };
        let [a, b, c] = operands.map(value);
        let unsigned = truncate(s, operands[0]);
        let (least, most) = match s.is_signed() {
            true => (i128::from(signed_min(s)), -i128::from(signed_min(s)) - 1),
            false => (0, i128::from(truncate(s, u64::MAX))),
        };
        match self {
            Abs => a.abs(),
            AbsDiff => (a - b).abs(),
            AddSat => (a + b).clamp(least, most),
            SubSat => (a - b).clamp(least, most),
            // Only products of 64 unsigned bits are more than 127 bits have.
            MadSat => a.checked_mul(b).map_or(most, |product| product.saturating_add(c).clamp(least, most)),
            BitSelect => (a & !c) | (b & c),
            Clz => i128::from(unsigned.leading_zeros() + bits - 64),
            Ctz => i128::from(unsigned.trailing_zeros().min(bits)),
            PopCount => i128::from(unsigned.count_ones()),
            Hadd => (a + b) >> 1,
            Rhadd => (a + b + 1) >> 1,
            MulHi => a.wrapping_mul(b) >> bits,
            MadHi => (a.wrapping_mul(b) >> bits) + c,
            Rotate => {
                let by = (operands[1] & u64::from(bits - 1)) as u32;
                let wide = u128::from(unsigned) << by;
                (wide | wide >> bits) as i128
            }
            _ => unreachable!("{self:?} of integers"),
        }
    }
}

fn float<T: Float>(op: Builtin, [a, b, c]: [T; 3]) -> T {
    match op {
        Ceil => a.ceil(),
        Fabs => a.abs(),
        Floor => a.floor(),
        Fma => a.fma(b, c),
        Fmod => a.rem(b),
        Rint => a.rint(),
        Round => a.round(),
        Trunc => a.trunc(),
        _ => unreachable!("{op:?} of floating-point numbers"),
    }
}

trait Float {
    fn ceil(self) -> Self;
    fn abs(self) -> Self;
    fn floor(self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    fn rem(self, b: Self) -> Self;
    fn rint(self) -> Self;
    fn round(self) -> Self;
    fn trunc(self) -> Self;
}

macro_rules! floats {
    ($($ty:ident),*) => {$(
        impl Float for $ty {
            fn ceil(self) -> Self {
                $ty::ceil(self)
            }

            fn abs(self) -> Self {
                $ty::abs(self)
            }

            fn floor(self) -> Self {
                $ty::floor(self)
            }

            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }

            fn rem(self, b: Self) -> Self {
                self % b
            }

            fn rint(self) -> Self {
                self.round_ties_even()
            }

            fn round(self) -> Self {
                $ty::round(self)
            }

            fn trunc(self) -> Self {
                $ty::trunc(self)
            }
        }
    )*};
}

floats!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_at_their_ends() {
        let of =
            |op: Builtin, s, a: i64, b: i64, c: i64| op.lane(s, [a, b, c].map(|v| truncate(s, v as u64)));
        assert_eq!(of(AddSat, Scalar::I8, 100, 100, 0), 127);
        assert_eq!(of(SubSat, Scalar::U16, 3, 4, 0), 0);
        assert_eq!(of(MadSat, Scalar::I64, i64::MIN, i64::MIN, -1), i64::MAX as u64);
        assert_eq!(of(MadSat, Scalar::U64, -1, -1, 0), u64::MAX);
        assert_eq!(of(MadSat, Scalar::U64, -1, 0, 3), 3);
        assert_eq!(of(MadHi, Scalar::U64, -1, -1, 1), u64::MAX);
        assert_eq!(of(AbsDiff, Scalar::I8, -128, 127, 0), 255);
        assert_eq!(of(Abs, Scalar::I32, i64::from(i32::MIN), 0, 0), 1 << 31);
        assert_eq!((of(Clz, Scalar::U8, 0, 0, 0), of(Clz, Scalar::I16, 1, 0, 0)), (8, 15));
        assert_eq!((of(Ctz, Scalar::U8, 0, 0, 0), of(Ctz, Scalar::U64, 8, 0, 0)), (8, 3));
        assert_eq!(of(Hadd, Scalar::U64, -1, -1, 0), u64::MAX);
        assert_eq!(of(Rhadd, Scalar::I8, -1, 0, 0), 0);
        assert_eq!(of(MulHi, Scalar::I32, -1, 1, 0), 0xffff_ffff);
        assert_eq!(of(MulHi, Scalar::U64, -1, -1, 0), u64::MAX - 1);
        assert_eq!(of(Rotate, Scalar::U8, 0x81, 9, 0), 3);
        assert_eq!(of(Rotate, Scalar::I32, 5, 0, 0), 5);
        assert_eq!(of(BitSelect, Scalar::U8, 0xf0, 0x0f, 0x33), 0xc3);
    }
}
