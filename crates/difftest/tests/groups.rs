//! Operations over work-groups and sub-groups: every operation for every type, against a plain loop
//! over the group.
//!
//! Kernels take and give `long`s. For floating-point types the values are small whole numbers, so
//! that no order of the operations makes a difference.

mod common;
mod groups_common;

use common::*;
use groups_common::*;

/// The operations that OpenCL C has for all groups.
const COMMON: [Op; 3] = [Op::Add, Op::Min, Op::Max];

fn give(ty: Type) -> String {
    if ty.float {
        "(isinf(r) ? (r > 0 ? LONG_MAX : LONG_MIN) : (long)r)".to_owned()
    } else {
        "(long)r".to_owned()
    }
}

/// A kernel that does all operations one after the other, each for its own part of the output.
fn arithmetic_source(scope: &str, ty: Type, ops: &[Op]) -> String {
    let mut body = String::new();
    let mut part = 0;
    for kind in KINDS {
        for op in ops {
            let (t, op, give) = (ty.name, op.name(), give(ty));
            body += &format!("  {{ {t} r = {scope}_{kind}_{op}(v); out[{part} * n + g] = {give}; }}\n");
            part += 1;
        }
    }
    format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
         kernel void k(global const long *in, global long *out) {{\n\
           size_t g = get_global_linear_id();\n\
           size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);\n\
           {t} v = ({t})in[g];\n{body}}}\n",
        t = ty.name
    )
}

#[test]
fn work_group_reductions_and_scans_match() {
    for ty in TYPES.into_iter().skip(4) {
        let source = arithmetic_source("work_group", ty, &COMMON);
        let kernel = |mode: &str| kernel(&source, "k", mode);
        check_arithmetic(Scope::Work, ty, &COMMON, kernel, |_| true);
    }
}

#[test]
fn work_group_votes_and_broadcasts_match() {
    let source = "kernel void k(global const long *in, global long *out) {
        size_t g = get_global_linear_id();
        size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);
        long v = in[g];
        out[g] = work_group_any(v > 40) + 2 * work_group_any(v == 12345) + 4 * work_group_all(v >= 0)
               + 8 * work_group_all(v != 7);
        size_t x = get_local_size(0) - 1, y = get_local_size(1) / 2, z = get_local_size(2) - 1;
        out[n + g] = work_group_broadcast(v, x, y, z);
        out[2 * n + g] = work_group_broadcast((float)v, 0, 0, 0);
    }";
    for mode in modes() {
        let kernel = kernel(source, "k", mode);
        for range in ranges() {
            let n = range.work_items();
            let values: Vec<i64> = input(TYPES[4], n).into_iter().map(|v| v.rem_euclid(50)).collect();
            let (data, out) = (Data::of(&values), Data::<i64>::zeros(3 * n));
            launch_once(&kernel, range, &[data.arg(), out.arg()]);
            let out = out.get();
            for group in groups(&range) {
                let own: Vec<i64> = group.items.iter().map(|i| values[i.g]).collect();
                let vote = |yes: bool, bit: i64| if yes { bit } else { 0 };
                let votes = vote(own.iter().any(|v| *v > 40), 1) + 4 + vote(own.iter().all(|v| *v != 7), 8);
                let [x, y, z] = [group.size[0] - 1, group.size[1] / 2, group.size[2] - 1];
                let chosen = own[(z * group.size[1] + y) * group.size[0] + x];
                for item in &group.items {
                    let got = [out[item.g], out[n + item.g], out[2 * n + item.g]];
                    assert_eq!(got, [votes, chosen, own[0]], "{mode} {range:?} {item:?}");
                }
            }
        }
    }
}

/// In a loop, a region reads one result while it brings the next together; functions may hold the
/// operations.
#[test]
fn work_group_operations_in_loops_and_functions_match() {
    let source = "int twice(int v) { return work_group_reduce_add(v) + work_group_scan_exclusive_add(v); }
    kernel void k(global const int *in, global int *out, int rounds) {
        size_t g = get_global_linear_id();
        int v = in[g] & 15, last = 0, seen = 0;
        for (int i = 0; i < rounds; i++) {
            int sum = work_group_reduce_add(v + i);
            seen = seen * 3 + last;
            last = sum + work_group_broadcast(v, i % get_local_size(0), 0, 0);
            if (work_group_any(sum % 5 == i)) v = (v + sum) & 15;
        }
        out[g] = seen + 7 * last + twice(v);
    }";
    for mode in modes() {
        let kernel = kernel(source, "k", mode);
        for range in ranges() {
            let n = range.work_items();
            let values: Vec<i32> = input(TYPES[4], n).into_iter().map(|v| v as i32).collect();
            let (data, out) = (Data::of(&values), Data::<i32>::zeros(n));
            let rounds = 5;
            launch_once(&kernel, range, &[data.arg(), out.arg(), value(rounds)]);
            let out = out.get();
            for group in groups(&range) {
                let mut v: Vec<i32> = group.items.iter().map(|i| values[i.g] & 15).collect();
                let (mut last, mut seen) = (0i32, 0i32);
                for i in 0..rounds {
                    let sum: i32 = v.iter().map(|v| v + i).sum();
                    seen = seen.wrapping_mul(3).wrapping_add(last);
                    last = sum + v[i as usize % group.size[0]];
                    if sum % 5 == i {
                        v.iter_mut().for_each(|v| *v = (*v + sum) & 15);
                    }
                }
                let all: i32 = v.iter().sum();
                let mut before = 0;
                for (item, v) in group.items.iter().zip(&v) {
                    let want = seen.wrapping_add(7 * last).wrapping_add(all + before);
                    assert_eq!(out[item.g], want, "{mode} {range:?} {item:?}");
                    before += v;
                }
            }
        }
    }
}

// ---- Sub-groups ---------------------------------------------------------------------------------

const QUERIES: &str = "kernel void k(global uint *out) {
    size_t g = get_global_linear_id();
    global uint *own = out + 6 * g;
    own[0] = get_sub_group_id();
    own[1] = get_num_sub_groups();
    own[2] = get_max_sub_group_size();
    own[3] = get_sub_group_size();
    own[4] = get_sub_group_local_id();
    own[5] = get_enqueued_num_sub_groups();
}";

#[test]
fn sub_group_queries_match() {
    for mode in modes() {
        let kernel = kernel(QUERIES, "k", mode);
        for range in ranges() {
            let out = Data::<u32>::zeros(6 * range.work_items());
            launch_once(&kernel, range, &[out.arg()]);
            let out = out.get();
            let size = sub_group_size(mode, &range);
            for group in groups(&range) {
                for item in &group.items {
                    let of = item.l / size;
                    let want = [
                        of,
                        group.len().div_ceil(size),
                        size,
                        size.min(group.len() - of * size),
                        item.l % size,
                        range.work_group_items().div_ceil(size),
                    ];
                    let got: Vec<usize> = out[6 * item.g..][..6].iter().map(|v| *v as usize).collect();
                    assert_eq!(got, want, "{mode} {range:?} {item:?}");
                }
            }
        }
    }
}

#[test]
fn sub_group_reductions_and_scans_match() {
    for ty in TYPES {
        let source = arithmetic_source("sub_group", ty, &COMMON);
        let kernel = |mode: &str| kernel(&source, "k", mode);
        check_arithmetic(Scope::Sub, ty, &COMMON, kernel, |_| true);
    }
}

/// Only some of the work-items take part.
#[test]
fn non_uniform_reductions_and_scans_match() {
    for ty in TYPES {
        let ops = Op::non_uniform(ty);
        let source = arithmetic_source("sub_group_non_uniform", ty, &ops);
        let source = source.replace("size_t n =", "if (get_local_linear_id() % 3 == 1) return; size_t n =");
        let kernel = |mode: &str| kernel(&source, "k", mode);
        check_arithmetic(Scope::Sub, ty, &ops, kernel, |i| i.l % 3 != 1);
    }
}
