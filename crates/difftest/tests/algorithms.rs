//! Work-group algorithms as programs use them.

mod common;

use common::{BUILDS, Data, Plain, check_over, fits, groups, kernel, launch, shapes, value};
use compiler::NdRange;
use lanewise_difftest::on_cpu;
use runtime::ArgValue;

/// Input without a pattern.
fn noise(n: usize) -> Vec<u32> {
    let step = |state: &u64| {
        Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    };
    std::iter::successors(Some(42), step).take(n).map(|state| (state >> 33) as u32).collect()
}

fn transpose<T: Plain>(m: &[T], rows: usize, columns: usize) -> Vec<T> {
    (0..rows * columns).map(|i| m[i % rows * columns + i / rows]).collect()
}

#[test]
fn tree_reduction_of_any_group_size() {
    let source = "kernel void k(global uint *out, global const uint *in, local uint *s) {
        size_t l = get_local_linear_id();
        uint n = get_local_size(0) * get_local_size(1) * get_local_size(2);
        s[l] = in[get_global_linear_id()];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 64; step > 0; step /= 2) {
            if (l < step && l + step < n) s[l] += s[l + step];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_linear_id()] = s[0];
    }";
    let args = |range: &NdRange| {
        vec![Data::of(&noise(range.work_items())).arg(), ArgValue::Local(4 * range.work_group_items())]
    };
    check_over(source, &shapes(), args, |group| {
        let data = noise(group.range.work_items());
        let sum = group.items.iter().fold(0u32, |sum, i| sum.wrapping_add(data[i.g]));
        vec![sum; group.len()]
    });
}

#[test]
fn inclusive_scan() {
    let source = "kernel void k(global uint *out, global const uint *in, local uint *a, local uint *b) {
        uint l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1) * get_local_size(2);
        local uint *from = a, *to = b;
        from[l] = in[get_global_linear_id()];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 1; d < n; d *= 2) {
            to[l] = l >= d ? from[l] + from[l - d] : from[l];
            barrier(CLK_LOCAL_MEM_FENCE);
            local uint *swap = from; from = to; to = swap;
        }
        out[get_global_linear_id()] = from[l];
    }";
    let args = |range: &NdRange| {
        let bytes = 4 * range.work_group_items();
        vec![Data::of(&noise(range.work_items())).arg(), ArgValue::Local(bytes), ArgValue::Local(bytes)]
    };
    check_over(source, &shapes(), args, |group| {
        let data = noise(group.range.work_items());
        let sums = group.items.iter().scan(0u32, |sum, i| {
            *sum = sum.wrapping_add(data[i.g]);
            Some(*sum)
        });
        sums.collect()
    });
}

#[test]
fn bitonic_sort() {
    let source = "kernel void k(global uint *data) {
        local uint s[256];
        uint l = get_local_id(0), n = get_local_size(0);
        s[l] = data[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint size = 2; size <= n; size *= 2) {
            for (uint stride = size / 2; stride > 0; stride /= 2) {
                uint other = l ^ stride;
                if (other > l) {
                    bool up = (l & size) == 0;
                    uint a = s[l], b = s[other];
                    if ((a > b) == up) { s[l] = b; s[other] = a; }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        data[get_global_id(0)] = s[l];
    }";
    for build in BUILDS {
        let k = kernel(source, "k", build);
        for local in [1, 2, 16, 64, 256] {
            let input = noise(4 * local);
            let data = Data::of(&input);
            launch(&k, NdRange::new(&[input.len()], &[local]), &[data.arg()]);
            let mut expected = input;
            expected.chunks_mut(local).for_each(<[u32]>::sort_unstable);
            assert_eq!(data.get(), expected, "'{build}', {local}");
        }
    }
}

#[test]
fn tiled_matrix_multiply() {
    let source = "#define T 4
    kernel void k(global float *c, global const float *a, global const float *b, int m, int n, int depth) {
        local float ta[T][T], tb[T][T + 1];
        int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
        float sum = 0;
        for (int t = 0; t < (depth + T - 1) / T; t++) {
            int ka = t * T + lx, kb = t * T + ly;
            ta[ly][lx] = y < m && ka < depth ? a[y * depth + ka] : 0;
            tb[ly][lx] = x < n && kb < depth ? b[kb * n + x] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = 0; i < T; i++) sum += ta[ly][i] * tb[i][lx];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (x < n && y < m) c[y * n + x] = sum;
    }";
    for build in BUILDS {
        let k = kernel(source, "k", build);
        for (m, n, depth) in [(4, 4, 4), (9, 7, 5), (16, 33, 20), (1, 1, 1)] {
            // Small whole numbers: the sums are exact in any order.
            let numbers = |n: usize| noise(n).iter().map(|v| (v % 17) as f32 - 8.0).collect::<Vec<_>>();
            let (a, b, c) = (numbers(m * depth), numbers(depth * n), Data::<f32>::zeros(m * n));
            let range = NdRange::new(&[n.next_multiple_of(4), m.next_multiple_of(4)], &[4, 4]);
            let sizes = [m, n, depth].map(|s| value(s as i32));
            let args = [&[c.arg(), Data::of(&a).arg(), Data::of(&b).arg()][..], &sizes].concat();
            launch(&k, range, &args);
            let cell = |i: usize| (0..depth).map(|d| a[i / n * depth + d] * b[d * n + i % n]).sum::<f32>();
            assert_eq!(c.get(), (0..m * n).map(cell).collect::<Vec<_>>(), "'{build}', {m} {n} {depth}");
        }
    }
}

#[test]
fn tiled_transpose_with_smaller_last_groups() {
    let source = "kernel void k(global ushort *out, global const ushort *in) {
        local ushort tile[8][9];
        uint lx = get_local_id(0), ly = get_local_id(1);
        uint w = get_global_size(0), h = get_global_size(1);
        tile[ly][lx] = in[get_global_id(1) * w + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint n = get_local_size(0) * get_local_size(1), i = ly * get_local_size(0) + lx;
        uint ty = i % get_local_size(1), tx = i / get_local_size(1);
        uint x = get_group_id(0) * get_enqueued_local_size(0) + tx, y = get_group_id(1) * \
        get_enqueued_local_size(1) + ty;
        out[x * h + y] = tile[ty][tx];
    }";
    for build in BUILDS {
        let k = kernel(source, "k", build);
        for (w, h) in [(8, 8), (24, 16), (20, 13), (3, 30)] {
            let input: Vec<u16> = noise(w * h).iter().map(|v| *v as u16).collect();
            let out = Data::<u16>::zeros(w * h);
            launch(&k, NdRange::new(&[w, h], &[8, 8]), &[out.arg(), Data::of(&input).arg()]);
            assert_eq!(out.get(), transpose(&input, h, w), "'{build}', {w} {h}");
        }
    }
}

#[test]
fn histogram_with_local_atomics() {
    let source = "kernel void k(global uint *bins, global const uchar *in, uint n) {
        local uint mine[256];
        uint l = get_local_id(0), size = get_local_size(0);
        for (uint i = l; i < 256; i += size) mine[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[in[i]]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = l; i < 256; i += size) atomic_add(&bins[i], mine[i]);
    }";
    let input: Vec<u8> = noise(100_001).iter().map(|v| *v as u8).collect();
    let mut expected = vec![0u32; 256];
    input.iter().for_each(|v| expected[usize::from(*v)] += 1);
    for build in BUILDS {
        let k = kernel(source, "k", build);
        let all = [(1, 1), (1024, 64), (1000, 100), (999, 17), (5000, 500)];
        for (global, local) in all.into_iter().filter(|(_, local)| fits(*local)) {
            let bins = Data::<u32>::zeros(256);
            let args = [bins.arg(), Data::of(&input).arg(), value(input.len() as u32)];
            launch(&k, NdRange::new(&[global], &[local]), &args);
            assert_eq!(bins.get(), expected, "'{build}', {global} {local}");
        }
    }
}

#[test]
fn stencil_with_a_halo_in_three_dimensions() {
    let source = "kernel void k(global int *out, global const int *in) {
        local int s[6][6][6];
        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
        int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
        int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1, lz = get_local_id(2) + 1;
        s[lz][ly][lx] = in[(z * h + y) * w + x];
        if (lx == 1) s[lz][ly][0] = x ? in[(z * h + y) * w + x - 1] : 0;
        if (lx == get_local_size(0)) s[lz][ly][lx + 1] = x + 1 < w ? in[(z * h + y) * w + x + 1] : 0;
        if (ly == 1) s[lz][0][lx] = y ? in[(z * h + y - 1) * w + x] : 0;
        if (ly == get_local_size(1)) s[lz][ly + 1][lx] = y + 1 < h ? in[(z * h + y + 1) * w + x] : 0;
        if (lz == 1) s[0][ly][lx] = z ? in[((z - 1) * h + y) * w + x] : 0;
        if (lz == get_local_size(2)) s[lz + 1][ly][lx] = z + 1 < d ? in[((z + 1) * h + y) * w + x] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[(z * h + y) * w + x] = s[lz][ly][lx] * 6 - s[lz][ly][lx - 1] - s[lz][ly][lx + 1] - s[lz][ly \
        - 1][lx]
            - s[lz][ly + 1][lx] - s[lz - 1][ly][lx] - s[lz + 1][ly][lx];
    }";
    let ranges = [
        NdRange::new(&[8, 8, 8], &[4, 4, 4]),
        NdRange::new(&[7, 5, 9], &[4, 4, 4]),
        NdRange::new(&[3, 1, 2], &[1, 1, 1]),
    ];
    let input =
        |range: &NdRange| noise(range.work_items()).iter().map(|v| *v as i32 % 1000).collect::<Vec<_>>();
    check_over(
        source,
        &ranges,
        |range| vec![Data::of(&input(range)).arg()],
        |group| {
            let data = input(&group.range);
            let size = group.range.global_size.map(|s| s as isize);
            let at = |p: [isize; 3]| {
                let inside = (0..3).all(|d| (0..size[d]).contains(&p[d]));
                if inside { data[((p[2] * size[1] + p[1]) * size[0] + p[0]) as usize] } else { 0 }
            };
            let value = |p: [isize; 3]| {
                let mut sum = at(p) * 6;
                for d in 0..3 {
                    for step in [-1, 1] {
                        let mut q = p;
                        q[d] += step;
                        sum -= at(q);
                    }
                }
                sum
            };
            group.items.iter().map(|i| value(i.global.map(|g| g as isize))).collect()
        },
    );
}

#[test]
fn every_group_of_a_large_range_runs_once() {
    let source = "kernel void k(global uint *runs, local uint *s) {
        uint l = get_local_id(0);
        s[l] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (s[get_local_size(0) - 1 - l] == get_local_size(0) - 1 - l) atomic_inc(&runs[get_group_id(0)]);
    }";
    let k = kernel(source, "k", "");
    for range in [NdRange::new(&[100_000], &[10]), NdRange::new(&[100_003], &[100])] {
        let runs = Data::<u32>::zeros(range.num_groups()[0]);
        launch(&k, range, &[runs.arg(), ArgValue::Local(400)]);
        let expected: Vec<u32> = groups(&range).iter().map(|g| g.len() as u32).collect();
        assert_eq!(runs.get(), expected);
    }
}

/// Each work-item steps through an array by the size of the range, from a start that may wrap in 32
/// bits within a vector, or after some steps.
#[test]
fn loops_that_step_by_the_global_size() {
    let input = noise(1000);
    for (ty, most) in [("uint", u32::MAX), ("int", i32::MAX as u32)] {
        let source = format!(
            "kernel void k(global const uint *in, global uint *out, {ty} n, {ty} first, uint steps) {{
                uint sum = 0, step = 0;
                for ({ty} i = get_global_id(0) + first; step < steps; i += get_global_size(0), step++)
                    if (i >= 0 && i < n) sum = sum * 31 + in[i];
                out[get_global_id(0)] = sum;
            }}"
        );
        for options in BUILDS {
            let k = kernel(&source, "k", options);
            for first in [0, 7, 5u32.wrapping_neg(), 300u32.wrapping_neg(), most - 3, most - 333] {
                let range = NdRange::new(&[64], &[32]);
                let out = Data::<u32>::zeros(64);
                let args = [Data::of(&input).arg(), out.arg(), value(1000u32), value(first), value(17u32)];
                launch(&k, range, &args);
                let of_item = |id: u32| {
                    let index = |step: u32| id.wrapping_add(first).wrapping_add(step * 64);
                    let values = (0..17).filter_map(|step| input.get(index(step) as usize));
                    values.fold(0u32, |sum, v| sum.wrapping_mul(31).wrapping_add(*v))
                };
                assert_eq!(out.get(), (0..64).map(of_item).collect::<Vec<_>>(), "{ty} {first} {options}");
            }
        }
    }
}

/// Kernels that access rows along y, or along both dimensions: lanes are along y, or work-groups of
/// the driver's choosing are narrow, where the range is long enough.
#[test]
fn accesses_along_y() {
    use ir::attributes::GroupShape::{Columns, NarrowColumns, NarrowRows, Rows};
    let cases = [
        ("out[x * n + y] = in[x * n + y] + x;", Columns),
        ("out[x * n + y] = in[y * w + x] + x;", NarrowRows),
        ("out[y * w + x] = in[x * n + y] + x;", NarrowColumns),
        ("out[y * w + x] = in[y * w + x] + x;", Rows),
        ("if (x % 3 != 1) out[x * n + y] = in[x * n + y] + x;", Columns),
    ];
    const W: u32 = 75;
    for (body, shape) in cases {
        for ty in ["uint", "int"] {
            let source = format!(
                "kernel void k(global const uint *in, global uint *out, {ty} n, {ty} w) {{
                    {ty} x = get_global_id(0), y = get_global_id(1);
                    {body}
                }}"
            );
            let k = kernel(&source, "k", "");
            for n in [3u32, 64, 65, 130] {
                let input = noise((W * n) as usize);
                let range = NdRange::new(&[W as usize, n as usize], &[1, 1]);
                let out = Data::<u32>::zeros((W * n) as usize);
                launch(&k, range, &[Data::of(&input).arg(), out.arg(), value(n), value(W)]);
                let chosen = k.wait_for_code(&range).unwrap().facts().group_shape;
                let has_columns = on_cpu() && n >= 64;
                assert_eq!(chosen, if has_columns { shape } else { Rows }, "{body} {n}");
                let out = out.get();
                for (x, y) in (0..W).flat_map(|x| (0..n).map(move |y| (x, y))) {
                    let written = !body.contains("% 3") || x % 3 != 1;
                    let at = |array| if body.contains(array) { x * n + y } else { y * W + x } as usize;
                    let expected = input[at("in[x")].wrapping_add(x);
                    assert_eq!(out[at("out[x")], if written { expected } else { 0 }, "{body} {n} {x} {y}");
                }
            }
        }
    }
}
