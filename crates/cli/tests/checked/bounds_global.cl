// Accesses beyond the buffers of arguments. `../checked.rs` says how a kernel is written here.

// run: -g 64 -l 16 --arg zeros:64
// expect: out-of-bounds write global_id=63,0,0 local_id=15,0,0 group_id=3,0,0 argument=0 offset=256 size=4 count=1
kernel void write_after_the_end(global int *out) {
    int i = get_global_id(0);
    out[i + 1] = i; // HERE => out[i] = i;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=0,0,0 local_id=0,0,0 group_id=0,0,0 argument=1 offset=-4 size=4 count=1
kernel void read_before_the_start(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = in[i - 1]; // HERE => out[i] = in[max(i - 1, 0)];
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=0,0,0 argument=1 offset=-4 size=4 count=1
kernel void an_index_that_wraps(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    out[i] = in[i - 1]; // HERE => out[i] = i == 0 ? 0 : in[i - 1];
}

// run: -g 64 -l 16 --arg zeros:64 --arg 7 --arg 268435456
// expect: out-of-bounds write global_id=7,0,0 argument=0 offset=1073741824 size=4 count=1
kernel void write_far_away(global int *out, int who, int far) {
    int i = get_global_id(0);
    int at = i;
    if (i == who) at = far; // => if (i == who) at = who;
    out[at] = i; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:63 --arg iota:64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=252 size=4 count=1
kernel void gather(global float *out, global const float *table, global const int *index) {
    int i = get_global_id(0);
    int at = index[i];
    out[i] = table[at]; // HERE => out[i] = table[at % 63];
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds write global_id=63,0,0 argument=0 offset=256 size=4 count=1
kernel void scatter(global int *out, global const int *index) {
    int i = get_global_id(0);
    int at = index[i] + 1; // => int at = (index[i] + 1) % 64;
    out[at] = i; // HERE
}

// run: -g 8 -l 4 --arg zeros:8 --arg iota:64
// expect: out-of-bounds read global_id=7,0,0 argument=1 offset=256 size=4 count=1
kernel void one_too_many_in_a_loop(global int *out, global const int *in) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k <= 8; k++) // => for (int k = 0; k < 8; k++)
        sum += in[8 * i + k]; // HERE
    out[i] = sum;
}

// run: -g 1 -l 1 --arg zeros:64 --arg 70
// expect: out-of-bounds write global_id=0,0,0 argument=0 offset=256 size=4 count=6
kernel void a_loop_runs_on(global int *out, int n) {
    for (int k = 0; k < n; k++) // => for (int k = 0; k < min(n, 64); k++)
        out[k] = k; // HERE
}

// run: -g 64 -l 32 --arg zeros:64
// expect: out-of-bounds write global_id=37,0,0 local_id=5,0,0 group_id=1,0,0 argument=0 offset=256 count=1
kernel void under_divergence(global int *out) {
    int i = get_global_id(0);
    if (i == 37)
        out[i + 27] = 1; // HERE => out[i] = 1;
    else
        out[i] = 0;
}

// run: -g 32 -l 16 --arg zeros:32 --arg iota:61
// expect: out-of-bounds read global_id=31,0,0 argument=1 offset=244 size=4 count=1
kernel void in_a_divergent_loop(global int *out, global const int *in) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < i; k++)
        sum += in[i + k]; // HERE => sum += in[min(i + k, 60)];
    out[i] = sum;
}

// run: -g 64 -l 16 --arg zeros:64
// expect: out-of-bounds write global_id=63,0,0 argument=0 offset=256 size=4 count=1
void put(global int *to, int at, int value) {
    to[at] = value; // HERE
}
kernel void in_a_function(global int *out) {
    int i = get_global_id(0);
    put(out, i + 1, i); // => put(out, i, i);
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=256 size=4 count=1
__attribute__((noinline)) int get(global const int *from, int at) {
    return from[at]; // HERE
}
__attribute__((noinline)) int next(global const int *from, int at) { return get(from, at + 1); }
kernel void in_a_function_of_a_function(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = next(in, i); // => out[i] = next(in, i - 1 + (i == 0));
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=41,0,0 argument=1 offset=256 size=4 count=1
int sum_of(global const int *from, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += from[k]; // HERE
    return sum;
}
kernel void in_a_loop_of_a_function_under_divergence(global int *out, global const int *in) {
    int i = get_global_id(0);
    if (i == 41) out[i] = sum_of(in, 65); // => if (i == 41) out[i] = sum_of(in, 64);
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 argument=0 offset=256 size=16 count=1
kernel void a_vector(global float4 *out) {
    int i = get_global_id(0);
    out[i + 1] = (float4)(i); // HERE => out[i] = (float4)(i);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=1024 size=64 count=1
kernel void a_vector_of_sixteen(global int *out, global const int16 *in) {
    int i = get_global_id(0);
    int16 v = in[i + 1]; // HERE => int16 v = in[i];
    out[i] = v.s0 + v.sf;
}

// run: -g 32 -l 16 --arg zeros:63
// expect: out-of-bounds write global_id=31,0,0 argument=0 offset=248 size=8 count=1
kernel void half_of_a_vector(global uint *out) {
    int i = get_global_id(0);
    if (i < 32) // => if (i < 31)
        ((global uint2 *)out)[i] = (uint2)(1, 2); // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 argument=0 count=1
kernel void an_element_of_a_vector(global float4 *out) {
    int i = get_global_id(0);
    out[i + 1].z = 1; // HERE => out[i].z = 1;
}

// run: -g 64 -l 16 --arg zeros:64
// expect: out-of-bounds write global_id=63,0,0 argument=0 offset=64 size=1 count=1
kernel void a_byte(global char *out) {
    int i = get_global_id(0);
    out[i + 1] = i; // HERE => out[i] = i;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=128 size=2 count=1
kernel void a_short(global short *out, global const short *in) {
    int i = get_global_id(0);
    out[i] = in[i + 1]; // HERE => out[i] = in[i];
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=512 size=8 count=1
kernel void a_double(global double *out, global const double *in) {
    int i = get_global_id(0);
    out[i] = in[i + 1]; // HERE => out[i] = in[i];
}

// run: -g 16 -l 16 --arg zeros:16 --arg 3
// expect: out-of-bounds write global_id=15,0,0 argument=0 offset=256 size=4 count=1
typedef struct { int a; float b[3]; } S;
kernel void a_field(global S *out, int which) {
    int i = get_global_id(0);
    out[i].a = i;
    if (i == 15) out[i].b[which] = 1; // HERE => if (i == 15) out[i].b[which - 1] = 1;
}

// run: -g 16 -l 8 --arg zeros:16 --arg zeros:16
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=384 count=1
typedef struct { int a; float b[5]; } S;
kernel void a_whole_struct(global S *out, global const S *in) {
    int i = get_global_id(0);
    out[i] = in[i + 1]; // HERE => out[i] = in[i];
}

// run: -g 8,4 -l 4,2 --arg zeros:32 --arg iota:32
// expect: out-of-bounds read global_id=7,3,0 local_id=3,1,0 group_id=1,1,0 argument=1 offset=128 count=1
kernel void in_two_dimensions(global int *out, global const int *in) {
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * 8 + x;
    out[at] = in[at + 1]; // HERE => out[at] = x == 7 ? 0 : in[at + 1];
}

// run: -g 4,4,4 -l 2,2,2 --arg zeros:64
// expect: out-of-bounds write global_id=3,3,3 local_id=1,1,1 group_id=1,1,1 argument=0 offset=256 count=1
kernel void in_three_dimensions(global int *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = (z * 4 + y) * 4 + x;
    out[at + (at == 63)] = at; // HERE => out[at] = at;
}

// run: -g 64 -l 16 --offset 100 --arg zeros:64
// expect: out-of-bounds write global_id=163,0,0 local_id=15,0,0 group_id=3,0,0 argument=0 offset=256 count=1
kernel void with_an_offset(global int *out) {
    int i = get_global_id(0);
    out[i - 99] = i; // HERE => out[i - 100] = i;
}

// run: -g 64 -l 16 --arg zeros:60 --arg 60
// expect: out-of-bounds write global_id=60,0,0|61,0,0|62,0,0|63,0,0 group_id=3,0,0 argument=0 count=4
kernel void no_guard(global int *out, int n) {
    int i = get_global_id(0);
    // => if (i < n)
    out[i] = n; // HERE
}

// run: -g 50 -l 16 --arg zeros:50
// expect: out-of-bounds write global_id=49,0,0 local_id=1,0,0 group_id=3,0,0 argument=0 offset=200 count=1
kernel void in_a_partial_group(global int *out) {
    int i = get_global_id(0);
    out[i + 1] = i; // HERE => out[i] = i;
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:63
// expect: out-of-bounds write global_id=63,0,0 argument=1 offset=252 size=4 count=1
kernel void one_of_two_buffers(global int *a, global int *b) {
    int i = get_global_id(0);
    global int *to = i & 1 ? b : a; // => global int *to = a;
    to[i] = i; // HERE
}

// run: -g 1 -l 1 --arg zeros:1 --arg iota:64 --arg 64
// expect: out-of-bounds read global_id=0,0,0 argument=1 offset=256 size=4 count=1
kernel void a_pointer_that_walks(global int *out, global const int *in, int n) {
    int sum = 0;
    for (global const int *p = in; p <= in + n; p++) // => for (global const int *p = in; p < in + n; p++)
        sum += *p; // HERE
    *out = sum;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=50,0,0 argument=1 offset=400 size=4 count=1
kernel void in_a_switch(global int *out, global const int *in) {
    int i = get_global_id(0);
    switch (i) {
    case 3: out[i] = in[4]; break;
    case 50: out[i] = in[2 * i]; break; // HERE => case 50: out[i] = in[i / 2]; break;
    default: out[i] = in[i];
    }
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64 --arg 64
// expect: out-of-bounds read argument=1 offset=256 size=4
kernel void the_same_address_for_all(global int *out, global const int *in, int n) {
    out[get_global_id(0)] = in[n]; // HERE => out[get_global_id(0)] = in[n - 1];
}

// run: -g 32 -l 16 --arg zeros:32 --arg iota:64
// expect: out-of-bounds read global_id=31,0,0 argument=1 offset=256 size=4 count=1
kernel void with_a_stride(global int *out, global const int *in) {
    int i = get_global_id(0);
    int even = in[2 * i];
    int after = in[2 * i + 2]; // HERE => int after = in[2 * i + 1];
    out[i] = even + after;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64 --arg 64
// expect: out-of-bounds read global_id=0,0,0 argument=1 offset=256 size=4 count=1
kernel void backwards(global int *out, global const int *in, int n) {
    int i = get_global_id(0);
    out[i] = in[n - i]; // HERE => out[i] = in[n - 1 - i];
}

// run: -g 64 -l 16 --arg zeros:64
// expect: out-of-bounds write global_id=59,0,0 argument=0 offset=256 size=4 count=1
kernel void after_an_early_return(global int *out) {
    int i = get_global_id(0);
    if (i >= 60) return; // => if (i >= 59) return;
    out[i + 5] = i; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64 --arg 64
// expect: out-of-bounds read global_id=9,0,0 argument=1 offset=256 size=4 count=1
kernel void in_a_conditional_expression(global int *out, global const int *in, int n) {
    int i = get_global_id(0);
    out[i] = i == 9 ? in[n] : 0; // HERE => out[i] = i == 9 ? in[n - 1] : 0;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64 --arg 64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=256 size=4 count=1
kernel void after_a_condition_that_is_off_by_one(global int *out, global const int *in, int n) {
    int i = get_global_id(0);
    if (i + 1 <= n && in[i + 1] > 3) // HERE => if (i + 1 < n && in[i + 1] > 3)
        out[i] = 1;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:64
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=256 size=4 count=1
kernel void in_nested_loops(global int *out, global const int *in) {
    int i = get_global_id(0), sum = 0;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2 + (i == 15 && y == 1); x++) // => for (int x = 0; x < 2; x++)
            sum += in[4 * i + 2 * y + x]; // HERE
    out[i] = sum;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=0,0,0 argument=1 offset=-4 size=4 count=1
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=256 size=4 count=1
kernel void two_places(global int *out, global const int *in) {
    int i = get_global_id(0);
    int left = in[i - 1]; // HERE => int left = in[max(i - 1, 0)];
    int right = in[i + 1]; // HERE => int right = in[min(i + 1, 63)];
    out[i] = left + right;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=21,0,0 argument=1 size=4
kernel void in_a_loop_that_lanes_leave_at_different_times(global int *out, global const int *in) {
    int i = get_global_id(0), at = i;
    while (at % 7) at++;
    if (i == 21) at = 66; // => if (i == 21) at = 63;
    out[i] = in[min(at, 66)]; // HERE => out[i] = in[min(at, 63)];
}
