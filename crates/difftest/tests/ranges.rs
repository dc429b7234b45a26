//! Conditions on IDs that bound the loops over the work-items: every comparison, with bounds and
//! offsets of every kind, and the shapes of kernels that have them.

mod common;

use common::{Data, Group, check_over, groups, kernel, launch, shapes, value};
use compiler::NdRange;

const PRELUDE: &str = "
#define G ((uint)get_global_linear_id())
#define SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define STEP(n, c) SYNC; if (c) out[n * items + G] += 1;
";

/// Regions between two barriers in which only some work-items have work.
const REGIONS: &str = "
kernel void k(global uchar *out, TYPE b, TYPE o, uint items) {
    TYPE i = (TYPE)ID, j = (TYPE)((WRAPS)ID + (WRAPS)o);
    STEP(0, i < b) STEP(1, i <= b) STEP(2, i > b) STEP(3, i >= b) STEP(4, i == b) STEP(5, i != b)
    STEP(6, j < b) STEP(7, j <= b) STEP(8, j > b) STEP(9, j >= b) STEP(10, j == b) STEP(11, j != b)
    STEP(12, i >= o && i < b) STEP(13, i < o || i > b) STEP(14, (i > o) & (j < b)) STEP(15, b > 9 && j > b)
    SYNC;
    if (i < b) out[16 * items + G] += 1;
    if (j == 3) out[16 * items + G] += 2;
}
";
const STEPS: usize = 17;

/// Without barriers: work-items that have no work return early.
const PLAIN: &str = "
kernel void k(global uchar *out, TYPE b, TYPE o) {
    TYPE i = (TYPE)ID, j = (TYPE)((WRAPS)ID + (WRAPS)o);
    if (!(CONDITION)) return;
    out[G] += 1;
}
";
const CONDITIONS: [&str; 6] = ["i < b", "i >= b", "i == b", "j <= b", "i > o && i < b", "j > b"];

const IDS: [(&str, usize, bool); 5] = [
    ("get_local_id(0)", 0, false),
    ("get_global_id(0)", 0, true),
    ("get_local_id(1)", 1, false),
    ("get_global_id(1)", 1, true),
    ("get_local_id(2)", 2, false),
];

/// The tests of one type. `i` and `j` are an ID as it is, and plus an offset; all wrap.
macro_rules! conditions {
    ($regions:ident, $plain:ident, $first:literal, $ty:ty, $name:literal, $wraps:literal) => {
        fn $regions() {
            let source = |id: &str| {
                let text = format!("{PRELUDE}{REGIONS}").replace("TYPE", $name).replace("WRAPS", $wraps);
                text.replace("ID", id)
            };
            let steps = |i: $ty, j: $ty, b: $ty, o: $ty| -> [u8; STEPS] {
                [
                    i < b,
                    i <= b,
                    i > b,
                    i >= b,
                    i == b,
                    i != b,
                    j < b,
                    j <= b,
                    j > b,
                    j >= b,
                    j == b,
                    j != b,
                    i >= o && i < b,
                    i < o || i > b,
                    i > o && j < b,
                    b > 9 && j > b,
                ]
                .map(u8::from)
                .into_iter()
                .chain([u8::from(i < b) + 2 * u8::from(j == 3)])
                .collect::<Vec<_>>()
                .try_into()
                .unwrap()
            };
            let mut n = 0;
            for (at, (id, d, global)) in IDS.into_iter().enumerate().skip($first).step_by(2) {
                let k = kernel(&source(id), "k", "");
                // Each size is a compilation: the IDs and types share them.
                for range in shapes().iter().skip($first + at).step_by(5) {
                    for _ in 0..12 {
                        let (b, o) = pick!(n, $ty, range.local_size[d]);
                        n += 1;
                        let items = range.work_items();
                        let out = Data::<u8>::zeros(STEPS * items);
                        launch(&k, *range, &[out.arg(), value(b), value(o), value(items as u32)]);
                        let out = out.get();
                        for item in groups(range).iter().flat_map(|g| &g.items) {
                            let i = if global { item.global[d] } else { item.local[d] } as $ty;
                            let expected = steps(i, i.wrapping_add(o), b, o);
                            let actual: [u8; STEPS] = std::array::from_fn(|s| out[s * items + item.g]);
                            assert_eq!(
                                actual, expected,
                                "{} {id}: bound {b}, offset {o}, {range:?}, {item:?}",
                                $name
                            );
                        }
                    }
                }
            }
        }

        fn $plain() {
            let mut n = 0;
            for (at, condition) in CONDITIONS.into_iter().enumerate() {
                let (id, d, global) = IDS[at % 4];
                let text = format!("{PRELUDE}{PLAIN}").replace("TYPE", $name).replace("WRAPS", $wraps);
                let k = kernel(&text.replace("CONDITION", condition).replace("ID", id), "k", "");
                for range in shapes().iter().skip(at % 4 + $first).step_by(5) {
                    for _ in 0..12 {
                        let (b, o) = pick!(n, $ty, range.local_size[d]);
                        n += 1;
                        let out = Data::<u8>::zeros(range.work_items());
                        launch(&k, *range, &[out.arg(), value(b), value(o)]);
                        let out = out.get();
                        for item in groups(range).iter().flat_map(|g| &g.items) {
                            let i = if global { item.global[d] } else { item.local[d] } as $ty;
                            let j = i.wrapping_add(o);
                            let holds = [i < b, i >= b, i == b, j <= b, i > o && i < b, j > b][at];
                            assert_eq!(
                                out[item.g],
                                u8::from(holds),
                                "{} {condition}, {id}: bound {b}, offset {o}, {range:?}, {item:?}",
                                $name
                            );
                        }
                    }
                }
            }
        }
    };
}

/// The `n`th bound and offset.
macro_rules! pick {
    ($n:expr, $ty:ty, $size:expr) => {{
        let size = $size as $ty;
        let half = <$ty>::MAX / 2;
        let bounds = [
            1,
            size,
            0,
            16,
            <$ty>::MAX,
            5,
            <$ty>::MIN,
            15,
            half,
            17,
            half + 1,
            3,
            0 as $ty,
            size.wrapping_sub(1),
            (0 as $ty).wrapping_sub(1),
            33,
            (0 as $ty).wrapping_sub(7),
            1005,
            1 << 30,
            9,
        ];
        let offsets = [
            1,
            0,
            (0 as $ty).wrapping_sub(1),
            4,
            half,
            <$ty>::MAX,
            2,
            <$ty>::MIN,
            (0 as $ty).wrapping_sub(16),
            1 << 30,
            12,
            (0 as $ty).wrapping_sub(1 << 30),
            7,
        ];
        (bounds[$n % bounds.len()], offsets[$n * 3 / 2 % offsets.len()])
    }};
}

conditions!(int_regions, int_plain, 0, i32, "int", "uint");
conditions!(uint_regions, uint_plain, 1, u32, "uint", "uint");
conditions!(long_regions, long_plain, 1, i64, "long", "ulong");
conditions!(ulong_regions, ulong_plain, 0, u64, "ulong", "ulong");

#[test]
fn every_comparison_between_barriers() {
    int_regions();
    uint_regions();
    long_regions();
    ulong_regions();
}

#[test]
fn every_comparison_without_barriers() {
    int_plain();
    uint_plain();
    long_plain();
    ulong_plain();
}

fn in_a_row() -> Vec<NdRange> {
    shapes().into_iter().filter(|range| range.work_dim == 1).collect()
}

#[test]
fn tree() {
    let text = format!(
        "{PRELUDE} kernel void k(global uint *out) {{
            local uint s[128]; int l = get_local_id(0), n = get_local_size(0);
            s[l] = G * 7 + 1;
            SYNC;
            for (int d = 64; d > 0; d >>= 1) {{ if (l < d && l + d < n) s[l] += s[l + d] * 3; SYNC; }}
            if (l == 0) out[G] = s[0]; else out[G] = l;
        }}"
    );
    let sums = |group: &Group| {
        let mut s: Vec<u32> = group.items.iter().map(|i| i.g as u32 * 7 + 1).collect();
        for d in [64, 32, 16, 8, 4, 2, 1] {
            for l in 0..d.min(s.len().saturating_sub(d)) {
                s[l] = s[l].wrapping_add(s[l + d].wrapping_mul(3));
            }
        }
        (0..s.len()).map(|l| if l == 0 { s[0] } else { l as u32 }).collect()
    };
    check_over(&text, &in_a_row(), |_| Vec::new(), sums);
}

/// All work-items see the stores of a region that one of them runs, and values that live across the
/// region are unchanged.
#[test]
fn one_for_all() {
    let text = format!(
        "{PRELUDE} kernel void k(global uint *out) {{
            local uint s[128]; local uint sum; uint l = get_local_linear_id(), n = get_local_size(0);
            uint mine = l * l, twice = n * 2;
            s[l] = G;
            for (uint round = 0; round < 3; round++) {{
                SYNC;
                if (get_local_id(0) == round) {{ uint t = round; for (uint i = 0; i < n; i++) t += s[i]; \
                sum = t; }}
                SYNC;
                s[l] += sum + twice; twice++;
            }}
            out[G] = s[l] + mine;
        }}"
    );
    let run = |group: &Group| {
        let n = group.len();
        let mut s: Vec<u32> = group.items.iter().map(|i| i.g as u32).collect();
        let mut sum = 0;
        for round in 0..3 {
            if round < n {
                sum = s.iter().fold(round as u32, |t, v| t.wrapping_add(*v));
            }
            s.iter_mut().for_each(|v| *v = v.wrapping_add(sum).wrapping_add(2 * n as u32 + round as u32));
        }
        (0..n).map(|l| s[l].wrapping_add((l * l) as u32)).collect()
    };
    // Where there are fewer work-items than rounds, the sum stays.
    check_over(&text, &in_a_row(), |_| Vec::new(), run);
}

/// A value that only some work-items compute, and all read after a barrier.
#[test]
fn what_the_others_keep() {
    let text = format!(
        "{PRELUDE} kernel void k(global uint *out, uint d) {{
            local uint s[128]; uint l = get_local_linear_id(), n = d, v = l + 100;
            s[l] = l;
            SYNC;
            if (get_local_id(0) < d) {{ v += s[l]; s[l] = v; }}
            SYNC;
            if (get_local_id(0) >= n) v = v * 3 + s[l];
            SYNC;
            out[G] = v + s[l];
        }}"
    );
    for d in [0, 5, u32::MAX] {
        let run = |group: &Group| {
            let of = |item: &common::Item| {
                let (x, l) = (item.local[0] as u32, item.l as u32);
                let (mut v, mut s) = (l + 100, l);
                if x < d {
                    v += s;
                    s = v;
                }
                if x >= d {
                    v = v * 3 + s;
                }
                v + s
            };
            group.items.iter().map(of).collect()
        };
        check_over(&text, &shapes()[8..], |_| vec![value(d)], run);
    }
}

/// Borders in two dimensions.
#[test]
fn inner_points() {
    let text = format!(
        "{PRELUDE} kernel void k(global uint *out, int w, int h) {{
            int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1);
            if (x > 0 && x < w - 1 && y >= 8 && y < h - 1) out[G] = x * 1000 + y;
        }}"
    );
    for (w, h) in [(20, 18), (3, 1000), (i32::MIN + 1, i32::MAX)] {
        let run = |group: &Group| {
            let of = |item: &common::Item| {
                let x = (item.global[0] - group.range.global_offset[0]) as i32;
                let y = item.global[1] as i32;
                let inside = x > 0 && x < w - 1 && y >= 8 && y < h - 1;
                if inside { (x * 1000 + y) as u32 } else { 0 }
            };
            group.items.iter().map(of).collect()
        };
        check_over(&text, &shapes()[10..], |_| vec![value(w), value(h)], run);
    }
}
