// Mistakes in whole algorithms, as people make them.

// run: -g 16,16 -l 8,8 --arg iota:256 --arg iota:256 --arg zeros:256 --arg 16
// expect: race
kernel void a_product_without_its_second_barrier(global const float *a, global const float *b, global float *c, int n) {
    local float at[8][8], bt[8][8];
    int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n / 8; t++) {
        at[y][x] = a[row * n + t * 8 + x]; // OTHER
        bt[y][x] = b[(t * 8 + y) * n + col]; // OTHER
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += at[y][k] * bt[k][x]; // HERE
        // => barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

// run: -g 20,20 -l 4,4 --arg iota:400 --arg zeros:400 --arg 20
// expect: out-of-bounds read global_id=0,0,0 argument=0 offset=1676 size=4 count=100
kernel void life_whose_world_ends(global const int *in, global int *out, int n) {
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int u = (x + dx + n) % n, v = (y + dy + n) % (n + 1); // => int u = (x + dx + n) % n, v = (y + dy + n) % n;
            sum += (dx || dy) ? in[v * n + u] & 1 : 0; // HERE
        }
    out[y * n + x] = sum == 3;
}

// run: -g 64 -l 64 --arg rand:64:1 --arg local:256
// expect: barrier
kernel void a_sort_whose_barrier_is_in_the_branch(global uint *data, local uint *t) {
    uint l = get_local_id(0);
    t[l] = data[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 2; k <= 64; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            uint p = l ^ j;
            if (p > l) {
                uint a = t[l], b = t[p];
                if ((a > b) == ((l & k) == 0)) { t[l] = b; t[p] = a; }
                barrier(CLK_LOCAL_MEM_FENCE); // HERE => ;
            }
            // => barrier(CLK_LOCAL_MEM_FENCE);
        }
    data[l] = t[l];
}

// run: -g 32 -l 16 --arg iota:33 --arg iota:64 --arg iota:64 --arg iota:64 --arg zeros:32
// expect: out-of-bounds read global_id=31,0,0 argument=1 offset=256 size=4 count=1
kernel void rows_of_a_matrix_whose_last_is_too_long(global const int *rows, global const int *cols, global const float *values, global const float *x, global float *y) {
    int r = get_global_id(0);
    float sum = 0;
    for (int k = 2 * rows[r]; k < 2 * rows[r + 1] + (r == 31); k++) { // => for (int k = 2 * rows[r]; k < 2 * rows[r + 1]; k++) {
        int c = cols[k]; // HERE
        if (k < 64) sum += values[k] * x[c];
    }
    y[r] = sum;
}

// run: -g 64 -l 16 --arg iota:64 --arg zeros:8
// expect: uninitialized atomic
kernel void a_histogram_whose_bins_are_not_all_cleared(global const int *in, global int *out) {
    local int bins[8];
    int l = get_local_id(0);
    if (l < 7) bins[l] = 0; // => if (l < 8) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 7]); // HERE
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) atomic_add(&out[l], bins[l]);
}

// run: -g 32 -l 32 --arg iota:32 --arg zeros:32
// expect: race
kernel void a_scan_in_one_buffer(global const int *in, global int *out) {
    local int t[32];
    int l = get_local_id(0);
    t[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 32; d *= 2) {
        int v = l >= d ? t[l - d] : 0; // OTHER
        // => barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v; // HERE
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = t[l];
}

// run: -g 8,8,8 -l 4,4,2 --arg iota:512 --arg zeros:512
// expect: out-of-bounds read count=64 argument=0 size=4 global_id=0,0,7 offset=2048
kernel void a_stencil_without_its_last_guard(global const float *in, global float *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * 8 + y) * 8 + x;
    float s = in[i];
    if (x > 0) s += in[i - 1];
    if (x < 7) s += in[i + 1];
    if (y > 0) s += in[i - 8];
    if (y < 7) s += in[i + 8];
    if (z > 0) s += in[i - 64];
    if (z < 8) s += in[i + 64]; // HERE => if (z < 7) s += in[i + 64];
    out[i] = s;
}

// run: -g 16 -l 16 --arg rand:256:3 --arg 16
// expect: race
kernel void shortest_ways_in_place(global uint *d, int n) {
    int j = get_global_id(0);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            uint via = d[i * n + k] / 2 + d[k * n + j] / 2; // OTHER HERE
            if (via < d[i * n + j]) d[i * n + j] = via; // HERE OTHER => ;
        }
    }
}

// run: -g 40 -l 8 --arg iota:40 --arg zeros:40
// expect: out-of-bounds read count=1 global_id=39,0,0 argument=0 offset=160
kernel void differences(global const int *in, global int *out) {
    size_t i = get_global_linear_id(), n = get_global_size(0);
    if (i >= n) return; // => if (i + 1 >= n) return;
    out[i] = in[i + 1] - in[i]; // HERE
}

// run: -g 64 -l 16 --arg zeros:4 --arg iota:64
// expect: race
kernel void sums_by_the_first_work_item(global int *out, global const int *in) {
    local int t[16];
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)]; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int s = 0;
        for (int k = 0; k < 16; k++) s += t[k]; // HERE
        out[get_group_id(0)] = s;
    }
}

// run: -g 48 -l 16 --arg zeros:64 --arg zeros:1
// expect: out-of-bounds write argument=0 offset=256 size=4
kernel void a_stack_that_grows_too_far(global int *stack, global int *top) {
    int i = get_global_id(0);
    for (int k = 0; k < 2; k++) { // => for (int k = 0; k < 1; k++) {
        int at = atomic_inc(top);
        stack[at] = i; // HERE
    }
}

// run: -g 32 -l 8 --arg zeros:32 --arg iota:32 --arg zeros:4
// expect: out-of-bounds read
typedef struct { float4 pos; float mass; int next; } Body;
kernel void bodies_in_a_tile(global float *out, global const float *mass, global int *n) {
    local Body tile[8];
    int l = get_local_id(0);
    tile[l].pos = (float4)(l, 1, 2, 3);
    tile[l].mass = mass[get_global_id(0)];
    tile[l].next = l + 1; // => tile[l].next = (l + 1) % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    for (int k = 0, at = l; k < 2; k++) {
        s += tile[at].mass; // HERE
        at = tile[min(at, 7)].next;
    }
    out[get_global_id(0)] = s;
}

// run: -g 16 -l 4 --arg zeros:16 --arg iota:16 --arg 3
// expect: uninitialized count=4
kernel void the_largest_of_no_elements(global int *out, global const int *in, int n) {
    int i = get_global_id(0), best; // => int i = get_global_id(0), best = 0;
    for (int k = 0; k < n; k++)
        if (k == 0 ? i % 4 != 0 : in[(i + k) % 16] > 100)
            best = k;
    out[i] = best; // HERE
}

// run: -g 8 -l 8 --arg zeros:8 --arg rand:8:2
// expect: uninitialized
kernel void a_sort_by_insertion(global int *out, global const int *in) {
    int a[8], i = get_global_id(0);
    for (int k = 0; k < 7; k++) a[k] = in[(k + i) & 7]; // => for (int k = 0; k < 8; k++) a[k] = in[(k + i) & 7];
    for (int k = 1; k < 8; k++)
        for (int j = k; j > 0 && a[j - 1] > a[j]; j--) { // HERE
            int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t;
        }
    out[i] = i;
}

// run: -g 32 -l 8 --arg iota:32 --arg zeros:32
// expect: race
kernel void two_buffers_in_turn_of_which_one_is_wrong(global const float *in, global float *out) {
    local float t[2][10];
    int l = get_local_id(0), g = get_global_id(0);
    t[0][l + 1] = t[1][l + 1] = in[g];
    if (l == 0) t[0][0] = t[1][0] = t[0][9] = t[1][9] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int from = 0;
    for (int k = 0; k < 4; k++) {
        t[from][l + 1] = t[from][l] + t[from][l + 2]; // HERE OTHER => t[1 - from][l + 1] = t[from][l] + t[from][l + 2];
        barrier(CLK_LOCAL_MEM_FENCE);
        from = 1 - from;
    }
    out[g] = t[from][l + 1];
}

// run: -g 64,4 -l 16,2 --arg iota:256 --arg zeros:256
// expect: out-of-bounds write argument=1
kernel void a_transposition_with_the_wrong_pitch(global const short *in, global short *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[x * 5 + y] = in[y * 64 + x]; // HERE => out[x * 4 + y] = in[y * 64 + x];
}

// run: -g 64 -l 16 --arg iota:64 --arg zeros:64 --arg local:68
// expect: out-of-bounds read
kernel void a_halo_that_is_too_small(global const int *in, global int *out, local int *t) {
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = in[g];
    if (l == 0) t[16] = g + 16 < 64 ? in[g + 16] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l] + t[l + 1] + t[l + 2]; // HERE => out[g] = t[l] + t[l + 1];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds read
int fib(int *memo, int n) {
    memo[0] = 0; memo[1] = 1;
    for (int i = 2; i <= n; i++) memo[i] = memo[i - 1] + memo[i - 2]; // OTHER
    return memo[n]; // HERE
}
kernel void numbers_of_fibonacci(global int *out) {
    int memo[16], i = get_global_id(0);
    for (int k = 0; k < 16; k++) memo[k] = 0;
    out[i] = i < 15 ? fib(memo, i + (i == 0)) : memo[i + 1]; // HERE => out[i] = i < 15 ? fib(memo, i + (i == 0)) : memo[i];
}

// run: -g 32 -l 32 --arg rand:32:5 --arg zeros:1
// expect: race
kernel void a_reduction_that_strides_wrongly(global const uint *in, global uint *out) {
    local uint t[32];
    uint l = get_local_id(0);
    t[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 16; s > 0; s >>= 1) {
        if (l <= s) // => if (l < s)
            t[l] += t[(l + s) & 31]; // HERE OTHER
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) *out = t[0];
}

// run: -g 24 -l 8 --arg zeros:24 --arg iota:24
// expect: alignment
kernel void records_in_a_stream_of_bytes(global int *out, global const uchar *in) {
    int i = get_global_id(0);
    int at = i % 8 * 3; // => int at = i % 8 * 4 % 20;
    out[i] = *(global const int *)(in + min(at, 20)); // HERE
}

// run: -g 20 -l 4 --arg zeros:20
// expect: barrier
kernel void rounds_that_are_skipped(global int *out) {
    local int t;
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 3; k++) {
        if (k == 1 && l == 2) continue; // =>
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
        if (l == 0) t = k;
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
        sum += t;
    }
    out[get_global_id(0)] = sum;
}

// run: -g 64 -l 64 --arg zeros:64
// expect: barrier
int step(local int *t, int l, int k) {
    if ((l ^ k) == 5) return 1; // =>
    barrier(CLK_LOCAL_MEM_FENCE); // HERE
    return t[l];
}
kernel void a_function_that_returns_early(global int *out) {
    local int t[64];
    int l = get_local_id(0), s = 0;
    t[l] = l;
    for (int k = 0; k < 4; k++) s += step(t, l, k);
    out[l] = s;
}

// run: -g 32 -l 8 --arg zeros:8 --arg iota:32
// expect: race
kernel void float_sums_without_a_loop_of_exchanges(global float *out, global const float *in) {
    int i = get_global_id(0);
    out[i & 7] += in[i]; // HERE OTHER => if (i < 8) out[i & 7] += in[i];
}

// run: -g 16 -l 16 --arg zeros:64 --arg iota:16
// expect: out-of-bounds write
kernel void vectors_of_eight_at_the_end(global ushort *out, global const ushort *in) {
    int i = get_global_id(0);
    if (i < 8) vstore8((ushort8)(in[i]), i + (i == 7), out); // HERE => if (i < 8) vstore8((ushort8)(in[i]), i, out);
}
