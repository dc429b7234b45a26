// Mistakes of all kinds, as they were tried on a finished checker.

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// expect: uninitialized write global_id=3,0,0 count=1 argument=0 offset=12
typedef union { uint w; ushort h[2]; } Halves;
kernel void a_union_of_which_one_half_is_set(global uint *out, global const ushort *in) {
    int i = get_global_id(0);
    Halves u, v;
    u.h[0] = in[i];
    u.h[1] = 0;
    v.h[0] = 1;
    v.h[i == 3 ? 0 : 1] = 1; // => v.h[1] = 1;
    if (i == 3) u = v;
    out[i] = u.w; // HERE
}

// run: -g 32 -l 8 --arg zeros:32 --arg iota:32
// expect: uninitialized
kernel void a_pointer_that_nobody_set(global int *out, global const int *in) {
    int i = get_global_id(0);
    global const int *p;
    if (i != 9) p = in + i; // => p = in + i;
    out[i] = *p; // HERE
}

// run: -g 16 -l 4 --arg zeros:64
// expect: out-of-bounds write global_id=15,0,0 offset=256 argument=0
kernel void a_vector_of_ints_at_a_time(global int *out) {
    int i = get_global_id(0);
    global int4 *p = (global int4 *)out;
    p += i == 15 ? 16 : i; // => p += i;
    p->xy = (int2)(i); // HERE
}

// run: -g 64 -l 16 --arg zeros:64
// expect: race
kernel void a_flag_for_all(global int *out) {
    local int any;
    int l = get_local_id(0);
    if (l == 0) any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 5 == 2) any = 1; // HERE OTHER => if (l == 2) any = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = any;
}

// run: -g 64 -l 64 --arg zeros:64 --arg iota:64
// expect: race
kernel void warp_synchronous(global int *out, global const int *in) {
    local volatile int t[64];
    int l = get_local_id(0);
    t[l] = in[l]; // OTHER
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) {
        t[l] += t[l + 16]; // OTHER HERE => t[l] += 1;
        t[l] += t[l + 8]; // OTHER HERE => t[l] += 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l];
}

// run: -g 12,3 -l 4,3 --arg zeros:36 --arg iota:36
// expect: out-of-bounds read count=12 argument=1 offset=144
kernel void the_row_below(global int *out, global const int *in) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    out[y * w + x] = in[(y + 1) * w + x]; // HERE => out[y * w + x] = in[min(y + 1, 2) * w + x];
}

// run: -g 30 -l 10 --arg zeros:30 --arg iota:30
// expect: out-of-bounds read global_id=0,0,0 argument=1 offset=-4 count=1
kernel void unsigned_that_wraps(global int *out, global const int *in) {
    uint i = get_global_id(0);
    int s = 0;
    for (uint k = 0; k < 3; k++)
        if (i + k < 31) // => if (i + k < 31 && i + k > 0)
            s += in[(int)(i + k - 1)]; // HERE
    out[i] = s;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: uninitialized
typedef struct { int n; float v[4]; } Row;
float total(const Row *r) {
    float s = 0;
    for (int k = 0; k < r->n; k++) s += r->v[k];
    return s;
}
kernel void rows_of_which_one_is_longer(global float *out) {
    int i = get_global_id(0);
    Row r;
    r.n = 3 + (i == 7); // => r.n = 3;
    for (int k = 0; k < 3; k++) r.v[k] = k;
    out[i] = total(&r); // HERE
}

// run: -g 32 -l 32 --arg zeros:32
// expect: barrier
kernel void a_barrier_in_a_while(global int *out) {
    local int left;
    int l = get_local_id(0), mine = l % 3 + 1; // => int l = get_local_id(0), mine = 3;
    while (mine > 0) {
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
        mine--;
    }
    out[l] = mine;
}

// run: -g 8,4 -l 4,2 --arg image2d:8x4:rgba:float --arg zeros:128
// expect: out-of-bounds read
kernel void a_column_beside(read_only image2d_t in, global float4 *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 8 + x] = read_imagef(in, (int2)(x + 1, y)); // HERE => out[y * 8 + x] = read_imagef(in, (int2)(x, y));
}

// run: -g 64 -l 64 --arg zeros:64
// expect: out-of-bounds
kernel void short_lanes(global short *out) {
    local short t[64];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[(l * 2) % 65]; // HERE => out[l] = t[(l * 2) % 64];
}

// run: -g 24 -l 8 --arg zeros:24 --arg iota:24
// expect: uninitialized
kernel void an_early_break(global int *out, global const int *in) {
    int i = get_global_id(0), at; // => int i = get_global_id(0), at = 0;
    for (int k = 0; k < 5; k++)
        if (in[(i + k) % 24] % 7 == 0) { at = k; break; }
    if (at > 2) // HERE
        out[i] = 1;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race
void put(local int *t, int at, int v) { t[at] = v; } // HERE OTHER
kernel void through_a_function_at_two_places(global int *out) {
    local int t[17];
    int l = get_local_id(0);
    put(t, l, 1);
    put(t, l + 1, 2); // => put(t, l, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l];
}

// run: -g 100 -l 10 --arg zeros:100 --arg iota:100 --arg 100
// expect: out-of-bounds write global_id=99,0,0 count=1 offset=400
kernel void grid_stride(global int *out, global const int *in, uint n) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        out[i == n - 1 ? n : i] = in[i]; // HERE => out[i] = in[i];
}

// run: -g 16 -l 8 --arg zeros:16 --arg zeros:1
// expect: out-of-bounds read
typedef struct { int a; int b[3]; } P;
kernel void a_field_that_is_an_array(global int *out, global const P *p) {
    int i = get_global_id(0);
    out[i] = p[0].b[i == 4 ? 3 : i % 3]; // HERE => out[i] = p[0].b[i % 3];
}

// run: -g 32 -l 8 --arg zeros:4 --arg iota:32
// expect: race
kernel void one_counter_for_each_group(global int *out, global const int *in) {
    int g = get_group_id(0);
    if (in[get_global_id(0)] % 3 == 0) out[g]++; // HERE OTHER => if (in[get_global_id(0)] % 3 == 0) atomic_inc(out + g);
}

// run: -g 32 -l 16 --arg zeros:32
// expect: uninitialized
kernel void a_half_of_a_tile(global int *out) {
    local int t[32];
    int l = get_local_id(0);
    t[l * 2] = l;
    if (l != 11) t[l * 2 + 1] = l; // => t[l * 2 + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l + 8]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// check: arithmetic
// expect: arithmetic count=1 global_id=13,0,0
kernel void a_modulus_of_a_char(global char *out) {
    char i = get_global_id(0);
    out[i] = 100 % (char)(i - 13); // HERE => out[i] = 100 % (char)(i - 16);
}

// run: -g 16 -l 16 --arg zeros:16
// check: arithmetic
// expect: arithmetic
kernel void a_vector_of_shifts(global int4 *out) {
    int i = get_global_id(0);
    out[i] = (int4)(1, 2, 3, 4) >> (int4)(i, 1, 2, i * 2 + 2); // HERE => out[i] = (int4)(1, 2, 3, 4) >> (int4)(i, 1, 2, i);
}

// run: -g 16 -l 16 --arg zeros:16
// check: arithmetic
// expect: arithmetic
kernel void the_absolute_value_of_the_least(global int *out) {
    int i = get_global_id(0);
    int v = i == 5 ? INT_MIN : -i; // => int v = -i;
    out[i] = v < 0 ? -v : v; // HERE
}

// run: -g 32 -l 8 --arg zeros:32 --arg iota:32 --arg local:32
// expect: race
kernel void a_copy_that_nobody_waits_for(global int *out, global const int *in, local int *t) {
    event_t e = async_work_group_copy(t, in + get_group_id(0) * 8, 8, 0); // OTHER
    // => wait_group_events(1, &e);
    out[get_global_id(0)] = t[get_local_id(0)]; // HERE
    wait_group_events(1, &e); // => ;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier
kernel void a_group_sum_of_some(global int *out) {
    int l = get_local_id(0), s = 0;
    if (l < 60) // =>
        s = work_group_reduce_add(l); // HERE
    out[l] = s;
}

// run: -g 16 -l 4 --arg zeros:16 --arg iota:16
// expect: read-only write
kernel void away_with_const(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = in[i];
    if (i == 6) *(global int *)(in + i) = 0; // HERE => if (i == 6) out[i] = 0;
}

// run: -g 64 -l 32 --arg zeros:64
// expect: out-of-bounds
kernel void a_sub_group_s_first_lane_writes(global int *out) {
    int s = sub_group_reduce_add((int)get_local_id(0));
    if (get_sub_group_local_id() == 0)
        out[(get_group_id(0) == 1 ? 64 : 0) + get_sub_group_id()] = s; // HERE => out[get_sub_group_id() + 32 * get_group_id(0)] = s;
}

// run: -g 8,8,4 -l 4,4,2 --arg zeros:256
// expect: race
kernel void planes_that_overlap(global int *out) {
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * 7 + y) * 8 + x] = z; // HERE OTHER => out[(z * 8 + y) * 8 + x] = z;
}

// run: -g 16 -l 16 --arg zeros:32 --arg iota:32
// expect: uninitialized write global_id=4,0,0 count=1 size=16
kernel void a_vector_with_a_hole(global int4 *out, global const int *in) {
    int i = get_global_id(0);
    int4 v;
    v.x = in[i]; v.y = 1; v.w = 2;
    if (i != 4) v.z = 3; // => v.z = 3;
    if (i < 8) out[i] = v; // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: uninitialized
kernel void a_comparison_of_vectors(global int *out, global const float *in) {
    int i = get_global_id(0);
    float2 v;
    v.x = in[i];
    // => v.y = 0;
    if (any(v > (float2)(3, 100))) // HERE
        out[i] = 1;
}

// run: -g 32 -l 16 --arg zeros:32 --arg iota:32
// expect: out-of-bounds read argument=1 offset=128
int at(global const int *p, int i) { return p[i]; } // HERE
int next(global const int *p, int i) { return at(p, i + 1); }
kernel void three_functions_deep(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = next(in, i); // => out[i] = next(in, i - 1);
}

// run: -g 64 -l 64 --arg zeros:64
// expect: race
kernel void a_pipeline_of_two_stages(global int *out) {
    local int a[64], b[64];
    int l = get_local_id(0);
    a[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++) {
        b[l] = a[63 - l] + k; // HERE OTHER
        // => barrier(CLK_LOCAL_MEM_FENCE);
        a[l] = b[l]; // HERE OTHER
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = a[l];
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1
// expect: race
kernel void a_ticket_and_a_plain_sum(global int *out, global int *n) {
    int i = get_global_id(0);
    int t = atomic_inc(n); // OTHER HERE
    out[t] = *n; // HERE OTHER => out[t] = i;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:64
// expect: alignment read argument=1
kernel void longs_in_ints(global long *out, global const int *in) {
    int i = get_global_id(0);
    for (int k = 0; k < 2; k++)
        out[i] += ((global const long *)(in + 2 * i + (i > 12 ? k : 0)))[k]; // HERE => out[i] += ((global const long *)(in + 2 * i))[k];
}

// run: -g 6,6 -l 3,2 --arg image2d:6x6:rgba:uint8 --arg image2d:6x6:rgba:uint8
// expect: out-of-bounds write
kernel void a_mirror(read_only image2d_t in, write_only image2d_t out) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(out, (int2)(6 - x, y), read_imageui(in, (int2)(x, y))); // HERE => write_imageui(out, (int2)(5 - x, y), read_imageui(in, (int2)(x, y)));
}

// run: -g 32 -l 8 --arg zeros:32
// expect: barrier
kernel void a_barrier_for_even_groups_of_two(global int *out) {
    local int t[8];
    int l = get_local_id(0);
    t[l] = l;
    switch (l >> 2) {
    case 0: barrier(CLK_LOCAL_MEM_FENCE); break; // HERE => case 0: break;
    default: t[l] += 1;
    }
    out[get_global_id(0)] = t[l];
}

// run: -g 48 -l 16 --arg zeros:48 --arg iota:48 --arg local:64
// expect: uninitialized
kernel void a_local_argument_of_which_the_last_is_missing(global int *out, global const int *in, local int *t) {
    int l = get_local_id(0), n = get_local_size(0);
    if (l < n - 1) t[l] = in[get_global_id(0)]; // => t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int s = 0;
    for (int k = 0; k < n; k++) s += t[k];
    out[get_global_id(0)] = s; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds
constant int table[4] = {1, 2, 3, 4};
kernel void a_nibble_too_many(global int *out) {
    int i = get_global_id(0), s = 0;
    for (uint b = i; b; b >>= 1) s += table[b & 7]; // HERE => for (uint b = i; b; b >>= 1) s += table[b & 3];
    out[i] = s;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds
kernel void a_matrix_in_private_memory(global int *out) {
    int i = get_global_id(0), m[3][4], s = 0;
    for (int y = 0; y < 3; y++) for (int x = 0; x < 4; x++) m[y][x] = x * y;
    for (int y = 0; y <= 2 + (i == 8); y++) // => for (int y = 0; y <= 2; y++)
        s += m[y][i & 3]; // HERE
    out[i] = s;
}

// run: -g 256 -l 64 --arg zeros:256 --arg iota:256
// expect: race
kernel void neighbours_across_groups(global int *out, global int *a) {
    int i = get_global_id(0);
    a[i] = i * 2; // HERE OTHER
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[(i + 1) % 256]; // HERE OTHER => out[i] = a[i ^ 1];
}

// run: -g 16 -l 4 --arg zeros:16 --arg iota:16 --arg 5
// expect: out-of-bounds read
kernel void a_uniform_index(global int *out, global const int *in, int k) {
    int i = get_global_id(0);
    out[i] = in[k * 4 - 4]; // HERE => out[i] = in[k * 3];
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:4
// expect: race
kernel void a_sum_that_all_write(global int *out, global int *sum) {
    local int t;
    int g = get_group_id(0);
    if (get_local_id(0) == 0) t = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&t, 1); // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 15) sum[g] = t; // HERE
    out[get_global_id(0)] = 1;
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:17
// expect: uninitialized
kernel void a_maximum_of_the_positive(global float *out, global const float *in) {
    int i = get_global_id(0);
    float best; // => float best = 0;
    for (int k = 0; k < 4; k++) {
        float v = in[(i + k) % 16];
        best = k == 0 && v < 3 ? best : fmax(v, 0.0f);
        best = fmax(best, v);
        if (k == 0) break;
    }
    out[i] = best; // HERE
}
