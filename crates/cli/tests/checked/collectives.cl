// Functions that a whole group or sub-group must call, and loops that wait for ever.

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void a_reduction_in_a_branch(global int *out) {
    int l = get_local_id(0);
    int sum = 0;
    if (l < 8) // =>
        sum = work_group_reduce_add(l); // HERE
    out[l] = sum;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void a_broadcast_from_different_work_items(global int *out) {
    int l = get_local_id(0);
    out[l] = work_group_broadcast(l, l / 2); // HERE => out[l] = work_group_broadcast(l, 3);
}

// run: -g 8,2 -l 8,2 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void a_broadcast_of_rows(global int *out) {
    int x = get_local_id(0), y = get_local_id(1);
    out[8 * y + x] = work_group_broadcast(x, 0, y); // HERE => out[8 * y + x] = work_group_broadcast(x, 0, 1);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void a_vote_that_one_misses(global int *out) {
    int l = get_local_id(0);
    out[l] = l == 15 || work_group_any(l == 3); // HERE => out[l] = work_group_any(l == 3) || l == 15;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void a_scan_in_a_loop(global int *out) {
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 1 + l % 2; k++) // => for (int k = 0; k < 2; k++)
        sum += work_group_scan_inclusive_add(l); // HERE
    out[l] = sum;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
int total(int x) {
    return work_group_reduce_max(x); // HERE
}
kernel void a_reduction_in_a_function(global int *out) {
    int l = get_local_id(0);
    if (l & 4) // =>
        out[l] = total(l);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void different_collectives(global int *out) {
    int l = get_local_id(0), x;
    if (l < 4) // => if (get_group_id(0) < 4)
        x = work_group_reduce_add(l); // HERE
    else
        x = work_group_reduce_min(l); // HERE
    out[l] = x;
}

// run: -g 64 -l 64 --arg zeros:64 --options --degenerate-sub-groups
// expect: barrier group_id=0,0,0
kernel void a_sub_group_sum_in_a_branch(global int *out) {
    int l = get_local_id(0), sum = 0;
    if (get_sub_group_local_id() != 0) // =>
        sum = sub_group_reduce_add(l); // HERE
    out[l] = sum;
}

// run: -g 64 -l 64 --arg zeros:64 --options --degenerate-sub-groups
// expect: barrier group_id=0,0,0
kernel void a_sub_group_broadcast_from_different_work_items(global int *out) {
    int l = get_local_id(0);
    out[l] = sub_group_broadcast(l, get_sub_group_local_id() / 2); // HERE => out[l] = sub_group_broadcast(l, 2);
}

// run: -g 64 -l 64 --arg zeros:64 --options --degenerate-sub-groups
// expect: barrier group_id=0,0,0
kernel void a_shuffle_from_a_lane_that_is_missing(global int *out) {
    int l = get_local_id(0), x = 0;
    if (l != 5) // =>
        x = sub_group_shuffle(l, 5); // HERE
    out[l] = x;
}

// run: -g 64 -l 64 --arg zeros:64 --options --degenerate-sub-groups
// expect: barrier group_id=0,0,0
kernel void a_sub_group_barrier_in_a_branch(global int *out) {
    int l = get_local_id(0);
    if (l > 0) // =>
        sub_group_barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1
// expect: barrier
kernel void waits_for_a_flag_that_nobody_sets(global int *out, global atomic_int *flag) {
    int i = get_global_id(0);
    if (i == 3) {
        // => atomic_store(flag, 1);
        while (atomic_load(flag) == 0) {} // HERE
    }
    out[i] = i;
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1
// expect: barrier
kernel void a_lock_that_is_not_given_back(global int *sum, global atomic_int *lock) {
    int g = get_group_id(0);
    if (get_local_id(0) == 0) {
        int expected = 0;
        while (!atomic_compare_exchange_strong(lock, &expected, 1)) // HERE
            expected = 0;
        *sum += g;
        if (g % 2) // =>
            atomic_store(lock, 0);
    }
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier
kernel void waits_for_a_count_that_is_never_reached(global int *out) {
    local int count;
    int l = get_local_id(0);
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_add(&count, 0) < 17) {} // HERE => while (atomic_add(&count, 0) < 16) {}
    out[l] = l;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier group_id=0,0,0 local_id=0,0,0
__attribute__((intel_reqd_sub_group_size(8)))
kernel void a_sum_of_some_lanes(global int *out) {
    int l = get_local_id(0), sum = 0;
    if (get_sub_group_local_id() != 0) // =>
        sum = sub_group_reduce_add(l); // HERE
    out[l] = sum;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier group_id=0,0,0 local_id=3,0,0
__attribute__((intel_reqd_sub_group_size(8)))
kernel void a_scan_of_some_lanes(global float *out) {
    int l = get_local_id(0);
    float sum = 0;
    for (int i = 0; i < 4; i++)
        if (l != 3 || i != 2) // =>
            sum += sub_group_scan_inclusive_add((float)l); // HERE
    out[l] = sum;
}

// run: -g 32 -l 16 --arg zeros:32
// expect: barrier group_id=0,0,0 local_id=6,0,0
int vote(int l) {
    return sub_group_any(l == 1); // HERE
}
__attribute__((intel_reqd_sub_group_size(4)))
kernel void a_vote_in_a_function(global int *out) {
    int l = get_local_id(0), i = get_global_id(0), any = 0;
    if (l < 6) any = vote(l); // => any = vote(l);
    out[i] = any;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier group_id=0,0,0
__attribute__((intel_reqd_sub_group_size(8)))
kernel void a_broadcast_of_different_lanes(global int *out) {
    int l = get_local_id(0);
    out[l] = sub_group_broadcast(l, get_sub_group_local_id() / 2); // HERE => out[l] = sub_group_broadcast(l, 2);
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier group_id=0,0,0
__attribute__((intel_reqd_sub_group_size(8)))
kernel void a_broadcast_of_a_lane_beyond(global int *out) {
    int l = get_local_id(0);
    out[l] = sub_group_broadcast(l, 8); // HERE => out[l] = sub_group_broadcast(l, 7);
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier group_id=0,0,0 local_id=5,0,0
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
__attribute__((intel_reqd_sub_group_size(8)))
kernel void a_shuffle_from_a_missing_lane(global int *out) {
    int l = get_local_id(0), x = 0;
    if (l != 5) // =>
        x = sub_group_shuffle(l, 5); // HERE
    out[l] = x;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier group_id=0,0,0
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
__attribute__((intel_reqd_sub_group_size(8)))
kernel void a_sum_by_shuffles_of_half_of_the_lanes(global int *out) {
    int l = get_local_id(0), lane = get_sub_group_local_id(), x = l;
    if (lane < 4) // =>
        x += sub_group_shuffle_xor(x, 4); // HERE
    out[l] = x;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier group_id=0,0,0 local_id=0,0,0
__attribute__((intel_reqd_sub_group_size(8)))
kernel void a_sub_group_barrier_of_some_lanes(global int *out) {
    int l = get_local_id(0);
    if (l > 0) // =>
        sub_group_barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[l] = l;
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1
// expect: barrier
kernel void waits_for_a_volatile_flag(global int *out, volatile global int *flag) {
    int i = get_global_id(0);
    if (i == 0) *flag = 2; // => if (i == 0) *flag = 1;
    if (i == 0)
        while (*flag != 1) // HERE
            ;
    out[i] = i;
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1
// expect: barrier
void lock(volatile global int *mutex) {
    while (atomic_xchg(mutex, 1) != 0) {} // HERE
}
kernel void a_lock_that_is_taken_twice(global int *out, volatile global int *mutex) {
    int l = get_local_id(0);
    if (l == 0) {
        lock(mutex);
        lock(mutex); // =>
        out[0] = 1;
        atomic_xchg(mutex, 0);
    }
}

// run: -g 64 -l 16 --arg zeros:4 --arg zeros:1
// expect: barrier
kernel void groups_that_wait_for_one_more(global int *out, global atomic_uint *arrived) {
    if (get_local_id(0) == 0) {
        atomic_fetch_add(arrived, 1);
        uint seen;
        do { // HERE
            seen = atomic_load(arrived);
        } while (seen < get_group_id(0) + 2); // HERE => } while (seen < get_group_id(0) + 1);
        out[get_group_id(0)] = seen;
    }
}
