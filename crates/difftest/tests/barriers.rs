//! Barriers in every place they can stand, and functions that have them.

mod common;

use common::{Data, Group, check, check_over, ir_kernel, launch_once, shapes};
use compiler::NdRange;

/// Macros that the kernels here share.
const PRELUDE: &str = "
#define L ((uint)get_local_linear_id())
#define G ((uint)get_global_linear_id())
#define N ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define GROUP ((uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + \
    get_group_id(0)))
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
uint mix(uint a) { a *= 2654435761u; return a ^ (a >> 15); }
";

fn mix(a: u32) -> u32 {
    let a = a.wrapping_mul(2_654_435_761);
    a ^ (a >> 15)
}

fn source(text: &str) -> String {
    format!("{PRELUDE}{text}")
}

/// The initial value of each work-item.
fn seeds(group: &Group) -> Vec<u32> {
    group.items.iter().map(|i| mix(i.g as u32)).collect()
}

/// Each item's value plus its right neighbour's, as the kernels' `rotate` does.
fn add_next(v: &[u32]) -> Vec<u32> {
    (0..v.len()).map(|i| v[i].wrapping_add(v[(i + 1) % v.len()])).collect()
}

#[test]
fn straight() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint v = mix(G);
            s[L] = v;
            SYNC;
            uint a = s[(L + 1) % N];
            SYNC;
            s[L] = a ^ v;
            SYNC;
            out[G] = s[N - 1 - L] + v;
        }",
    );
    check(&text, |group| {
        let (n, v) = (group.len(), seeds(group));
        let s: Vec<u32> = (0..n).map(|l| v[(l + 1) % n] ^ v[l]).collect();
        (0..n).map(|l| s[n - 1 - l].wrapping_add(v[l])).collect()
    });
}

#[test]
fn first_and_last_instruction_and_one_after_the_other() {
    let text = source(
        "kernel void k(global uint *out) {
            SYNC; SYNC;
            out[G] = G + 1;
            barrier(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        }",
    );
    check(&text, |group| group.items.iter().map(|i| i.g as u32 + 1).collect());
}

#[test]
fn through_global_memory() {
    let text = source(
        "kernel void k(global uint *out, global uint *place) {
            place[GROUP * 128 + L] = mix(G);
            barrier(CLK_GLOBAL_MEM_FENCE);
            uint sum = 0;
            for (uint i = 0; i < N; i++) sum = sum * 3 + place[GROUP * 128 + i];
            barrier(CLK_GLOBAL_MEM_FENCE);
            place[GROUP * 128 + L] = sum ^ L;
            work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
            out[G] = place[GROUP * 128 + (L * 7) % N];
        }",
    );
    let args = |range: &compiler::NdRange| {
        vec![common::Data::<u32>::zeros(128 * range.num_groups().iter().product::<usize>()).arg()]
    };
    check_over(&text, &shapes(), args, |group| {
        let (n, v) = (group.len(), seeds(group));
        let sum = v.iter().fold(0u32, |sum, v| sum.wrapping_mul(3).wrapping_add(*v));
        (0..n).map(|l| sum ^ ((l * 7) % n) as u32).collect()
    });
}

#[test]
fn in_a_loop() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint v = mix(G);
            for (uint i = 0; i < GROUP % 5; i++) {
                s[L] = v;
                SYNC;
                v += s[(L + 1) % N];
                SYNC;
            }
            out[G] = v;
        }",
    );
    check(&text, |group| (0..group.linear % 5).fold(seeds(group), |v, _| add_next(&v)));
}

#[test]
fn in_nested_loops_with_carried_values() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint v = mix(G), turns = 0, own = L;
            for (uint i = 0; i < 3; i++) {
                uint sum = v ^ i;
                for (uint j = 0; j <= i + GROUP % 2; j++) {
                    s[L] = sum;
                    SYNC;
                    sum += s[(L + 1) % N];
                    if (own & 1) turns += j + 1;
                    SYNC;
                    own = own * 5 + 1;
                }
                SYNC;
                s[L] = sum;
                SYNC;
                v = s[N - 1 - L];
                SYNC;
            }
            out[G] = v + turns * 1000 + own;
        }",
    );
    check(&text, |group| {
        let n = group.len();
        let mut v = seeds(group);
        let (mut turns, mut own) = (vec![0u32; n], (0..n as u32).collect::<Vec<_>>());
        for i in 0..3u32 {
            let mut sum: Vec<u32> = v.iter().map(|v| v ^ i).collect();
            for j in 0..=i + group.linear as u32 % 2 {
                sum = add_next(&sum);
                for l in 0..n {
                    turns[l] += if own[l] & 1 == 1 { j + 1 } else { 0 };
                    own[l] = own[l].wrapping_mul(5).wrapping_add(1);
                }
            }
            v = sum.into_iter().rev().collect();
        }
        (0..n).map(|l| v[l].wrapping_add(turns[l].wrapping_mul(1000)).wrapping_add(own[l])).collect()
    });
}

#[test]
fn in_loops_with_break_continue_and_a_test_at_the_end() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            local uint stop;
            uint v = mix(G), i = 0;
            do {
                s[L] = v;
                if (L == 0) stop = i >= GROUP % 4;
                SYNC;
                if (stop) break;
                uint next = s[(L + 1) % N];
                SYNC;
                i++;
                if (i == 2) continue;
                v += next;
            } while (i < 3);
            while (1) {
                SYNC;
                if (++i > 5) { SYNC; v += i; break; }
                v ^= i;
            }
            out[G] = v;
        }",
    );
    check(&text, |group| {
        let (mut v, mut i) = (seeds(group), 0);
        while i < group.linear as u32 % 4 {
            i += 1;
            if i != 2 {
                v = add_next(&v);
            }
            if i >= 3 {
                break;
            }
        }
        loop {
            i += 1;
            if i > 5 {
                return v.iter().map(|v| v.wrapping_add(i)).collect();
            }
            v.iter_mut().for_each(|v| *v ^= i);
        }
    });
}

#[test]
fn in_uniform_branches() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint v = mix(G);
            if (GROUP & 1) {
                s[L] = v;
                SYNC;
                v += s[(L + 1) % N];
                if (GROUP & 2) { SYNC; s[L] = v; SYNC; v += s[(L + 1) % N]; }
            } else if (GROUP & 2) {
                v ^= 77;
            } else {
                v ^= L;
                SYNC;
                s[L] = v;
                SYNC;
                v = s[N - 1 - L];
            }
            if (L % 3 == 1) v = ~v;
            out[G] = v;
        }",
    );
    check(&text, |group| {
        let mut v = seeds(group);
        match group.linear & 3 {
            1 => v = add_next(&v),
            3 => v = add_next(&add_next(&v)),
            2 => v.iter_mut().for_each(|v| *v ^= 77),
            _ => {
                v.iter_mut().enumerate().for_each(|(l, v)| *v ^= l as u32);
                v.reverse();
            }
        }
        v.iter_mut().skip(1).step_by(3).for_each(|v| *v = !*v);
        v
    });
}

#[test]
fn in_switches_with_fall_through() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint v = mix(G);
            switch (GROUP % 5) {
            case 0: v ^= L; SYNC; s[L] = v; SYNC; v += s[(L + 1) % N]; break;
            case 1: s[L] = v; SYNC; v += s[(L + 1) % N]; SYNC;
            case 2: s[L] = v; SYNC; v += s[(L + 1) % N]; break;
            case 3: v *= 3; break;
            default: { for (int i = 0; i < 2; i++) { SYNC; v += i; } }
            }
            out[G] = v - G;
        }",
    );
    check(&text, |group| {
        let mut v = seeds(group);
        match group.linear % 5 {
            0 => v = add_next(&v.iter().enumerate().map(|(l, v)| v ^ l as u32).collect::<Vec<_>>()),
            1 => v = add_next(&add_next(&v)),
            2 => v = add_next(&v),
            3 => v.iter_mut().for_each(|v| *v = v.wrapping_mul(3)),
            _ => v.iter_mut().for_each(|v| *v = v.wrapping_add(1)),
        }
        v.iter().zip(&group.items).map(|(v, i)| v.wrapping_sub(i.g as u32)).collect()
    });
}

#[test]
fn before_and_after_a_return_of_the_whole_group() {
    let text = source(
        "kernel void k(global uint *out) {
            local uint s[128];
            uint v = mix(G);
            out[G] = v;
            if (GROUP % 3 == 1) return;
            s[L] = v;
            SYNC;
            v += s[(L + 1) % N];
            out[G] = v;
            if (GROUP % 3 == 2) { SYNC; return; }
            SYNC;
            s[L] = v;
            SYNC;
            if (L & 1) return;
            out[G] = s[(L + 1) % N] + v;
        }",
    );
    check(&text, |group| {
        let v = seeds(group);
        match group.linear % 3 {
            1 => v,
            2 => add_next(&v),
            _ => {
                let once = add_next(&v);
                let twice = add_next(&once);
                (0..v.len()).map(|l| if l & 1 == 1 { once[l] } else { twice[l] }).collect()
            }
        }
    });
}

#[test]
fn in_functions_called_more_than_once() {
    for attribute in ["", "static inline", "__attribute__((noinline))", "__attribute__((always_inline))"] {
        let text = source(&format!(
            "{attribute} uint rotate_sum(local uint *s, uint v, uint n) {{
                for (uint i = 0; i < n; i++) {{
                    s[L] = v;
                    SYNC;
                    v += s[(L + 1) % N];
                    SYNC;
                }}
                return v;
            }}
            {attribute} uint twice(local uint *s, uint v) {{
                uint before = v;
                return rotate_sum(s, v, 2) ^ before;
            }}
            kernel void k(global uint *out) {{
                local uint s[128];
                uint v = rotate_sum(s, mix(G), 1);
                v = twice(s, v);
                if (GROUP & 1) v = twice(s, v);
                out[G] = rotate_sum(s, v, GROUP % 3);
            }}"
        ));
        check(&text, |group| {
            let twice = |v: &[u32]| {
                let after = add_next(&add_next(v));
                after.iter().zip(v).map(|(a, b)| a ^ b).collect::<Vec<_>>()
            };
            let mut v = twice(&add_next(&seeds(group)));
            if group.linear & 1 == 1 {
                v = twice(&v);
            }
            (0..group.linear % 3).fold(v, |v, _| add_next(&v))
        });
    }
}

#[test]
fn in_functions_that_write_through_pointers_to_private_memory() {
    let text = source(
        "__attribute__((noinline)) void step(local uint *s, uint *v, uint count[2]) {
            s[L] = *v;
            SYNC;
            *v += s[(L + 1) % N];
            count[*v & 1]++;
            SYNC;
        }
        kernel void k(global uint *out) {
            local uint s[128];
            uint v = mix(G), count[2] = {0, 0};
            for (int i = 0; i < 4; i++) step(s, &v, count);
            out[2 * G] = v;
            out[2 * G + 1] = count[0] * 10 + count[1];
        }",
    );
    check(&text, |group| {
        let mut v = seeds(group);
        let mut count = vec![[0u32; 2]; v.len()];
        for _ in 0..4 {
            v = add_next(&v);
            v.iter().zip(&mut count).for_each(|(v, c)| c[(v & 1) as usize] += 1);
        }
        v.iter().zip(count).flat_map(|(v, c)| [*v, c[0] * 10 + c[1]]).collect()
    });
}

#[test]
fn a_kernel_that_calls_kernels() {
    let text = source(
        "kernel void inner(global uint *out, uint by) {
            uint before = out[G];
            barrier(CLK_GLOBAL_MEM_FENCE);
            out[G] = before * 5 + by;
        }
        kernel void plain(global uint *out) { out[G] *= 3; }
        kernel void k(global uint *out) {
            out[G] = mix(G);
            plain(out);
            inner(out, 5);
            inner(out, L);
        }",
    );
    check(&text, |group| {
        let inner = |v: u32, by: u32| v.wrapping_mul(5).wrapping_add(by);
        group.items.iter().map(|i| inner(inner(mix(i.g as u32).wrapping_mul(3), 5), i.l as u32)).collect()
    });
}

#[test]
fn called_kernels_with_local_variables() {
    let text = source(
        "kernel void inner(global uint *out, uint by) {
            local uint s[128];
            s[L] = out[G] + by;
            SYNC;
            out[G] = s[N - 1 - L];
            SYNC;
        }
        kernel void k(global uint *out) {
            local uint s[128];
            s[L] = mix(G);
            SYNC;
            out[G] = s[(L + 1) % N];
            inner(out, 5);
            inner(out, L);
            out[G] += s[L];
        }",
    );
    check(&text, |group| {
        let (n, v) = (group.len(), seeds(group));
        let mut out: Vec<u32> = (0..n).map(|l| v[(l + 1) % n].wrapping_add(5)).collect();
        out.reverse();
        out.iter_mut().enumerate().for_each(|(l, o)| *o = o.wrapping_add(l as u32));
        out.reverse();
        out.iter().zip(v).map(|(o, v)| o.wrapping_add(v)).collect()
    });
}

#[test]
fn both_a_kernel_and_its_caller_can_be_run() {
    let text = source(
        "kernel void inner(global uint *out) {
            local uint s[128];
            s[L] = out[G];
            SYNC;
            out[G] = s[N - 1 - L] + 1;
        }
        kernel void k(global uint *out) { out[G] = G; inner(out); }",
    );
    check(&text, |group| group.items.iter().rev().map(|i| i.g as u32 + 1).collect());
    let inner = common::kernel(&text, "inner", "");
    let out = common::Data::of(&(0..10u32).collect::<Vec<_>>());
    common::launch(&inner, compiler::NdRange::new(&[10], &[4]), &[out.arg()]);
    assert_eq!(out.get(), [4, 3, 2, 1, 8, 7, 6, 5, 10, 9]);
}

/// A kernel in IR whose second region has this schedule, and a third region after it.
fn scheduled(schedule: &str, second: &str, third: &str) -> String {
    format!(
        "target triple = \"spir64-unknown-unknown\"
         declare i64 @__mux_get_global_id(i32)
         declare i64 @__mux_get_local_linear_id()
         declare void @__mux_work_group_barrier(i32, i32, i32)
         define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %count) {{
           %i = call i64 @__mux_get_local_linear_id()
           %n = trunc i64 %i to i32
           %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
           store i32 -1, ptr addrspace(1) %o
           call void @__mux_work_group_barrier(i32 0, i32 2, i32 528) \"mux-barrier-schedule\"=\"{schedule}\"
           {second}
           call void @__mux_work_group_barrier(i32 1, i32 2, i32 528)
           {third}
           ret void
         }}"
    )
}

const COUNT: &str = "%c = atomicrmw add ptr addrspace(1) %count, i32 1 monotonic";
const KEEP: &str = "store i32 %c, ptr addrspace(1) %o";

/// `mux-barrier-schedule` in scalar and in vector code: one work-item runs a region for all, who
/// see what it computed; or all run it, in linear order or in any.
#[test]
fn schedules() {
    if lanewise_difftest::device().id() != "cpu" {
        // The schedule is for work-item loops, and a device with a thread for each work-item has
        // none.
        return;
    }
    let sizes: [[usize; 3]; 5] = [[32, 1, 1], [5, 1, 1], [1, 32, 1], [1, 1, 19], [4, 8, 1]];
    for build in ["", "-cl-wfv=always", "-cl-wfv=never", "-cl-opt-disable"] {
        for size in sizes {
            let items: usize = size.iter().product();
            let run = |schedule: &str| {
                let k = ir_kernel(&scheduled(schedule, COUNT, KEEP), build);
                let (out, count) = (Data::<i32>::zeros(items), Data::<i32>::zeros(1));
                launch_once(&k, NdRange::new(&size, &size), &[out.arg(), count.arg()]);
                (out.get(), count.get()[0])
            };
            let in_order: Vec<i32> = (0..items as i32).collect();
            assert_eq!(run("once"), (vec![0; items], 1), "'{build}', {size:?}");
            assert_eq!(run("linear"), (in_order.clone(), items as i32), "'{build}', {size:?}");
            let (mut out, count) = run("unordered");
            out.sort_unstable();
            assert_eq!((out, count), (in_order, items as i32), "'{build}', {size:?}");
        }
    }
}

/// A scan follows the linear order also where vectors lie along y or z.
#[test]
fn scans_along_every_dimension() {
    let scan = "%c = call i32 @__mux_work_group_scan_inclusive_add_i32(i32 2, i32 %n)";
    let text = scheduled("unordered", scan, KEEP);
    let text = format!("{text}\ndeclare i32 @__mux_work_group_scan_inclusive_add_i32(i32, i32)");
    for build in ["", "-cl-wfv=always", "-cl-wfv=never"] {
        for size in [[32, 1, 1], [1, 32, 1], [1, 1, 37], [1, 6, 8], [3, 16, 1]] {
            let items: usize = size.iter().product();
            let (out, count) = (Data::<i32>::zeros(items), Data::<i32>::zeros(1));
            launch_once(&ir_kernel(&text, build), NdRange::new(&size, &size), &[out.arg(), count.arg()]);
            let expected: Vec<i32> = (0..items as i32).map(|i| i * (i + 1) / 2).collect();
            assert_eq!(out.get(), expected, "'{build}', {size:?}");
        }
    }
}

/// Neighbours in a sub-group read what each other stored to local memory, with no barrier between.
/// No vector is smaller than four lanes, and vectors begin at multiples of their width.
#[test]
fn work_items_of_a_sub_group_exchange_local_memory_in_lock_step() {
    // Other devices may run each work-item as a thread: there is no lock-step.
    if !lanewise_difftest::on_cpu() {
        return;
    }
    // By its 64-bit divisions, scalar code is estimated to be cheaper.
    let divide = "ulong divide(ulong a, uint n) {
            for (uint i = 0; i < n; i++) { a = a * 3 + 1; a = a / (a % 1000 + 3) + a / (a % 77 + 2); }
            return a;
        }";
    let kernels = [
        // Each work-item loads a few edges, and the first one walks them.
        "kernel void k(global uint *out, uint times) {
            local uint edges[4], first[4], bins[64];
            uint l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
            for (uint i = l; i < 64; i += n) bins[i] = 0;
            for (uint i = l; i < 4; i += n) edges[i] = 10 + i;
            if (l == 0) for (uint i = 0, at = 0; i < 4; i++) { first[i] = at; at += edges[i]; }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = 0; i < 4; i++) atomic_add(bins + (first[i] * 7 + l) % 64, 1);
            barrier(CLK_LOCAL_MEM_FENCE);
            out[g] = bins[l % 64] * 100 + first[l % 4] + (divide(g, times) & times);
        }",
        // Pairs add up, then pairs of pairs.
        "kernel void k(global uint *out, uint times) {
            local volatile uint s[64];
            uint l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
            s[l] = (divide(g, times) & times) + l + 1;
            uint a = s[l] + s[(l ^ 1) % n];
            s[l] = a;
            out[g] = a + s[(l ^ 2) % n];
        }",
    ];
    let expected = |which: usize, l: u32, n: u32| match which {
        0 => {
            let first = [0, 10, 21, 33u32];
            let bins = (0..n).flat_map(|l| first.map(|f| (f * 7 + l) % 64)).filter(|b| *b == l % 64).count();
            bins as u32 * 100 + first[l as usize % 4]
        }
        _ => {
            let pair = |l: u32| (l + 1) + ((l ^ 1) % n + 1);
            pair(l) + pair((l ^ 2) % n)
        }
    };
    for (which, source) in kernels.iter().enumerate() {
        let k = common::kernel(&format!("{divide}{source}"), "k", "");
        for n in [8, 12, 16, 20, 24, 64usize] {
            let out = common::Data::<u32>::zeros(2 * n);
            common::launch_once(
                &k,
                compiler::NdRange::new(&[2 * n], &[n]),
                &[out.arg(), common::value(0u32)],
            );
            let n = n as u32;
            let all: Vec<u32> = (0..2 * n).map(|g| expected(which, g % n, n)).collect();
            assert_eq!(out.get(), all, "kernel {which}, groups of {n}");
        }
    }
}
