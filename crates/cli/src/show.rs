//! Shows results as text.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use passes::{Remark, Report};

use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::literal::half_to_f32;
use compiler::Scalar;

/// Standard output, for what another program reads. What is printed there from now on, as by
/// `printf` of kernels, goes to standard error.
pub fn take_stdout() -> Result<File> {
    let wrong = |e: std::io::Error| Error::input(format!("cannot write to standard output: {e}"));
    let own = std::io::stdout().as_fd().try_clone_to_owned().map_err(wrong)?;
    rustix::stdio::dup2_stdout(std::io::stderr()).map_err(|e| wrong(e.into()))?;
    Ok(own.into())
}

/// Prints a line to standard output.
pub fn say(text: &str) -> Result<()> {
    write_stdout(format!("{text}\n").as_bytes())
}

/// Writes to standard output. A reader that has gone away, such as `head`, is no error.
pub fn write_stdout(bytes: &[u8]) -> Result<()> {
    write_to(&mut std::io::stdout().lock(), bytes)
}

/// Writes to what was standard output ([`take_stdout`]), or is.
pub fn write_to(stdout: &mut dyn Write, bytes: &[u8]) -> Result<()> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::input(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// The first `most` elements of a buffer: `0, 1, 2, …`, vectors as `(0, 1)`, raw bytes in
/// hexadecimal.
pub fn first_elements(bytes: &[u8], element: ElementType, most: usize) -> String {
    let all = bytes.chunks_exact(element.size());
    let more = all.len() > most;
    let mut shown: Vec<String> = all.take(most).map(|bytes| one_element(bytes, element)).collect();
    if more {
        shown.push("…".into());
    }
    shown.join(if element.is_raw { " " } else { ", " })
}

/// The first `most` structs or arrays of a buffer: `{0, {1, 2}}, …`.
pub fn first_structs(bytes: &[u8], layout: &Layout, most: usize) -> String {
    let all = bytes.chunks_exact(layout.size());
    let more = all.len() > most;
    let mut shown: Vec<String> = all.take(most).map(|bytes| layout.show(bytes, &one_element)).collect();
    if more {
        shown.push("…".into());
    }
    shown.join(", ")
}

fn one_element(bytes: &[u8], element: ElementType) -> String {
    if element.is_raw {
        return format!("{:02x}", bytes[0]);
    }
    let lanes = bytes.chunks_exact(element.kind.size()).take(element.lanes);
    let lanes: Vec<String> = lanes.map(|lane| scalar(lane, element.kind)).collect();
    if element.lanes == 1 { lanes.concat() } else { format!("({})", lanes.join(", ")) }
}

/// `bytes` are those of one value of this kind.
fn scalar(bytes: &[u8], kind: Scalar) -> String {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    match kind {
        Scalar::Char => (bits as i8).to_string(),
        Scalar::Short => (bits as i16).to_string(),
        Scalar::Int => (bits as i32).to_string(),
        Scalar::Long => (bits as i64).to_string(),
        Scalar::UChar | Scalar::UShort | Scalar::UInt | Scalar::ULong => bits.to_string(),
        Scalar::Half => float(half_to_f32(bits as u16).into(), half_to_f32(bits as u16)),
        Scalar::Float => {
            let value = f32::from_bits(bits as u32);
            float(value.into(), value)
        }
        Scalar::Double => {
            let value = f64::from_bits(bits);
            float(value, value)
        }
    }
}

/// The shortest digits that give `shown` again, with an exponent where there would be many zeros.
fn float<T: std::fmt::Display + std::fmt::LowerExp>(value: f64, shown: T) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() || (1e-5..1e9).contains(&size) {
        format!("{shown}")
    } else {
        format!("{shown:e}")
    }
}

/// A time with three digits: `12.3 ms`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 100.0 {
        let whole = time.as_secs();
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    let (value, unit) = match seconds {
        s if s >= 0.9995 => (s, "s"),
        s if s >= 0.9995e-3 => (s * 1e3, "ms"),
        s if s >= 0.9995e-6 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    format!("{} {unit}", three_digits(value))
}

/// How many a second, as `1.23 G`, to be followed by the unit: `rate(…) + "work-items/s"` reads
/// well.
pub fn rate(count: f64, time: Duration) -> String {
    // A clock that has not moved must not divide by zero.
    scaled(count / time.as_secs_f64().max(1e-9))
}

/// A number with a decimal prefix: `3.15 M`, `12 `.
pub fn scaled(value: f64) -> String {
    let steps = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match steps.iter().find(|(size, _)| value >= 0.9995 * size) {
        Some((size, prefix)) => format!("{} {prefix}", three_digits(value / size)),
        None => format!("{} ", three_digits(value)),
    }
}

/// A size in memory: `12.0 MiB`.
pub fn size(bytes: usize) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let power = (bytes.ilog2() / 10).min(4);
    format!("{} {}", three_digits(bytes as f64 / 1024f64.powi(power as i32)), units[power as usize - 1])
}

fn three_digits(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// One line a step, in the order they ran, and the sum.
pub fn times(report: &Report) -> String {
    let total: Duration = report.times.iter().map(|(_, time)| *time).sum();
    let share = |time: Duration| 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
    let mut text = String::from("      time   share  step\n");
    let rows = report.times.iter().map(|(name, time)| (name.as_str(), *time));
    for (name, time) in rows.chain([("all", total)]) {
        text += &format!("{:>10}  {:5.1} %  {name}\n", duration(time), share(time));
    }
    text
}

/// The remarks, one line each, for standard error.
pub fn remarks(remarks: &[Remark]) -> String {
    remarks.iter().map(|remark| format!("{remark}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, bytes: &[u8]) -> String {
        first_elements(bytes, ElementType::parse(name).unwrap_or(ElementType::RAW), 4)
    }

    #[test]
    fn elements() {
        assert_eq!(shown("char", &[0, 1, 255]), "0, 1, -1");
        assert_eq!(shown("uchar", &[0, 1, 2, 3, 4]), "0, 1, 2, 3, …");
        assert_eq!(shown("uchar4", &[1, 2, 3, 4, 5, 6, 7, 8]), "(1, 2, 3, 4), (5, 6, 7, 8)");
        assert_eq!(shown("uchar3", &[1, 2, 3, 0]), "(1, 2, 3)");
        assert_eq!(shown("long", &[255; 8]), "-1");
        assert_eq!(shown("struct S", &[1, 0xab]), "01 ab");
        assert_eq!(shown("half", &[0, 0x3e]), "1.5");
        let floats = |values: [f32; 4]| shown("float", &values.map(f32::to_le_bytes).concat());
        assert_eq!(floats([0.1, -2.0, 1e20, 1e-7]), "0.1, -2, 1e20, 1e-7");
        assert_eq!(floats([f32::NAN, f32::INFINITY, 0.0, -0.0]), "NaN, inf, 0, -0");
        assert_eq!(shown("double", &0.1f64.to_le_bytes()), "0.1");
        assert_eq!(shown("int", &[]), "");
    }

    #[test]
    fn durations() {
        let shown = |seconds| duration(Duration::from_secs_f64(seconds));
        assert_eq!(shown(0.0), "0.00 ns");
        assert_eq!(shown(4.2e-6), "4.20 µs");
        assert_eq!(shown(0.012345), "12.3 ms");
        assert_eq!(shown(0.99999), "1.00 s");
        assert_eq!(shown(99.0), "99.0 s");
        assert_eq!(shown(125.0), "2 min 05 s");
    }

    #[test]
    fn rates_and_sizes() {
        assert_eq!(rate(1e6, Duration::from_millis(1)), "1.00 G");
        assert_eq!(rate(12.0, Duration::from_secs(1)), "12.0 ");
        assert!(rate(1.0, Duration::ZERO).ends_with('G'));
        assert_eq!(scaled(3_145_728.0), "3.15 M");
        assert_eq!(
            [size(0), size(1023), size(1024), size(12 << 20)],
            ["0 B", "1023 B", "1.00 KiB", "12.0 MiB"]
        );
        assert_eq!(size(usize::MAX), "16777216 TiB");
    }

    #[test]
    fn times_add_up() {
        let steps = vec![
            ("a".to_owned(), Duration::from_millis(1)),
            ("llvm(b)".to_owned(), Duration::from_millis(3)),
        ];
        let text = times(&Report { times: steps, ..Report::default() });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "   1.00 ms   25.0 %  a");
        assert_eq!(lines[3], "   4.00 ms  100.0 %  all");
    }

    #[test]
    fn an_empty_report_divides_by_nothing() {
        assert!(times(&Report::default()).contains("0.0 %  all"));
    }
}
