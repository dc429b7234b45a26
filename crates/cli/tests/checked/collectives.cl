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
