//! The functions for devices that lack a type give what the usual ones do, which are held to the
//! specification's bars elsewhere: the same bits, or within a few units in the last place.

use compiler::{BuiltinCapabilities, NdRange};
use lanewise_difftest::{Program, buffer, contents, run};
use runtime::ArgValue;

const FULL: BuiltinCapabilities = BuiltinCapabilities { address_bits_32: false, fp64: true, fp16: true };
const NO_DOUBLE: BuiltinCapabilities = BuiltinCapabilities { fp64: false, ..FULL };
const NO_HALF: BuiltinCapabilities = BuiltinCapabilities { fp16: false, ..FULL };

/// Runs `k` of a program over words of input, and gives as many words of output.
fn results(capabilities: BuiltinCapabilities, source: &str, options: &str, input: &[u32]) -> Vec<u32> {
    let program =
        Program::build_for(capabilities, source, options).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let kernel = program.kernel("k").unwrap();
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let (input, output) = (buffer(&bytes).unwrap(), buffer(&vec![0; bytes.len()]).unwrap());
    let args = [ArgValue::Buffer(input, 0), ArgValue::Buffer(output.clone(), 0)];
    let range = NdRange::new(&[bytes.len() / 64], &[16]);
    run(&kernel, range, &args).unwrap();
    contents(&output)
        .unwrap()
        .chunks_exact(4)
        .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

/// Words that are floats of every exponent, and some special ones; a multiple of 256.
fn words() -> Vec<u32> {
    let special = [0.0f32, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 3.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let edges =
        [0x7f7f_ffff, 0xff7f_ffff, 1, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0x477f_e000, 0x477f_f000];
    let mut words: Vec<u32> = special.iter().map(|x| x.to_bits()).chain(edges).collect();
    words.extend((-1000..1000).map(|n| (n as f32 / 16.0 + 1.0 / 1024.0).to_bits()));
    words.extend((-300..300).map(|n| (n as f32 / 8.0).to_bits()));
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    while words.len() < 1 << 16 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words.push((state >> 32) as u32);
    }
    words
}

/// How far two floats lie from each other, in units in the last place; NaNs are one.
fn distance(a: u32, b: u32) -> u64 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if a == b || x.is_nan() && y.is_nan() {
        return 0;
    }
    if x.is_nan() || y.is_nan() {
        return u64::MAX;
    }
    let rank = |bits: u32| if bits >> 31 == 1 { -i64::from(bits & 0x7fff_ffff) } else { i64::from(bits) };
    rank(a).abs_diff(rank(b))
}

/// A kernel in which each work-item computes a function of vectors of a width, for sixteen floats
/// in all.
fn kernel(width: usize, expression: &str) -> String {
    let n = if width == 1 { String::new() } else { width.to_string() };
    let (load, store) = match width {
        1 => ("in[at]".to_owned(), "out[at] = r".to_owned()),
        _ => (format!("vload{n}(0, in + at)"), format!("vstore{n}(r, 0, out + at)")),
    };
    format!(
        "kernel void k(global const float *in, global float *out) {{
            for (uint at = 16 * get_global_id(0), end = at + 16; at + {width} <= end; at += {width}) {{
                float{n} x = {load};
                int{n} i;
                float{n} r = {expression};
                {store};
            }}
        }}"
    )
}

/// The largest distance, with what gave it.
fn furthest(expression: &str, width: usize, options: &str, inputs: &[u32]) -> (u64, String) {
    let source = kernel(width, expression);
    let usual = results(FULL, &source, options, inputs);
    let other = results(NO_DOUBLE, &source, options, inputs);
    let all = usual.iter().zip(&other).zip(inputs).map(|((a, b), x)| (distance(*a, *b), *a, *b, *x));
    let (ulps, a, b, x) = all.max_by_key(|found| found.0).unwrap();
    let [a, b, x] = [a, b, x].map(f32::from_bits);
    (ulps, format!("{expression} of {x:e}: {b:e}, not {a:e}"))
}

#[test]
fn error_and_gamma_functions_without_double() {
    let words = words();
    for (expression, bar) in
        [("erfc(x)", 8), ("tgamma(x)", 12), ("lgamma_r(x, &i) + convert_float_rtz(i)", u64::MAX)]
    {
        for (width, options) in
            [(1, ""), (4, ""), (16, ""), (1, "-cl-fast-relaxed-math"), (3, "-cl-opt-disable")]
        {
            let n = if width == 1 { String::new() } else { width.to_string() };
            let expression = expression.replace("convert_float", &format!("convert_float{n}"));
            let (ulps, what) = furthest(&expression, width, options, &words);
            println!("{ulps:>10} {what} [{width} {options}]");
            assert!(ulps <= bar, "{ulps} ULP: {what} [{width} {options}]");
        }
    }
}

/// OpenCL allows lgamma any error. It has a small one where Γ is not near ±1.
#[test]
fn lgamma_without_double() {
    let inputs: Vec<u32> = words().into_iter().filter(|w| f32::from_bits(*w) >= 0.0).collect();
    let inputs = &inputs[..inputs.len() / 256 * 256];
    for width in [1, 8] {
        let (ulps, what) = furthest("lgamma(x)", width, "", inputs);
        println!("{ulps:>10} {what}");
        assert!(ulps <= 8, "{ulps} ULP: {what}");
    }
    let negative: Vec<u32> = inputs.iter().map(|w| w | 0x8000_0000).collect();
    let source = kernel(1, "lgamma(x)");
    let (usual, other) = (results(FULL, &source, "", &negative), results(NO_DOUBLE, &source, "", &negative));
    for ((a, b), x) in usual.into_iter().zip(other).zip(negative) {
        let [a, b, x] = [a, b, x].map(f32::from_bits);
        let near = (a - b).abs() <= 1e-6 * (1.0 + a.abs() + x.abs());
        assert!(a == b || a.is_nan() && b.is_nan() || near, "lgamma({x:e}): {b:e}, not {a:e}");
    }
}

#[test]
fn lengths_without_double() {
    let words = words();
    for width in [1, 2, 3, 4] {
        let n = if width == 1 { String::new() } else { width.to_string() };
        let splat = if width == 1 { "" } else { &format!("(float{n})") };
        // Specified: 3 to 5 ULP for lengths, 4 to 11 for distances, 3 to 6 for directions.
        for (expression, bar) in [
            (format!("{splat}(length(x))"), 3),
            (format!("{splat}(distance(x, -2.5f * x))"), 4),
            ("normalize(x)".to_owned(), 3),
        ] {
            let (ulps, what) = furthest(&expression, width, "", &words);
            println!("{ulps:>10} {what} [{width}]");
            assert!(ulps <= bar, "{ulps} ULP: {what} [{width}]");
        }
    }
}

#[test]
fn integers_are_rounded_to_the_same_floats_without_double() {
    let mut words = words();
    let edges = [0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0100_0001, 0x00ff_ffff, 0x7fff_ffbf];
    let pairs = edges.iter().flat_map(|a| edges.iter().flat_map(|b| [*a, *b]));
    words.splice(0..128, pairs);
    for rounding in ["_rtz", "_rtp", "_rtn"] {
        for from in ["int", "uint", "long", "ulong"] {
            let step = if from.ends_with("long") { 2 } else { 1 };
            let source = format!(
                "kernel void k(global const {from} *in, global float *out) {{
                    for (uint i = 0; i < 16; i += {step}) {{
                        uint at = 16 * get_global_id(0) + i;
                        out[at] = convert_float{rounding}(in[at / {step}]);
                        if ({step} == 2 && i % 8 == 0)
                            vstore4(convert_float4{rounding}(vload4(0, in + at / {step})), 0, out + at);
                    }}
                }}"
            );
            let (usual, other) =
                (results(FULL, &source, "", &words), results(NO_DOUBLE, &source, "", &words));
            let wrong = usual.iter().zip(&other).position(|(a, b)| a != b);
            assert_eq!(wrong, None, "convert_float{rounding}({from})");
        }
    }
}

#[test]
fn halves_are_the_same_without_their_arithmetic() {
    let mut words = words();
    // All halves, two in a word, and floats around the ties between them.
    words.extend((0..0x8000u32).map(|n| n << 17 | n << 1 | 1).chain((0..0x8000).map(|n| n << 17 | n << 1)));
    for n in 0..0x4000u32 {
        let tie = 0x3780_0000 + (n << 13) + 0x1000;
        words.extend([tie, tie + 1, tie - 1, (tie + 0x2000) | 0x8000_0000]);
    }
    let load = "kernel void k(global const half *in, global float *out) {
        for (uint i = 0; i < 16; i += 8) {
            uint at = 16 * get_global_id(0) + i;
            out[at] = vload_half(2 * at + 1, in);
            vstore3(vload_half3(2 * at / 3, in), 0, out + at + 1);
            vstore4(vloada_half4(at / 2, in), 0, out + at + 4);
        }
    }";
    let usual = results(FULL, load, "", &words);
    let other = results(NO_HALF, load, "", &words);
    let wrong = usual.iter().zip(&other).position(|(a, b)| distance(*a, *b) != 0);
    assert_eq!(wrong.map(|at| (usual[at], other[at])), None, "loads");
    for rounding in ["", "_rte", "_rtz", "_rtp", "_rtn"] {
        for from in ["float", "double"] {
            let source = format!(
                "kernel void k(global const float *in, global half *out) {{
                    for (uint i = 0; i < 16; i += 8) {{
                        uint at = 16 * get_global_id(0) + i;
                        vstore_half{rounding}(({from})in[at] * ({from})1.000001f, at, out);
                        vstore_half3{rounding}(convert_{from}3(vload3(0, in + at + 1)), 0, out + at + 1);
                        vstorea_half4{rounding}(convert_{from}4(vload4(0, in + at + 4)), 0, out + at + 4);
                    }}
                }}"
            );
            let (usual, other) = (results(FULL, &source, "", &words), results(NO_HALF, &source, "", &words));
            let halves = |word: &u32| [*word as u16, (*word >> 16) as u16];
            let nan = |h: u16| h & 0x7fff > 0x7c00;
            let pairs = usual.iter().flat_map(halves).zip(other.iter().flat_map(halves));
            let wrong = pairs.enumerate().find(|(_, (a, b))| a != b && !(nan(*a) && nan(*b)));
            let input = wrong.and_then(|(at, _)| words.get(at)).map(|w| f32::from_bits(*w));
            assert_eq!(wrong, None, "vstore_half{rounding}({from}) of {input:?}");
        }
    }
}
