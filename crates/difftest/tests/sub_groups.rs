//! Sub-groups beyond reductions and scans: votes, broadcasts, shuffles, ballots, clusters,
//! rotations and Intel's functions, against what they mean for each work-item.

mod common;

use common::*;
use compiler::NdRange;
use lanewise_difftest::understands;

const MODES: [(&str, usize); 3] = [("-cl-wfv=never", 1), ("--lanes 4", 4), ("--lanes 16", 16)];

/// Whole and partial last sub-groups, in one to three dimensions.
fn ranges() -> Vec<NdRange> {
    vec![NdRange::new(&[42], &[21]), NdRange::new(&[50], &[20]), NdRange::new(&[6, 4, 5], &[3, 2, 5])]
}

fn size_of_sub_groups(lanes: usize, range: &NdRange) -> usize {
    let items = range.work_group_items();
    lanes.min(if range.is_uniform() { 1 << items.ilog2() } else { items })
}

/// A work-item in its sub-group.
struct Place<'a> {
    /// The values of the sub-group's members.
    values: &'a [i64],
    /// Those that take part: all but those whose value is 0 modulo `skip`.
    active: &'a [bool],
    at: usize,
    /// The size of all sub-groups but the last.
    most: usize,
}

impl Place<'_> {
    fn own(&self) -> i64 {
        self.values[self.at]
    }

    fn size(&self) -> usize {
        self.values.len()
    }

    fn first(&self) -> usize {
        self.active.iter().position(|a| *a).unwrap()
    }

    fn ballot(&self, yes: impl Fn(i64) -> bool) -> u64 {
        let bit = |i: &usize| self.active[*i] && yes(self.values[*i]);
        (0..self.size()).filter(bit).map(|i| 1 << i).sum()
    }
}

/// A work-group after a launch: the output of its work-items by their input.
struct Ran<'a> {
    /// The mode and the range, for messages.
    what: &'a str,
    items: &'a [Item],
    values: &'a [i64],
    out: &'a [i64],
    /// The size of all sub-groups but the last.
    most: usize,
}

impl Ran<'_> {
    /// The sub-groups: their work-items, and the values of these.
    fn sub_groups(&self) -> impl Iterator<Item = (&[Item], Vec<i64>)> {
        self.items.chunks(self.most).map(|items| (items, items.iter().map(|i| self.values[i.g]).collect()))
    }
}

/// Runs kernel `k(in, out)` of longs in every mode over every range, and checks each work-group.
fn run_in_all_modes(source: &str, check: impl Fn(&Ran<'_>)) {
    for (mode, lanes) in MODES.into_iter().filter(|(mode, _)| understands(mode)) {
        let kernel = kernel(source, "k", mode);
        for range in ranges() {
            let n = range.work_items();
            let values: Vec<i64> = (0..n as i64).map(|i| (i * 7919 + 13) % 61).collect();
            let (data, out) = (Data::of(&values), Data::<i64>::zeros(n));
            launch_once(&kernel, range, &[data.arg(), out.arg()]);
            let (out, what) = (out.get(), format!("{mode} {range:?}"));
            let most = size_of_sub_groups(lanes, &range);
            for group in groups(&range) {
                check(&Ran { what: &what, items: &group.items, values: &values, out: &out, most });
            }
        }
    }
}

/// Runs `body`, which sets `r` from the value `v`, in every mode over every range. Work-items that
/// `takes_part` refuses return first. A result of `None` is not defined.
fn check(
    declarations: &str,
    body: &str,
    takes_part: fn(i64) -> bool,
    condition: &str,
    want: impl Fn(&Place<'_>) -> Option<i64>,
) {
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{declarations}\n\
         kernel void k(global const long *in, global long *out) {{\n\
           size_t g = get_global_linear_id(); long v = in[g]; long r = 0;\n\
           uint id = get_sub_group_local_id(), size = get_sub_group_size(), most = \
           get_max_sub_group_size();\n\
           if ({condition}) {{ {body} }}\n\
           out[g] = r;\n}}"
    );
    run_in_all_modes(&source, |group| {
        for (items, own) in group.sub_groups() {
            let active: Vec<bool> = own.iter().map(|v| takes_part(*v)).collect();
            for (at, item) in items.iter().enumerate().filter(|(at, _)| active[*at]) {
                let place = Place { values: &own, active: &active, at, most: group.most };
                if let Some(want) = want(&place) {
                    assert_eq!(group.out[item.g], want, "{} {item:?} of {own:?}: {body}", group.what);
                }
            }
        }
    });
}

const TYPES: [&str; 11] =
    ["long", "char", "uchar", "short", "ushort", "int", "uint", "ulong", "half", "float", "double"];

/// A body that calls a function for every type, and is right if all agree. `T` stands for the type.
fn in_every_type(call: &str) -> String {
    let one = |ty: &str| {
        format!("{{ long t = (long){}; r = ++n == 1 || t == r ? t : -1; }}", call.replace('T', ty))
    };
    format!("int n = 0; {}", TYPES.map(one).concat())
}

/// All take part.
fn check_all(body: &str, want: impl Fn(&Place<'_>) -> i64) {
    check("", body, |_| true, "true", |p| Some(want(p)));
}

/// Some take part.
fn check_some(body: &str, want: impl Fn(&Place<'_>) -> Option<i64>) {
    check("", body, |v| v % 3 != 0, "v % 3 != 0", want);
}

#[test]
fn votes() {
    check_all("r = sub_group_any(v > 50) + 2 * sub_group_all(v > 3);", |p| {
        i64::from(p.values.iter().any(|v| *v > 50)) + 2 * i64::from(p.values.iter().all(|v| *v > 3))
    });
    check_some("r = sub_group_non_uniform_any(v > 50) + 2 * sub_group_non_uniform_all(v > 3);", |p| {
        let all = (0..p.size()).filter(|i| p.active[*i]).all(|i| p.values[i] > 3);
        Some(i64::from(p.ballot(|v| v > 50) != 0) + 2 * i64::from(all))
    });
    check_some("r = sub_group_elect();", |p| Some(i64::from(p.first() == p.at)));
    check_some(&in_every_type("sub_group_non_uniform_all_equal((T)(v / 32))"), |p| {
        let mut taking = (0..p.size()).filter(|i| p.active[*i]).map(|i| p.values[i] / 32);
        let first = taking.next().unwrap();
        Some(i64::from(taking.all(|v| v == first)))
    });
}

#[test]
fn broadcasts() {
    check_all(&in_every_type("sub_group_broadcast((T)v, size / 2)"), |p| p.values[p.size() / 2]);
    check_some(&in_every_type("sub_group_broadcast_first((T)v)"), |p| Some(p.values[p.first()]));
    check_all(
        "short3 x = (short3)(v, v + 1, -v); x = sub_group_broadcast(x, size - 1); r = x.x * 100 + x.z;",
        |p| p.values[p.size() - 1] * 99,
    );
    check_some("r = sub_group_non_uniform_broadcast((int)v, 0u);", |p| p.active[0].then(|| p.values[0]));
    // Where the index is the same for those that take part, but not known to be, and the first
    // work-item need not be one of them.
    check_some("r = sub_group_non_uniform_broadcast(v, (uint)(v - v % 3 - (v / 3) * 3) + size - 1);", |p| {
        p.active[p.size() - 1].then(|| p.values[p.size() - 1])
    });
    check_some(
        "uint at = v % 3 == 1 ? size - 1 : size - 2; if (size > 1 && v % 3 == 1) r = \
            sub_group_non_uniform_broadcast(v, at);",
        |p| {
            let last = p.size() - 1;
            (p.size() > 1 && p.own() % 3 == 1 && p.values[last] % 3 == 1).then(|| p.values[last])
        },
    );
}

#[test]
fn shuffles() {
    check_all(&in_every_type("sub_group_shuffle((T)v, (uint)v % size)"), |p| {
        p.values[p.own() as usize % p.size()]
    });
    for xor in [1, 5] {
        check(
            "",
            &format!("r = sub_group_shuffle_xor(v, {xor}u);"),
            |_| true,
            "true",
            |p| p.values.get(p.at ^ xor).copied(),
        );
        check(
            "",
            &format!("r = sub_group_shuffle_up(v, {xor}u);"),
            |_| true,
            "true",
            |p| p.at.checked_sub(xor).map(|from| p.values[from]),
        );
        check(
            "",
            &format!("r = sub_group_shuffle_down((float)v, {xor}u);"),
            |_| true,
            "true",
            |p| p.values.get(p.at + xor).copied(),
        );
    }
    // By amounts that are not known before, and among those that take part.
    check_some("r = sub_group_shuffle_down(v, (uint)v % 3);", |p| {
        let from = p.at + p.own() as usize % 3;
        (from < p.size() && p.active[from]).then(|| p.values[from])
    });
}

#[test]
fn ballots() {
    let two = "uint4 b = sub_group_ballot(v % 2 == 0);";
    let odd = |p: &Place<'_>| p.ballot(|v| v % 2 == 0);
    check_some(&format!("{two} r = b.x | (ulong)b.y << 32 | b.z | b.w;"), move |p| Some(odd(p) as i64));
    check_all(&format!("{two} r = sub_group_inverse_ballot(b);"), |p| i64::from(p.own() % 2 == 0));
    check_all(&format!("{two} r = sub_group_ballot_bit_extract(b, size - 1);"), |p| {
        i64::from(p.values[p.size() - 1] % 2 == 0)
    });
    check_all(
        &format!("{two} r = sub_group_ballot_bit_count(b) + 100 * sub_group_ballot_bit_count((uint4)~0u);"),
        move |p| i64::from(odd(p).count_ones()) + 100 * p.most as i64,
    );
    check_all(
        &format!("{two} r = sub_group_ballot_inclusive_scan(b) + 100 * sub_group_ballot_exclusive_scan(b);"),
        move |p| {
            let below = |n: usize| i64::from((odd(p) & ((1 << n) - 1)).count_ones());
            below(p.at + 1) + 100 * below(p.at)
        },
    );
    check(
        "",
        &format!("{two} r = sub_group_ballot_find_lsb(b) + 100 * sub_group_ballot_find_msb(b);"),
        |_| true,
        "true",
        move |p| {
            let bits = odd(p);
            (bits != 0).then(|| i64::from(bits.trailing_zeros()) + 100 * i64::from(63 - bits.leading_zeros()))
        },
    );
    type Lanes = fn(usize, usize) -> bool;
    let masks: [(&str, Lanes); 5] = [
        ("eq", |i, at| i == at),
        ("ge", |i, at| i >= at),
        ("gt", |i, at| i > at),
        ("le", |i, at| i <= at),
        ("lt", |i, at| i < at),
    ];
    for (name, holds) in masks {
        check_all(&format!("r = get_sub_group_{name}_mask().x;"), move |p| {
            (0..p.most).filter(|i| holds(*i, p.at)).map(|i| 1 << i).sum()
        });
    }
}

#[test]
fn clusters_and_rotations() {
    type Sum = fn(i64, i64) -> i64;
    let sums: [(&str, Sum, i64); 5] = [
        ("add", |a, b| a + b, 0),
        ("min", i64::min, i64::MAX),
        ("max", i64::max, i64::MIN),
        ("or", |a, b| a | b, 0),
        ("xor", |a, b| a ^ b, 0),
    ];
    for (name, combine, identity) in sums {
        for size in [2usize, 4] {
            check_some(
                &format!("if (most >= {size}) r = sub_group_clustered_reduce_{name}(v, {size});"),
                move |p| {
                    let base = p.at / size * size;
                    let taking = (base..(base + size).min(p.size())).filter(|i| p.active[*i]);
                    (p.most >= size).then(|| taking.map(|i| p.values[i]).fold(identity, combine))
                },
            );
        }
    }
    check_some(
        "if (most >= 4) r = sub_group_clustered_reduce_logical_and((int)v % 4, 4) + 2 * \
            (int)sub_group_clustered_reduce_mul((float)(v % 2 + 1), 4);",
        |p| {
            let base = p.at / 4 * 4;
            let taking: Vec<i64> =
                (base..(base + 4).min(p.size())).filter(|i| p.active[*i]).map(|i| p.values[i]).collect();
            let all = taking.iter().all(|v| v % 4 != 0);
            (p.most >= 4).then(|| i64::from(all) + 2 * taking.iter().map(|v| v % 2 + 1).product::<i64>())
        },
    );
    for delta in [3i64, -1] {
        check(
            "",
            &format!("r = sub_group_rotate((short)v, {delta});"),
            |_| true,
            "true",
            move |p| {
                let from = (p.at as i64 + delta).rem_euclid(p.most as i64) as usize;
                p.values.get(from).copied()
            },
        );
        check(
            "",
            &format!("if (most >= 4) r = sub_group_clustered_rotate(v, {delta}, 4);"),
            |_| true,
            "true",
            move |p| {
                let from = p.at / 4 * 4 + (p.at as i64 + delta).rem_euclid(4) as usize;
                if p.most < 4 { Some(0) } else { p.values.get(from).copied() }
            },
        );
    }
}

#[test]
fn intel_shuffles() {
    check_all("r = intel_sub_group_shuffle((uchar)v, id ? id - 1 : id);", |p| {
        p.values[p.at.saturating_sub(1)]
    });
    check(
        "",
        "r = intel_sub_group_shuffle_xor(v, 1u);",
        |_| true,
        "true",
        |p| p.values.get(p.at ^ 1).copied(),
    );
    for by in [0usize, 3] {
        let inside = move |p: &Place<'_>| p.size() == p.most && by <= p.most;
        check(
            "",
            &format!("r = intel_sub_group_shuffle_up(v, v + 1000, {by}u);"),
            |_| true,
            "true",
            move |p| {
                inside(p).then(|| match p.at.checked_sub(by) {
                    Some(from) => p.values[from] + 1000,
                    None => p.values[p.at + p.most - by],
                })
            },
        );
        check(
            "",
            &format!("r = intel_sub_group_shuffle_down((int)v, (int)v + 1000, {by}u);"),
            |_| true,
            "true",
            move |p| {
                inside(p).then(|| match p.values.get(p.at + by) {
                    Some(v) => *v,
                    None => p.values[p.at + by - p.most] + 1000,
                })
            },
        );
    }
}

/// A sub-group reads memory that lies side by side, and writes it back, in every type.
#[test]
fn intel_blocks() {
    intel_blocks_in("global");
}

/// The same with local memory in between (`cl_intel_subgroup_local_block_io`).
#[test]
fn intel_blocks_of_local_memory() {
    intel_blocks_in("local");
}

/// Adds the lane to each block that a sub-group reads. Reads and writes of local memory are each
/// seen by plain accesses of global memory.
fn intel_blocks_in(space: &str) {
    let mut cases = Vec::new();
    for (ty, suffix) in [("uint", ""), ("uint", "_ui"), ("ushort", "_us"), ("uchar", "_uc"), ("ulong", "_ul")]
    {
        let widths: &[usize] =
            if suffix == "_uc" || suffix == "_us" { &[1, 2, 4, 8, 16] } else { &[1, 2, 4, 8] };
        cases.extend(widths.iter().map(|n| (ty, suffix, *n)));
    }
    for (ty, suffix, n) in cases {
        let width = if n == 1 { String::new() } else { n.to_string() };
        let through_local = format!(
            "kernel void k(global const {ty} *in, global {ty} *out) {{
               local {ty} from[32 * {n}] __attribute__((aligned(16)));
               local {ty} to[32 * {n}] __attribute__((aligned(16)));
               size_t all = get_group_id(0) * 32 * {n}, l = get_local_id(0);
               for (size_t i = 0; i < {n}; i++) from[l * {n} + i] = in[all + l * {n} + i];
               barrier(CLK_LOCAL_MEM_FENCE);
               size_t first = get_sub_group_id() * get_max_sub_group_size();
               {ty}{width} x = intel_sub_group_block_read{suffix}{width}(from + first * {n});
               intel_sub_group_block_write{suffix}{width}(to + first * {n}, ({ty}{width})(x + \
               ({ty})get_sub_group_local_id()));
               barrier(CLK_LOCAL_MEM_FENCE);
               for (size_t i = 0; i < {n}; i++) out[all + l * {n} + i] = to[l * {n} + i];
             }}"
        );
        let through_global = format!(
            "kernel void k(global const {ty} *in, global {ty} *out) {{
               size_t first = get_group_id(0) * get_local_size(0) + get_sub_group_id() * \
               get_max_sub_group_size();
               {ty}{width} x = intel_sub_group_block_read{suffix}{width}(in + first * {n});
               intel_sub_group_block_write{suffix}{width}(out + first * {n}, ({ty}{width})(x + \
               ({ty})get_sub_group_local_id()));
             }}"
        );
        let source = if space == "local" { through_local } else { through_global };
        for (mode, lanes) in MODES.into_iter().filter(|(mode, _)| understands(mode)) {
            let kernel = kernel(&source, "k", mode);
            let range = NdRange::new(&[64], &[32]);
            let bytes = match ty {
                "uchar" => 1,
                "ushort" => 2,
                "uint" => 4,
                _ => 8,
            };
            let value = |v: u64| v.to_le_bytes()[..bytes].to_vec();
            let input: Vec<u8> = (0..64 * n as u64).flat_map(|i| value(i % 200)).collect();
            let (data, out) = (Data::of(&input), Data::<u8>::zeros(input.len()));
            launch_once(&kernel, range, &[data.arg(), out.arg()]);
            let want: Vec<u8> =
                (0..64 * n as u64).flat_map(|i| value(i % 200 + i % lanes.min(32) as u64)).collect();
            assert_eq!(out.get(), want, "{ty}{width} {mode}");
        }
    }
}

/// Work-items that leave, loop and branch apart, around barriers of both kinds.
#[test]
fn sub_groups_among_barriers_and_loops() {
    let source = "kernel void k(global const long *in, global long *out) {
        local int sums[64];
        size_t g = get_global_linear_id();
        int v = in[g];
        int sum = 0;
        for (int i = 0; i < v % 5; i++) sum += sub_group_non_uniform_reduce_add(v);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = sub_group_broadcast_first(sum);
        barrier(CLK_LOCAL_MEM_FENCE);
        int all = 0;
        for (uint i = 0; i < get_num_sub_groups(); i++) all += sums[i];
        out[g] = all + work_group_reduce_max(sub_group_reduce_min(v)) + sub_group_scan_exclusive_add(sum);
    }";
    run_in_all_modes(source, |group| {
        let sums: Vec<(Vec<i64>, i64)> = group
            .sub_groups()
            .map(|(_, own)| {
                let at = |round: i64| own.iter().filter(|v| *v % 5 > round).sum::<i64>();
                (own.iter().map(|v| (0..v % 5).map(at).sum()).collect(), *own.iter().min().unwrap())
            })
            .collect();
        let all: i64 = sums.iter().map(|(mine, _)| mine[0]).sum();
        let largest = sums.iter().map(|(_, least)| *least).max().unwrap();
        for ((items, _), (mine, _)) in group.sub_groups().zip(&sums) {
            let mut before = 0;
            for (item, own) in items.iter().zip(mine) {
                assert_eq!(group.out[item.g], all + largest + before, "{} {item:?}", group.what);
                before += own;
            }
        }
    });
}

/// The work-group is the sub-group: the same functions, over all of it.
#[test]
fn degenerate_sub_groups() {
    let source = "kernel void k(global const int *in, global int *out) {
        size_t g = get_global_linear_id();
        int v = in[g];
        uint id = get_sub_group_local_id(), size = get_sub_group_size();
        out[g] = sub_group_reduce_add(v) + sub_group_scan_exclusive_add(v) + sub_group_broadcast(v, size / 3)
            + sub_group_shuffle(v, size - 1 - id) + (id > 0 ? sub_group_shuffle_up(v, 1) : \
            (sub_group_shuffle_up(v, 1), 0))
            + 1000 * (get_num_sub_groups() + 10 * get_sub_group_id() + 100 * (get_max_sub_group_size() \
            == size));
    }";
    let source = source
        .replace("(id > 0 ? sub_group_shuffle_up(v, 1) : (sub_group_shuffle_up(v, 1), 0))", "(id ? up : 0)");
    let source = source.replace("out[g] =", "int up = sub_group_shuffle_up(v, 1); out[g] =");
    let all = ["-cl-wfv=never --degenerate-sub-groups", "--lanes 8 --degenerate-sub-groups"];
    for mode in all.into_iter().filter(|mode| understands(mode)) {
        let kernel = kernel(&source, "k", mode);
        for range in ranges() {
            let n = range.work_items();
            let values: Vec<i32> = (0..n as i32).map(|i| (i * 7919 + 13) % 61).collect();
            let (data, out) = (Data::of(&values), Data::<i32>::zeros(n));
            launch_once(&kernel, range, &[data.arg(), out.arg()]);
            let out = out.get();
            let enqueued: usize = range.local_size.iter().product();
            for group in groups(&range) {
                let own: Vec<i32> = group.items.iter().map(|i| values[i.g]).collect();
                let all: i32 = own.iter().sum();
                for (i, item) in group.items.iter().enumerate() {
                    let before: i32 = own[..i].iter().sum();
                    let up = if i > 0 { own[i - 1] } else { 0 };
                    let want = all + before + own[own.len() / 3] + own[own.len() - 1 - i] + up;
                    let want = want + if own.len() == enqueued { 101_000 } else { 1_000 };
                    assert_eq!(out[item.g], want, "{mode} {range:?} {item:?}");
                }
            }
        }
    }
}

/// Much is kept across a barrier, and vectors go on from row to row of the work-group.
#[test]
fn what_lives_across_barriers_has_room_in_linear_order() {
    let source = "kernel void k(global const int *in, global int *out) {
        size_t g = get_global_linear_id();
        int kept[40];
        for (int i = 0; i < 40; i++) kept[i] = in[g] * i + sub_group_broadcast(in[g], 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0;
        for (int i = 0; i < 40; i++) sum += kept[(i * 7 + in[g]) % 40] * (i + 1);
        out[g] = sum;
    }";
    for (mode, lanes) in MODES.into_iter().filter(|(mode, _)| understands(mode)) {
        let kernel = kernel(source, "k", mode);
        // In the last range all sub-groups are whole, though no row is a multiple of their size.
        for range in ranges().into_iter().chain([NdRange::new(&[6, 4, 4], &[3, 4, 4])]) {
            let n = range.work_items();
            let values: Vec<i32> = (0..n as i32).map(|i| (i * 7919 + 13) % 61).collect();
            let (data, out) = (Data::of(&values), Data::<i32>::zeros(n));
            launch_once(&kernel, range, &[data.arg(), out.arg()]);
            let out = out.get();
            for group in groups(&range) {
                for items in group.items.chunks(size_of_sub_groups(lanes, &range)) {
                    for item in items {
                        let own = values[item.g];
                        let kept = |i: i32| own * i + values[items[0].g];
                        let want: i32 = (0..40).map(|i| kept((i * 7 + own) % 40) * (i + 1)).sum();
                        assert_eq!(out[item.g], want, "{mode} {range:?} {item:?}");
                    }
                }
            }
        }
    }
}
