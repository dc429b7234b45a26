//! Halves in memory, vectors in every address space, shuffles, copies of work-groups.

mod builtins_common;

use builtins_common::*;
use compiler::NdRange;

const HALF: Scalar = FLOATS[0];
const FLOAT: Scalar = FLOATS[1];
const DOUBLE: Scalar = FLOATS[2];

#[test]
fn every_half_is_loaded() {
    let halves: Vec<u64> = (0..65536).collect();
    for (w, stride) in [(1, 1), (2, 2), (3, 3), (4, 4), (8, 8), (16, 16), (3, 4)] {
        let aligned = w == 3 && stride == 4;
        let n = 65536 / stride;
        let width = if w == 1 { String::new() } else { w.to_string() };
        let load = if aligned || w == 8 { "vloada_half" } else { "vload_half" };
        let store = if w == 1 { "q[i] = x".to_owned() } else { format!("vstore{w}(x, i, q)") };
        let program = build(&format!(
            "kernel void k(global half *p, global float *q) {{
                 size_t i = get_global_id(0); float{width} x = {load}{width}(i, p); {store}; }}"
        ));
        let out = fill(&program, "k", NdRange::new(&[n], &[64]), &[&pack(HALF, &halves)], n * w * 4);
        for (i, found) in unpack(FLOAT, &out).into_iter().enumerate() {
            let half = (i / w * stride + i % w) as u16;
            let expected = half_to_double(half) as f32;
            let found = f32::from_bits(found as u32);
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{half:#x}"
            );
        }
    }
}

#[test]
fn halves_are_stored_in_every_rounding() {
    for from in [FLOAT, DOUBLE] {
        // Each half, what is next to it, and what is between it and the next.
        let mut values = builtins_common::values(from, 20000);
        for half in 0..0x7c01u16 {
            let (x, next) = (half_to_double(half), half_to_double((half + 1).min(0x7bff)));
            for value in [x, (x + next) / 2.0, x * 0.75 + next * 0.25] {
                for sign in [value, -value] {
                    let bits =
                        if from == FLOAT { u64::from((sign as f32).to_bits()) } else { sign.to_bits() };
                    values.extend([
                        bits,
                        bits.wrapping_add(1) & from.mask(),
                        bits.wrapping_sub(1) & from.mask(),
                    ]);
                }
            }
        }
        values.truncate(values.len() / 48 * 48);
        let n = values.len();
        let roundings: Vec<_> = [("", Rounding::Nearest)].into_iter().chain(ROUNDINGS).collect();
        let (mut body, mut checks) = (String::new(), Vec::new());
        for (suffix, rounding) in roundings {
            for w in [1, 2, 3, 4, 8, 16] {
                for aligned in [false, true] {
                    let offset = checks.len() * n * 2;
                    let a = if aligned { "a" } else { "" };
                    let (width, load) = match w {
                        1 => (String::new(), "p[i]".to_owned()),
                        _ => (w.to_string(), format!("vload{w}(i, p)")),
                    };
                    if aligned && ![2, 4, 16].contains(&w) {
                        continue;
                    }
                    body += &format!(
                        "if (i < {n} / {w}) vstore{a}_half{width}{suffix}({load}, i, (global half *)q + \
                            {});\n",
                        offset / 2
                    );
                    checks.push((rounding, offset, format!("vstore{a}_half{width}{suffix}")));
                }
            }
        }
        let program = build_as_written(&format!(
            "kernel void k(global {} *p, global uchar *q) {{ size_t i = get_global_id(0); {body} }}",
            from.name
        ));
        let range = NdRange::new(&[n], &[64]);
        let out = fill(&program, "k", range, &[&pack(from, &values)], checks.len() * n * 2);
        for (rounding, offset, name) in checks {
            let found = unpack(HALF, &out[offset..][..2 * n]);
            for (bits, found) in values.iter().zip(found) {
                if from.is_nan(*bits) {
                    assert!(HALF.is_nan(found), "{name} of {bits:#x}");
                    continue;
                }
                let expected = round_to(HALF, Exact::Float(from.float(*bits)), rounding);
                assert_eq!(found, expected, "{name} of {} {bits:#x}", from.name);
            }
        }
    }
}

#[test]
fn aligned_vectors_of_three_take_the_room_of_four() {
    let program = build(
        "kernel void k(global float *p, global half *q) {
             size_t i = get_global_id(0);
             vstorea_half3_rtz(vload3(i, p), i, q); }",
    );
    let values: Vec<u64> = (0..48).map(|i| u64::from((i as f32 + 0.1).to_bits())).collect();
    let out = fill(&program, "k", NdRange::new(&[16], &[4]), &[&pack(FLOAT, &values)], 128);
    for (i, found) in unpack(HALF, &out).into_iter().enumerate() {
        let expected = match i % 4 {
            3 => 0xcdcd,
            lane => round_to(HALF, Exact::Float(FLOAT.float(values[i / 4 * 3 + lane])), Rounding::Zero),
        };
        assert_eq!(found, expected, "element {i}");
    }
}

#[test]
fn vectors_pass_through_every_address_space() {
    for ty in INTEGERS.into_iter().chain(FLOATS) {
        let mut body = String::new();
        for (i, w) in [2, 3, 4, 8, 16].into_iter().enumerate() {
            body += &format!(
                "vstore{w}(vload{w}(1, p), 0, l); vstore{w}(vload{w}(0, l), 1, m); \
                 vstore{w}(vload{w}(1, m), 2, q + {}); vstore{w}(vload{w}(1, t), 0, q + {});\n",
                64 * i,
                64 * i + 24
            );
        }
        let table: Vec<_> = (0..64).map(|i| format!("{i}")).collect();
        let program = build(&format!(
            "constant {0} t[64] = {{ {1} }};
             kernel void k(global {0} *p, global {0} *q) {{ local {0} l[64]; {0} m[64]; {body} }}",
            ty.name,
            table.join(", ")
        ));
        let values: Vec<u64> = (0..64).map(|i| (i * 0x0123_4567_89ab + 77) & ty.mask()).collect();
        let out = fill(&program, "k", NdRange::new(&[1], &[1]), &[&pack(ty, &values)], 320 * ty.size());
        let found = unpack(ty, &out);
        for (i, w) in [2usize, 3, 4, 8, 16].into_iter().enumerate() {
            let at = 64 * i + 2 * w;
            if w < 8 {
                assert_eq!(found[at..at + w], values[w..2 * w], "{}{w}", ty.name);
            }
            let constant = |k: usize| round_to_type(ty, k as i128);
            let expected: Vec<_> = (w..2 * w).map(constant).collect();
            assert_eq!(found[64 * i + 24..][..w], expected, "constant {}{w}", ty.name);
        }
    }
}

fn round_to_type(ty: Scalar, value: i128) -> u64 {
    if ty.is_float() { round_to(ty, Exact::Integer(value), Rounding::Nearest) } else { value as u64 }
}

#[test]
fn shuffles_take_the_low_bits_of_their_masks() {
    let mut random = Random(5);
    for ty in INTEGERS.into_iter().chain(FLOATS) {
        let mask = INTEGERS.into_iter().find(|m| m.bits == ty.bits && m.kind == Kind::Unsigned).unwrap();
        let masks: Vec<u64> = (0..16).map(|_| random.next() & mask.mask()).collect();
        let values: Vec<u64> = (0..32).map(|_| random.next() & ty.mask() >> 2).collect();
        let (mut body, mut cases) = (String::new(), Vec::new());
        for m in [2usize, 4, 8, 16] {
            for n in [2usize, 4, 8, 16] {
                let at = cases.len() * 32;
                body += &format!(
                    "vstore{n}(shuffle(vload{m}(0, p), vload{n}(0, s)), 0, q + {at});
                     vstore{n}(shuffle2(vload{m}(0, p), vload{m}(0, p + 16), vload{n}(0, s)), 0, q + \
                     {at} + 16);\n"
                );
                cases.push((m, n, at));
            }
        }
        let program = build_as_written(&format!(
            "kernel void k(global {0} *p, global {1} *s, global {0} *q) {{ {body} }}",
            ty.name, mask.name
        ));
        let inputs = [pack(ty, &values), pack(mask, &masks)];
        let size = cases.len() * 32 * ty.size();
        let out = fill(&program, "k", NdRange::new(&[1], &[1]), &[&inputs[0], &inputs[1]], size);
        let found = unpack(ty, &out);
        for (m, n, at) in cases {
            for i in 0..n {
                let one = values[masks[i] as usize % m];
                let two = masks[i] as usize % (2 * m);
                let two = if two < m { values[two] } else { values[16 + two - m] };
                assert_eq!([found[at + i], found[at + 16 + i]], [one, two], "{} {m} to {n}", ty.name);
            }
        }
    }
}

/// Groups copy their share in, turn it around in local memory, and copy it out; sizes that nothing
/// divides.
#[test]
fn work_groups_copy() {
    for ty in ["char", "ushort3", "int", "float4", "double16", "half8"] {
        let program = build(&format!(
            "kernel void k(global {ty} *p, global {ty} *q) {{
                 local {ty} in[37], out[37];
                 size_t first = get_group_id(0) * 37;
                 event_t e = async_work_group_copy(in, p + first, 37, 0);
                 wait_group_events(1, &e);
                 for (size_t i = get_local_id(0); i < 37; i += get_local_size(0)) out[i] = in[36 - i];
                 barrier(CLK_LOCAL_MEM_FENCE);
                 event_t f = async_work_group_copy(q + first, out, 37, 0);
                 wait_group_events(1, &f);
             }}"
        ));
        let size = 37 * element_size(ty);
        let input: Vec<u8> = (0..5 * size).map(|i| (i * 7 + i / 251) as u8).collect();
        for local in [1, 3, 16, 64] {
            let out = fill(&program, "k", NdRange::new(&[5 * local], &[local]), &[&input], 5 * size);
            for (block, (found, input)) in out.chunks(size).zip(input.chunks(size)).enumerate() {
                let element = element_size(ty);
                let used = if ty == "ushort3" { 6 } else { element };
                for i in 0..37 {
                    let (found, expected) =
                        (&found[i * element..][..used], &input[(36 - i) * element..][..used]);
                    assert_eq!(found, expected, "{ty}, local size {local}, group {block}, element {i}");
                }
            }
        }
    }
}

fn element_size(ty: &str) -> usize {
    match ty {
        "char" => 1,
        "ushort3" => 8,
        "int" => 4,
        "double16" => 128,
        _ => 16,
    }
}

#[test]
fn work_groups_copy_with_strides() {
    let program = build(
        "kernel void k(global int *p, global int *q) {
             local int in[21];
             event_t e = async_work_group_strided_copy(in, p + get_group_id(0), 21, 3, 0);
             e = async_work_group_copy(in + 20, p, 1, e);
             wait_group_events(1, &e);
             e = async_work_group_strided_copy(q + get_group_id(0), in, 21, 3, 0);
             prefetch(p, 21);
             wait_group_events(1, &e);
         }",
    );
    let input: Vec<u64> = (0..63).map(|i| i * 1001).collect();
    let ty = INTEGERS[4];
    for local in [1, 5, 32] {
        let out = fill(&program, "k", NdRange::new(&[3 * local], &[local]), &[&pack(ty, &input)], 63 * 4);
        let mut expected = input.clone();
        expected[60..].fill(0);
        assert_eq!(unpack(ty, &out), expected, "local size {local}");
    }
}

#[test]
fn pointers_know_their_address_space() {
    let program = build(
        "uint which(void *p) {
             return (to_global(p) != 0) | (to_local(p) != 0) << 1 | (to_private(p) != 0) << 2; }
         kernel void k(global int *p, global uint *q) {
             local int l; int m; l = 0; m = 0;
             q[0] = which(p); q[1] = which(&l); q[2] = which(&m);
             void *chosen = p[0] ? (void *)&l : (void *)&m;
             q[3] = which(chosen);
             *to_global(p) = 5;
             q[4] = get_fence(p); q[5] = get_fence(&l); q[6] = l + m;
         }",
    );
    let out = fill(&program, "k", NdRange::new(&[1], &[1]), &[&1u32.to_le_bytes()], 28);
    assert_eq!(unpack(INTEGERS[5], &out), [1, 2, 4, 2, 2, 1, 0]);
}
