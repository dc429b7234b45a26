//! The work-item functions, against their definitions.

mod common;

use common::{Data, Group, Item, check_over, shapes, value};
use compiler::NdRange;

/// What a function of a dimension gives, for the dimensions 0 to 2 and for any other.
struct Query {
    name: &'static str,
    value: fn(&Group, &Item, usize) -> usize,
    beyond: usize,
}

const QUERIES: [Query; 8] = [
    Query { name: "get_global_id", value: |_, i, d| i.global[d], beyond: 0 },
    Query { name: "get_local_id", value: |_, i, d| i.local[d], beyond: 0 },
    Query { name: "get_group_id", value: |g, _, d| g.id[d], beyond: 0 },
    Query { name: "get_global_size", value: |g, _, d| g.range.global_size[d], beyond: 1 },
    Query { name: "get_local_size", value: |g, _, d| g.size[d], beyond: 1 },
    Query { name: "get_enqueued_local_size", value: |g, _, d| g.range.local_size[d], beyond: 1 },
    Query { name: "get_num_groups", value: |g, _, d| g.range.num_groups()[d], beyond: 1 },
    Query { name: "get_global_offset", value: |g, _, d| g.range.global_offset[d], beyond: 0 },
];

/// The dimensions that are asked for.
const DIMENSIONS: [u32; 6] = [0, 1, 2, 3, 100, u32::MAX];

fn expected(query: &Query, group: &Group, item: &Item, dimension: u32) -> u64 {
    if dimension < 3 { (query.value)(group, item, dimension as usize) as u64 } else { query.beyond as u64 }
}

/// A kernel that stores each of these calls.
fn source(calls: &[String], barrier: bool) -> String {
    let n = calls.len();
    let stores: String =
        calls.iter().enumerate().map(|(i, call)| format!("out[{n} * at + {i}] = {call};\n")).collect();
    let sync = if barrier { "barrier(CLK_GLOBAL_MEM_FENCE);" } else { "" };
    format!(
        "kernel void k(global ulong *out, uint d0, uint d1, uint d2, uint d3, uint d100, uint dmax) {{
            size_t at = get_global_linear_id();
            {sync}
            {stores}
        }}"
    )
}

fn dimension_args(_: &NdRange) -> Vec<runtime::ArgValue> {
    DIMENSIONS.iter().map(|d| value(*d)).collect()
}

fn all(names: &[&str], barrier: bool) {
    let calls: Vec<String> =
        QUERIES.iter().flat_map(|q| names.iter().map(move |d| format!("{}({d})", q.name))).collect();
    check_over(&source(&calls, barrier), &shapes(), dimension_args, |group| {
        let of = |item: &Item| {
            let one = |q: &Query| DIMENSIONS.map(|d| expected(q, group, item, d));
            QUERIES.iter().flat_map(one).collect::<Vec<_>>()
        };
        group.items.iter().flat_map(of).collect()
    });
}

const CONSTANT: [&str; 6] = ["0", "1", "2", "3", "100", "0xffffffffu"];
const DYNAMIC: [&str; 6] = ["d0", "d1", "d2", "d3", "d100", "dmax"];

#[test]
fn constant_dimensions() {
    all(&CONSTANT, false);
}

#[test]
fn constant_dimensions_after_a_barrier() {
    all(&CONSTANT, true);
}

#[test]
fn dynamic_dimensions() {
    all(&DYNAMIC, false);
}

#[test]
fn dynamic_dimensions_after_a_barrier() {
    all(&DYNAMIC, true);
}

#[test]
fn work_dim_and_linear_ids() {
    let calls = ["get_work_dim()", "get_global_linear_id()", "get_local_linear_id()"].map(str::to_owned);
    for barrier in [false, true] {
        check_over(&source(&calls, barrier), &shapes(), dimension_args, |group| {
            let of = |i: &Item| [group.range.work_dim as u64, i.g as u64, i.l as u64];
            group.items.iter().flat_map(of).collect()
        });
    }
}

#[test]
fn in_functions_that_are_not_inlined() {
    let source = "__attribute__((noinline)) size_t inner(uint d) { return get_global_id(d) * 3 + \
        get_local_id(d); }
        __attribute__((noinline)) size_t outer(uint d) { return inner(d) + get_group_id(d) * \
        get_local_size(d); }
        kernel void k(global ulong *out, uint d0, uint d1, uint d2, uint d3, uint d100, uint dmax) {
            out[get_global_linear_id()] = outer(0) + outer(d1) * 5 + outer(2) * 7 + outer(d3);
        }";
    check_over(source, &shapes(), dimension_args, |group| {
        let outer = |i: &Item, d: usize| (i.global[d] * 3 + i.local[d] + group.id[d] * group.size[d]) as u64;
        group.items.iter().map(|i| outer(i, 0) + outer(i, 1) * 5 + outer(i, 2) * 7).collect()
    });
}

#[test]
fn a_kernel_with_a_required_size_sees_it() {
    let source = "kernel __attribute__((reqd_work_group_size(4, 3, 2))) void k(global ulong *out) {
            size_t at = get_global_linear_id();
            out[4 * at] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
            out[4 * at + 1] = get_local_linear_id();
            out[4 * at + 2] = get_global_id(0);
            out[4 * at + 3] = get_num_groups(1);
        }";
    let ranges =
        [NdRange::new(&[4, 3, 2], &[4, 3, 2]), NdRange::new(&[8, 9, 4], &[4, 3, 2]).with_offset(&[1, 2, 3])];
    check_over(
        source,
        &ranges,
        |_| Vec::new(),
        |group| {
            let groups = group.range.num_groups()[1] as u64;
            group.items.iter().flat_map(|i| [432, i.l as u64, i.global[0] as u64, groups]).collect()
        },
    );
}

/// The cases of huge switches whose values are looked up: dense ones, sparse ones by a search, some
/// that share a value or do more than choosing one, negative and 64-bit ones.
#[test]
fn huge_switches_of_constants() {
    let each = |f: &dyn Fn(u32) -> String| (0..600).map(f).collect::<String>();
    let dense = each(&|n| format!("case {}: r = {}; s = {n}.5f; break;\n", n + 5, n * 17 % 100));
    let sparse = each(&|n| match n % 50 {
        0 => format!("case {}: case {}: r = 7; break;\n", 2 * n * n + 3, 2 * n * n + 4),
        1 => format!("case {}: r = out[i] + {n}; s = r; break;\n", 2 * n * n + 3),
        _ => format!("case {}: r = {}; s = {n}; break;\n", 2 * n * n + 3, n * 17 % 100),
    });
    let signed = each(&|n| format!("case {}: r = x * 3 + {n}; break;\n", 500 - 3 * n as i32));
    let wide = each(&|n| format!("case {}L: r = {n}; break;\n", u64::from(n) << 33));
    for (ty, scale, cases) in [("uint", "", &dense), ("uint", "", &sparse), ("int", " - 1500", &signed)]
        .into_iter()
        .chain([("ulong", " << 33", &wide)])
    {
        let source = format!(
            "kernel void k(global int *out, int high) {{
                size_t i = get_global_id(0);
                {ty} x = ({ty})(i + high){scale};
                int r = 1; float s = 0.25f;
                switch (x) {{ {cases} default: r = out[i] * 2; }}
                out[i] = r + (int)(s * 4) * 1000;
            }}"
        );
        let results = ["", "-cl-opt-disable"].map(|options| {
            let k = common::kernel(&source, "k", options);
            let run = |high: u32| {
                let out = Data::<u32>::of(&(0..2400).collect::<Vec<_>>());
                common::launch_once(&k, NdRange::new(&[2400], &[48]), &[out.arg(), common::value(high)]);
                out.get()
            };
            [run(0), run(100_000)]
        });
        assert!(results[0] == results[1], "{ty}{scale}");
    }
}

/// A switch that is too large to be inlined into the loops over the work-items, with a barrier and
/// without.
#[test]
fn huge_switches() {
    let cases: String =
        (0..700).map(|n| format!("case {}: r += a[{n}] ^ {}; break;\n", n * 3, n * 17)).collect();
    for barrier in ["", "barrier(CLK_GLOBAL_MEM_FENCE);"] {
        let source = format!(
            "kernel void k(global uint *out, global const uint *a) {{
                uint r = get_local_id(0); {barrier}
                switch ((uint)get_global_id(0)) {{ {cases} default: r += 5; }}
                out[get_global_id(0)] = r;
            }}"
        );
        let k = common::kernel(&source, "k", "");
        let (out, a) = (Data::<u32>::zeros(2400), Data::of(&(0..700).map(|i| i * 3).collect::<Vec<u32>>()));
        common::launch_once(&k, NdRange::new(&[2400], &[48]), &[out.arg(), a.arg()]);
        let case = |g: u32| if g.is_multiple_of(3) && g < 2100 { g ^ (g / 3 * 17) } else { 5 };
        let expected: Vec<u32> = (0..2400).map(|g| g % 48 + case(g)).collect();
        assert_eq!(out.get(), expected);
    }
}
