//! What lives across barriers keeps its value: scalars, vectors, pointers, structs, private arrays.

mod common;

use common::{Group, check, check_over, shapes};
use runtime::ArgValue;

const PRELUDE: &str = "
#define L ((uint)get_local_linear_id())
#define G ((uint)get_global_linear_id())
#define N ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
";

fn source(text: &str) -> String {
    format!("{PRELUDE}{text}")
}

/// One value an item, from its place in the range and in the group.
fn each<T>(group: &Group, value: impl Fn(u32, u32) -> T) -> Vec<T> {
    group.items.iter().map(|i| value(i.g as u32, i.l as u32)).collect()
}

#[test]
fn integers_of_all_widths() {
    let text = source(
        "kernel void k(global ulong *out) {
            char a = (char)(G * 7); ushort b = (ushort)(G * 40503u); int c = -(int)(G * 2654435761u);
            ulong d = G * 0x9e3779b97f4a7c15ul; bool e = (G * 3) % 5 < 2;
            SYNC;
            ulong r = (ulong)(long)a + b + (ulong)(long)c + d;
            SYNC;
            out[G] = e ? r : ~r;
        }",
    );
    check(&text, |group| {
        each(group, |g, _| {
            let (a, b) = (g.wrapping_mul(7) as i8, g.wrapping_mul(40503) as u16);
            let c = (g.wrapping_mul(2_654_435_761) as i32).wrapping_neg();
            let d = u64::from(g).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let r = (a as u64).wrapping_add(b.into()).wrapping_add(c as u64).wrapping_add(d);
            if g.wrapping_mul(3) % 5 < 2 { r } else { !r }
        })
    });
}

#[test]
fn conditions_in_a_loop() {
    let text = source(
        "kernel void k(global uint *out) {
            bool odd = L & 1, any = false;
            uint v = 0;
            for (uint i = 0; i < 5; i++) {
                SYNC;
                bool now = odd != ((i & 1) != 0);
                SYNC;
                if (now) v += i;
                any = any || (now && i == L % 7);
            }
            out[G] = v * 2 + any;
        }",
    );
    check(&text, |group| {
        each(group, |_, l| {
            let now = |i: u32| (l & 1 == 1) != (i & 1 == 1);
            let v: u32 = (0..5).filter(|i| now(*i)).sum();
            v * 2 + u32::from((0..5).any(|i| now(i) && i == l % 7))
        })
    });
}

#[test]
fn floats_and_doubles() {
    let text = source(
        "kernel void k(global double *out) {
            float a = G * 0.5f + 0.25f; double b = 1.0 / (G + 1.0); float nan = as_float(0x7fc00123u);
            SYNC;
            a = a * 3.0f;
            SYNC;
            out[G] = a + b + (as_uint(nan) & 0xff);
        }",
    );
    check(&text, |group| {
        each(group, |g, _| f64::from((g as f32 * 0.5 + 0.25) * 3.0) + 1.0 / (f64::from(g) + 1.0) + 35.0)
    });
}

#[test]
fn vectors_of_all_lengths() {
    let text = source(
        "kernel void k(global int *out) {
            int2 a = (int2)(G, -1); int3 b = (int3)(G, G + 1, G + 2); char16 c = (char16)((char)L);
            float4 d = (float4)(0.5f, 1.5f, 2.5f, G); long8 e = (long8)(G) * (long8)(1, 2, 3, 4, 5, 6, 7, 8);
            int4 less = convert_int4(d) < (int4)((int)(G % 3));
            SYNC;
            int r = a.x + a.y + b.x + b.y + b.z + c.s0 + c.sf;
            SYNC;
            r += (int)(d.x + d.y + d.z + d.w) + (int)(e.s0 + e.s7) + less.x + less.y * 10 + less.z * 100;
            out[G] = r;
        }",
    );
    check(&text, |group| {
        each(group, |g, l| {
            let (g, l) = (g as i32, l as u8 as i8 as i32);
            let less = |d: i32| -i32::from(d < g % 3);
            let sums = g - 1 + 3 * g + 3 + 2 * l + (4.5 + g as f32) as i32 + 9 * g;
            sums + less(0) + less(1) * 10 + less(2) * 100
        })
    });
}

#[test]
fn pointers_to_global_local_and_private_memory() {
    let text = source(
        "kernel void k(global uint *out, global const uint *in, constant uint *table) {
            local uint s[128], t[128];
            uint own[4] = {G, G + 1, G + 2, G + 3};
            global const uint *p = in + (L * 3) % 8;
            constant uint *c = table + L % 4;
            local uint *q = (L & 1) ? s + L : t + L;
            uint *r = own + (G & 3);
            uint *any = (L % 3) ? r : own;
            s[L] = 1000 + L; t[L] = 2000 + L;
            SYNC;
            *r += 10;
            SYNC;
            out[G] = *p + *q + *any + *c + own[(G & 3)];
        }",
    );
    let data: Vec<u32> = (0..8).map(|i| i * 100_000).collect();
    let args = |_: &compiler::NdRange| {
        vec![common::Data::of(&data).arg(), common::Data::of(&[1u32 << 24, 1 << 25, 1 << 26, 1 << 27]).arg()]
    };
    check_over(&text, &shapes(), args, |group| {
        each(group, |g, l| {
            let mut own = [g, g + 1, g + 2, g + 3];
            let r = (g & 3) as usize;
            own[r] += 10;
            let q = if l & 1 == 1 { 1000 + l } else { 2000 + l };
            let any = own[if l % 3 != 0 { r } else { 0 }];
            data[(l as usize * 3) % 8] + q + any + (1 << (24 + l % 4)) + own[r]
        })
    });
}

#[test]
fn a_pointer_into_a_private_array_that_moves_in_a_loop() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint own[8];
            for (uint i = 0; i < 8; i++) own[i] = i * 100;
            uint *p = own + L % 3;
            for (uint i = 0; i < 4; i++) {
                s[L] = *p;
                SYNC;
                *p += s[(L + 1) % N];
                SYNC;
                p++;
            }
            uint r = p - own;
            for (uint i = 0; i < 8; i++) r = r * 31 + own[i];
            out[G] = r;
        }",
    );
    check(&text, |group| {
        let n = group.len();
        let mut own: Vec<[u32; 8]> = vec![std::array::from_fn(|i| i as u32 * 100); n];
        for i in 0..4 {
            let s: Vec<u32> = (0..n).map(|l| own[l][l % 3 + i]).collect();
            (0..n).for_each(|l| own[l][l % 3 + i] += s[(l + 1) % n]);
        }
        let sum =
            |l: usize| own[l].iter().fold((l % 3 + 4) as u32, |r, v| r.wrapping_mul(31).wrapping_add(*v));
        (0..n).map(sum).collect()
    });
}

#[test]
fn structs_and_nested_aggregates() {
    let text = source(
        "typedef struct { char tag; double x; int3 v; uchar tail[5]; } Inner;
        typedef struct { Inner in[2]; short s; } Outer;
        Outer make(uint g) {
            Outer o;
            for (int i = 0; i < 2; i++) {
                o.in[i].tag = (char)(g + i); o.in[i].x = g * 0.5 + i; o.in[i].v = (int3)(g, i, -3);
                for (int j = 0; j < 5; j++) o.in[i].tail[j] = g * j + i;
            }
            o.s = -(short)(g % 1000);
            return o;
        }
        kernel void k(global double *out) {
            Outer a = make(G), b = make(L);
            SYNC;
            b.in[L & 1] = a.in[1 - (L & 1)];
            SYNC;
            Outer c = b;
            c.in[0].x += 1;
            SYNC;
            double r = a.s * 0.25;
            for (int i = 0; i < 2; i++)
                r += c.in[i].tag + c.in[i].x + c.in[i].v.x + c.in[i].v.y * 7 + c.in[i].v.z + \
                c.in[i].tail[3] + b.in[i].x;
            out[G] = r;
        }",
    );
    check(&text, |group| {
        each(group, |g, l| {
            let part = |g: u32, i: u32| {
                let x = f64::from(g) * 0.5 + f64::from(i);
                let rest = f64::from((g + i) as i8) + f64::from(g) + f64::from(i * 7) - 3.0
                    + f64::from((g * 3 + i) as u8);
                rest + 2.0 * x
            };
            let moved = l & 1;
            f64::from(-((g % 1000) as i16)) * 0.25 + 1.0 + part(g, 1 - moved) + part(l, 1 - moved)
        })
    });
}

#[test]
fn private_arrays_with_dynamic_indices() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint own[16]; uchar small[3]; float grid[4][5];
            for (uint i = 0; i < 16; i++) own[i] = G * i;
            for (uint i = 0; i < 3; i++) small[i] = L + i;
            for (uint i = 0; i < 4; i++) for (uint j = 0; j < 5; j++) grid[i][j] = i * 5 + j;
            s[L] = L % 16;
            SYNC;
            uint at = s[(L + 3) % N];
            own[at] += small[at % 3];
            grid[at & 3][at % 5] *= 2;
            SYNC;
            s[L] = own[(at + 1) % 16];
            SYNC;
            uint r = s[N - 1 - L];
            for (uint i = 0; i < 16; i++) r = r * 17 + own[i];
            for (uint i = 0; i < 4; i++) for (uint j = 0; j < 5; j++) r = r * 3 + (uint)grid[i][j];
            out[G] = r + small[2];
        }",
    );
    check(&text, |group| {
        let n = group.len();
        let mut own: Vec<[u32; 16]> =
            group.items.iter().map(|i| std::array::from_fn(|k| (i.g * k) as u32)).collect();
        let at = |l: usize| (l + 3) % n % 16;
        for (l, own) in own.iter_mut().enumerate() {
            own[at(l)] += (l + at(l) % 3) as u8 as u32;
        }
        let value = |l: usize| {
            let other = n - 1 - l;
            let mut r = own[other][(at(other) + 1) % 16];
            r = own[l].iter().fold(r, |r, v| r.wrapping_mul(17).wrapping_add(*v));
            for i in 0..4 {
                for j in 0..5 {
                    let doubled = (i, j) == (at(l) & 3, at(l) % 5);
                    let cell = (i * 5 + j) as u32 * if doubled { 2 } else { 1 };
                    r = r.wrapping_mul(3).wrapping_add(cell);
                }
            }
            r.wrapping_add((l + 2) as u8 as u32)
        };
        (0..n).map(value).collect()
    });
}

#[test]
fn a_struct_argument_by_value_that_is_changed() {
    let text = source(
        "typedef struct { int a; float4 f; char c[3]; } Arg;
        kernel void k(global int *out, Arg arg, int n) {
            local int s[128];
            s[L] = arg.a;
            SYNC;
            arg.a += L; arg.c[L % 3] += 1; arg.f.y += s[(L + 1) % N];
            n += G;
            SYNC;
            s[L] = arg.a;
            SYNC;
            out[G] = s[N - 1 - L] * 3 + (int)arg.f.y + arg.c[0] + arg.c[1] * 10 + arg.c[2] * 100 + n + \
            (int)arg.f.w;
        }",
    );
    let mut arg = vec![0u8; 48];
    arg[0..4].copy_from_slice(&5i32.to_le_bytes());
    for (i, f) in [1.0f32, 2.0, 3.0, 4.0].iter().enumerate() {
        arg[16 + 4 * i..20 + 4 * i].copy_from_slice(&f.to_le_bytes());
    }
    arg[32..35].copy_from_slice(&[1, 2, 3]);
    let args = |_: &compiler::NdRange| vec![ArgValue::Bytes(arg.clone()), common::value(-7i32)];
    check_over(&text, &shapes(), args, |group| {
        let n = group.len() as i32;
        each(group, |g, l| {
            let (g, l) = (g as i32, l as i32);
            let c = |i: i32| i + 1 + i32::from(l % 3 == i);
            (5 + n - 1 - l) * 3 + 7 + c(0) + c(1) * 10 + c(2) * 100 + (g - 7) + 4
        })
    });
}

#[test]
fn uniform_values_and_reused_work_item_builtins() {
    let text = source(
        "kernel void k(global uint *out, uint a) {
            local uint s[128];
            uint uniform = a * 3 + get_group_id(0);
            size_t gid = get_global_id(0), lid = get_local_id(0);
            global uint *mine = out + G;
            s[L] = uniform;
            SYNC;
            uniform += s[0];
            uint later = uniform * 2;
            SYNC;
            *mine = uniform + later + (uint)gid + (uint)lid * 100;
        }",
    );
    check_over(
        &text,
        &shapes(),
        |_| vec![common::value(11u32)],
        |group| {
            let uniform = 2 * (33 + group.id[0] as u32);
            group
                .items
                .iter()
                .map(|i| (3 * uniform).wrapping_add(i.global[0] as u32).wrapping_add(i.local[0] as u32 * 100))
                .collect()
        },
    );
}

#[test]
fn local_variables_of_many_types_and_alignments() {
    let text = source(
        "typedef struct __attribute__((aligned(256))) { int a; char b; } Wide;
        kernel void k(global uint *out) {
            local char c[128]; local double d; local float16 f; local Wide w[2]; local uchar3 v[128]; \
            local long16 l;
            if (L == N - 1) {
                d = 1.5; f = (float16)(2.5f); w[0].a = 7; w[1].a = 8; w[1].b = 9; l = (long16)(N);
            }
            c[L] = L; v[L] = (uchar3)(L, L + 1, L + 2);
            SYNC;
            uint wrong = ((size_t)&d & 7) | ((size_t)&f & 63) | ((size_t)w & 255) | ((size_t)&w[1] & 255)
                | ((size_t)&l & 127) | ((size_t)v & 3);
            uint next = (L + 1) % N;
            out[2 * G] = wrong;
            out[2 * G + 1] = (uchar)c[next] + (uint)(d * 2) + (uint)(f.s0 + f.sf) + w[0].a + w[1].a + w[1].b
                + v[next].x + v[next].y * 2 + v[next].z * 4 + (uint)l.s9 * 1000;
        }",
    );
    check(&text, |group| {
        let n = group.len() as u32;
        let value = |l: u32| {
            let next = (l + 1) % n;
            next + 3 + 5 + 24 + next + (next + 1) * 2 + (next + 2) * 4 + n * 1000
        };
        (0..n).flat_map(|l| [0, value(l)]).collect()
    });
}

#[test]
fn several_dynamic_local_arguments() {
    let text = source(
        "kernel void k(global uint *out, local uint *a, uint n, local uchar *b, local ulong16 *c, local \
            uint *d) {
            a[L] = G; b[L] = L; d[L] = ~G;
            if (L == 0) c[0] = (ulong16)(n);
            SYNC;
            uint next = (L + 1) % N;
            uint wrong = ((size_t)a & 3) | ((size_t)c & 127) | ((size_t)d & 3);
            out[2 * G] = wrong;
            out[2 * G + 1] = a[next] + b[next] + d[next] + (uint)c[0].s7;
        }",
    );
    let args = |range: &compiler::NdRange| {
        let items = range.work_group_items();
        vec![
            ArgValue::Local(4 * items),
            common::value(1000u32),
            ArgValue::Local(items),
            ArgValue::Local(128),
            ArgValue::Local(4 * items),
        ]
    };
    check_over(&text, &shapes(), args, |group| {
        let n = group.len();
        (0..n).flat_map(|l| [0, 999 + (((l + 1) % n) as u32)]).collect()
    });
}
