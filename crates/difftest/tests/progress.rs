//! Sub-groups that wait for each other: each makes progress, whatever the others of its work-group
//! do.

mod common;

use common::*;
use compiler::NdRange;
use lanewise_difftest::understands;

const MODES: [&str; 6] = [
    "-cl-wfv=never",
    "--lanes 4",
    "--lanes 16",
    "-cl-wfv=never -cl-opt-disable",
    "--lanes 8 -g",
    "--lanes 8",
];

/// One to three dimensions, several work-groups, partial last sub-groups.
fn ranges() -> Vec<NdRange> {
    vec![
        NdRange::new(&[64], &[64]),
        NdRange::new(&[84], &[42]),
        NdRange::new(&[100], &[40]),
        NdRange::new(&[6, 8, 5], &[3, 4, 5]),
    ]
}

/// Runs kernel `k` of `source`, which has four words of `out` for each work-item and three that are
/// 0 for each work-group, in every mode over every range. What each work-item writes first is
/// compared; then comes what it knows of its sub-group.
fn check(source: &str, want: impl Fn(&Facts) -> i64) {
    for mode in MODES.into_iter().filter(|mode| understands(mode)) {
        let kernel = kernel(source, "k", mode);
        for range in ranges() {
            let n = range.work_items();
            let (out, words) = (Data::<i64>::zeros(4 * n), Data::<i32>::zeros(3 * n));
            launch_once(&kernel, range, &[out.arg(), words.arg()]);
            let out = out.get();
            for group in groups(&range) {
                for item in &group.items {
                    let [own, id, count, most] = out[4 * item.g..][..4] else { unreachable!() };
                    let facts = Facts { id, count, items: group.items.len() as i64 };
                    assert_eq!(own, want(&facts), "{mode} {range:?} {item:?} {facts:?}");
                    let items = range.work_group_items().min(group.items.len()) as i64;
                    assert_eq!(count, (items + most - 1) / most, "{mode} {range:?} {facts:?}");
                    assert!(count > 1, "{mode} {range:?} {facts:?}");
                }
            }
        }
    }
}

/// What a work-item says of its sub-group.
#[derive(Debug)]
struct Facts {
    id: i64,
    count: i64,
    /// The work-items of the work-group.
    items: i64,
}

/// A kernel whose body sets `r`. `words` is the work-group's.
fn source(functions: &str, body: &str) -> String {
    format!(
        "{functions}
         kernel void k(global long *out, global int *all_words) {{
           size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + \
           get_group_id(0);
           global atomic_int *words = (global atomic_int *)(all_words + 3 * group);
           int id = get_sub_group_id(), count = get_num_sub_groups();
           long r = 0;
           {body}
           vstore4((long4)(r, id, count, get_max_sub_group_size()), get_global_linear_id(), out);
         }}"
    )
}

#[test]
fn a_token_goes_backwards_through_the_sub_groups() {
    let body = "
        int turn;
        while ((turn = atomic_load(words)) != count - 1 - id) {}
        r = turn;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_sub_group_local_id() == 0) atomic_store(words, turn + 1);";
    check(&source("", body), |f| f.count - 1 - f.id);
}

#[test]
fn a_token_goes_round_many_times() {
    let body = "
        int own[4] = {0, 0, 0, 0};
        for (int i = 0; i < 10; i++) {
          // The last sub-group takes the first turn.
          while (atomic_load_explicit(words, memory_order_acquire, memory_scope_work_group) % count != \
          count - 1 - id) {}
          own[i & 3] += atomic_load(words) + i;
          sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
          if (get_sub_group_local_id() == 0) atomic_fetch_add(words, 1);
          sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        }
        r = own[0] + 3 * own[1] + 5 * own[2] + 7 * own[3];";
    check(&source("", body), |f| {
        let own = |i: i64| i * f.count + f.count - 1 - f.id + i;
        (0..10).map(|i| own(i) * [1, 3, 5, 7][(i & 3) as usize]).sum()
    });
}

#[test]
fn one_lane_of_each_takes_a_lock() {
    let body = "
        if (get_sub_group_local_id() == 0) {
          int expected = 0;
          while (!atomic_compare_exchange_strong(words, &expected, 1)) expected = 0;
          global int *plain = (global int *)words + 1;
          *plain = *plain + id + 1;
          atomic_store(words, 0);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        r = ((global int *)words)[1];";
    check(&source("", body), |f| f.count * (f.count + 1) / 2);
}

#[test]
fn a_holder_of_a_lock_waits_too() {
    // Sub-group 0 keeps the lock until all others have been seen to ask for it.
    let body = "
        if (id == 0) {
          if (get_sub_group_local_id() == 0) atomic_store(words, 1);
          while (atomic_load(words + 1) != count - 1) {}
          if (get_sub_group_local_id() == 0) atomic_store(words, 0);
        } else {
          while (atomic_load(words) == 0 && atomic_load(words + 1) == 0) {}
          if (get_sub_group_local_id() == 0) atomic_fetch_add(words + 1, 1);
          while (atomic_load(words) != 0) {}
        }
        r = atomic_load(words + 1);";
    check(&source("", body), |f| f.count - 1);
}

#[test]
fn old_style_flags_in_a_function() {
    let functions = "
        __attribute__((noinline)) void wait_for(volatile global int *flag, int value) {
          while (*flag != value) mem_fence(CLK_GLOBAL_MEM_FENCE);
        }
        __attribute__((noinline)) void twice(volatile global int *flag, int value) {
          wait_for(flag, value);
          wait_for(flag, value);
        }";
    let body = "
        volatile global int *flag = (volatile global int *)words;
        twice(flag, count - 1 - id);
        r = *flag;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_sub_group_local_id() == 0) *flag = *flag + 1;";
    check(&source(functions, body), |f| f.count - 1 - f.id);
}

#[test]
fn barriers_and_operations_over_the_work_group_between_turns() {
    let body = "
        local int shared[2];
        for (int round = 0; round < 3; round++) {
          while (atomic_load(words) != round * count + count - 1 - id) {}
          sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
          if (get_sub_group_local_id() == 0) atomic_fetch_add(words, 1);
          int before = work_group_scan_exclusive_add(1);
          if (get_local_linear_id() == 0) shared[round & 1] = 100 * round;
          barrier(CLK_LOCAL_MEM_FENCE);
          r += work_group_reduce_max(before) + shared[round & 1] + (before != get_local_linear_id());
          r += work_group_broadcast(id, 0, 0, 0);
        }";
    check(&source("", body), |f| 3 * (f.items - 1) + 300);
}

#[test]
fn some_return_while_others_wait() {
    let body = "
        if (id == count - 1) {
          if (get_sub_group_local_id() == 0) atomic_store(words, 7);
        } else {
          while (atomic_load(words) == 0) {}
          if (id & 1) { r = 7; vstore4((long4)(r, id, count, get_max_sub_group_size()), \
          get_global_linear_id(), out); return; }
        }
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        r = atomic_load(words) + sub_group_reduce_add(1) - get_sub_group_size();";
    check(&source("", body), |_| 7);
}

/// A kernel with a required sub-group size may compute the ID of its sub-group itself.
#[test]
fn sub_groups_of_a_required_size_wait_without_asking() {
    let source = "kernel __attribute__((intel_reqd_sub_group_size(8))) void k(global volatile int *turn, \
        global int *out) {
        int id = get_local_linear_id() / 8, last = get_local_size(0) * get_local_size(1) / 8 - 1;
        while (turn[get_group_id(0)] != last - id) mem_fence(CLK_GLOBAL_MEM_FENCE);
        out[get_global_linear_id()] = last - id;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (get_local_linear_id() % 8 == 7) turn[get_group_id(0)] = last - id + 1;
    }";
    let kernel = kernel(source, "k", "");
    let range = NdRange::new(&[24, 8], &[12, 8]);
    let (turn, out) = (Data::<i32>::zeros(2), Data::<i32>::zeros(192));
    launch_once(&kernel, range, &[turn.arg(), out.arg()]);
    let out = out.get();
    for group in groups(&range) {
        for item in &group.items {
            assert_eq!(out[item.g], 11 - item.l as i32 / 8, "{item:?}");
        }
    }
}

/// A kernel may have the sub-group size as an argument, from a query of the driver.
#[test]
fn sub_groups_wait_without_asking_and_without_a_required_size() {
    let source = "kernel void k(global atomic_int *turn, global int *out, int size) {
        int id = get_local_linear_id() / size;
        int last = (get_local_size(0) * get_local_size(1) * get_local_size(2) + size - 1) / size - 1;
        while (atomic_load(turn + get_group_id(0)) != last - id) {}
        out[get_global_linear_id()] = last - id;
        if (get_local_linear_id() % size == size - 1) atomic_store(turn + get_group_id(0), last - id + 1);
    }";
    let all = ["-cl-wfv=never", "--lanes 4", "--lanes 16", ""];
    for mode in all.into_iter().filter(|mode| understands(mode)) {
        let kernel = kernel(source, "k", mode);
        for range in [NdRange::new(&[128], &[64]), NdRange::new(&[12, 4, 4], &[6, 4, 4])] {
            let size = kernel.sub_group_size(range.local_size).unwrap();
            let (turn, out) = (Data::<i32>::zeros(2), Data::<i32>::zeros(range.work_items()));
            launch_once(&kernel, range, &[turn.arg(), out.arg(), value(size as i32)]);
            let out = out.get();
            for group in groups(&range) {
                for item in &group.items {
                    let last = group.items.len().div_ceil(size) - 1;
                    assert_eq!(out[item.g], (last - item.l / size) as i32, "{mode} {range:?} {item:?}");
                }
            }
        }
    }
}
