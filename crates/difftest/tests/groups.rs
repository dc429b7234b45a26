//! Operations over work-groups and sub-groups: every operation for every type, against a plain loop over the group.
//!
//! Kernels take and give `long`s. For floating-point types the values are small whole numbers, so that no order of the operations
//! makes a difference.

mod common;

use common::*;
use compiler::NdRange;

/// A type of OpenCL C, with what it makes of a value.
#[derive(Clone, Copy)]
struct Type {
    name: &'static str,
    wrap: fn(i64) -> i64,
    float: bool,
    unsigned: bool,
    /// The identities of min and max.
    most: i64,
    least: i64,
}

macro_rules! int {
    ($name:literal, $ty:ty) => {
        Type {
            name: $name,
            wrap: |v| v as $ty as i64,
            float: false,
            unsigned: <$ty>::MIN == 0,
            most: <$ty>::MAX as i64,
            least: <$ty>::MIN as i64,
        }
    };
}

const fn float(name: &'static str) -> Type {
    // The kernels give these for infinities.
    Type { name, wrap: |v| v, float: true, unsigned: false, most: i64::MAX, least: i64::MIN }
}

/// All types of sub-group functions; work-group functions have them from `int` on.
const TYPES: [Type; 11] = [
    int!("char", i8),
    int!("uchar", u8),
    int!("short", i16),
    int!("ushort", u16),
    int!("int", i32),
    int!("uint", u32),
    int!("long", i64),
    int!("ulong", u64),
    float("half"),
    float("float"),
    float("double"),
];

/// An operation on two values, and its identity.
#[derive(Clone, Copy, PartialEq)]
enum Op {
    Add,
    Min,
    Max,
    Mul,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

impl Op {
    /// Those that all groups have.
    const COMMON: [Op; 3] = [Op::Add, Op::Min, Op::Max];

    fn name(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::Min => "min",
            Op::Max => "max",
            Op::Mul => "mul",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::LogicalAnd => "logical_and",
            Op::LogicalOr => "logical_or",
            Op::LogicalXor => "logical_xor",
        }
    }

    /// Those of `cl_khr_subgroup_non_uniform_arithmetic` for a type.
    fn non_uniform(ty: Type) -> Vec<Op> {
        let mut ops = vec![Op::Add, Op::Mul, Op::Min, Op::Max];
        if !ty.float {
            ops.extend([Op::And, Op::Or, Op::Xor]);
        }
        if ty.name == "int" {
            ops.extend([Op::LogicalAnd, Op::LogicalOr, Op::LogicalXor]);
        }
        ops
    }

    fn identity(self, ty: Type) -> i64 {
        match self {
            Op::Add | Op::Or | Op::Xor | Op::LogicalOr | Op::LogicalXor => 0,
            Op::Mul | Op::LogicalAnd => 1,
            Op::And => (ty.wrap)(-1),
            Op::Min => ty.most,
            Op::Max => ty.least,
        }
    }

    fn apply(self, ty: Type, a: i64, b: i64) -> i64 {
        let less = if ty.unsigned { (a as u64) < (b as u64) } else { a < b };
        match self {
            Op::Add => (ty.wrap)(a.wrapping_add(b)),
            Op::Mul => (ty.wrap)(a.wrapping_mul(b)),
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::LogicalAnd => i64::from(a != 0 && b != 0),
            Op::LogicalOr => i64::from(a != 0 || b != 0),
            Op::LogicalXor => i64::from((a != 0) != (b != 0)),
            Op::Min => {
                if less {
                    a
                } else {
                    b
                }
            }
            Op::Max => {
                if less {
                    b
                } else {
                    a
                }
            }
        }
    }
}

const KINDS: [&str; 3] = ["reduce", "scan_inclusive", "scan_exclusive"];

/// What each member of a group gets.
fn expected(ty: Type, kind: &str, op: Op, values: &[i64]) -> Vec<i64> {
    let mut sum = op.identity(ty);
    let mut prefixes = vec![sum];
    for &v in values {
        sum = op.apply(ty, sum, v);
        prefixes.push(sum);
    }
    match kind {
        "reduce" => vec![sum; values.len()],
        "scan_inclusive" => prefixes[1..].to_vec(),
        _ => prefixes[..values.len()].to_vec(),
    }
}

fn input(ty: Type, n: usize) -> Vec<i64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as i64
    };
    // Small ones, and products that stay small.
    let value =
        |_| if ty.float { [-2, -1, 1, 1, 1, 2, 1][next().rem_euclid(7) as usize] } else { (ty.wrap)(next()) };
    (0..n).map(value).collect()
}

fn ranges() -> Vec<NdRange> {
    vec![
        NdRange::new(&[64], &[16]),
        NdRange::new(&[50], &[20]),
        NdRange::new(&[15, 6], &[5, 3]).with_offset(&[2, 1]),
        NdRange::new(&[6, 4, 5], &[3, 2, 5]),
    ]
}

const MODES: [&str; 4] =
    ["-cl-wfv=never", "-cl-wfv=always --lanes 4", "-cl-wfv=always --lanes 8", "-cl-wfv=always --lanes 16"];

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
        let source = arithmetic_source("work_group", ty, &Op::COMMON);
        for mode in MODES {
            let kernel = kernel(&source, "k", mode);
            for range in ranges() {
                let n = range.work_items();
                let values = input(ty, n);
                let (data, out) = (Data::of(&values), Data::<i64>::zeros(9 * n));
                launch_once(&kernel, range, &[data.arg(), out.arg()]);
                let out = out.get();
                let mut part = 0;
                for kind in KINDS {
                    for op in Op::COMMON {
                        for group in groups(&range) {
                            let own: Vec<i64> = group.items.iter().map(|i| values[i.g]).collect();
                            let got: Vec<i64> = group.items.iter().map(|i| out[part * n + i.g]).collect();
                            let want = expected(ty, kind, op, &own);
                            let what = format!("{kind}_{} of {} {mode} {range:?}", op.name(), ty.name);
                            assert_eq!(got, want, "{what}, group {:?}", group.id);
                        }
                        part += 1;
                    }
                }
            }
        }
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
    for mode in MODES {
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

/// In a loop, a region reads one result while it brings the next together; functions may hold the operations.
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
    for mode in MODES {
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

// ---- Sub-groups --------------------------------------------------------------------------------------------------------

/// The lanes that a mode asks for.
fn lanes(mode: &str) -> usize {
    mode.rsplit_once(' ').and_then(|(_, n)| n.parse().ok()).unwrap_or(1)
}

/// The size of all sub-groups but the last of a work-group.
fn sub_group_size(mode: &str, range: &NdRange) -> usize {
    let items = range.work_group_items();
    lanes(mode).min(if range.is_uniform() { 1 << items.ilog2() } else { items })
}

/// The sub-groups of all work-groups: for each the work-items in their order.
fn sub_groups(mode: &str, range: &NdRange) -> Vec<Vec<Item>> {
    let size = sub_group_size(mode, range);
    groups(range)
        .iter()
        .flat_map(|g| g.items.chunks(size).map(<[Item]>::to_vec).collect::<Vec<_>>())
        .collect()
}

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
    for mode in MODES {
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

/// Runs a kernel made by [`arithmetic_source`] and compares with the loop over those members of each sub-group that take part.
fn check_sub_group_arithmetic(source: &str, ty: Type, ops: &[Op], takes_part: impl Fn(&Item) -> bool) {
    for mode in MODES {
        let kernel = kernel(source, "k", mode);
        for range in ranges() {
            let n = range.work_items();
            let values = input(ty, n);
            let parts = KINDS.len() * ops.len();
            let (data, out) = (Data::of(&values), Data::<i64>::zeros(parts * n));
            launch_once(&kernel, range, &[data.arg(), out.arg()]);
            let out = out.get();
            let pairs = KINDS.into_iter().flat_map(|kind| ops.iter().map(move |op| (kind, *op)));
            for (part, (kind, op)) in pairs.enumerate() {
                for items in sub_groups(mode, &range) {
                    let members: Vec<&Item> = items.iter().filter(|i| takes_part(i)).collect();
                    let own: Vec<i64> = members.iter().map(|i| values[i.g]).collect();
                    let got: Vec<i64> = members.iter().map(|i| out[part * n + i.g]).collect();
                    let what = format!("{kind}_{} of {} {mode} {range:?}", op.name(), ty.name);
                    assert_eq!(got, expected(ty, kind, op, &own), "{what}, {:?}", members.first());
                }
            }
        }
    }
}

#[test]
fn sub_group_reductions_and_scans_match() {
    for ty in TYPES {
        let source = arithmetic_source("sub_group", ty, &Op::COMMON);
        check_sub_group_arithmetic(&source, ty, &Op::COMMON, |_| true);
    }
}

/// Only some of the work-items take part.
#[test]
fn non_uniform_reductions_and_scans_match() {
    for ty in TYPES {
        let ops = Op::non_uniform(ty);
        let source = arithmetic_source("sub_group_non_uniform", ty, &ops);
        let source = source.replace("size_t n =", "if (get_local_linear_id() % 3 == 1) return; size_t n =");
        check_sub_group_arithmetic(&source, ty, &ops, |i| i.l % 3 != 1);
    }
}
