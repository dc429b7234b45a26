// Values that nobody set, and that decide a branch, an address, or reach memory.

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=5,0,0 local_id=5,0,0 group_id=0,0,0 count=1
kernel void decides_a_branch(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 5) x = i; // => x = i;
    if (x > 3) // HERE
        out[i] = 1;
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=13,0,0 argument=0 count=1
kernel void reaches_memory(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 13) x = i; // => x = i;
    out[i] = x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: uninitialized
// expect: uninitialized global_id=5,0,0 count=1
kernel void decides_the_address_of_a_read(global int *out, global const int *in) {
    int i = get_global_id(0);
    int k;
    if (i != 5) k = i; // => k = i;
    out[i] = in[k & 15]; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// check: uninitialized
// expect: uninitialized global_id=5,0,0 count=1
kernel void decides_the_address_of_a_write(global int *out) {
    int i = get_global_id(0);
    global int *p;
    if (i != 5) p = out + i; // => p = out + i;
    *p = 1; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16
kernel void of_all_work_items(global float *out) {
    int i = get_global_id(0);
    float x; // => float x = i;
    out[i] = 2 * x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=2,0,0 count=1
kernel void an_element_of_an_array(global int *out) {
    int i = get_global_id(0), sum = 0;
    int a[4];
    for (int k = 0; k < 4; k++)
        if (i != 2 || k != 3) a[k] = k; // => a[k] = k;
    for (int k = 0; k < 4; k++) sum += a[k];
    out[i] = sum; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16
kernel void a_byte_of_a_word(global uint *out) {
    int i = get_global_id(0);
    uint x;
    uchar *bytes = (uchar *)&x;
    bytes[0] = i;
    bytes[1] = 1;
    bytes[3] = 3;
    out[i] = x; // HERE => out[i] = x & 0xff00ffff;
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16
// OpenCL C has no bit-fields; compilers of other languages write them so.
kernel void a_bit_field(global uint *out) {
    int i = get_global_id(0);
    uint bits; // of 3, 5 and 24 bits
    bits = bits & ~7u | i & 7;
    bits = bits & 255u | i << 8;
    // => bits = bits & ~0xf8u | 5 << 3;
    uint first = bits & 7, second = bits >> 3 & 31, third = bits >> 8;
    out[i] = first + second + third; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=7,0,0 count=1
kernel void a_bit_that_decides_a_branch(global uint *out) {
    int i = get_global_id(0);
    uchar bits;
    bits = bits & ~1 | i & 1;
    if (i != 7) bits = bits & ~2 | 2; // => bits = bits & ~2 | 2;
    if (bits & 2) // HERE
        out[i] = bits & 1;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:64
// expect: uninitialized count=16
kernel void a_sum_without_a_start(global int *out, global const int *in) {
    int i = get_global_id(0);
    int sum; // => int sum = 0;
    for (int k = 0; k < 4; k++) sum += in[4 * i + k];
    out[i] = sum; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=15,0,0 count=1
void maybe(int *to, int i) {
    if (i < 15) *to = i; // => *to = i;
}
kernel void a_result_by_pointer(global int *out) {
    int i = get_global_id(0);
    int x;
    maybe(&x, i);
    out[i] = x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=4,0,0 count=1
int twice_if_positive(int x) {
    int result;
    if (x > 0) result = 2 * x; // => result = 2 * x;
    return result;
}
kernel void a_result_of_a_function(global int *out) {
    int i = get_global_id(0);
    out[i] = twice_if_positive(i - 4 + (i < 4) * 10); // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=11,0,0 count=1
void use(global int *to, int value) {
    if (value & 4) // HERE
        *to = 1;
}
kernel void in_a_function(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 11) x = i; // => x = i;
    use(out + i, x);
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16
kernel void an_element_of_a_vector(global int *out) {
    int i = get_global_id(0);
    int4 v;
    v.xyz = (int3)(i, 1, 2);
    out[i] = v.w; // HERE => out[i] = v.z;
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16
kernel void a_vector_that_is_stored(global int4 *out) {
    int i = get_global_id(0);
    int4 v;
    v.xyz = (int3)(i, 1, 2);
    // => v.w = 3;
    out[i] = v; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=9,0,0 count=1
kernel void a_sum_of_the_elements_of_a_vector(global float *out) {
    int i = get_global_id(0);
    float4 v;
    v.lo = (float2)(1, 2);
    if (i != 9) v.hi = (float2)(3, 4); // => v.hi = (float2)(3, 4);
    out[i] = dot(v, (float4)(1)); // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: uninitialized global_id=12,0,0 count=1
kernel void local_memory(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    if (l != 3) tile[l] = l; // => tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[15 - l]; // HERE
}

// run: -g 32 -l 16 --arg zeros:32 --arg local:64
// expect: uninitialized global_id=28,0,0 group_id=1,0,0 count=1
kernel void local_memory_of_the_second_group(global int *out, local int *tile) {
    int l = get_local_id(0), g = get_group_id(0);
    if (g == 0 || l != 3) tile[l] = l; // => tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[15 - l]; // HERE
}

// run: -g 16 -l 16 --arg zeros:1
// expect: uninitialized global_id=0,0,0 count=1
kernel void local_memory_in_a_loop(global int *out) {
    local int tile[17];
    int l = get_local_id(0), sum = 0;
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int k = 0; k < 17; k++) sum += tile[k]; // => for (int k = 0; k < 16; k++) sum += tile[k];
        *out = sum; // HERE
    }
}

// run: -g 16 -l 16 --arg zeros:16
// expect: uninitialized global_id=6,0,0 count=1
kernel void a_byte_of_local_memory(global int *out) {
    local uchar tile[64];
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++)
        if (l != 6 || k != 1) tile[4 * l + k] = k; // => tile[4 * l + k] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = ((local int *)tile)[l]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: uninitialized count=16
kernel void a_count_that_nobody_cleared(global int *out) {
    local int count;
    // => if (get_local_id(0) == 0) count = 0; barrier(CLK_LOCAL_MEM_FENCE);
    if (count > 3) // HERE
        out[get_local_id(0)] = 1;
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=3,0,0 count=1
kernel void decides_a_switch(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 3) x = i % 3; // => x = i % 3;
    switch (x) { // HERE
    case 0: out[i] = 10; break;
    case 1: out[i] = 20; break;
    default: out[i] = 30;
    }
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=10,0,0
kernel void decides_a_loop(global int *out) {
    int i = get_global_id(0), n = 0;
    int end;
    if (i != 10) end = i; // => end = i;
    for (int k = 0; k < (end & 15); k++) // HERE
        n += k;
    out[i] = i == 10 ? 0 : n;
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16
typedef struct { int a, b; } Pair;
kernel void a_field_of_a_copy(global int *out) {
    int i = get_global_id(0);
    Pair p, q;
    p.a = i;
    // => p.b = 1;
    q = p;
    out[i] = q.b; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16
typedef struct { int a, b; } Pair;
kernel void a_struct_that_is_stored(global Pair *out) {
    int i = get_global_id(0);
    Pair p;
    p.a = i;
    // => p.b = 1;
    out[i] = p; // HERE
}

// run: -g 16 -l 8 --arg zeros:1
// expect: uninitialized global_id=14,0,0 count=1
kernel void an_operand_of_an_atomic(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 14) x = i; // => x = i;
    atomic_add(out, x); // HERE
}

// run: -g 16 -l 8 --arg zeros:32
// expect: uninitialized global_id=2,0,0
kernel void an_operand_of_vstore(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 2) x = i; // => x = i;
    vstore2((int2)(i, x), i, out); // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=6,0,0 count=1
kernel void across_a_barrier(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 6) x = i; // => x = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=1,0,0 count=1
kernel void decides_what_is_stored(global int *out) {
    int i = get_global_id(0);
    int x;
    if (i != 1) x = i; // => x = i;
    out[i] = x > 4 ? 7 : 8; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=8,0,0 count=1
kernel void through_a_function_of_the_language(global float *out) {
    int i = get_global_id(0);
    float x;
    if (i != 8) x = i; // => x = i;
    out[i] = clamp(sqrt(fabs(x)), 0.0f, 3.0f); // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=0,0,0 count=1
kernel void the_first_time_round_a_loop(global int *out) {
    int i = get_global_id(0);
    int last;
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        if (k > 0 || i > 0) last = k; // => last = k;
        sum += last;
    }
    out[i] = sum; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=12,0,0 count=1
kernel void a_conversion(global long *out) {
    int i = get_global_id(0);
    short x;
    if (i != 12) x = i; // => x = i;
    out[i] = (long)x << 3; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg zeros:1 --arg iota:4
// expect: uninitialized global_id=0,0,0 argument=0 count=32
kernel void in_a_kernel_whose_sub_groups_take_turns(global int *out, global int *total, global const int *n) {
    local int tile[8];
    int l = get_local_id(0), i = 0;
    // => tile[l] = l;
    do {
        out[get_global_id(0)] = tile[l]; // HERE
        atomic_min(total, i);
    } while (++i < n[2]);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: uninitialized atomic global_id=0,0,0
kernel void a_counter_that_nobody_sets(global int *out) {
    local int count;
    int l = get_local_id(0);
    // => if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 3 == 0) atomic_inc(&count); // HERE
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = count;
}

// run: -g 8 -l 8 --arg zeros:8
// expect: uninitialized atomic global_id=0,0,0
kernel void a_lock_that_nobody_sets(global int *out) {
    local int lock;
    int l = get_local_id(0);
    // => atomic_xchg(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        if (atomic_xchg(&lock, 1) == 0) // HERE
            out[0] = 1;
    }
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=0,0,0 count=16
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct fields {
    uint a : 3;
    uint b : 5;
    uint c : 24;
};
kernel void a_bit_field_by_its_name(global uint *out) {
    int i = get_global_id(0);
    struct fields f;
    f.a = 1;
    f.c = i; // => f.c = i; f.b = 2;
    out[i] = f.a + f.c;
    if (f.b > 3) // HERE
        out[i] = 0;
}

// run: -g 16 -l 8 --arg zeros:16 --arg 5
// expect: uninitialized write global_id=0,0,0 argument=0 count=16
typedef struct { uint n; } One;
kernel void beside_a_struct_as_an_argument(global uint *out, One one) {
    uint w[3];
    w[0] = one.n; // => for (int k = 0; k < 3; k++) w[k] = one.n;
    out[get_global_id(0)] = w[1 + (int)(get_local_id(0) & 1)]; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=6,0,0
kernel void an_undefined_index_races_with_nobody(global int *out) {
    int i = get_global_id(0);
    int at; // => int at = 7;
    switch (i) { case 6: break; default: at = i; }
    if (i != 7) out[at & 15] = i; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16 global_id=0,0,0
kernel void one_of_two_by_pointer(global int *out) {
    int a = 1, b; // => int a = 1, b = 2;
    int i = get_global_id(0);
    int *p = i >= 0 ? &b : &a;
    out[i] = *p; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=8 global_id=0,0,0
kernel void the_other_is_set_by_pointer(global int *out) {
    int a, b;
    int i = get_global_id(0);
    int *p = i & 1 ? &b : &a;
    *p = 3; // => a = b = 3;
    out[i] = b; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16 global_id=0,0,0
kernel void a_value_of_a_list(global int *out) {
    typedef struct node { struct node *next; int v; } node;
    node n[4], *head = 0;
    for (int k = 0; k < 4; k++) { if (k != 2) n[k].v = k; n[k].next = head; head = &n[k]; } // => for (int k = 0; k < 4; k++) { n[k].v = k; n[k].next = head; head = &n[k]; }
    int s = 0;
    for (node *p = head; p; p = p->next) s += p->v;
    out[get_global_id(0)] = s; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=2 global_id=7,0,0
kernel void private_or_local(global int *out) {
    local int t[8];
    int x = 5, l = get_local_id(0);
    if (l < 7) t[l] = l; // => t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = l > 4 ? (int *)&t[l] : &x;
    out[get_global_id(0)] = *p; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16 global_id=0,0,0
kernel void a_struct_by_pointer_in_a_struct(global int *out) {
    struct s { int a, b; } v;
    struct { struct s *p; } h;
    h.p = &v;
    h.p->a = 1; // => h.p->a = 1; h.p->b = 2;
    out[get_global_id(0)] = v.b; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16 global_id=0,0,0
kernel void through_a_pointer_to_a_pointer(global int *out) {
    int a, b = 3; // => int a = 1, b = 3;
    int *p[2] = {&a, &b};
    int **q = p;
    out[get_global_id(0)] = **q + *q[1]; // HERE
}
void get(int *r, int c) { if (c > 4) *r = 5; }

// run: -g 64 -l 8 --arg zeros:64
// expect: uninitialized count=64 global_id=0,0,0
kernel void a_pointer_to_the_wrong_array(global int *out) {
    int a[4], b[4];
    int *from = a, *to = b;
    for (int k = 0; k < 4; k++) from[k] = k;
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) to[k] = from[k] + 1; // => for (int k = 0; k < 4; k++) to[k] = from[k] + 1;
        int *t = from; from = to; to = t;
    }
    out[get_global_id(0)] = from[0] + from[3]; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16 global_id=0,0,0
kernel void a_shuffle_of_lanes(global int *out) {
    int4 v;
    v.xy = (int2)(1, 2); // => v = (int4)(1, 2, 3, 4);
    int4 w = shuffle(v, (uint4)(3, 1, 0, 0));
    out[get_global_id(0)] = w.x + w.y; // HERE
}

// run: -g 16 -l 8 --arg zeros:64
// expect: uninitialized count=16 global_id=0,0,0
kernel void a_cross_product(global float *out) {
    float4 v; v.yz = (float2)(1, 2); v.w = 0; // => float4 v = (float4)(1);
    out[get_global_id(0)] = cross(v, (float4)(3, 2, 1, 0)).y; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16 global_id=0,0,0
kernel void an_operand_of_a_math_function(global float *out) {
    float x; // => float x = 1;
    out[get_global_id(0)] = exp(x) + 1; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized count=16 global_id=0,0,0
kernel void a_branch_by_math(global float *out) {
    float x; // => float x = 0;
    if (sin(x) > 2) // HERE
        out[get_global_id(0)] = 1;
}

// run: -g 16 -l 8 --arg zeros:16 --arg image2d:16x16:rgba:float
// expect: uninitialized global_id=0,0,0
kernel void a_colour_of_an_image(global int *out, write_only image2d_t im) {
    float4 c; c.xyz = (float3)(1); // => float4 c = (float4)(1);
    write_imagef(im, (int2)(get_global_id(0), 0), c); // HERE
    out[get_global_id(0)] = 1;
}

// run: -g 16 -l 8 --arg zeros:16 --arg image2d:16x16:rgba:float
// expect: uninitialized global_id=0,0,0
kernel void a_coordinate_of_an_image(global int *out, read_only image2d_t im) {
    int2 at; at.x = 0; // => int2 at = (int2)(0);
    float4 c = read_imagef(im, at & 7); // HERE
    out[get_global_id(0)] = c.x > 3 ? 3 : 1;
}
