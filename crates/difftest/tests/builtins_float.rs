//! Relational, common and geometric functions, of all three floats, against references in double.

mod builtins_common;

use builtins_common::*;
use compiler::NdRange;

/// Values that are compared with each other: zeros, infinities, NaN, subnormals and some numbers.
fn specials(ty: Scalar) -> Vec<u64> {
    let infinity = round_to(ty, Exact::Float(f64::INFINITY), Rounding::Nearest);
    let sign = 1 << (ty.bits - 1);
    let one = round_to(ty, Exact::Integer(1), Rounding::Nearest);
    let fraction = if ty.bits == 16 {
        10
    } else if ty.bits == 32 {
        23
    } else {
        52
    };
    let sizes = [
        0,
        1,
        2,
        (1 << fraction) - 1,
        1 << fraction,
        one,
        one + 1,
        infinity - 1,
        infinity,
        infinity + (1 << (fraction - 1)),
    ];
    sizes.into_iter().flat_map(|bits| [bits, bits | sign]).collect()
}

type Relation = fn(f64, f64) -> bool;

#[test]
fn relations() {
    let binary: [(&str, Relation); 9] = [
        ("isequal", |a, b| a == b),
        ("isnotequal", |a, b| a != b),
        ("isgreater", |a, b| a > b),
        ("isgreaterequal", |a, b| a >= b),
        ("isless", |a, b| a < b),
        ("islessequal", |a, b| a <= b),
        ("islessgreater", |a, b| a.partial_cmp(&b).is_some_and(|order| order.is_ne())),
        ("isordered", |a, b| !a.is_nan() && !b.is_nan()),
        ("isunordered", |a, b| a.is_nan() || b.is_nan()),
    ];
    for ty in FLOATS {
        let values = specials(ty);
        let pairs: Vec<_> = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).collect();
        let n = pairs.len();
        let smallest = round_to(
            ty,
            Exact::Float([2f64.powi(-14), 2f64.powi(-126), 2f64.powi(-1022)][ty.bits.ilog2() as usize - 4]),
            Rounding::Nearest,
        );
        let normal = |bits: u64| {
            let size = bits & (ty.mask() >> 1);
            size >= smallest && ty.float(size).is_finite()
        };
        let unary: [(&str, &dyn Fn(u64) -> bool); 5] = [
            ("isnan", &|bits| ty.float(bits).is_nan()),
            ("isinf", &|bits| ty.float(bits).is_infinite()),
            ("isfinite", &|bits| ty.float(bits).is_finite()),
            ("isnormal", &normal),
            ("signbit", &|bits| bits >> (ty.bits - 1) == 1),
        ];
        let mask = INTEGERS.into_iter().find(|m| m.bits == ty.bits && m.kind == Kind::Signed).unwrap();
        let (mut body, mut checks) = (String::new(), Vec::<(String, Vec<bool>)>::new());
        let calls = binary.iter().map(|(name, f)| {
            let all = pairs.iter().map(|(a, b)| f(ty.float(*a), ty.float(*b))).collect();
            (format!("{name}(A, B)"), all)
        });
        let calls: Vec<_> = calls
            .chain(
                unary
                    .iter()
                    .map(|(name, f)| (format!("{name}(A)"), pairs.iter().map(|(a, _)| f(*a)).collect())),
            )
            .collect();
        for (call, expected) in calls {
            let at = checks.len();
            body +=
                &format!("q[{} + i] = {};\n", 2 * at * n, call.replace('A', "p[i]").replace('B', "p[i + N]"));
            body += &format!(
                "if (i < N / 4) vstore4({}, i, q + {});\n",
                call.replace('A', "vload4(i, p)").replace('B', "vload4(i, p + N)"),
                (2 * at + 1) * n
            );
            checks.push((call, expected));
        }
        let source = format!(
            "kernel void k(global {} *p, global {} *q) {{ size_t i = get_global_id(0); {body} }}",
            ty.name, mask.name
        );
        let program = build(&source.replace('N', &n.to_string()));
        let (a, b): (Vec<u64>, Vec<u64>) = pairs.iter().copied().unzip();
        let input = pack(ty, &[a, b].concat());
        let out =
            fill(&program, "k", NdRange::new(&[n], &[16]), &[&input], 2 * checks.len() * n * mask.size());
        let out: Vec<i128> = unpack(mask, &out).into_iter().map(|bits| mask.integer(bits)).collect();
        for (at, (call, expected)) in checks.iter().enumerate() {
            for i in 0..n {
                let truth = i128::from(expected[i]);
                let found = (out[2 * at * n + i], out[(2 * at + 1) * n + i]);
                assert_eq!(found, (truth, -truth), "{call} of {} {:x?}", ty.name, pairs[i]);
            }
        }
    }
}

/// `select`, `bitselect`, `any` and `all`, of every type.
#[test]
fn choices() {
    let mut random = Random(3);
    for ty in INTEGERS.into_iter().chain(FLOATS) {
        let of = |kind| INTEGERS.into_iter().find(|m| m.bits == ty.bits && m.kind == kind).unwrap();
        let (signed, unsigned) = (of(Kind::Signed), of(Kind::Unsigned));
        // Quiet NaNs and numbers: what is chosen is not computed with.
        let values: Vec<u64> =
            (0..96).map(|i| if i % 3 == 0 { 0 } else { random.next() } & ty.mask()).collect();
        let source = format!(
            "kernel void k(global {0} *p, global {0} *q) {{
                 size_t i = get_global_id(0);
                 {0}8 a = vload8(i, p), b = vload8(i, p + 32), c = vload8(i, p + 64);
                 vstore8(select(a, b, as_{1}8(c)), i, q); vstore8(select(a, b, as_{2}8(c)), i, q + 32);
                 vstore8(bitselect(a, b, c), i, q + 64);
                 q[96 + i] = select(a.s0, b.s0, as_{1}(c.s0)); q[100 + i] = bitselect(a.s1, b.s1, c.s1);
                 q[104 + i] = any(as_{1}8(c)); q[108 + i] = all(as_{1}8(c) | as_{1}8(a));
             }}",
            ty.name, signed.name, unsigned.name
        );
        let out =
            fill(&build(&source), "k", NdRange::new(&[4], &[4]), &[&pack(ty, &values)], 112 * ty.size());
        let found = unpack(ty, &out);
        let number = |value: bool| match ty.is_float() {
            true => round_to(ty, Exact::Integer(value.into()), Rounding::Nearest),
            false => value.into(),
        };
        let top = |bits: u64| bits >> (ty.bits - 1) & 1 == 1;
        let bitwise = |i: usize| values[i] & !values[64 + i] | values[32 + i] & values[64 + i];
        for i in 0..32 {
            let chosen = if top(values[64 + i]) { values[32 + i] } else { values[i] };
            assert_eq!([found[i], found[32 + i], found[64 + i]], [chosen, chosen, bitwise(i)], "{}", ty.name);
        }
        for i in 0..4 {
            let chosen = if values[64 + 8 * i] != 0 { values[32 + 8 * i] } else { values[8 * i] };
            assert_eq!([found[96 + i], found[100 + i]], [chosen, bitwise(8 * i + 1)], "{}", ty.name);
            let any = (0..8).any(|j| top(values[64 + 8 * i + j]));
            let all = (0..8).all(|j| top(values[64 + 8 * i + j] | values[8 * i + j]));
            assert_eq!([found[104 + i], found[108 + i]], [any, all].map(number), "{}", ty.name);
        }
    }
}

/// The distance of two floats in units of the last place of the first.
fn ulps(ty: Scalar, expected: f64, found: f64) -> f64 {
    if expected == found || expected.is_nan() && found.is_nan() {
        return 0.0;
    }
    let (precision, lowest) = [(11, -14), (24, -126), (53, -1022)][ty.bits.ilog2() as usize - 4];
    let exponent = (expected.abs().log2().floor() as i32).max(lowest);
    (expected - found).abs() / f64::from((exponent - precision + 1).max(-1074)).exp2()
}

#[test]
fn common_functions() {
    for ty in FLOATS {
        let mut random = Random(9);
        let number = |random: &mut Random| (random.next() % 4001) as f64 / 1000.0 - 2.0;
        let rounded = |value: f64| round_to(ty, Exact::Float(value), Rounding::Nearest);
        let triples: Vec<[u64; 3]> =
            (0..480).map(|_| std::array::from_fn(|_| rounded(number(&mut random)))).collect();
        let n = triples.len();
        type Reference = fn(f64, f64, f64) -> f64;
        let functions: [(&str, f64, Reference); 9] = [
            ("min(a, b)", 0.0, |a, b, _| a.min(b)),
            ("max(a, b)", 0.0, |a, b, _| a.max(b)),
            ("clamp(a, min(b, c), max(b, c))", 0.0, |a, b, c| a.clamp(b.min(c), b.max(c))),
            ("sign(a)", 0.0, |a, _, _| if a == 0.0 { a } else { a.signum() }),
            ("step(a, b)", 0.0, |a, b, _| f64::from(u8::from(b >= a))),
            ("degrees(a)", 2.0, |a, _, _| a.to_degrees()),
            ("radians(a)", 2.0, |a, _, _| a.to_radians()),
            // These are given a tolerance of their arguments' size, below.
            ("mix(a, b, c)", -8.0, |a, b, c| a + (b - a) * c),
            ("smoothstep(-3, 3, a)", -16.0, |a, _, _| {
                let t = ((a + 3.0) / 6.0).clamp(0.0, 1.0);
                t * t * (3.0 - 2.0 * t)
            }),
        ];
        let (mut body, name) = (String::new(), ty.name);
        for (at, (call, ..)) in functions.iter().enumerate() {
            let cast = |call: &str, ty: &str| call.replace("-3, 3", &format!("({ty})-3, ({ty})3"));
            body += &format!(
                "{{ {name} a = p[3 * i], b = p[3 * i + 1], c = p[3 * i + 2]; q[{} + i] = {}; }}
                 {{ {name}4 a = p[3 * i], b = p[3 * i + 1], c = p[3 * i + 2]; {name}4 v = {}; q[{} + i] \
                 = v.s3; }}\n",
                2 * at * n,
                cast(call, name),
                cast(call, &format!("{name}4")),
                (2 * at + 1) * n
            );
        }
        let source = format!(
            "kernel void k(global {name} *p, global {name} *q) {{ size_t i = get_global_id(0); {body} }}"
        );
        let input = pack(ty, triples.as_flattened());
        let bytes = 2 * functions.len() * n * ty.size();
        let out = fill(&build(&source), "k", NdRange::new(&[n], &[16]), &[&input], bytes);
        let found: Vec<f64> = unpack(ty, &out).into_iter().map(|bits| ty.float(bits)).collect();
        for (at, (call, bar, reference)) in functions.iter().enumerate() {
            for (i, triple) in triples.iter().enumerate() {
                let [a, b, c] = triple.map(|bits| ty.float(bits));
                let expected = reference(a, b, c);
                for value in [found[2 * at * n + i], found[(2 * at + 1) * n + i]] {
                    let error = if *bar < 0.0 {
                        ulps(ty, 4.0, 4.0 + value - expected)
                    } else {
                        ulps(ty, expected, value)
                    };
                    assert!(
                        error <= bar.abs() + 0.5,
                        "{call} of {name} {a}, {b}, {c}: {value}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn clamped_and_scalar_forms() {
    let source = "kernel void k(global float *q) {
        float4 v = (float4)(-1, 0.25f, 0.75f, 2);
        vstore4(clamp(v, 0.0f, 1.0f), 0, q); vstore4(min(v, 0.5f), 1, q); vstore4(max(v, 0.5f), 2, q);
        vstore4(step(0.5f, v), 3, q); vstore4(mix(v, v + 1, 0.5f), 4, q); vstore4(smoothstep(0.0f, 1.0f, \
        v), 5, q);
        vstore4(sign((float4)(-0.0f, NAN, -3, 5)), 6, q); }";
    let out = fill(&build(source), "k", NdRange::new(&[1], &[1]), &[], 28 * 4);
    let found: Vec<f64> = unpack(FLOATS[1], &out).into_iter().map(|bits| FLOATS[1].float(bits)).collect();
    let expected = [
        0.0, 0.25, 0.75, 1.0, -1.0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.75, 2.0, 0.0, 0.0, 1.0, 1.0, -0.5, 0.75,
        1.25, 2.5, 0.0, 0.15625, 0.84375, 1.0, -0.0, 0.0, -1.0, 1.0,
    ];
    assert_eq!(found, expected);
    assert!(found[24].is_sign_negative());
}

/// Lengths at every size a type has, where squares overflow and vanish too.
#[test]
fn geometry() {
    for ty in FLOATS {
        let (lowest, highest) = [(-24, 15), (-149, 127), (-1074, 1023)][ty.bits.ilog2() as usize - 4];
        let mut random = Random(17);
        let mut vectors: Vec<[u64; 8]> = Vec::new();
        for exponent in lowest..highest - 1 {
            let number = |random: &mut Random| {
                let fraction = (random.next() % 2001) as f64 / 1000.0 - 1.0;
                // In two steps, as one power may be too small for a double.
                let value = fraction * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
                round_to(ty, Exact::Float(value), Rounding::Nearest)
            };
            vectors.push(std::array::from_fn(|_| number(&mut random)));
        }
        let n = vectors.len();
        let name = ty.name;
        let mut body = String::new();
        for (at, w) in ["", "2", "3", "4"].into_iter().enumerate() {
            let load = |offset: usize| match w {
                "" => format!("p[8 * i + {offset}]"),
                _ => format!("vload{w}(0, p + 8 * i + {offset})"),
            };
            let store = if w.is_empty() { "*r = z" } else { "vstoreW(z, 0, r)" }.replace('W', w);
            body += &format!(
                "{{ {name}{w} x = {}, y = {}, z = normalize(x); global {name} *r = q + 24 * i + 6 * {at};
                   r[4] = length(x); r[5] = distance(x, y); {store}; }}\n",
                load(0),
                load(4)
            );
        }
        let source = format!(
            "kernel void k(global {name} *p, global {name} *q) {{ size_t i = get_global_id(0); {body} }}"
        );
        let input = pack(ty, vectors.as_flattened());
        let out = fill(&build(&source), "k", NdRange::new(&[n], &[16]), &[&input], 24 * n * ty.size());
        let found: Vec<f64> = unpack(ty, &out).into_iter().map(|bits| ty.float(bits)).collect();
        for (i, vector) in vectors.iter().enumerate() {
            let vector = vector.map(|bits| ty.float(bits));
            for w in 1..=4 {
                let found = &found[24 * i + 6 * (w - 1)..][..6];
                // Scaled by a power of two to where a double's squares are exact enough.
                let largest = vector.iter().fold(0f64, |most, x| most.max(x.abs()));
                let scale = if largest > 1.0 { 2f64.powi(-600) } else { 2f64.powi(700) };
                let scale = if ty.bits < 64 || (1e-100..1e100).contains(&largest) { 1.0 } else { scale };
                let norm = |values: &[f64]| values.iter().map(|x| (x * scale).powi(2)).sum::<f64>().sqrt();
                let (x, y) = (&vector[..w], &vector[4..4 + w]);
                let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
                let (scaled_length, distance) = (norm(x), norm(&difference) / scale);
                let length = scaled_length / scale;
                let what = format!("{name}{w} {vector:?}");
                assert!(ulps(ty, length, found[4]) <= 3.0, "length of {what}: {}, not {length}", found[4]);
                assert!(
                    ulps(ty, distance, found[5]) <= 4.0,
                    "distance of {what}: {}, not {distance}",
                    found[5]
                );
                for (x, found) in x.iter().zip(found) {
                    let expected = if length == 0.0 { *x } else { (x * scale) / scaled_length };
                    assert!(
                        ulps(ty, expected, *found) <= 4.0,
                        "normalize of {what}: {found}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn directions_of_the_infinite() {
    let source = "kernel void k(global float *q) {
        vstore4(normalize((float4)(INFINITY, 1, -INFINITY, 0)), 0, q);
        vstore2(convert_float2(normalize((double2)(-INFINITY, 3))), 2, q);
        vstore2(normalize((float2)(NAN, 1)), 3, q);
        vstore3(cross((float3)(1, 2, 3), (float3)(4, 5, 6)), 0, q + 8);
        q[11] = dot((float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8)); q[12] = fast_length((float2)(3, 4));
        vstore2(fast_normalize((float2)(3, 4)), 0, q + 13); q[15] = fast_distance(1.0f, 4.0f); }";
    let out = fill(&build(source), "k", NdRange::new(&[1], &[1]), &[], 64);
    let found: Vec<f32> =
        unpack(FLOATS[1], &out).into_iter().map(|bits| f32::from_bits(bits as u32)).collect();
    let half = 0.5f32.sqrt();
    assert_eq!(found[..6], [half, 0.0, -half, 0.0, -1.0, 0.0]);
    assert!(found[6].is_nan() && found[7].is_nan());
    assert_eq!(found[8..13], [-3.0, 6.0, -3.0, 70.0, 5.0]);
    assert!((found[13] - 0.6).abs() < 1e-6 && (found[14] - 0.8).abs() < 1e-6 && found[15] == 3.0);
}
