// Races that are close to what is proved to be none: own elements, reads only, work-items of one vector.

// run: -g 16 -l 16 --arg zeros:16
// expect: race write size=4
kernel void all_read_and_the_last_writes(global int *out) {
    local int s[16];
    int l = get_local_id(0);
    s[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[0]; // OTHER
    if (l == 15) s[0] = 1; // HERE => if (l == 0) s[1] = 1;
    // => barrier(CLK_LOCAL_MEM_FENCE);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write
kernel void all_write_one_element(global int *out) {
    local int s[16];
    int l = get_local_id(0);
    s[l & 8] = l; // HERE => s[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[0];
}

// run: -g 512 -l 16 --arg zeros:512
// expect: race write argument=0 global_id=256,0,0 other_global_id=0,0,0 offset=0 size=4
kernel void an_index_of_a_byte(global int *out) {
    int i = get_global_id(0);
    out[(uchar)i] = i; // HERE => out[i] = i;
}

// run: -g 32 -l 32 --arg zeros:32
// expect: race write size=4
kernel void two_halves_that_overlap(global int *out) {
    local int s[64];
    int l = get_local_id(0);
    s[l] = l; // OTHER
    s[l + 16] = l; // HERE => s[l + 32] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[l];
}

// run: -g 32 -l 16 --arg zeros:64
// expect: race write argument=0 size=4
kernel void two_halves_of_a_buffer_that_overlap(global int *out) {
    int i = get_group_id(0) * 32 + get_local_id(0);
    out[i] = 1; // OTHER
    out[i + 8] = 2; // HERE => out[i + 16] = 2;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write size=4
kernel void a_loop_over_rows_that_overlap(global int *out) {
    local int s[64];
    int l = get_local_id(0);
    for (int j = 0; j < 32; j += 8) s[l + j] = l; // HERE => for (int j = 0; j < 48; j += 16) s[l + j] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[l];
}

// run: -g 64 -l 16 --arg zeros:4
// expect: race write argument=0 size=4
kernel void two_work_items_of_each_group(global int *out) {
    int l = get_local_id(0);
    if (l < 2) // => if (l == 1)
        out[get_group_id(0)] = l; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write
kernel void a_loop_without_its_second_barrier(global int *out) {
    local int s[16];
    int l = get_local_id(0);
    s[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++) {
        int next = s[(l + 1) & 15]; // OTHER
        // => barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = next; // HERE
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = s[l];
}

// run: -g 16,4 -l 16,4 --arg zeros:64
// expect: race write size=4
kernel void rows_that_are_too_short(global int *out) {
    local int s[4 * 16];
    int x = get_local_id(0), y = get_local_id(1);
    s[y * 15 + x] = x; // HERE => s[y * 16 + x] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 16 + x] = s[x];
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:128
// check: races
// expect: race read argument=1 size=8
kernel void elements_of_two_sizes(global int *out, local int2 *s) {
    int l = get_local_id(0);
    ((local int *)s)[l * 2] = l; // OTHER
    ((local int *)s)[l * 2 + 1] = l; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[15 - l].y; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race write size=4
kernel void an_atomic_and_a_write(global int *out) {
    local int n[2];
    int l = get_local_id(0);
    if (l == 0) n[0] = n[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n[0]); // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 3) n[0] = 7; // HERE
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = n[0];
}

// run: -g 4096 -l 64 --arg zeros:64 --arg local:512 --arg iota:4096
kernel void sums_over_many_groups(global int *out, local int *s, global const int *in) {
    int l = get_local_id(0), n = get_local_size(0);
    for (int round = 0; round < 3; round++) {
        s[l] = in[get_global_id(0)];
        s[l + n] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = n / 2; d > 0; d >>= 1) {
            if (l < d) s[l] += s[l + d];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (l == 0) out[get_group_id(0)] = s[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
