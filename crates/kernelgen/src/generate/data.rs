//! Constants and the contents of buffers.

use super::Generator;
use crate::ast::{Expr, ExprKind};
use crate::rng::Rng;
use crate::types::{Scalar, Type, Value, half_of, truncate};

impl Generator<'_> {
    /// A constant expression; no NaN or infinity in a `double`, which could not be written down.
    pub(super) fn constant(&mut self, ty: Type) -> Expr {
        let mut value = Value::ZERO;
        let same = self.rng.chance(40);
        for lane in 0..ty.count() {
            value.0[lane] =
                if same && lane > 0 { value.0[0] } else { constant_bits(&mut self.rng, ty.scalar) };
        }
        Expr::new(ty, ExprKind::Const(value))
    }

    /// Random contents for a buffer.
    pub(super) fn contents(&mut self, ty: Type, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len * ty.bytes()];
        for chunk in bytes.chunks_exact_mut(ty.bytes()) {
            let mut value = Value::ZERO;
            for lane in &mut value.0[..ty.count()] {
                *lane = data_bits(&mut self.rng, ty.scalar);
            }
            value.store(ty, chunk);
        }
        bytes
    }
}

/// Bits of a literal: mostly small, sometimes at the edges.
pub(super) fn constant_bits(rng: &mut Rng, s: Scalar) -> u64 {
    match s {
        Scalar::F32 => {
            let x = [0.0, -0.0, 1.0, -1.5, 0.1, 3.75, 1024.5, -1e-3, 1e38, 1e-40, 16_777_217.0];
            u64::from((*rng.pick(&x) as f32).to_bits())
        }
        Scalar::F64 => {
            let x = [0.0f64, -0.0, 1.0, -1.5, 0.1, 3.75, 1024.5, -1e-3, 1e300, 1e-310, 1.0e15];
            rng.pick(&x).to_bits()
        }
        Scalar::F16 => {
            half_of(*rng.pick(&[0.0, -0.0, 1.0, -1.5, 0.1, 3.75, 1024.5, -1e-3, 6e4, 1e-6, 2049.0]))
        }
        s => {
            let raw = match rng.below(8) {
                0..=3 => rng.below(16) as u64,
                4 => rng.below(256) as u64,
                5 => (rng.below(16) as u64).wrapping_neg(),
                6 => *rng.pick(&[1u64 << (s.bits() - 1), (1 << (s.bits() - 1)) - 1, u64::MAX]),
                _ => rng.next(),
            };
            truncate(s, raw)
        }
    }
}

/// Bits of an element of a buffer: anything at all, NaNs and subnormal numbers too.
pub(super) fn data_bits(rng: &mut Rng, s: Scalar) -> u64 {
    if !s.is_float() {
        return if rng.chance(50) { constant_bits(rng, s) } else { truncate(s, rng.next()) };
    }
    let small = (rng.below(2001) as f64 - 1000.0) / 8.0;
    match (rng.below(12), s) {
        (0, _) => truncate(s, rng.next()),
        (1, _) => constant_bits(rng, s),
        (2, Scalar::F32) => u64::from(*rng.pick(&[0x7f80_0000u32, 0xff80_0000, 0x7fc0_0000, 1, 0x8000_0001])),
        (2, Scalar::F16) => *rng.pick(&[0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 0x7bff]),
        (_, Scalar::F32) => u64::from((small as f32).to_bits()),
        (_, Scalar::F16) => half_of(small),
        _ => small.to_bits(),
    }
}
