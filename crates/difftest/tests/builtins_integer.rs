//! Integer functions against exact references: all values of 8 bits, and all pairs and triples of
//! them; all values of 16 bits, with all edges for a partner; patterns of 32 and 64.

mod builtins_common;

use builtins_common::*;
use compiler::NdRange;

const COUNT: usize = 65536;

/// A function of up to three integers of one type.
struct Function {
    call: &'static str,
    /// The type of the result, from that of the arguments.
    result: fn(Scalar) -> Scalar,
    /// The exact result, truncated to the type; `None` where OpenCL C leaves it undefined.
    reference: fn(Scalar, i128, i128, i128) -> Option<i128>,
}

fn same(ty: Scalar) -> Scalar {
    ty
}

fn unsigned(ty: Scalar) -> Scalar {
    *INTEGERS.iter().find(|t| t.bits == ty.bits && t.kind == Kind::Unsigned).unwrap()
}

fn twice(ty: Scalar) -> Scalar {
    *INTEGERS.iter().find(|t| t.bits == 2 * ty.bits && t.kind == ty.kind).unwrap()
}

/// The bits of a value, without its sign.
fn bits(ty: Scalar, value: i128) -> i128 {
    value & i128::from(ty.mask())
}

fn saturated(ty: Scalar, value: i128) -> Option<i128> {
    Some(value.clamp(ty.min(), ty.max()))
}

/// The quotient, where OpenCL C defines one.
fn quotient(ty: Scalar, a: i128, b: i128) -> Option<i128> {
    (b != 0).then(|| a / b).filter(|q| *q <= ty.max())
}

fn functions(ty: Scalar) -> Vec<Function> {
    let mut all = vec![
        Function { call: "abs(a)", result: unsigned, reference: |_, a, _, _| Some(a.abs()) },
        Function { call: "abs_diff(a, b)", result: unsigned, reference: |_, a, b, _| Some((a - b).abs()) },
        Function { call: "add_sat(a, b)", result: same, reference: |ty, a, b, _| saturated(ty, a + b) },
        Function { call: "sub_sat(a, b)", result: same, reference: |ty, a, b, _| saturated(ty, a - b) },
        Function { call: "hadd(a, b)", result: same, reference: |_, a, b, _| Some((a + b) >> 1) },
        Function { call: "rhadd(a, b)", result: same, reference: |_, a, b, _| Some((a + b + 1) >> 1) },
        Function { call: "min(a, b)", result: same, reference: |_, a, b, _| Some(a.min(b)) },
        Function { call: "max(a, b)", result: same, reference: |_, a, b, _| Some(a.max(b)) },
        Function { call: "a / b", result: same, reference: |ty, a, b, _| quotient(ty, a, b) },
        Function {
            call: "a % b",
            result: same,
            reference: |ty, a, b, _| quotient(ty, a, b).map(|q| a - q * b),
        },
        Function {
            call: "clamp(a, b, c)",
            result: same,
            reference: |_, a, b, c| (b <= c).then(|| a.clamp(b, c)),
        },
        Function {
            call: "clz(a)",
            result: same,
            reference: |ty, a, _, _| Some(i128::from(bits(ty, a).leading_zeros() - (128 - ty.bits))),
        },
        Function {
            call: "ctz(a)",
            result: same,
            reference: |ty, a, _, _| Some(i128::from(a.trailing_zeros().min(ty.bits))),
        },
        Function {
            call: "popcount(a)",
            result: same,
            reference: |ty, a, _, _| Some(bits(ty, a).count_ones().into()),
        },
        Function {
            call: "bit_reverse(a)",
            result: same,
            reference: |ty, a, _, _| Some(((bits(ty, a) as u128).reverse_bits() >> (128 - ty.bits)) as i128),
        },
        Function {
            call: "bitselect(a, b, c)",
            result: same,
            reference: |_, a, b, c| Some((a & !c) | (b & c)),
        },
        Function { call: "mul_hi(a, b)", result: same, reference: |ty, a, b, _| Some(high(ty, a, b)) },
        Function { call: "mad_hi(a, b, c)", result: same, reference: |ty, a, b, c| Some(high(ty, a, b) + c) },
        Function {
            call: "mad_sat(a, b, c)",
            result: same,
            reference: |ty, a, b, c| match a.checked_mul(b).and_then(|p| p.checked_add(c)) {
                Some(value) => saturated(ty, value),
                None => Some(ty.max()),
            },
        },
        Function {
            call: "rotate(a, b)",
            result: same,
            reference: |ty, a, b, _| {
                let (value, by) = (bits(ty, a) as u128, bits(ty, b) as u32 % ty.bits);
                Some((value << by | value >> (ty.bits - by)) as i128)
            },
        },
    ];
    if ty.bits < 64 {
        let call = "upsample(a, as_UNSIGNED(b))";
        let reference = |ty: Scalar, a: i128, b, _| Some(a << ty.bits | bits(ty, b));
        all.push(Function { call, result: twice, reference });
    }
    if ty.bits == 32 {
        // Defined for 24 bits only.
        all.push(Function {
            call: "mul24(a << 8 >> 8, b << 8 >> 8)",
            result: same,
            reference: |ty, a, b, _| Some(short(ty, a) * short(ty, b)),
        });
        all.push(Function {
            call: "mad24(a << 8 >> 8, b << 8 >> 8, c)",
            result: same,
            reference: |ty, a, b, c| Some(short(ty, a) * short(ty, b) + c),
        });
    }
    all
}

/// The low 24 bits as a number.
fn short(ty: Scalar, value: i128) -> i128 {
    ty.integer((value as u64) << 8 & ty.mask()) >> 8
}

fn high(ty: Scalar, a: i128, b: i128) -> i128 {
    if ty.name == "ulong" { ((a as u128 * b as u128) >> 64) as i128 } else { (a * b) >> ty.bits }
}

/// The arguments of one launch: three columns.
type Round = [Vec<u64>; 3];

fn rounds(ty: Scalar) -> Vec<Round> {
    let mut random = Random(u64::from(ty.bits));
    let mut patterns = || (0..COUNT).map(|_| random.pattern() & ty.mask()).collect::<Vec<_>>();
    let all = |shift: u32| (0..COUNT as u64).map(|i| i >> shift & ty.mask()).collect::<Vec<_>>();
    match ty.bits {
        8 => (0..256).map(|c| [all(0), all(8), vec![c; COUNT]]).collect(),
        16 => {
            let mut edges: Vec<u64> =
                (0..16).flat_map(|bit| [(1 << bit) - 1, 1 << bit, !(1 << bit) & 0xffff]).collect();
            edges.sort_unstable();
            edges.dedup();
            let any = [all(0), patterns(), patterns()];
            edges.into_iter().map(|edge| [all(0), vec![edge; COUNT], patterns()]).chain([any]).collect()
        }
        _ => vec![[patterns(), patterns(), patterns()]],
    }
}

fn check(ty: Scalar) {
    let all = functions(ty);
    let (mut scalars, mut vectors, mut offset) = (String::new(), String::new(), 0);
    let mut offsets = Vec::new();
    for (i, f) in all.iter().enumerate() {
        let (result, w) = ((f.result)(ty), [2, 3, 4, 8, 16][i % 5]);
        offsets.push(offset);
        let call = f.call.replace("UNSIGNED", unsigned(ty).name);
        scalars += &format!("((global {} *)(q + {offset}))[i] = {call};\n", result.name);
        let call = f.call.replace("UNSIGNED", &format!("{}{w}", unsigned(ty).name));
        vectors += &format!(
            "if (i < {COUNT} / {w}) {{ {0}{w} a = vload{w}(i, pa), b = vload{w}(i, pb), c = vload{w}(i, pc);
             vstore{w}({call}, i, (global {1} *)(q + {offset})); }}\n",
            ty.name, result.name
        );
        offset += COUNT * result.size();
    }
    let params = format!("global {0} *pa, global {0} *pb, global {0} *pc, global uchar *q", ty.name);
    let scalars = build(&format!(
        "kernel void scalars({params}) {{
             size_t i = get_global_id(0); {} a = pa[i], b = pb[i], c = pc[i]; {scalars} }}",
        ty.name
    ));
    let vectors = build_as_written(&format!(
        "kernel void vectors({params}) {{ size_t i = get_global_id(0); {vectors} }}"
    ));
    let programs = [(scalars, "scalars", COUNT), (vectors, "vectors", COUNT / 2)];
    for (round, inputs) in rounds(ty).iter().enumerate() {
        let packed = inputs.each_ref().map(|values| pack(ty, values));
        let arguments = packed.each_ref().map(Vec::as_slice);
        for (program, kernel, items) in &programs {
            // Vectors share their elements' code: some of the rounds show that.
            if *kernel == "vectors" && round % 16 != 0 {
                continue;
            }
            let out = fill(program, kernel, NdRange::new(&[*items], &[64]), &arguments, offset);
            for (f, (i, offset)) in all.iter().zip(offsets.iter().enumerate()) {
                // Of 8 bits all pairs are in every round.
                if ty.bits == 8 && round > 0 && !f.call.contains(", c)") {
                    continue;
                }
                let result = (f.result)(ty);
                let covered =
                    if *kernel == "scalars" { COUNT } else { COUNT - COUNT % [2, 3, 4, 8, 16][i % 5] };
                let results = unpack(result, &out[*offset..][..COUNT * result.size()]);
                for (i, &found) in results.iter().enumerate().take(covered) {
                    let [a, b, c] = inputs.each_ref().map(|values| ty.integer(values[i]));
                    let Some(expected) = (f.reference)(ty, a, b, c) else { continue };
                    let expected = expected as u64 & result.mask();
                    assert_eq!(found, expected, "{kernel}: {} of {} {a}, {b}, {c}", f.call, ty.name);
                }
            }
        }
    }
}

#[test]
fn of_8_bits() {
    check(INTEGERS[0]);
    check(INTEGERS[1]);
}

#[test]
fn of_16_bits() {
    check(INTEGERS[2]);
    check(INTEGERS[3]);
}

#[test]
fn of_32_bits() {
    check(INTEGERS[4]);
    check(INTEGERS[5]);
}

#[test]
fn of_64_bits() {
    check(INTEGERS[6]);
    check(INTEGERS[7]);
}
