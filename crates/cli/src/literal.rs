//! Scalars and vectors from text to the bytes a kernel takes.

use crate::element::ElementType;
use compiler::Scalar;

/// Parses a scalar, or a vector as numbers with commas between them; a single number fills a
/// vector. The message of an error names neither the argument nor the option.
pub fn parse(element: ElementType, text: &str) -> Result<Vec<u8>, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let lanes = element.lanes;
    if words.len() != lanes && words.len() != 1 {
        return Err(if lanes == 1 {
            format!("{text} has {} numbers, but {element} is a scalar", words.len())
        } else {
            format!("{text} has {} numbers, but {element} has {lanes}", words.len())
        });
    }
    if element.is_raw {
        return Err("a number cannot give the bytes of this type".to_owned());
    }
    let mut bytes = Vec::with_capacity(element.size());
    for lane in 0..lanes {
        let word = words.get(lane).unwrap_or(&words[0]);
        push_scalar(element.kind, word, &mut bytes)?;
    }
    bytes.resize(element.size(), 0);
    Ok(bytes)
}

fn push_scalar(kind: Scalar, word: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
    if kind.is_float() {
        return push_float(kind, float(word).ok_or(format!("{word} is not a number"))?, word, bytes);
    }
    let bits = 8 * kind.size();
    let (low, high): (i128, i128) =
        if kind.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let value = integer(word).map_err(|why| format!("{word} {why} {kind}"))?;
    // A hexadecimal number stands for the bits: 0xffffffff is the int -1, too.
    let hex = word.trim_start_matches('-').to_ascii_lowercase().starts_with("0x");
    if value < low || value > if hex { (1 << bits) - 1 } else { high } {
        return Err(format!("{word} does not fit in {kind} ({low} to {high})"));
    }
    bytes.extend_from_slice(&value.to_le_bytes()[..kind.size()]);
    Ok(())
}

fn push_float(kind: Scalar, value: f64, word: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
    let finite = match kind {
        Scalar::Half => {
            let half = half_from_f64(value);
            bytes.extend_from_slice(&half.to_le_bytes());
            half & 0x7c00 != 0x7c00
        }
        Scalar::Float => {
            bytes.extend_from_slice(&(value as f32).to_le_bytes());
            (value as f32).is_finite()
        }
        _ => {
            bytes.extend_from_slice(&value.to_le_bytes());
            // A text of digits that came out infinite was too large for a double.
            value.is_finite() || !word.contains(|c: char| c.is_ascii_digit())
        }
    };
    if finite || !value.is_finite() && !word.contains(|c: char| c.is_ascii_digit()) {
        Ok(())
    } else {
        Err(format!("{word} does not fit in {kind}"))
    }
}

/// A decimal or hexadecimal integer, with the suffixes of C. An error completes "`word` … `type`".
fn integer(word: &str) -> Result<i128, &'static str> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(if decimal_float(word).is_some() {
            "is not a whole number, as it should be for"
        } else {
            "is not a number, as it should be for"
        });
    }
    // A number that overflows 128 bits is out of every type's range: its exact value does not
    // matter.
    let magnitude = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Ok(if negative { -magnitude } else { magnitude })
}

/// The type of a number of `size` bytes for a parameter without a type, by its spelling: `2.5` and
/// `3.0` are floating point, `3` is unsigned, `-3` is signed.
pub fn type_of(word: &str, size: usize) -> Option<ElementType> {
    use Scalar::*;
    let kinds = match size {
        1 => [Char, UChar, UChar],
        2 => [Short, UShort, Half],
        4 => [Int, UInt, Float],
        8 => [Long, ULong, Double],
        _ => return None,
    };
    let kind = match integer(word) {
        Ok(_) => kinds[usize::from(!word.starts_with('-'))],
        Err(_) => kinds[2],
    };
    Some(ElementType::scalar(kind))
}

/// A floating-point number, or an integer in hexadecimal.
fn float(word: &str) -> Option<f64> {
    decimal_float(word).or_else(|| integer(word).ok().map(|value| value as f64))
}

/// A floating-point number as C or Rust spell it, with C's suffixes.
fn decimal_float(word: &str) -> Option<f64> {
    let suffixed = word.strip_suffix(['f', 'F', 'h', 'H', 'l', 'L']);
    // The `f` of `inf` is no suffix.
    let number = suffixed.filter(|number| number.ends_with(|c: char| c.is_ascii_digit() || c == '.'));
    number.unwrap_or(word).parse().ok()
}

/// The bits of the half nearest to `value`, ties to even.
pub fn half_from_f64(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    if value.is_nan() {
        return sign | 0x7e00;
    }
    let magnitude = value.abs();
    // Half of the last step above the largest half, 65504, rounds to infinity.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The distance between neighbouring halves at this magnitude; below 2^-14 it stays the same.
    let exponent = (((bits >> 52) & 0x7ff) as i32 - 1023).max(-14);
    let step = 2f64.powi(exponent - 10);
    let steps = (magnitude / step).round_ties_even() as u16;
    // Steps beyond the first 1024 of a binade carry into the exponent by themselves.
    sign | (((exponent + 14) as u16) << 10).wrapping_add(steps)
}

/// The value of a half.
pub fn half_to_f32(half: u16) -> f32 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(half >> 10 & 0x1f);
    let fraction = f32::from(half & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(name: &str, text: &str) -> Result<Vec<u8>, String> {
        parse(ElementType::parse(name).unwrap(), text)
    }

    fn message(name: &str, text: &str) -> String {
        bytes(name, text).unwrap_err()
    }

    #[test]
    fn integers() {
        assert_eq!(bytes("int", "-1").unwrap(), [255; 4]);
        assert_eq!(bytes("uint", "4294967295u").unwrap(), [255; 4]);
        assert_eq!(bytes("int", "0xffffffff").unwrap(), [255; 4]);
        assert_eq!(bytes("ulong", "0xFFFFFFFFFFFFFFFFul").unwrap(), [255; 8]);
        assert_eq!(bytes("char", "-0x80").unwrap(), [0x80]);
        assert_eq!(bytes("short", "0x10").unwrap(), [16, 0]);
        assert_eq!(message("uchar", "256"), "256 does not fit in uchar (0 to 255)");
        assert_eq!(message("uint", "-1"), "-1 does not fit in uint (0 to 4294967295)");
        assert_eq!(
            message("int", "2147483648"),
            "2147483648 does not fit in int (-2147483648 to 2147483647)"
        );
        assert_eq!(message("int", "2.5"), "2.5 is not a whole number, as it should be for int");
        assert_eq!(message("int", "abc"), "abc is not a number, as it should be for int");
        assert!(message("long", &"9".repeat(80)).contains("does not fit"));
        for nothing in ["", "-", "0x", "u", "--1", "1-"] {
            assert!(bytes("int", nothing).is_err(), "{nothing:?}");
        }
    }

    #[test]
    fn floats() {
        assert_eq!(bytes("float", "2.5f").unwrap(), 2.5f32.to_le_bytes());
        assert_eq!(bytes("float", "3").unwrap(), 3f32.to_le_bytes());
        assert_eq!(bytes("float", "0x10").unwrap(), 16f32.to_le_bytes());
        assert_eq!(bytes("double", "-1e-3").unwrap(), (-1e-3f64).to_le_bytes());
        assert_eq!(bytes("float", "-inf").unwrap(), f32::NEG_INFINITY.to_le_bytes());
        assert_eq!(bytes("half", "1.5h").unwrap(), 0x3e00u16.to_le_bytes());
        assert!(f32::from_le_bytes(bytes("float", "nan").unwrap().try_into().unwrap()).is_nan());
        assert_eq!(message("float", "1e50"), "1e50 does not fit in float");
        assert_eq!(message("half", "70000"), "70000 does not fit in half");
        assert_eq!(message("double", "1e999"), "1e999 does not fit in double");
        assert_eq!(message("float", "x"), "x is not a number");
    }

    #[test]
    fn vectors() {
        assert_eq!(bytes("uchar4", "1,2,3,4").unwrap(), [1, 2, 3, 4]);
        assert_eq!(bytes("uchar4", "7").unwrap(), [7; 4]);
        assert_eq!(bytes("uchar3", "1, 2, 3").unwrap(), [1, 2, 3, 0]);
        assert_eq!(message("float4", "1,2"), "1,2 has 2 numbers, but float4 has 4");
        assert_eq!(message("float", "1,2"), "1,2 has 2 numbers, but float is a scalar");
    }

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for half in 0..=u16::MAX {
            let value = half_to_f32(half);
            if !value.is_nan() {
                assert_eq!(half_from_f64(value.into()), half, "{half:#x} {value}");
            }
        }
        assert_eq!(half_from_f64(65519.9), 0x7bff);
        assert_eq!(half_from_f64(65520.0), 0x7c00);
        // Half-way cases go to the even neighbour; one across a binade carries.
        assert_eq!(half_from_f64(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(half_from_f64(2.0 - 1.0 / 2048.0), 0x4000);
    }
}
