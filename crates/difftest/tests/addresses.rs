//! Look-ups and addresses that the vectorizer has code of its own for, beside a plain loop.

mod common;

use common::{Data, kernel, launch, value};
use compiler::NdRange;

/// Input without a pattern.
fn noise(n: usize) -> Vec<u32> {
    let step = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(7));
    std::iter::successors(Some(42), step).take(n).map(|state| (state >> 33) as u32).collect()
}

const ITEMS: usize = 1000;

fn range() -> NdRange {
    NdRange::new(&[ITEMS], &[100])
}

#[test]
fn constant_tables_of_any_size_and_type() {
    let input = noise(ITEMS);
    // Parts of registers, whole ones, several, and too many.
    let sizes = |ty: &str| match ty {
        "uchar" => [3, 64, 100, 200, 256],
        "short" => [2, 32, 65, 128, 129],
        "uint" | "float" => [5, 16, 31, 64, 65],
        _ => [8, 9, 16, 32, 33],
    };
    for ty in ["uchar", "short", "uint", "float", "long", "double"] {
        for size in sizes(ty) {
            let entry = |i: usize| (i * 37 + 5) % 120;
            let list: Vec<String> = (0..size).map(|i| entry(i).to_string()).collect();
            let source = format!(
                "constant {ty} table[{size}] = {{ {} }};
                kernel void k(global uint *out, global const uint *in) {{
                    size_t i = get_global_id(0);
                    uint v = (uint)table[in[i] % {size}];
                    if (in[i] & 8) v = v * 1000 + (uint)table[(in[i] >> 8) % {size}];
                    out[i] = v;
                }}",
                list.join(", ")
            );
            let want = |&v: &u32| {
                let first = entry(v as usize % size) as u32;
                if v & 8 == 0 { first } else { first * 1000 + entry((v >> 8) as usize % size) as u32 }
            };
            let out = Data::<u32>::zeros(ITEMS);
            launch(&kernel(&source, "k", ""), range(), &[out.arg(), Data::of(&input).arg()]);
            assert_eq!(out.get(), input.iter().map(want).collect::<Vec<u32>>(), "{ty} {size}");
        }
    }
}

/// Images with offsets and rows: sums of 32 bits that may wrap, as far as the compiler knows.
#[test]
fn records_by_sums_that_may_wrap() {
    let source = "kernel void k(global uchar *out, global const uchar *in, uint to, uint from, int limit) {
        uint i = get_global_id(0);
        if (in[(i * 4 + from)] >= 100 && (int)i < limit) {
            uchar4 v = *(global const uchar4 *)(in + (int)(i * 4 + from));
            *(global uchar4 *)(out + (int)(i * 4 + to)) = (uchar4)(v.y, v.x, v.z + v.w, 7);
        }
        uchar a = in[3 * i + from], b = in[3 * i + from + 1], c = in[3 * i + from + 2];
        out[(int)i + 8000] = a + b * 2 + c * 3;
    }";
    let input: Vec<u8> = noise(4 * ITEMS + 64).iter().map(|v| *v as u8).collect();
    let k = kernel(source, "k", "");
    for (to, from, limit) in [(0u32, 0u32, ITEMS as i32), (4, 12, 990), (40, 8, 5)] {
        let out = Data::<u8>::zeros(9000);
        let args = [out.arg(), Data::of(&input).arg(), value(to), value(from), value(limit)];
        launch(&k, range(), &args);
        let mut want = vec![0u8; 9000];
        for i in 0..ITEMS {
            let v = &input[4 * i + from as usize..];
            if v[0] >= 100 && (i as i32) < limit {
                let at = 4 * i + to as usize;
                want[at..at + 4].copy_from_slice(&[v[1], v[0], v[2].wrapping_add(v[3]), 7]);
            }
            let v = &input[3 * i + from as usize..];
            want[i + 8000] = v[0].wrapping_add(v[1].wrapping_mul(2)).wrapping_add(v[2].wrapping_mul(3));
        }
        assert_eq!(out.get(), want, "{to} {from} {limit}");
    }
}

/// Atomic operations by indices of 8, 16 and 32 bits, and by the ID.
#[test]
fn atomics_by_narrow_indices() {
    let input = noise(ITEMS);
    for ty in ["uchar", "short", "int", "uint"] {
        let source = format!(
            "kernel void k(global int *out, global const uint *in) {{
                local int bins[100];
                size_t i = get_global_id(0), l = get_local_id(0);
                bins[l] = 0;
                barrier(CLK_LOCAL_MEM_FENCE);
                {ty} n = ({ty})(in[i] % 100);
                atomic_inc(&bins[n]);
                atomic_add(&out[100 + n], 3);
                barrier(CLK_LOCAL_MEM_FENCE);
                atomic_add(&out[l], bins[l]);
            }}"
        );
        let out = Data::<i32>::zeros(200);
        common::launch_once(&kernel(&source, "k", ""), range(), &[out.arg(), Data::of(&input).arg()]);
        let mut want = vec![0; 200];
        for v in &input {
            want[(v % 100) as usize] += 1;
            want[100 + (v % 100) as usize] += 3;
        }
        assert_eq!(out.get(), want, "{ty}");
    }
}
