//! Functions that generated code calls for what the CPU has no instruction for.
//!
//! Most come from the C library, found in the process. Those here are in no shared library that is
//! sure to be loaded.

use llvm::Symbol;
use std::ffi::c_void;

/// A 128-bit integer as the C ABI returns and takes it.
extern "C" fn udivti3(a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(0)
}

extern "C" fn umodti3(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(0)
}

extern "C" fn divti3(a: i128, b: i128) -> i128 {
    a.checked_div(b).unwrap_or(0)
}

extern "C" fn modti3(a: i128, b: i128) -> i128 {
    a.checked_rem(b).unwrap_or(0)
}

extern "C" fn multi3(a: i128, b: i128) -> i128 {
    a.wrapping_mul(b)
}

/// A half is passed in the low bits of a float's register.
extern "C" fn truncdfhf2(x: f64) -> f32 {
    f32::from_bits(u32::from(half_bits(x)))
}

extern "C" fn truncsfhf2(x: f32) -> f32 {
    truncdfhf2(f64::from(x))
}

extern "C" fn extendhfsf2(x: f32) -> f32 {
    crate::printf::half_to_double(x.to_bits() as u16) as f32
}

/// The nearest half, ties to even, made with integers: a thread may be in a mode that has no
/// subnormals.
pub(crate) fn half_bits(x: f64) -> u16 {
    let bits = x.to_bits();
    let (sign, size) = ((bits >> 48 & 0x8000) as u16, bits & (u64::MAX >> 1));
    let magnitude = match size {
        // NaN keeps the top of its payload, and is quiet.
        nan if nan > 0x7ff << 52 => 0x7e00 | (nan >> 42 & 0x1ff) as u16,
        // From halfway between the largest half and the next power of two.
        large if large >= 0x40ef_fe00_0000_0000 => 0x7c00,
        normal if normal >= 1009 << 52 => round_off(normal - (1008 << 52), 42) as u16,
        // Of subnormals, the last bit is worth 2^-24; a quarter of that and less is 0.
        small => {
            let shift = 1051 - (small >> 52);
            if shift > 54 { 0 } else { round_off(small << 12 >> 12 | 1 << 52, shift as u32) as u16 }
        }
    };
    sign | magnitude
}

/// Drops low bits, to the nearest, halves to even.
fn round_off(bits: u64, dropped: u32) -> u64 {
    let (kept, rest, half) = (bits >> dropped, bits & ((1 << dropped) - 1), 1 << (dropped - 1));
    kept + u64::from(rest > half || rest == half && kept & 1 == 1)
}

pub fn symbols() -> Vec<Symbol> {
    let symbol = |name, address| Symbol { name, address };
    vec![
        symbol("__udivti3", udivti3 as *const c_void),
        symbol("__umodti3", umodti3 as *const c_void),
        symbol("__divti3", divti3 as *const c_void),
        symbol("__modti3", modti3 as *const c_void),
        symbol("__multi3", multi3 as *const c_void),
        symbol("__truncdfhf2", truncdfhf2 as *const c_void),
        symbol("__truncsfhf2", truncsfhf2 as *const c_void),
        symbol("__gnu_f2h_ieee", truncsfhf2 as *const c_void),
        symbol("__extendhfsf2", extendhfsf2 as *const c_void),
        symbol("__gnu_h2f_ieee", extendhfsf2 as *const c_void),
        symbol(ir::PRINTF, crate::printf::printf as *const c_void),
        symbol(ir::CHECK, crate::checks::check as *const c_void),
        symbol(ir::CHECK_RECORD, crate::checks::check_record as *const c_void),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printf::half_to_double;

    #[test]
    fn halves_are_the_nearest() {
        for bits in 0..0x7c00u16 {
            let (x, next) =
                (half_to_double(bits), if bits == 0x7bff { 65536.0 } else { half_to_double(bits + 1) });
            let middle = (x + next) / 2.0;
            let even = if bits % 2 == 0 { bits } else { bits + 1 };
            for (value, expected) in [
                (x, bits),
                (middle, even),
                (f64::from_bits(middle.to_bits() - 1), bits),
                (f64::from_bits(middle.to_bits() + 1), bits + 1),
            ] {
                assert_eq!(half_bits(value), expected, "{value:e}");
                assert_eq!(half_bits(-value), expected | 0x8000, "{value:e}");
            }
        }
        assert_eq!([half_bits(f64::INFINITY), half_bits(1e300), half_bits(5e-324)], [0x7c00, 0x7c00, 0]);
        assert_eq!(half_bits(f64::NAN) & 0x7e00, 0x7e00);
    }
}
