// Work-items of a group that share local memory without a barrier between them.

// run: -g 16 -l 16 --arg zeros:16
// expect: race read global_id=5,0,0 local_id=5,0,0 other_global_id=3,0,0 size=4
kernel void one_pair(global int *out) {
    local int shared[16];
    int l = get_local_id(0);
    shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 3) shared[0] = 7; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 5) out[l] = shared[0]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write global_id=12,0,0 other_global_id=2,0,0 size=4
kernel void a_pair_of_writes(global int *out) {
    local int shared[16];
    int l = get_local_id(0);
    shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 2) shared[8] = 1; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 12) shared[8] = 2; // HERE
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = shared[l];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write global_id=12,0,0 other_global_id=2,0,0
kernel void a_read_and_then_a_write(global int *out) {
    local int shared[16];
    int l = get_local_id(0);
    shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 2) out[l] = shared[9]; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 12) shared[9] = 2; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: race read
kernel void a_reversal(global int *out, global const int *in) {
    local int tile[16];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = in[i]; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[15 - l]; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// check: races
// expect: race read
kernel void a_reversal_of_new_memory(global int *out, global const int *in) {
    local int tile[16];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i]; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[15 - l]; // HERE
}

// run: -g 64 -l 16 --arg zeros:4 --arg iota:64
// expect: race
kernel void a_reduction(global int *out, global const int *in) {
    local int sums[16];
    int i = get_global_id(0), l = get_local_id(0);
    sums[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 8; s > 0; s /= 2) {
        if (l < s) sums[l] += sums[l + s]; // HERE
        // => barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = sums[0];
}

// run: -g 64 -l 16 --arg zeros:4 --arg iota:64
// expect: race read
kernel void the_result_of_a_reduction(global int *out, global const int *in) {
    local int sums[16];
    int i = get_global_id(0), l = get_local_id(0);
    sums[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 8; s > 0; s /= 2) {
        if (l < s) sums[l] += sums[l + s]; // OTHER
        if (s > 1) barrier(CLK_LOCAL_MEM_FENCE); // => barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 9) out[get_group_id(0)] = sums[0]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write
kernel void all_write_one_place(global int *out) {
    local int shared;
    int l = get_local_id(0);
    shared = l; // HERE => if (l == 4) shared = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = shared;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: race read other_global_id=0,0,0
kernel void a_value_of_the_first(global int *out, global const int *in) {
    local int shared;
    int l = get_local_id(0);
    if (l == 0) shared = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) shared = in[5]; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = shared; // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:18
// expect: race read
kernel void a_halo(global int *out, global const int *in) {
    local int tile[18];
    int l = get_local_id(0);
    tile[l + 1] = in[l + 1];
    if (l < 2) tile[17 * l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 2) tile[17 * l] = in[17 * l]; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[l] + tile[l + 1] + tile[l + 2]; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: race read
kernel void the_next_time_round_a_loop(global int *out, global const int *in) {
    local int tile[16];
    int i = get_global_id(0), l = get_local_id(0), sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[l] = in[16 * k + l]; // OTHER
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[15 - l]; // HERE
        // => barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: race
kernel void a_scan(global int *out, global const int *in) {
    local int sums[16];
    int l = get_local_id(0);
    sums[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 16; d *= 2) {
        int before = l >= d ? sums[l - d] : 0; // OTHER
        // => barrier(CLK_LOCAL_MEM_FENCE);
        sums[l] += before; // HERE
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = sums[l];
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:64
// expect: race read argument=1
kernel void an_argument(global int *out, local int *tile) {
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = l; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[(l + 1) % 16]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race read
void put(local int *to, int value) {
    *to = value; // OTHER
}
int get(local const int *from) {
    return *from; // HERE
}
kernel void in_functions(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    put(&tile[l], l);
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = get(&tile[l ^ 1]);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race read global_id=1,0,0 other_global_id=0,0,0 size=4
kernel void an_element_of_a_vector(global float *out) {
    local float4 shared;
    int l = get_local_id(0);
    if (l == 0) shared = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) shared = (float4)(1, 2, 3, 4); // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 1) out[l] = ((local float *)&shared)[3]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race read global_id=1,0,0 other_global_id=0,0,0 size=1
kernel void a_byte_of_a_word(global int *out) {
    local int shared[4];
    int l = get_local_id(0);
    if (l < 4) shared[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) shared[2] = 0x12345678; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 1) out[l] = ((local uchar *)shared)[10]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race read
kernel void under_divergence(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l & 1) tile[l] = l; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (!(l & 1)) out[l] = tile[l + 1]; // HERE
}

// run: -g 32 -l 16 --arg zeros:32
// expect: race read global_id=20,0,0 group_id=1,0,0 other_global_id=30,0,0
kernel void in_the_second_group(global int *out) {
    local int shared;
    int i = get_global_id(0), l = get_local_id(0);
    if (l == 0) shared = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 30) shared = 5; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 20) out[i] = shared; // HERE
}

// run: -g 8,4 -l 8,4 --arg zeros:32 --arg iota:32
// expect: race read
kernel void a_transposition(global int *out, global const int *in) {
    local int tile[4][8];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[y][x] = in[8 * y + x]; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    int l = 8 * y + x;
    out[l] = tile[l % 4][l / 4]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write
typedef struct { int a, b; } Pair;
kernel void a_struct(global int *out) {
    local Pair pairs[16];
    int l = get_local_id(0);
    Pair zero = {0, 0}, mine = {l, -l};
    pairs[l] = zero;
    barrier(CLK_LOCAL_MEM_FENCE);
    pairs[l].b = 5; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    pairs[15 - l] = mine; // HERE
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = pairs[l].a;
}

// run: -g 256 -l 256 --arg zeros:256
// expect: race read global_id=255,0,0 other_global_id=0,0,0
kernel void a_barrier_of_the_sub_group_only(global int *out) {
    local int shared;
    int l = get_local_id(0);
    if (l == 0) shared = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) shared = 5; // OTHER
    sub_group_barrier(CLK_LOCAL_MEM_FENCE); // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 255) out[l] = shared; // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1
// expect: race read
kernel void a_barrier_of_one_branch(global int *out, global const int *flag) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = l; // OTHER
    if (flag[0]) barrier(CLK_LOCAL_MEM_FENCE); // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[(l + 3) % 16]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: race read
kernel void a_copy_that_is_not_waited_for(global int *out, global const int *in) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(tile, in, 16, 0); // OTHER
    // => wait_group_events(1, &e);
    out[l] = tile[l]; // HERE
    wait_group_events(1, &e); // =>
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race
kernel void through_vload_and_vstore(global int *out) {
    local int tile[64];
    int l = get_local_id(0);
    vstore4((int4)(0), l, tile);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore4((int4)(l), l, tile); // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = vload4(15 - l, tile).y; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race
kernel void a_copy_before_all_have_written(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, tile, 16, 0); // HERE
    wait_group_events(1, &e);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write
kernel void a_tile_that_is_overwritten_as_it_is_copied(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, tile, 16, 0); // OTHER
    // => wait_group_events(1, &e);
    tile[l] = 0; // HERE
    wait_group_events(1, &e); // =>
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:32
// expect: race read
kernel void a_copy_that_only_a_barrier_follows(global int *out, global const int *in) {
    local int tile[16];
    int l = get_local_id(0);
    event_t e = async_work_group_strided_copy(tile, in, 16, 2, 0); // OTHER
    barrier(CLK_LOCAL_MEM_FENCE); // => wait_group_events(1, &e);
    out[l] = tile[l]; // HERE
    wait_group_events(1, &e); // =>
}

// run: -g 32 -l 8 --arg zeros:32 --arg iota:32 --arg zeros:32
kernel void copies_that_are_waited_for(global int *out, global const int *in, global int *turned) {
    local int tile[2][8];
    int l = get_local_id(0), g = get_group_id(0);
    event_t e = async_work_group_copy(tile[0], in + 8 * g, 8, 0);
    for (int k = 0; k < 4; k++) {
        wait_group_events(1, &e);
        if (k < 3) e = async_work_group_copy(tile[(k + 1) % 2], in + 8 * ((g + k) % 4), 8, 0);
        out[8 * g + l] += tile[k % 2][l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    tile[0][l] = out[8 * g + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(turned + g, tile[0], 8, 4, 0);
    wait_group_events(1, &e);
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16 --arg iota:16
// expect: race read
kernel void one_of_two_copies(global int *out, global const int *a, global const int *b) {
    local int x[16], y[16];
    int l = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(x, a, 16, 0);
    e[1] = async_work_group_copy(y, b, 16, 0); // OTHER
    wait_group_events(1, e); // => wait_group_events(2, e);
    out[l] = x[l] + y[15 - l]; // HERE
    wait_group_events(1, e + 1); // =>
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16 --arg iota:32
// expect: race read
void wait(event_t e) {
    wait_group_events(1, &e);
}
kernel void the_wrong_one_of_two_copies(global int *out, global const int *a, global const int *b) {
    local int x[16], y[16];
    int l = get_local_id(0);
    event_t first = async_work_group_copy(x, a, 16, 0); // OTHER
    event_t second = async_work_group_strided_copy(y, b, 16, 2, 0);
    wait_group_events(1, &second); // => wait_group_events(1, &first);
    out[l] = x[15 - l]; // HERE
    wait_group_events(1, &first);
    wait_group_events(1, &second); // => wait(second);
    out[l] += y[15 - l];
}

// run: -g 64 -l 64 --arg zeros:64
// expect: race
kernel void a_race_over_memory_that_nobody_wrote(global int *out) {
    local int tile[64];
    int l = get_local_id(0);
    tile[l] = l; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    int next = tile[(l + 1) % 64]; // HERE
    out[l] = next;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: race
kernel void a_copy_of_what_is_not_there_yet(global int *out) {
    local int tile[64];
    int l = get_local_id(0);
    tile[l] = l; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, tile, 64, 0); // HERE
    wait_group_events(1, &e);
}

// run: -g 64 -l 8 --arg zeros:64 --arg zeros:64
// expect: race
kernel void local_or_global_races(global int *out, global int *b) {
    local int t[8];
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i & 1 ? (int *)(b + i / 4) : (int *)&t[l]; // => int *p = i & 1 ? (int *)(b + i) : (int *)&t[l];
    *p = i; // HERE
    out[i] = t[l] * 0;
}

// run: -g 64 -l 8 --arg zeros:64 --arg 0
// expect: race
kernel void a_local_one_by_a_struct(global int *out, int n) {
    local int t[8];
    int l = get_local_id(0);
    struct { int *p; } s[2];
    s[0].p = (int *)&t[l];
    s[1].p = (int *)&t[l ^ 1]; // => s[1].p = (int *)&t[l];
    t[l] = 0; // OTHER
    *s[n + 1].p = l; // HERE
    out[get_global_id(0)] = l;
}
