// Work-items of one group or of different groups that share global memory.

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:16
// expect: race read global_id=5,0,0 other_global_id=3,0,0 argument=1 offset=32 size=4
kernel void one_pair_of_a_group(global int *out, global int *shared) {
    int i = get_global_id(0);
    if (i == 3) shared[8] = 1; // OTHER
    // => barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 5) out[i] = shared[8]; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:16
// expect: race read global_id=37,0,0 group_id=2,0,0 other_global_id=3,0,0 argument=1 offset=32 size=4
kernel void one_pair_of_different_groups(global int *out, global int *shared) {
    int i = get_global_id(0);
    if (i == 3) shared[8] = 1; // OTHER
    if (i == 37) out[i] = shared[8]; // HERE => if (i == 37) out[i] = shared[9];
}

// run: -g 64 -l 16 --arg zeros:64
// expect: race write global_id=37,0,0 other_global_id=3,0,0 argument=0 offset=32 size=4
kernel void writes_of_different_groups(global int *shared) {
    int i = get_global_id(0);
    if (i == 3) shared[8] = 1; // OTHER
    if (i == 37) shared[8] = 2; // HERE => if (i == 37) shared[9] = 2;
}

// run: -g 16 -l 16 --arg iota:17
// expect: race argument=0
kernel void a_shift_in_place(global int *a) {
    int i = get_global_id(0);
    a[i] = a[i + 1]; // HERE => int x = a[i + 1]; barrier(CLK_GLOBAL_MEM_FENCE); a[i] = x;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:66
// expect: race argument=1
kernel void a_stencil_in_place(global int *out, global int *a) {
    int i = get_global_id(0) + 1;
    int x = a[i - 1] + a[i] + a[i + 1]; // OTHER
    a[i] = x / 3; // HERE => out[i - 1] = x / 3;
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:64
// expect: race read argument=1
kernel void a_barrier_does_not_reach_other_groups(global int *out, global int *a) {
    int i = get_global_id(0);
    a[i] = i; // OTHER
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[63 - i]; // HERE => out[i] = a[i ^ 15];
}

// run: -g 64 -l 16 --arg zeros:1 --arg iota:64
// expect: race argument=0 offset=0 size=4
kernel void a_sum_without_atomics(global int *sum, global const int *in) {
    int i = get_global_id(0);
    sum[0] += in[i]; // HERE => atomic_add(sum, in[i]);
}

// run: -g 64 -l 16 --arg zeros:8 --arg iota:64
// expect: race argument=0 size=4
kernel void a_histogram_without_atomics(global int *bins, global const int *in) {
    int i = get_global_id(0);
    bins[in[i] & 7]++; // HERE => atomic_inc(&bins[in[i] & 7]);
}

// run: -g 64 -l 16 --arg zeros:65
// expect: race write argument=0 size=4
kernel void groups_that_overlap(global int *out) {
    int l = get_local_id(0), g = get_group_id(0);
    for (int k = l; k < 17; k += 16) // => for (int k = l; k < 16; k += 16)
        out[16 * g + k] = k; // HERE
}

// run: -g 8,8 -l 4,4 --arg zeros:64
// expect: race write argument=0 size=4
kernel void a_wrong_pitch(global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[4 * y + x] = x * y; // HERE => out[8 * y + x] = x * y;
}

// run: -g 16 -l 8 --arg zeros:64
// expect: race write argument=0
kernel void vectors_that_overlap(global int *out) {
    int i = get_global_id(0);
    vstore4((int4)(i), 0, out + 3 * i); // HERE => vstore4((int4)(i), 0, out + 4 * i);
}

// run: -g 64 -l 16 --arg zeros:8
// expect: race argument=0 size=1
kernel void bits_of_a_byte(global uchar *bits) {
    int i = get_global_id(0);
    bits[i / 8] |= 1 << i % 8; // HERE => if (i % 8 == 0) bits[i / 8] = 255;
}

// run: -g 64 -l 16 --arg zeros:64
// expect: race write argument=0
void put(global int *to, int at, int value) {
    to[at] = value; // HERE
}
kernel void in_a_function(global int *out) {
    int i = get_global_id(0);
    put(out, i / 2, i); // => put(out, i, i);
}

// run: -g 32 -l 16 --arg zeros:64
// expect: race write argument=0 size=4
kernel void in_a_loop(global int *out) {
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++) // => for (int k = 0; k < 2; k++)
        out[min(2 * i + k, 63)] = i; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:64
// expect: race argument=1
kernel void the_next_element_is_of_another_group(global int *out, global int *a) {
    int i = get_global_id(0);
    a[i] = i; // OTHER
    barrier(CLK_GLOBAL_MEM_FENCE);
    int next = i + 1 < 64 ? i + 1 : i; // => int next = i % 16 < 15 ? i + 1 : i;
    out[i] = a[next]; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:16
// expect: race write argument=1
typedef struct { int a, b, c; } Three;
kernel void a_struct(global int *out, global Three *shared) {
    int i = get_global_id(0);
    Three three = {i, i + 1, i + 2};
    shared[i % 16] = three; // HERE => if (i < 16) shared[i % 16] = three;
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:4
// expect: race read global_id=9,0,0 other_global_id=2,0,0 argument=1 offset=6 size=1
kernel void a_byte_of_a_word(global int *out, global int *shared) {
    int i = get_global_id(0);
    if (i == 2) shared[1] = i; // OTHER
    // => barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 9) out[i] = ((global char *)shared)[6]; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1
// expect: race read argument=1 offset=0 size=4
kernel void a_total_that_is_not_complete(global int *out, global int *total) {
    int i = get_global_id(0);
    if (i == 0) *total = 64; // OTHER
    out[i] = *total; // HERE => out[i] = 64;
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:64
// expect: race read argument=1
kernel void through_a_generic_pointer(global int *out, global int *a) {
    int i = get_global_id(0);
    int *p = a + i;
    *p = i; // OTHER
    p = a + (i ^ 1); // => p = a + i;
    out[i] = *p; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:64
// expect: race read argument=1
kernel void phases_of_a_loop(global int *out, global int *a) {
    int i = get_global_id(0), sum = 0;
    for (int k = 1; k < 16; k *= 2) {
        a[i] = k; // OTHER
        barrier(CLK_GLOBAL_MEM_FENCE);
        sum += a[i ^ k]; // HERE
        // => barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[i] = sum;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: race argument=1
kernel void a_sort_in_place(global int *out, global int *a) {
    int i = get_global_id(0);
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        int at = 2 * l + k % 2;
        if (l < 8 && at + 1 < 16) {
            global int *p = a + 16 * get_group_id(0) + at;
            int2 v = vload2(0, p); // OTHER HERE
            vstore2((int2)(min(v.x, v.y), max(v.x, v.y)), 0, p); // HERE OTHER
        }
        // => barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[i] = i;
}

// run: -g 64 -l 16 --arg zeros:1
// expect: race write argument=0 offset=0 size=4
kernel void a_sum_of_all(global int *sum) {
    sum[0] += get_global_id(0); // HERE => atomic_add(sum, (int)get_global_id(0));
}
