//! Kernels whose regions have two versions, whose lanes are strided by what only the launch knows,
//! or whose vectors stay whole: the same bytes at every width.

mod common;

use common::{Data, kernel, value};
use compiler::NdRange;
use lanewise_difftest::{Width, run_at};
use runtime::ArgValue;

const ITEMS: usize = 600;

/// Local sizes that divide nothing, and some that do.
const LOCALS: [usize; 4] = [1, 17, 64, 100];

fn input(len: usize) -> Data<i32> {
    let mut state = 12345u32;
    let next = |_| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 18) as i32
    };
    Data::of(&(0..len).map(next).collect::<Vec<_>>())
}

/// Runs `k(in, out, more…)` at all widths.
fn same_at_all_widths(source: &str, options: &str, more: &[ArgValue]) {
    let data = input(8 * ITEMS);
    for local in LOCALS {
        let out = Data::<i32>::zeros(8 * ITEMS);
        let range = NdRange::new(&[ITEMS], &[local]);
        let args: Vec<ArgValue> = [data.arg(), out.arg()].into_iter().chain(more.iter().cloned()).collect();
        let ran = run_at(&kernel(source, "k", options), range, &args, &Width::ALL);
        ran.unwrap_or_else(|e| panic!("local size {local}, options '{options}': {e}\n{source}"));
        assert!(out.get().iter().any(|v| *v != 0), "the kernel did nothing");
    }
}

#[test]
fn guarded_gathers_and_scatters() {
    for limit in [0, 5, 300, 590, 600] {
        // PHIs after the region: inactive lanes keep their values, and both versions are merged.
        same_at_all_widths(
            "kernel void k(global const int *in, global int *out, int limit) {
                int i = get_global_id(0), r = i * 3;
                if (i < limit) {
                    int a = in[in[i] & 511], b = in[(in[i] >> 9) & 511];
                    r = a / (b | 1) + a % 7;
                    out[600 + (i * 7 % 600)] = r ^ b;
                }
                out[i] = r + 1;
            }",
            "",
            &[value(limit)],
        );
    }
}

#[test]
fn divergent_loops_with_gathers() {
    same_at_all_widths(
        "kernel void k(global const int *in, global int *out, int most) {
            int i = get_global_id(0), at = i, sum = 0, n = 0;
            while (n < most && (at & 15) != 3) {
                at = in[at & 511] & 4095;
                n++;
                if ((at & 1) == 0) continue;
                sum += in[at & 1023] >> 3;
                if (sum < 0) { sum = -sum + n; break; }
            }
            out[i] = sum;
            out[600 + i] = n * 4096 + at;
        }",
        "",
        &[value(40i32)],
    );
    // A loop in a region, and a region in that: versions inside of versions.
    same_at_all_widths(
        "kernel void k(global const int *in, global int *out, int limit) {
            int i = get_global_id(0), sum = 1;
            if (i < limit) {
                for (int j = 0; j < (in[i] & 7) + 1; j++) {
                    sum += in[(sum + j) & 511];
                    if (in[i + j] & 1) sum ^= in[(sum >> 5) & 255] / (j + 1);
                }
                out[in[i + 1] & 255 ? i : i] = sum;
            }
            out[600 + i] = sum;
        }",
        "",
        &[value(590i32)],
    );
}

/// The counter of a loop that is left in its middle is the same for all lanes that go on.
#[test]
fn loops_left_in_the_middle() {
    for options in ["", "-cl-wfv=always"] {
        same_at_all_widths(
            "kernel void k(global const int *in, global int *out, int most) {
                int i = get_global_id(0), n = 0;
                while (n < most && (in[i + n] & 7) != (in[n] & 3)) n++;
                int at = 0, j;
                for (j = i; j < 3 * most + i; j += 2) {
                    if ((in[j] & 31) == 5) break;
                    at += j;
                    if ((in[j + 1] & 31) == 9 || at > 9000) break;
                }
                out[i] = n;
                out[600 + i] = at * 64 + j;
            }",
            options,
            &[value(40i32)],
        );
    }
}

/// Records at multiples of an ID in 32 bits.
#[test]
fn records_by_an_int_index() {
    same_at_all_widths(
        "kernel void k(global const int *in, global int *out) {
            int r = get_global_id(0) * 8, v[8];
            for (int n = 0; n < 8; n++) v[n] = in[r + n];
            for (int n = 0; n < 7; n++) {
                int low = min(v[n], v[n + 1]);
                v[n + 1] = max(v[n], v[n + 1]);
                v[n] = low;
            }
            for (int n = 0; n < 8; n++) out[r + n] = v[n];
        }",
        "",
        &[],
    );
}

#[test]
fn calls_and_atomics_in_guarded_regions() {
    same_at_all_widths(
        "kernel void k(global const int *in, global int *out) {
            int i = get_global_id(0);
            if ((in[i] & 15) != 0) {
                atomic_add(&out[700 + (in[i] & 31)], 1);
                atomic_max(&out[800 + (in[i] & 7)], i);
            }
            out[i] = i;
        }",
        "",
        &[],
    );
}

#[test]
fn strides_that_only_the_launch_knows() {
    let sources = [
        // 32-bit and 64-bit indices; strides of 0, 1 and more.
        "kernel void k(global const int *in, global int *out, int s) {
            int i = get_global_id(0); out[i] = in[i * s] + in[i * s + 3]; }",
        "kernel void k(global const int *in, global int *out, int s) {
            size_t i = get_global_id(0); out[i * (ulong)s] = in[i] + 1; }",
        // Backwards, and under a condition.
        "kernel void k(global const int *in, global int *out, int s) {
            int i = get_global_id(0); out[i] = in[4200 - i * s] + 5;
            if (in[i] & 1) out[600 + i * s] = i; }",
        // Rows, by an index and by a pointer.
        "kernel void k(global const int *in, global int *out, int s) {
            int i = get_global_id(0); uint sum = 1; for (int j = 0; j < s; j++) sum = sum * 31 + in[i * \
            s + j];
            global const int *row = in + i * s; for (int j = 0; j < s; j++) sum ^= *row++ + j;
            out[i] = sum; }",
        // Records, and a stride that is computed where only some lanes are.
        "kernel void k(global const int *in, global int *out, int s) {
            int i = get_global_id(0); int4 v = vload4(0, in + i * s); vstore2(v.xy * v.zw, 0, out + i * 2);
            if (in[i] & 3) { int t = s * in[7] % 5 + 2; out[2000 + i] = in[i * (t < 0 ? -t : t)]; } }",
    ];
    for source in sources {
        for stride in [1i32, 2, 7] {
            same_at_all_widths(source, "", &[value(stride)]);
        }
    }
}

#[test]
fn an_index_that_wraps_in_32_bits() {
    // Clang is told that signed sums do not wrap; unsigned ones may, and the array starts in the
    // middle.
    same_at_all_widths(
        "kernel void k(global const int *in, global int *out, uint far) {
            uint i = get_global_id(0);
            int n = (int)(i + far);
            out[i] = (n < 0 ? 1 : in[n & 1023]) + in[(int)(i + far - far)];
        }",
        "",
        &[value(0x7fff_ff00u32)],
    );
}

#[test]
fn long_records() {
    same_at_all_widths(
        "typedef struct { int v[12]; } record;
        kernel void k(global const record *in, global record *out) {
            int i = get_global_id(0) % 390, sum = 0;
            if (get_global_id(0) < 390) {
                record r = in[i];
                for (int j = 0; j < 12; j++) sum += r.v[j] * (j + 1);
                for (int j = 0; j < 12; j++) r.v[j] ^= sum;
                out[i] = r;
            }
        }",
        "",
        &[],
    );
}

#[test]
fn vectors_that_stay_whole() {
    let sources = [
        "kernel void k(global const int4 *in, global int4 *out, int n) {
            int i = get_global_id(0); int4 v = in[i]; out[i] = max(v * n, v >> 3) + (v < n ? v : \
            (int4)(7)); }",
        // Elements of a vector that is the same for all lanes, as in a product of matrices.
        "kernel void k(global const int4 *in, global int4 *out, int n) {
            int i = get_global_id(0); int4 s = 0;
            for (int j = 0; j < n; j++) { int4 a = in[j]; s += a.x * in[i] + a.y * in[i + 1] - a.w; }
            out[i] = s; }",
        // Elements that are taken, put in and moved; a value of a lane for all of them; a mask.
        "kernel void k(global const int4 *in, global int4 *out, int n) {
            int i = get_global_id(0); int4 v = in[i]; v.y = v.x + i; v = v.wzyx; v.lo ^= (int2)(v.w, i);
            if (v.z & 1) { v = v / (in[i + 1] | 1); out[600 + i] = v; }
            out[i] = v + i; }",
        // Anywhere in memory, three of four, and bytes.
        "kernel void k(global const int *in, global int *out, int n) {
            int i = get_global_id(0); int3 v = vload3(in[i] & 255, in); vstore3(v + n, i, out);
            char4 c = as_char4(in[i]); out[2000 + i] = as_int(c + (char4)(n)) + \
            convert_int4_sat(convert_float4(c)).z; }",
        // A loop that lanes leave at different times.
        "kernel void k(global const uchar16 *in, global uchar16 *out, int n) {
            int i = get_global_id(0); uchar16 v = in[i]; int left = v.s3 & 15;
            while (left-- > 0) { v = add_sat(v, v.sfedcba9876543210); if (v.s0 > 250) break; }
            out[i] = v; }",
        "kernel void k(global const float8 *in, global float8 *out, int n) {
            int i = get_global_id(0); float8 v = convert_float8(as_int8(in[i & 255])); private float8 a[3];
            for (int j = 0; j < 3; j++) a[j] = v * j; if (i < 256) out[i] = a[n % 3] + sqrt(fabs(v)); }",
    ];
    for source in sources {
        for options in ["--whole-vectors", ""] {
            same_at_all_widths(source, options, &[value(5i32)]);
        }
    }
}
