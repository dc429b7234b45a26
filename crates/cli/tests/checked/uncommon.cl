// Mistakes of all kinds in uncommon ways: unions, swizzles, switches, halves, all widths.

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=6,0,0 offset=32 size=4 count=2
typedef union { int words[8]; uchar bytes[32]; } Both;
kernel void an_array_in_a_union(global int *out) {
    int i = get_global_id(0);
    Both both;
    for (int k = 0; k < 32; k++) both.bytes[k] = k;
    int at = i % 8 == 6 ? 8 : i % 8; // => int at = i % 8;
    both.words[at] = i; // HERE
    out[i] = both.bytes[4 * (i % 8)];
}

// run: -g 8 -l 8 --arg zeros:8 --arg zeros:8
// expect: out-of-bounds write global_id=7,0,0 argument=1 offset=128 size=4 count=1
kernel void an_element_of_a_vector_beyond(global int *out, global float4 *v) {
    int i = get_global_id(0);
    v[i + 1].x = i; // HERE => v[i].x = i;
    out[i] = 1;
}

// run: -g 8 -l 8 --arg zeros:8
// expect: out-of-bounds write global_id=7,0,0 argument=0 offset=132 size=4 count=2
kernel void a_swizzle_beyond(global float4 *v) {
    int i = get_global_id(0);
    float2 x = (float2)(i, i + 1);
    v[i == 7 ? 8 : i].yw = x; // HERE => v[i].yw = x;
}

// run: -g 16 -l 4 --arg zeros:16 --arg iota:16 --arg iota:8
// expect: out-of-bounds read global_id=10,0,0 argument=2 offset=40 size=4
kernel void a_switch_of_pointers(global int *out, global const int *a, global const int *b) {
    int i = get_global_id(0);
    global const int *from;
    switch (i % 5) {
    case 0: from = i < 8 ? b : a; break; // => case 0: from = a; break;
    case 1: from = a; break;
    default: from = a; break;
    }
    if (i == 10) from = b; // =>
    out[i] = from[i]; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg zeros:32
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=64 size=2 count=1
kernel void a_half_beyond(global float *out, global const half *in) {
    int i = get_global_id(0);
    out[i] = vload_half(2 * i + (i == 15 ? 2 : 0), in); // HERE => out[i] = vload_half(2 * i, in);
}

// run: -g 8 -l 8 --arg zeros:32
// expect: out-of-bounds write global_id=7,0,0 argument=0 offset=60 size=8 count=1
kernel void four_halves_beyond(global half *to) {
    int i = get_global_id(0);
    vstore_half4_rte((float4)(i), 0, to + 4 * i + (i == 7 ? 2 : 0)); // HERE => vstore_half4_rte((float4)(i), 0, to + 4 * i);
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds write global_id=3,0,0 argument=0 offset=512 size=128 count=1
kernel void sixteen_longs(global long16 *to) {
    int i = get_global_id(0);
    to[i + 1] = (long16)(i); // HERE => to[i] = (long16)(i);
}

// run: -g 5 -l 5 --arg zeros:16
// expect: out-of-bounds read global_id=4,0,0 argument=0 offset=64 size=12 count=1
kernel void three_of_four(global float *a) {
    int i = get_global_id(0);
    float3 v = vload3(0, a + 4 * i); // HERE => float3 v = vload3(0, a + 4 * (i % 4));
    if (v.x > 1e30f) a[0] = v.y;
}

// run: -g 8 -l 8 --arg zeros:8
// expect: out-of-bounds atomic global_id=7,0,0 argument=0 offset=64 size=8 count=1
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void an_atomic_of_a_long(volatile global long *sums) {
    int i = get_global_id(0);
    atom_add(sums + i + (i == 7), 1L); // HERE => atom_add(sums + i, 1L);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 size=4 offset=128 count=1
typedef struct { int key; float value; } Entry;
kernel void a_struct_in_local_memory(global float *out) {
    local Entry table[16];
    int l = get_local_id(0);
    table[l].key = l;
    table[l].value = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 15) table[l + 1].key = 3; // HERE => if (l == 15) table[l].key = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = table[l].value;
}

// run: -g 4,4,4 -l 2,2,2 --arg zeros:64
// expect: out-of-bounds write global_id=3,3,3 local_id=1,1,1 group_id=1,1,1 argument=0 offset=256 size=4 count=1
kernel void a_cube(global int *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = (z * 4 + y) * 4 + x;
    out[at == 63 ? 64 : at] = x; // HERE => out[at] = x;
}

// run: -g 8 -l 8 --arg zeros:8 --arg iota:8
// expect: out-of-bounds read global_id=0,0,0 argument=1 offset=-4 size=4 count=8
kernel void a_pointer_that_goes_down(global int *out, global const int *in) {
    int i = get_global_id(0), sum = 0;
    global const int *p = in + i;
    do { sum += *p; } while (--p >= in);
    sum += *p; // HERE => sum += p[1];
    out[i] = sum;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds read global_id=12,0,0 offset=52 size=4 count=4
constant struct { int n; int table[12]; } squares = {12, {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121}};
kernel void a_table_in_a_constant_struct(global int *out) {
    int i = get_global_id(0);
    constant int *t = squares.table;
    if (i < 16) // => if (i < squares.n)
        out[i] = t[i - 1 + 1]; // HERE
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds write global_id=2,0,0 size=4 count=1
global int counters[4];
kernel void a_variable_of_the_program(global int *out) {
    int i = get_global_id(0);
    counters[i == 2 ? i + 2 : i] = i; // HERE => counters[i] = i;
    out[i] = counters[i];
}

// run: -g 8 -l 8 --arg zeros:8
// expect: out-of-bounds read global_id=5,0,0 size=4 count=1
typedef struct { int a[4]; int n; } Four;
int pick(Four f, int at) {
    return f.a[at]; // HERE
}
kernel void a_struct_by_value(global int *out) {
    int i = get_global_id(0);
    Four f = {{1, 2, 3, 4}, 4};
    if (i == 5) f.n = 6; // =>
    out[i] = pick(f, f.n - 1 - i % 2 + (i == 5));
}

// run: -g 16 -l 4 --arg zeros:64 --arg iota:16
// expect: out-of-bounds write global_id=15,0,0 argument=0 offset=252 size=16 count=1
typedef struct { int a, b, c, d; } Quad;
kernel void a_struct_that_is_assigned(global int *out, global const Quad *in) {
    int i = get_global_id(0);
    global Quad *to = (global Quad *)(out + 4 * i + (i == 15) * 3); // => global Quad *to = (global Quad *)(out + 4 * i);
    *to = in[i]; // HERE
}

// run: -g 16 -l 4 --arg zeros:16 --arg iota:16
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=64 size=4 count=1
kernel void under_nested_divergence(global int *out, global const int *in) {
    int i = get_global_id(0), x = 0;
    if (i & 1) {
        if (i & 2) {
            for (int k = 0; k <= (i & 4); k += 4)
                if (i & 8) x += in[i + (k >> 2)]; // HERE => if (i & 8) x += in[i];
        } else {
            x = 7;
        }
    }
    out[i] = x;
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:32
// expect: race read argument=1 size=2
kernel void halves_in_local_memory(global float *out, local half *tile) {
    int l = get_local_id(0);
    vstore_half((float)l, l, tile); // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = vload_half(15 - l, tile); // HERE
}

// run: -g 16 -l 16 --arg zeros:8
kernel void elements_of_a_swizzle_are_apart(global float4 *out) {
    int l = get_local_id(0);
    if (l < 8) out[l].xz = (float2)(l, 1);
    else out[l - 8].wy = (float2)(l, 2);
}

// run: -g 16 -l 16 --arg zeros:16
kernel void elements_of_a_vector_are_apart(global float *out) {
    local float4 v[4];
    int l = get_local_id(0);
    if (l < 4) v[l].x = l;
    if (l >= 4 && l < 8) v[l - 4].y = l;
    if (l >= 8 && l < 12) v[l - 8].z = l;
    if (l >= 12) v[l - 12].w = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 x = v[l % 4];
    out[l] = x.x + x.y + x.z + x.w;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race read size=4
kernel void fields_of_a_struct(global float *out) {
    local struct { int n; float x; } s[8];
    int l = get_local_id(0);
    if (l < 8) s[l].x = l; // OTHER
    if (l >= 8) s[l - 8].n = l;
    // => barrier(CLK_LOCAL_MEM_FENCE);
    if (l >= 8) out[l] = s[l - 8].x; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1
// expect: race argument=1 size=4
kernel void an_atomic_and_a_read(global int *out, global int *count) {
    int i = get_global_id(0);
    if (atomic_inc(count) > 1000) out[i] = 1; // HERE OTHER
    out[i] = *count; // HERE OTHER => out[i] = atomic_or(count, 0);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race read size=4
kernel void two_buffers_in_turn(global int *out) {
    local int a[2][16];
    int l = get_local_id(0), from = 0;
    a[0][l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 16; k *= 2) {
        a[1 - from][l] = a[from][l] + (l >= k ? a[from][l - k] : 0); // OTHER
        from = 1 - from;
        // => barrier(CLK_LOCAL_MEM_FENCE);
        if (k == 4) out[l] = a[from][l ^ 1]; // HERE
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = a[from][l];
}

// run: -g 16 -l 16 --arg zeros:16
// check: races
// expect: race read size=1
kernel void characters(global uchar *out) {
    local uchar tile[64];
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++) tile[4 * l + k] = k; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[(4 * l + 5) % 64]; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: uninitialized global_id=3,0,0 argument=0 count=2
kernel void a_switch_without_a_default(global int *out) {
    int i = get_global_id(0), x;
    switch (i % 8) {
    case 0: case 1: case 2: x = 1; break;
    case 4: case 5: x = 2; break;
    // => case 3: x = 5; break;
    case 6: case 7: x = 3; break;
    }
    out[i] = x; // HERE
}

// run: -g 8 -l 8 --arg zeros:8
// expect: uninitialized global_id=0,0,0 argument=0 count=8
typedef union { uint whole; uchar bytes[4]; } Word;
kernel void a_byte_of_a_union(global uint *out) {
    int i = get_global_id(0);
    Word w;
    for (int k = 0; k < 3; k++) w.bytes[k] = i; // => for (int k = 0; k < 4; k++) w.bytes[k] = i;
    out[i] = w.whole; // HERE
}

// run: -g 8 -l 8 --arg zeros:32
// expect: uninitialized global_id=0,0,0 argument=0 count=8
kernel void an_element_of_a_vector_is_missing(global int *out) {
    int i = get_global_id(0);
    int4 v;
    v.xyz = (int3)(i);
    v.w = 4;
    vstore4(v.wzyx, i, out);
    int4 w;
    w.x = i;
    w.s13 = (int2)(1, 2);
    out[4 * i] = w.z; // HERE => out[4 * i] = w.y;
}

// run: -g 8 -l 8 --arg zeros:8
// expect: uninitialized global_id=2,0,0 count=1
kernel void decides_a_select(global int *out) {
    int i = get_global_id(0), which;
    if (i != 2) which = i - 4; // => which = i - 4;
    out[i] = select(1, 2, which); // HERE
}

// run: -g 8 -l 8 --arg zeros:8 --arg zeros:1
// expect: uninitialized global_id=6,0,0 argument=1 count=1
kernel void is_added_atomically(global int *out, global int *sum) {
    int i = get_global_id(0), x;
    if (i != 6) x = i; // => x = i;
    atomic_add(sum, x); // HERE
    out[i] = 0;
}

// run: -g 8 -l 8 --arg zeros:8
// expect: uninitialized global_id=5,0,0 count=1
float twice(float x) {
    return 2 * x;
}
kernel void through_a_function(global float *out) {
    int i = get_global_id(0);
    float a[3];
    a[0] = 1;
    a[1] = 2;
    if (i != 5) a[2] = 3; // => a[2] = 3;
    float sum = 0;
    for (int k = 0; k < 3; k++) sum += twice(a[k]);
    out[i] = sum; // HERE
}

// run: -g 8 -l 8 --arg zeros:8 --arg zeros:8
// expect: uninitialized global_id=7,0,0 argument=0 size=2 count=1
kernel void a_half_that_nobody_set(global half *out, global int *other) {
    int i = get_global_id(0);
    float x;
    if (i < 7) x = 0.5f; // => x = 0.5f;
    vstore_half(x, i, out); // HERE
    other[i] = 1;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0 local_id=0,0,0
kernel void in_a_switch(global int *out) {
    int l = get_local_id(0);
    out[l] = 1;
    switch (l % 4) { // => switch (get_group_id(0) + 1) {
    case 1: barrier(CLK_LOCAL_MEM_FENCE); break; // HERE
    default: out[l] = 2;
    }
}

// run: -g 8,4 -l 4,4 --arg zeros:32
// expect: barrier local_id=0,3,0 group_id=0,0,0
kernel void the_last_row_returns(global int *out) {
    int x = get_global_id(0), y = get_global_id(1);
    out[8 * y + x] = 0;
    if (y == 3) return; // =>
    barrier(CLK_GLOBAL_MEM_FENCE); // HERE
    if (y < 3) out[8 * y + x] = 1;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void a_loop_that_some_leave(global int *out) {
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (k > l) break; // => if (k > 9) break;
        barrier(CLK_LOCAL_MEM_FENCE); // HERE
    }
    out[l] = l;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: barrier group_id=0,0,0
kernel void behind_an_and(global int *out) {
    int l = get_local_id(0);
    if (l < 12 && work_group_all(l < 20)) // HERE => if (work_group_all(l < 20) && l < 12)
        out[l] = 1;
}

// run: -g 8 -l 8 --arg zeros:8 --arg iota:16
// expect: alignment read argument=1 offset=4 size=8 global_id=1,0,0 count=4
kernel void a_double_at_a_float(global float *out, global const float *in) {
    int i = get_global_id(0);
    out[i] = *(global const long *)(in + i) == 0; // HERE => out[i] = *(global const long *)(in + (i & ~1)) == 0;
}

// run: -g 8 -l 8 --arg zeros:8
// check: alignment
// expect: alignment write size=4 count=6
kernel void a_word_in_characters(global int *out) {
    local char bytes[40] __attribute__((aligned(4)));
    int l = get_local_id(0);
    *(local int *)(bytes + 5 * l) = l; // HERE => *(local int *)(bytes + 4 * l) = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = bytes[l] == 100;
}

// run: -g 4 -l 4 --arg zeros:4 --arg zeros:8
// expect: alignment read argument=1 size=16 global_id=1,0,0 offset=4 count=1
kernel void a_vector_at_a_number(global int *out, global const int *in) {
    int i = get_global_id(0);
    int4 v = i == 1 ? *(global const int4 *)(in + 1) : (int4)(0); // HERE => int4 v = i == 1 ? vload4(0, in + 1) : (int4)(0);
    out[i] = v.x;
}

// run: -g 8 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=3,0,0 count=1
kernel void the_smallest_divided_by_minus_one(global long *out, global const int *in) {
    int i = get_global_id(0);
    long x = LONG_MIN, y = i == 3 ? -1 : 1; // => long x = LONG_MIN, y = 1;
    out[i] = x / y; // HERE
}

// run: -g 8 -l 8 --arg zeros:8 --arg iota:8
// check: arithmetic
// expect: arithmetic global_id=7,0,0 count=1
kernel void a_shift_of_a_short(global int *out, global const int *in) {
    int i = get_global_id(0);
    short s = 1;
    out[i] = s << (i * 5); // HERE => out[i] = s << (i * 4);
}

// run: -g 8 -l 8 --arg zeros:8
// check: arithmetic
// expect: arithmetic global_id=0,0,0 count=8
kernel void an_overflow_in_a_vector(global int *out) {
    int i = get_global_id(0);
    int4 v = (int4)(1, 2, INT_MAX, 4);
    v += i + 1; // HERE => v -= i + 1;
    out[i] = v.z;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds read global_id=4,0,0 offset=16 size=4 count=8
kernel void an_index_into_a_vector(global int *out) {
    int i = get_global_id(0);
    int4 v = (int4)(1, 2, 3, 4);
    out[i] = v[i & 7]; // HERE => out[i] = v[i & 3];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=8,0,0 offset=16 size=2 count=8
kernel void an_element_that_a_vector_does_not_have(global ushort *out) {
    int i = get_global_id(0);
    ushort8 v = 0;
    v[i] = 7; // HERE => v[i & 7] = 7;
    out[i] = v.s0 + v.s5;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:24
// expect: out-of-bounds read global_id=15,0,0 offset=24 size=12 count=1
typedef struct { int v[3]; } Triple;
kernel void a_struct_of_an_array(global int *out, global const Triple *in) {
    int i = get_global_id(0);
    Triple a[2];
    for (int k = 0; k < 2; k++) a[k] = in[i / 4 + k];
    Triple t = a[i / 8 + (i == 15)]; // HERE => Triple t = a[i / 8];
    out[i] = t.v[0] + a[1].v[2];
}
