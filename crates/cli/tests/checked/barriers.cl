// Barriers that not all work-items of a group reach, or reach at different places and times.

// run: -g 64 -l 16 --arg zeros:64
// expect: barrier
kernel void in_a_branch(global int *out) {
    int i = get_global_id(0), l = get_local_id(0);
    if (l < 8) { // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    } // =>
    out[i] = l;
}

// run: -g 64 -l 16 --arg zeros:64
// expect: barrier group_id=2,0,0
kernel void in_a_branch_of_one_work_item(global int *out) {
    int i = get_global_id(0);
    if (i != 37) // =>
        barrier(CLK_GLOBAL_MEM_FENCE); // HERE
    out[i] = i;
}

// run: -g 64 -l 16 --arg zeros:64 --arg 60
// expect: barrier group_id=3,0,0
kernel void after_an_early_return(global int *out, int n) {
    int i = get_global_id(0);
    if (i >= n) return; // =>
    barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[i] = i;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void at_different_places(global int *out) {
    int l = get_local_id(0);
    if (l < 8) { // => if (get_group_id(0) == 0) {
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
        out[l] = 1;
    } else {
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
        out[l] = 2;
    }
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void in_a_loop_with_other_trip_counts(global int *out) {
    int l = get_local_id(0);
    for (int k = 0; k < l; k++) // => for (int k = 0; k < 5; k++)
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: barrier group_id=0,0,0
kernel void in_a_loop_that_ends_by_data(global int *out, global const int *in) {
    int l = get_local_id(0);
    int n = in[l] / 15 + 3; // => int n = in[4] / 15 + 3;
    while (n > 0) {
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
        n--;
    }
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void after_a_break(global int *out) {
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (k == 2 && l == 9) break; // => if (k == 2) break;
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    }
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void after_a_continue(global int *out) {
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if ((k + l) % 4 == 3) continue; // => if (k == 3) continue;
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    }
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
void sync(void) {
    barrier(CLK_LOCAL_MEM_FENCE); // HERE
}
kernel void in_a_function(global int *out) {
    int l = get_local_id(0);
    if (l % 2 == 0) // =>
        sync();
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void in_a_do_loop(global int *out) {
    int l = get_local_id(0), n = l / 8; // => int l = get_local_id(0), n = 1;
    do {
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    } while (n-- > 0);
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void in_a_switch(global int *out) {
    int l = get_local_id(0);
    switch (l % 3) { // => switch (2) {
    case 0: out[l] = 1; break;
    case 1: out[l] = 2; break;
    default: barrier(CLK_LOCAL_MEM_FENCE); // HERE
    }
}

// run: -g 8,4 -l 8,4 --arg zeros:32
// expect: barrier group_id=0,0,0
kernel void in_a_row(global int *out) {
    int x = get_local_id(0), y = get_local_id(1);
    if (y == 0) // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[8 * y + x] = x;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void in_nested_loops(global int *out) {
    int l = get_local_id(0);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < (y ^ (l & 1)) + 1; x++) // => for (int x = 0; x < y + 1; x++)
            barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: barrier group_id=0,0,0
kernel void behind_a_condition_of_data(global int *out, global const int *in) {
    int l = get_local_id(0);
    if (in[l] != 11) // => if (in[3] != 11)
        barrier(CLK_GLOBAL_MEM_FENCE); // HERE
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void of_the_new_name(global int *out) {
    int l = get_local_id(0);
    if (l > 0) // =>
        work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device); // HERE
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void the_second_of_three(global int *out) {
    int l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 15) // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[l] = l;
}

// run: -g 50 -l 16 --arg zeros:50
// expect: barrier group_id=3,0,0
kernel void in_a_partial_group(global int *out) {
    int i = get_global_id(0);
    if (i < 49) // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[i] = i;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void behind_a_logical_and(global int *out) {
    int l = get_local_id(0);
    int few = l < 4 && get_group_id(0) == 0; // => int few = get_group_id(0) == 0;
    if (few && out[l] == 0)
        barrier(CLK_GLOBAL_MEM_FENCE); // HERE
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: barrier group_id=0,0,0
kernel void a_copy_in_a_branch(global int *out, global const int *in) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = 0;
    if (l < 8) // =>
        e = async_work_group_copy(tile, in, 16, 0); // HERE
    wait_group_events(1, &e); // HERE (for other events)
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: barrier group_id=0,0,0
kernel void a_wait_in_a_branch(global int *out, global const int *in) {
    local int tile[16];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(tile, in, 16, 0);
    if (l < 8) // =>
        wait_group_events(1, &e); // HERE
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: barrier group_id=0,0,0
kernel void a_copy_of_other_lengths(global int *out, global const int *in) {
    local int tile[16];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(tile, in, l + 1, 0); // HERE => event_t e = async_work_group_copy(tile, in, 16, 0);
    wait_group_events(1, &e);
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: barrier group_id=0,0,0
kernel void a_copy_from_other_places(global int *out, global const int *in) {
    local int tile[8];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(tile, in + l / 8, 8, 0); // HERE => event_t e = async_work_group_copy(tile, in + 1, 8, 0);
    wait_group_events(1, &e);
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void who_misses_it_reads_what_nobody_wrote(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[15 - l] = l;
    if (l < 12) // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[l] = tile[l];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
void sync_all(void) { barrier(CLK_LOCAL_MEM_FENCE); } // HERE
kernel void in_a_function_for_half_of_a_sub_group(global int *out) {
    local int s[16];
    int l = get_local_id(0);
    s[l] = l;
    if (get_sub_group_id() == 0 && l < 8) sync_all(); // => sync_all();
    out[l] = s[l];
}

// run: -g 32 -l 8 --arg zeros:32
// expect: barrier global_id=0,0,0 local_id=0,0,0 group_id=0,0,0 other_local_id=1,0,0
kernel void the_first_returns(global int *out) {
    int l = get_local_id(0);
    if (l == 0) return; // => if (get_group_id(0) == 0) return;
    barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[get_global_id(0)] = l;
}

// run: -g 32 -l 8 --arg zeros:32
// expect: barrier global_id=5,0,0 local_id=5,0,0 group_id=0,0,0 other_group_id=0,0,0
kernel void some_return(global int *out) {
    int l = get_local_id(0);
    if (l == 5 || l == 7) return; // =>
    barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[get_global_id(0)] = l;
}

// run: -g 8,8 -l 4,4 --arg zeros:64
// expect: barrier global_id=4,7,0 local_id=0,3,0 group_id=1,1,0
kernel void a_row_in_two_dimensions(global int *out) {
    size_t x = get_global_id(0), y = get_global_id(1);
    if (!(x >= 4 && y == 7)) // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[y * 8 + x] = 1;
}

// run: -g 60 -l 16 --arg zeros:60
// expect: barrier group_id=3,0,0 global_id=59,0,0
kernel void the_partial_group_s_last(global int *out) {
    size_t i = get_global_id(0);
    if (i + 1 < get_global_size(0)) // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    out[i] = 1;
}

// run: -g 64 -l 16 --arg zeros:64 --arg 3
// expect: barrier group_id=0,0,0
kernel void nested_functions_and_loops(global int *out, int n) {
    int l = get_local_id(0), s = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a + (l == 2 && a == 1); b++) { // => for (int b = 0; b <= a; b++) {
            s += b;
            barrier(CLK_LOCAL_MEM_FENCE); // HERE
        }
    out[get_global_id(0)] = s;
}
