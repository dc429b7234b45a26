//! The operations of mathematics that the library is written with: right, and the same bits at
//! every width and for every type.

mod common;

use common::{Data, Plain, kernel, launch};
use compiler::NdRange;
use lanewise_difftest::{Width, run_at};

/// Zeros, subnormal numbers, the ends of the range, infinities, NaN, and numbers around the ends of
/// [¾, 1½).
fn floats() -> Vec<f32> {
    let mut bits = vec![0, 1, 2, 3, 0x7fffff, 0x800000, 0x800001, 0x7f7fffff, 0x7f800000, 0x7fc00000];
    for exponent in [1u32, 2, 63, 126, 127, 128, 200, 254] {
        for fraction in [0, 1, 0x3fffff, 0x400000, 0x400001, 0x7fffff, 0x2aaaaa] {
            bits.push(exponent << 23 | fraction);
        }
    }
    bits.extend((0..200u32).map(|i| i.wrapping_mul(0x9e37_79b9) & 0x7fff_ffff));
    bits.iter().flat_map(|b| [*b, *b | 1 << 31]).map(f32::from_bits).collect()
}

fn doubles() -> Vec<f64> {
    let mut bits: Vec<u64> = floats().into_iter().map(|x| f64::from(x).to_bits()).collect();
    bits.extend([1, 2, (1 << 52) - 1, 1 << 52, 0x7fef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000]);
    bits.extend((0..200u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & (u64::MAX >> 1)));
    bits.iter().flat_map(|b| [*b, *b | 1 << 63]).map(f64::from_bits).collect()
}

/// `⌊log2 |x|⌋` of a number that is not zero, exactly.
fn exponent(x: f64) -> f64 {
    let up = if x.abs() < f64::MIN_POSITIVE { 54 } else { 0 };
    let bits = (x.abs() * 2f64.powi(up)).to_bits();
    (bits >> 52) as f64 - 1023.0 - f64::from(up)
}

/// Whether the results of all four operations for x are right; scaled was ¾ to 1½ times 2^n.
fn check(x: f64, n: f64, results: [f64; 4], scaled: f64) {
    let [e, m, s, r] = results;
    let limit = if x == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    let right_exponent = if x.is_nan() {
        e.is_nan()
    } else if x == 0.0 || x.is_infinite() {
        e == limit
    } else {
        e == exponent(x)
    };
    assert!(right_exponent, "the exponent of {x:e} is not {e}");
    if x.is_nan() || x < 0.0 {
        assert!(m.is_nan(), "the mantissa of {x:e} is not {m}");
        assert!(r.is_nan(), "the square root of {x:e} is no {r}");
    } else if x == 0.0 || x.is_infinite() {
        assert_eq!(m, 1.0, "the mantissa of {x:e}");
        assert_eq!(r, 1.0 / x.sqrt(), "the estimate for {x:e}");
    } else {
        assert!((0.75..1.5).contains(&m), "the mantissa of {x:e} is not {m}");
        let k = exponent(x) - exponent(m);
        // In two steps: a single power of two may overflow or be 0.
        let (first, second) = ((k / 2.0).trunc(), k - (k / 2.0).trunc());
        assert_eq!(
            m * 2f64.powi(first as i32) * 2f64.powi(second as i32),
            x,
            "the mantissa of {x:e} is not {m}"
        );
        assert!((r * x.sqrt() - 1.0).abs() <= 2f64.powi(-14), "the estimate {r} for {x:e} is too far off");
    }
    assert!(s == scaled || s.is_nan() && scaled.is_nan(), "{m} times 2^{n} is not {s}, but {scaled}");
}

/// Runs all operations at all widths, and gives the results for each x: exponent, mantissa,
/// mantissa times 2^n, estimate.
fn results<T: Plain>(ty: &str, suffix: &str, xs: &[T], ns: &[T]) -> [Vec<T>; 4] {
    let source = format!(
        "{ty} __mux_exponent_{suffix}({ty}); {ty} __mux_mantissa_{suffix}({ty});
         {ty} __mux_scale_{suffix}({ty}, {ty}); {ty} __mux_rsqrt_estimate_{suffix}({ty});
         // Any NaN is as good as any other.
         {ty} plain({ty} x) {{ return x == x ? x : ({ty})NAN; }}
         kernel void k(global const {ty} *x, global const {ty} *n, global {ty} *e, global {ty} *m, \
         global {ty} *s,
                       global {ty} *r) {{
           size_t i = get_global_id(0);
           e[i] = plain(__mux_exponent_{suffix}(x[i]));
           m[i] = plain(__mux_mantissa_{suffix}(x[i]));
           s[i] = plain(__mux_scale_{suffix}(m[i], n[i]));
           r[i] = plain(__mux_rsqrt_estimate_{suffix}(x[i]));
         }}"
    );
    let lanes: usize = ty.trim_start_matches(char::is_alphabetic).parse().unwrap_or(1);
    let items = xs.len() / lanes;
    let (x, n) = (Data::of(xs), Data::of(ns));
    let out: [Data<T>; 4] = std::array::from_fn(|_| Data::zeros(xs.len()));
    let mut args = vec![x.arg(), n.arg()];
    args.extend(out.iter().map(Data::arg));
    let range = NdRange::new(&[items], &[64.min(items)]);
    run_at(&kernel(&source, "k", ""), range, &args, &Width::ALL).unwrap_or_else(|why| panic!("{ty}: {why}"));
    out.map(|data| data.get())
}

#[test]
fn of_floats() {
    let mut xs = floats();
    xs.resize(xs.len().next_multiple_of(16), 1.0);
    let ns: Vec<f32> = (0..xs.len()).map(|i| (i as f32 * 37.0) % 481.0 - 240.0).collect();
    let scalar = results("float", "f", &xs, &ns);
    for (i, &x) in xs.iter().enumerate() {
        let [e, m, s, r] = scalar.each_ref().map(|all| all[i]);
        // Exact in double, then rounded once.
        let scaled = (f64::from(m) * 2f64.powi(ns[i] as i32)) as f32;
        check(x.into(), ns[i].into(), [e, m, s, r].map(f64::from), scaled.into());
    }
    for lanes in [2, 4, 8, 16] {
        let wide = results(&format!("float{lanes}"), &format!("Dv{lanes}_f"), &xs, &ns);
        for (one, many) in scalar.iter().zip(&wide) {
            assert!(one.iter().zip(many).all(|(a, b)| a.to_bits() == b.to_bits()), "float{lanes}");
        }
    }
}

/// The nearest `bfloat16` of each float, also of subnormal ones, between two and just beside the
/// middle.
#[test]
fn brain_floats() {
    let mut bits: Vec<u32> = floats().into_iter().map(f32::to_bits).collect();
    for high in [0u32, 1, 0x7f, 0x80, 0x3f80, 0x3f81, 0x7f7e, 0x7f7f, 0x7f80, 0x8000, 0x80ff] {
        bits.extend([0x7fff, 0x8000, 0x8001, 0xffff].map(|low| high << 16 | low));
    }
    bits.resize(bits.len().next_multiple_of(16), 0x3f80_8000);
    let xs: Vec<f32> = bits.iter().copied().map(f32::from_bits).collect();
    let nearest = |bits: u32| match f32::from_bits(bits).is_nan() {
        true => (bits | 0x40_0000) & 0xffff_0000,
        // The carry out of the mantissa is the exponent's.
        false => (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000,
    };
    let expected: Vec<u32> = bits.iter().map(|bits| nearest(*bits)).collect();
    for (ty, suffix, lanes) in
        [("float", "f", 1), ("float2", "Dv2_f", 2), ("float8", "Dv8_f", 8), ("float16", "Dv16_f", 16)]
    {
        let source = format!(
            "{ty} __mux_brain_float_{suffix}({ty});
             kernel void k(global const {ty} *x, global {ty} *r) {{
               r[get_global_id(0)] = __mux_brain_float_{suffix}(x[get_global_id(0)]);
             }}"
        );
        let (x, r) = (Data::of(&xs), Data::<f32>::zeros(xs.len()));
        let items = xs.len() / lanes;
        let range = NdRange::new(&[items], &[64.min(items)]);
        run_at(&kernel(&source, "k", ""), range, &[x.arg(), r.arg()], &Width::ALL)
            .unwrap_or_else(|why| panic!("{ty}: {why}"));
        let got: Vec<u32> = r.get().into_iter().map(f32::to_bits).collect();
        for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
            assert_eq!(got, expected, "{ty}: of {:#x}", bits[i]);
        }
    }
}

/// Dot products of bytes, with all signs, and sums that saturate, against plain loops.
#[test]
fn dot_products() {
    let words = |seed: u32| -> Vec<u32> {
        let ends = [0, u32::MAX, 0x8080_8080, 0x7f7f_7f7f, 0x807f_ff01, 1, 0x0100_0000, 0x80ff_7f80];
        let all = |i: usize| ends[i * seed as usize % 8];
        (0..64).map(all).chain((0..192u32).map(|i| (i + seed).wrapping_mul(0x9e37_79b9))).collect()
    };
    let (x, y) = (words(1), words(3));
    let sums: Vec<i32> = (0..256)
        .map(|i| [i32::MAX, i32::MIN, -1, 0, 70_000, i32::MAX - 40_000, i32::MIN + 40_000, 12345][i / 3 % 8])
        .collect();
    let byte = |word: u32, i: u32, is_signed: bool| match (word >> (8 * i)) as u8 {
        byte if is_signed => i64::from(byte as i8),
        byte => i64::from(byte),
    };
    for (kind, x_signed, y_signed) in [("uu", false, false), ("ss", true, true), ("us", false, true)] {
        let dots: Vec<i64> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| (0..4).map(|i| byte(*x, i, x_signed) * byte(*y, i, y_signed)).sum())
            .collect();
        let wrapped: Vec<i32> =
            dots.iter().zip(&sums).map(|(dot, sum)| (*dot as i32).wrapping_add(*sum)).collect();
        let saturated: Vec<i32> = dots
            .iter()
            .zip(&sums)
            .map(|(dot, sum)| match y_signed {
                true => (dot + i64::from(*sum)).clamp(i32::MIN.into(), i32::MAX.into()) as i32,
                false => (dot + i64::from(*sum as u32)).min(u32::MAX.into()) as u32 as i32,
            })
            .collect();
        for (ty, suffix, lanes) in [("int", "i", 1), ("int2", "Dv2_i", 2), ("int16", "Dv16_i", 16)] {
            let source = format!(
                "{ty} __mux_dot_{kind}_{suffix}({ty}, {ty}, {ty});
                 {ty} __mux_dot_sat_{kind}_{suffix}({ty}, {ty}, {ty});
                 kernel void k(global const {ty} *x, global const {ty} *y, global const {ty} *sum,
                               global {ty} *plain, global {ty} *saturated) {{
                   size_t i = get_global_id(0);
                   plain[i] = __mux_dot_{kind}_{suffix}(x[i], y[i], sum[i]);
                   saturated[i] = __mux_dot_sat_{kind}_{suffix}(x[i], y[i], sum[i]);
                 }}"
            );
            let (x, y, sum) = (Data::of(&x), Data::of(&y), Data::of(&sums));
            let (plain, limited) = (Data::<i32>::zeros(256), Data::<i32>::zeros(256));
            let args = [x.arg(), y.arg(), sum.arg(), plain.arg(), limited.arg()];
            let range = NdRange::new(&[256 / lanes], &[64.min(256 / lanes)]);
            run_at(&kernel(&source, "k", ""), range, &args, &Width::ALL)
                .unwrap_or_else(|why| panic!("{kind} {ty}: {why}"));
            assert_eq!(plain.get(), wrapped, "{kind} {ty}");
            assert_eq!(limited.get(), saturated, "{kind} {ty}");
        }
    }
}

/// One lane of a loaded vector divided by vectors of several registers, and the other way round.
/// LLVM's quick code generator compiled that for ever.
#[test]
fn divisions_of_wide_vectors() {
    let xs: Vec<u64> = (0..128).map(|i| i * 7919 % 1000).collect();
    let ys: Vec<u64> = (0..128).map(|i| 1 + i * 104_729 % 30).collect();
    for (ty, lanes) in [("ulong4", 4), ("ulong8", 8), ("ulong16", 16)] {
        let source = format!(
            "kernel void k(global const {ty} *x, global const {ty} *y, global {ty} *quotient,
                           global {ty} *rest) {{
               for (int i = get_global_id(0); i < 128 / {lanes}; i += get_global_size(0)) {{
                 quotient[i] = ({ty})(x[i].s3) / y[i];
                 rest[i] = x[i] % ({ty})(y[i].s1);
               }}
             }}"
        );
        let lane = |of: &[u64], i: usize, n: usize| of[i / lanes * lanes + n];
        let quotients: Vec<u64> = (0..128).map(|i| lane(&xs, i, 3) / ys[i]).collect();
        let rests: Vec<u64> = (0..128).map(|i| xs[i] % lane(&ys, i, 1)).collect();
        for options in ["", "--quick-code", "-cl-wfv=never --quick-code", "-cl-opt-disable"] {
            let (x, y) = (Data::of(&xs), Data::of(&ys));
            let (quotient, rest) = (Data::<u64>::zeros(128), Data::<u64>::zeros(128));
            let args = [x.arg(), y.arg(), quotient.arg(), rest.arg()];
            launch(&kernel(&source, "k", options), NdRange::new(&[4], &[2]), &args);
            assert_eq!(quotient.get(), quotients, "{ty} '{options}'");
            assert_eq!(rest.get(), rests, "{ty} '{options}'");
        }
    }
}

#[test]
fn of_doubles() {
    let xs = doubles();
    let ns: Vec<f64> = (0..xs.len()).map(|i| (i as f64 * 37.0) % 4001.0 - 2000.0).collect();
    let [e, m, s, r] = results("double", "d", &xs, &ns);
    for (i, &x) in xs.iter().enumerate() {
        // The first product is exact, so that it is rounded once.
        let half = (ns[i] / 2.0).trunc();
        let scaled = m[i] * 2f64.powi(half as i32) * 2f64.powi((ns[i] - half) as i32);
        check(x, ns[i], [e[i], m[i], s[i], r[i]], scaled);
    }
}
