//! `printf` of kernels: OpenCL C's formats, which are C's with vectors, and the way to standard
//! output.
//!
//! A call prints at once, whole, through C's `stdout`, where a host program's own text goes too. So
//! each work-item's calls are in order, and those of different threads do not mix. [`flush_printf`]
//! makes a kernel's text appear before its event says that it has ended.

use ir::printf::{Arg, Format, HEADER, Kind, Spec};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    static stdout: *mut c_void;
    fn fwrite(data: *const c_void, size: usize, count: usize, stream: *mut c_void) -> usize;
    fn fflush(stream: *mut c_void) -> c_int;
}

/// Whether something was printed since the last flush.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Flushes the output of kernels. To be called when a kernel has ended, before its event completes.
pub fn flush_printf() {
    if PRINTED.load(Ordering::Relaxed) && PRINTED.swap(false, Ordering::AcqRel) {
        // SAFETY: C's standard output is there for as long as the process is.
        unsafe { fflush(stdout) };
    }
}

/// The body of `__mux_printf`.
pub(crate) extern "C" fn printf(description: *const u8, memory: *const u8) -> c_int {
    let print = || {
        // SAFETY: the compiler made both: a description, and memory as it lays out the arguments.
        let (format, memory) = unsafe {
            let header = description.cast::<[u8; HEADER]>().read_unaligned();
            let rest = std::slice::from_raw_parts(description.add(HEADER), Format::length_after(header));
            let format = Format::decode(header, rest)?;
            let (_, size) = format.layout();
            (format, if size == 0 { &[] } else { std::slice::from_raw_parts(memory, size) })
        };
        // SAFETY: `%s` takes a pointer to a string; the program must pass one.
        let string = |address, limit| unsafe { read_string(address, limit) };
        let (text, complete) = format_text(&format, memory, &string);
        // SAFETY: the text is as long as it says; `stdout` locks itself.
        let written = unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
        PRINTED.store(true, Ordering::Release);
        (complete && written == text.len()).then_some(())
    };
    // A panic must not unwind through the kernel's code, which has no unwind tables.
    match catch_unwind(AssertUnwindSafe(print)) {
        Ok(Some(())) => 0,
        _ => -1,
    }
}

/// # Safety
/// The address is 0 or of a string that ends with a NUL or has `limit` bytes.
unsafe fn read_string(address: u64, limit: usize) -> Vec<u8> {
    let pointer = address as usize as *const u8;
    if pointer.is_null() {
        return b"(null)"[..limit.min(6)].to_vec();
    }
    // SAFETY: the caller's promise.
    (0..limit).map(|i| unsafe { pointer.add(i).read() }).take_while(|&byte| byte != 0).collect()
}

/// How `%s` gets its bytes: from an address, at most so many.
type ReadString<'a> = &'a dyn Fn(u64, usize) -> Vec<u8>;

// ---- Formats ------------------------------------------------------------------------------------

/// The text of a call, and whether all of the format was understood and had its arguments.
fn format_text(format: &Format, memory: &[u8], string: ReadString<'_>) -> (Vec<u8>, bool) {
    let (offsets, _) = format.layout();
    let mut args = format.args.iter().zip(offsets);
    let mut out = Vec::new();
    let mut complete = true;
    let mut rest = &format.text[..];
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        out.extend(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(b"%") {
            out.push(b'%');
            rest = after;
            continue;
        }
        // A conversion that is not understood is printed as it stands.
        let Some((spec, length)) = Spec::parse(rest) else {
            out.push(b'%');
            complete = false;
            continue;
        };
        match args.next() {
            Some((arg, offset)) => convert(&mut out, &spec, *arg, &memory[offset..][..arg.size()], string),
            None => {
                out.push(b'%');
                out.extend(&rest[..length]);
                complete = false;
            }
        }
        rest = &rest[length..];
    }
    out.extend(rest);
    (out, complete)
}

/// An element of an argument.
#[derive(Clone, Copy)]
enum Value {
    /// An integer or a pointer, sign-extended, and its bits.
    Integer(i64, u32),
    Float(f64),
}

fn read(kind: Kind, bytes: &[u8]) -> Value {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    match kind {
        Kind::F16 => Value::Float(half_to_double(bits as u16)),
        Kind::F32 => Value::Float(f64::from(f32::from_bits(bits as u32))),
        Kind::F64 => Value::Float(f64::from_bits(bits)),
        Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::Pointer => {
            let size = 8 * bytes.len() as u32;
            Value::Integer(sign_extend(bits, size), size)
        }
    }
}

fn sign_extend(bits: u64, size: u32) -> i64 {
    ((bits << (64 - size)) as i64) >> (64 - size)
}

/// Made of its bits: a thread may be in a mode that takes subnormals for zero.
pub(crate) fn half_to_double(bits: u16) -> f64 {
    let sign = u64::from(bits >> 15) << 63;
    let (exponent, fraction) = (u64::from(bits >> 10 & 0x1f), u64::from(bits & 0x3ff));
    let magnitude = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => {
            let shift = u64::from(fraction.leading_zeros()) - 53;
            (1009 - shift) << 52 | (fraction << shift & 0x3ff) << 42
        }
        (0x1f, _) => 0x7ff << 52 | fraction << 42,
        _ => (exponent + 1008) << 52 | fraction << 42,
    };
    f64::from_bits(sign | magnitude)
}

/// Prints all lanes of an argument. One that does not fit its conversion is printed for what it is.
fn convert(out: &mut Vec<u8>, spec: &Spec, arg: Arg, bytes: &[u8], string: ReadString<'_>) {
    let lanes = if spec.lanes > 1 { spec.lanes.min(usize::from(arg.lanes)) } else { 1 };
    for (i, element) in bytes.chunks_exact(arg.kind.size()).take(lanes).enumerate() {
        if i > 0 {
            out.push(b',');
        }
        match (spec.conversion, read(arg.kind, element)) {
            (b's', Value::Integer(address, _)) if arg.kind == Kind::Pointer => {
                let text = string(address as u64, spec.precision.unwrap_or(usize::MAX));
                pad(out, spec, b"", &text, false);
            }
            (b's', Value::Integer(value, bits)) => {
                integer(out, &Spec { conversion: b'd', ..spec.clone() }, value, bits)
            }
            (b'p', Value::Integer(0, _)) => pad(out, spec, b"", b"(nil)", false),
            (b'p', Value::Integer(value, bits)) => {
                let spec = Spec { conversion: b'x', alternate: true, bits: 0, ..spec.clone() };
                integer(out, &spec, value, bits);
            }
            (b'c', Value::Integer(value, _)) => pad(out, spec, b"", &[value as u8], false),
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X', Value::Integer(value, bits)) => {
                integer(out, spec, value, bits);
            }
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X', Value::Float(value)) => {
                integer(out, spec, value as i64, 64)
            }
            (_, Value::Integer(value, _)) => float(out, spec, value as f64),
            (_, Value::Float(value)) => float(out, spec, value),
        }
    }
}

/// A sign or base, and digits, in a field. Zeros go between the two.
fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &[u8], body: &[u8], zeros: bool) {
    let missing = spec.width.saturating_sub(prefix.len() + body.len());
    let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + missing, byte);
    match (spec.minus, zeros && spec.zero) {
        (true, _) => {
            out.extend(prefix.iter().chain(body));
            fill(out, b' ');
        }
        (false, true) => {
            out.extend(prefix);
            fill(out, b'0');
            out.extend(body);
        }
        (false, false) => {
            fill(out, b' ');
            out.extend(prefix.iter().chain(body));
        }
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.blank) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(out: &mut Vec<u8>, spec: &Spec, value: i64, bits: u32) {
    let bits = if spec.bits == 0 { bits } else { spec.bits.min(bits) };
    let signed = matches!(spec.conversion, b'd' | b'i');
    let value = sign_extend(value as u64, bits);
    let magnitude = if signed { value.unsigned_abs() } else { value as u64 & (u64::MAX >> (64 - bits)) };
    let mut digits = match spec.conversion {
        b'o' => format!("{magnitude:o}"),
        b'x' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        _ => format!("{magnitude}"),
    };
    match spec.precision {
        Some(0) if magnitude == 0 => digits.clear(),
        Some(precision) => digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len()))),
        None => {}
    }
    if spec.conversion == b'o' && spec.alternate && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    let prefix = match spec.conversion {
        b'd' | b'i' => sign(spec, value < 0),
        b'x' if spec.alternate && magnitude != 0 => "0x",
        b'X' if spec.alternate && magnitude != 0 => "0X",
        _ => "",
    };
    pad(out, spec, prefix.as_bytes(), digits.as_bytes(), spec.precision.is_none());
}

fn float(out: &mut Vec<u8>, spec: &Spec, value: f64) {
    let (negative, size) = (value.is_sign_negative(), f64::from_bits(value.to_bits() & (u64::MAX >> 1)));
    let upper = spec.conversion.is_ascii_uppercase();
    let mut prefix = sign(spec, negative).to_owned();
    let exponent = size.to_bits() >> 52;
    if exponent == 0x7ff {
        let word = if size.to_bits() << 12 == 0 { "inf" } else { "nan" };
        let word = if upper { word.to_uppercase() } else { word.to_owned() };
        return pad(out, spec, prefix.as_bytes(), word.as_bytes(), false);
    }
    let mut body = match spec.conversion.to_ascii_lowercase() {
        b'f' => fixed(size, spec.precision.unwrap_or(6), spec.alternate),
        b'e' => scientific(size, spec.precision.unwrap_or(6), spec.alternate),
        b'g' => general(size, spec.precision.unwrap_or(6).max(1), spec.alternate),
        _ => {
            prefix.push_str(if upper { "0X" } else { "0x" });
            hexadecimal(size, spec.precision, spec.alternate)
        }
    };
    if upper {
        body.make_ascii_uppercase();
    }
    pad(out, spec, prefix.as_bytes(), body.as_bytes(), true);
}

/// Rust's digits are exact, however many; a double has no more than these behind its point.
const MAX_DIGITS: usize = 1074;

fn fixed(size: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{size:.*}", precision.min(MAX_DIGITS));
    text.push_str(&"0".repeat(precision.saturating_sub(MAX_DIGITS)));
    if point && precision == 0 {
        text.push('.');
    }
    text
}

fn scientific(size: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = digits_and_exponent(size, precision);
    if point && precision == 0 {
        digits.push('.');
    }
    digits + &exponent_text(exponent)
}

fn exponent_text(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// One digit, a point, and `precision` digits; and the power of ten.
fn digits_and_exponent(size: f64, precision: usize) -> (String, i32) {
    let text = format!("{size:.*e}", precision.min(MAX_DIGITS));
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let zeros = "0".repeat(precision.saturating_sub(MAX_DIGITS));
    (format!("{digits}{zeros}"), exponent.parse().unwrap_or(0))
}

/// Whichever of the two is shorter, without the zeros at the end.
fn general(size: f64, precision: usize, keep: bool) -> String {
    let (digits, exponent) = digits_and_exponent(size, precision - 1);
    let trim = |text: String| {
        if keep || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if exponent < -4 || exponent >= precision as i32 {
        let digits = if keep && !digits.contains('.') { digits + "." } else { digits };
        return trim(digits) + &exponent_text(exponent);
    }
    trim(fixed(size, (precision as i32 - 1 - exponent) as usize, keep))
}

fn hexadecimal(size: f64, precision: Option<usize>, point: bool) -> String {
    let bits = size.to_bits();
    let (biased, mut fraction) = ((bits >> 52) as i32, bits << 12 >> 12);
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    let mut lead = u64::from(biased != 0);
    let mut digits = 13;
    if let Some(precision) = precision.filter(|&precision| precision < 13) {
        // To the nearest, halves to even, with a carry into the digit before the point.
        let dropped = 4 * (13 - precision as u32);
        let whole = lead << 52 | fraction;
        let (kept, rest, half) = (whole >> dropped, whole & ((1 << dropped) - 1), 1 << (dropped - 1));
        let rounded = (kept + u64::from(rest > half || rest == half && kept & 1 == 1)) << dropped;
        (lead, fraction) = (rounded >> 52, rounded << 12 >> 12);
        digits = precision;
    }
    let mut text = format!("{fraction:013x}")[..digits].to_owned();
    match precision {
        None => text.truncate(text.trim_end_matches('0').len()),
        Some(precision) => text.push_str(&"0".repeat(precision.saturating_sub(13))),
    }
    let dot = if text.is_empty() && !point { "" } else { "." };
    format!("{lead}{dot}{text}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str, args: &[(Kind, &[u64])]) -> (String, bool) {
        let mut memory = Vec::new();
        for (kind, lanes) in args {
            memory.extend(lanes.iter().flat_map(|bits| bits.to_le_bytes()[..kind.size()].to_vec()));
            memory.resize(memory.len().next_multiple_of(8), 0);
        }
        let args = args.iter().map(|(kind, lanes)| Arg { kind: *kind, lanes: lanes.len() as u8 });
        let format = Format { text: text.as_bytes().to_vec(), args: args.collect() };
        let strings: [&[u8]; 2] = [b"first", b"second"];
        let string = |address: u64, limit: usize| {
            let text = strings[address as usize];
            text[..limit.min(text.len())].to_vec()
        };
        let (text, complete) = format_text(&format, &memory, &string);
        (String::from_utf8(text).unwrap(), complete)
    }

    #[track_caller]
    fn check(text: &str, args: &[(Kind, &[u64])], expected: &str) {
        assert_eq!(format(text, args), (expected.to_owned(), true));
    }

    /// The text that C's `snprintf` makes of a double or a long.
    fn c_format(spec: &str, value: Result<f64, i64>) -> String {
        unsafe extern "C" {
            fn snprintf(to: *mut u8, size: usize, format: *const std::ffi::c_char, ...) -> c_int;
        }
        let spec = std::ffi::CString::new(spec).unwrap();
        let mut text = vec![0; 4096];
        // SAFETY: the text is long enough, and the specification is for the type of the value.
        let length = unsafe {
            match value {
                Ok(value) => snprintf(text.as_mut_ptr(), text.len(), spec.as_ptr(), value),
                Err(value) => snprintf(text.as_mut_ptr(), text.len(), spec.as_ptr(), value),
            }
        };
        text.truncate(length as usize);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn floats_are_as_in_c() {
        let values = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            123456.0,
            1234567.0,
            0.0001,
            0.00001,
            9.9999995,
            99999.95,
            1e100,
            1e-100,
            5e-324,
            2.2250738585072014e-308,
            f64::MAX,
            2.5,
            3.5,
            0.5,
            1e21,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e15,
            0.000123456789,
            255.9999,
            1.0 / 3.0,
            4503599627370497.5,
        ];
        let flags = ["", "-", "+", " ", "#", "0", "-#", "+0", " 0", "#0", "+-", "+#0"];
        let fields = ["", "1", "20", ".0", ".1", ".3", ".12", ".20", "30.5", "9.0", "25.17"];
        for value in values {
            for conversion in ["f", "F", "e", "E", "g", "G", "a", "A"] {
                for flag in flags {
                    for field in fields {
                        let spec = format!("%{flag}{field}{conversion}");
                        let expected = c_format(&spec, Ok(value));
                        // Some versions of glibc drop the zeros of `%#g` when a number is rounded
                        // up to a power of ten.
                        let dropped = expected.to_lowercase().contains(".e");
                        if !(flag.contains('#') && conversion.eq_ignore_ascii_case("g") && dropped) {
                            check(&spec, &[(Kind::F64, &[value.to_bits()])], &expected);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn integers_are_as_in_c() {
        for value in [0, 1, -1, 42, -42, i64::MAX, i64::MIN, 0o777, 0xdead_beef] {
            for conversion in ["d", "i", "o", "u", "x", "X"] {
                for flag in ["", "-", "+", " ", "#", "0", "-#", "+0", "#0"] {
                    for field in ["", "1", "24", ".0", ".1", ".5", "30.20"] {
                        let expected = c_format(&format!("%{flag}{field}l{conversion}"), Err(value));
                        let spec = format!("%{flag}{field}l{conversion}");
                        check(&spec, &[(Kind::I64, &[value as u64])], &expected);
                    }
                }
            }
        }
    }

    #[test]
    fn lengths_cut_integers() {
        check("%hhd %hhu %hd %hx", &[(Kind::I32, &[511][..]); 4], "-1 255 511 1ff");
        check("%d %u", &[(Kind::I32, &[u64::from(u32::MAX)][..]); 2], "-1 4294967295");
        check("%d", &[(Kind::I64, &[1 << 40])], "1099511627776");
    }

    #[test]
    fn vectors_are_lists() {
        let one = 1f32.to_bits().into();
        let lanes = [one, 2f32.to_bits().into(), (-0.5f32).to_bits().into(), one];
        check("%v4hlf", &[(Kind::F32, &lanes)], "1.000000,2.000000,-0.500000,1.000000");
        check("<%-4.1v4f>", &[(Kind::F32, &lanes)], "<1.0 ,2.0 ,-0.5,1.0 >");
        check("%v3hhd|", &[(Kind::I8, &[255, 2, 128])], "-1,2,-128|");
        check("%#v2hhx", &[(Kind::I8, &[255, 0])], "0xff,0");
        check("%v2hu", &[(Kind::I16, &[65535, 1])], "65535,1");
        check("%v2lf", &[(Kind::F64, &[1.5f64.to_bits(), 0])], "1.500000,0.000000");
        check("%v2hg", &[(Kind::F16, &[0x3e00, 0x0001])], "1.5,5.96046e-08");
    }

    #[test]
    fn the_rest() {
        check("%c%c%%|%3c|%-3c|", &[(Kind::I32, &[65][..]); 4], "AA%|  A|A  |");
        check(
            "%s %.2s %8s|",
            &[(Kind::Pointer, &[0]), (Kind::Pointer, &[1]), (Kind::Pointer, &[0])],
            "first se    first|",
        );
        check("%p %p", &[(Kind::Pointer, &[0xabc]), (Kind::Pointer, &[0])], "0xabc (nil)");
        assert_eq!(format("%d %d", &[(Kind::I32, &[1])]), ("1 %d".to_owned(), false));
        assert_eq!(format("100% %y%", &[]), ("100% %y%".to_owned(), false));
        assert_eq!(format("%v5d", &[(Kind::I32, &[1])]), ("%v5d".to_owned(), false));
        check("", &[], "");
    }

    #[test]
    fn every_half_is_the_double_it_should_be() {
        for bits in 0..=u16::MAX {
            let (sign, exponent, fraction) =
                (bits >> 15, i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
            let size = match exponent {
                0 => fraction * 2f64.powi(-24),
                0x1f if fraction == 0.0 => f64::INFINITY,
                0x1f => f64::NAN,
                _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
            };
            let expected = if sign == 1 { -size } else { size };
            let value = half_to_double(bits);
            assert!(value.to_bits() == expected.to_bits() || value.is_nan() && size.is_nan(), "{bits:#x}");
        }
    }
}
