//! The operations of mathematics that the library is written with: right, and the same bits at
//! every width and for every type.

mod common;

use common::{Data, Plain, kernel};
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
