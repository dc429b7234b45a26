//! Conversions between all types, in all roundings, saturated or not, against exact references: all
//! values of 8 and 16 bits, and the edges and many others of 32 and 64.

mod builtins_common;

use builtins_common::*;
use compiler::NdRange;

/// What a conversion of these bits gives; `None` if OpenCL C leaves it open.
fn expected(from: Scalar, to: Scalar, bits: u64, saturate: bool, rounding: Option<Rounding>) -> Option<u64> {
    if to.is_float() {
        if from.is_nan(bits) {
            return Some(u64::MAX);
        }
        let value =
            if from.is_float() { Exact::Float(from.float(bits)) } else { Exact::Integer(from.integer(bits)) };
        return Some(round_to(to, value, rounding.unwrap_or(Rounding::Nearest)));
    }
    let value = if from.is_float() {
        let value = from.float(bits);
        if value.is_nan() {
            return saturate.then_some(0);
        }
        match rounding {
            None | Some(Rounding::Zero) => value.trunc() as i128,
            Some(Rounding::Nearest) => value.round_ties_even() as i128,
            Some(Rounding::Up) => value.ceil() as i128,
            Some(Rounding::Down) => value.floor() as i128,
        }
    } else {
        from.integer(bits)
    };
    let inside = (to.min()..=to.max()).contains(&value);
    if saturate {
        return Some(value.clamp(to.min(), to.max()) as u64 & to.mask());
    }
    (inside || !from.is_float()).then_some(value as u64 & to.mask())
}

struct Conversion {
    to: Scalar,
    saturate: bool,
    rounding: Option<Rounding>,
    suffix: String,
    width: usize,
}

/// All conversions to all types; each in one of the widths of vectors.
fn conversions(from: usize) -> Vec<Conversion> {
    let mut all = Vec::new();
    for to in INTEGERS.into_iter().chain(FLOATS) {
        for saturate in [false, true] {
            if saturate && to.is_float() {
                continue;
            }
            let plain = [("", None)].into_iter();
            for (name, rounding) in plain.chain(ROUNDINGS.map(|(name, rounding)| (name, Some(rounding)))) {
                let suffix = format!("{}{name}", if saturate { "_sat" } else { "" });
                let width = [2, 3, 4, 8, 16][(all.len() * 7 + from) % 5];
                all.push(Conversion { to, saturate, rounding, suffix, width });
            }
        }
    }
    all
}

fn check(index: usize, from: Scalar, count: usize) {
    let values = values(from, count);
    let n = values.len();
    let all = conversions(index);
    let (mut scalars, mut vectors, mut offset) = (String::new(), String::new(), 0);
    let mut offsets = Vec::new();
    for Conversion { to, suffix, width, .. } in &all {
        offsets.push(offset);
        let (name, w) = (to.name, width);
        scalars += &format!("((global {name} *)(q + {offset}))[i] = convert_{name}{suffix}(x);\n");
        vectors += &format!(
            "if (i < {n} / {w}) \
             vstore{w}(convert_{name}{w}{suffix}(vload{w}(i, p)), i, (global {name} *)(q + {offset}));\n"
        );
        offset += n * to.size();
    }
    let header = |name| format!("kernel void {name}(global {} *p, global uchar *q)", from.name);
    let scalars = build(&format!(
        "{} {{ size_t i = get_global_id(0); {} x = p[i]; {scalars} }}",
        header("scalars"),
        from.name
    ));
    let vectors =
        build_as_written(&format!("{} {{ size_t i = get_global_id(0); {vectors} }}", header("vectors")));
    for (program, kernel, items) in [(scalars, "scalars", n), (vectors, "vectors", n / 2)] {
        let out = fill(&program, kernel, NdRange::new(&[items], &[7]), &[&pack(from, &values)], offset);
        let mut wrong = 0;
        for (Conversion { to, saturate, rounding, suffix, width }, offset) in all.iter().zip(&offsets) {
            let results = unpack(*to, &out[*offset..][..n * to.size()]);
            for (bits, result) in values.iter().zip(results) {
                let Some(expected) = expected(from, *to, *bits, *saturate, *rounding) else { continue };
                let nan = to.is_float() && expected == u64::MAX;
                if (nan && !to.is_nan(result)) || (!nan && result != expected) {
                    wrong += 1;
                    if wrong < 20 {
                        let (from, to) = (from.name, to.name);
                        println!(
                            "{kernel}: convert_{to}{suffix}({from} {bits:#x}), width {width}: \
                                {result:#x}, not {expected:#x}"
                        );
                    }
                }
            }
        }
        assert_eq!(wrong, 0, "wrong conversions of {}", from.name);
    }
}

#[test]
fn from_8_bits() {
    check(0, INTEGERS[0], 256);
    check(1, INTEGERS[1], 256);
}

#[test]
fn from_16_bits() {
    check(2, INTEGERS[2], 65536);
    check(3, INTEGERS[3], 65536);
}

#[test]
fn from_half() {
    check(4, FLOATS[0], 65536);
}

#[test]
fn from_32_bits() {
    check(5, INTEGERS[4], 20000);
    check(6, INTEGERS[5], 20000);
}

#[test]
fn from_float() {
    check(7, FLOATS[1], 40000);
}

#[test]
fn from_64_bits() {
    check(8, INTEGERS[6], 20000);
    check(9, INTEGERS[7], 20000);
}

#[test]
fn from_double() {
    check(10, FLOATS[2], 40000);
}

#[test]
fn the_reference_rounds_as_rust_does() {
    let mut random = Random(1);
    for _ in 0..100_000 {
        let value = f64::from_bits(random.next());
        if !value.is_nan() {
            let float = round_to(FLOATS[1], Exact::Float(value), Rounding::Nearest);
            assert_eq!(float, u64::from((value as f32).to_bits()), "{value:e}");
        }
        let integer = random.pattern() as i64;
        let double = round_to(FLOATS[2], Exact::Integer(integer.into()), Rounding::Nearest);
        assert_eq!(double, (integer as f64).to_bits(), "{integer}");
    }
}
