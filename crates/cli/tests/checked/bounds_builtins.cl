// Accesses beyond memory by functions of the language: atomics, vload and vstore, copies, printf.

// run: -g 65 -l 13 --arg zeros:64
// expect: out-of-bounds global_id=64,0,0 argument=0 offset=256 size=4 count=1
kernel void atomic_increment(global int *bins) {
    int i = get_global_id(0);
    atomic_inc(&bins[i]); // HERE => atomic_inc(&bins[i % 64]);
}

// run: -g 64 -l 16 --arg zeros:64
// expect: out-of-bounds global_id=33,0,0 argument=0 offset=-4 size=4 count=1
kernel void atomic_compare_and_exchange(global uint *locks) {
    int i = get_global_id(0);
    int at = i == 33 ? -1 : i; // => int at = i;
    atomic_cmpxchg(locks + at, 0u, 1u); // HERE
}

// run: -g 64 -l 16 --arg zeros:64
// expect: out-of-bounds global_id=63,0,0 argument=0 offset=256 size=4 count=1
kernel void atomic_fetch_and_add(global atomic_int *bins) {
    int i = get_global_id(0);
    atomic_fetch_add(bins + i + 1, 3); // HERE => atomic_fetch_add(bins + i, 3);
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:63
// expect: out-of-bounds global_id=63,0,0 argument=1 offset=252 size=4 count=1
kernel void an_atomic_load(global int *out, global atomic_int *in) {
    int i = get_global_id(0);
    // => if (i < 63)
    out[i] = atomic_load_explicit(in + i, memory_order_relaxed, memory_scope_device); // HERE
}

// run: -g 64 -l 16 --arg zeros:63
// expect: out-of-bounds global_id=63,0,0 argument=0 offset=504 size=8 count=1
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void an_atomic_store(global atomic_long *to) {
    int i = get_global_id(0);
    // => if (i < 63)
    atomic_store_explicit(to + i, 7L, memory_order_release, memory_scope_device); // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds global_id=15,0,0 offset=64 size=4 count=1
kernel void an_atomic_in_local_memory(global int *out) {
    local int bins[16];
    int l = get_local_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l + 1], 2); // HERE => atomic_add(&bins[15 - l], 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = bins[l];
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:63
// expect: out-of-bounds read global_id=15,0,0 argument=1 count=1
kernel void load_of_four(global float4 *out, global const float *in) {
    int i = get_global_id(0);
    // => if (i < 15)
    out[i] = vload4(i, in); // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:47
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=180 size=12 count=1
kernel void load_of_three(global float *out, global const float *in) {
    int i = get_global_id(0);
    // => if (i < 15)
    out[i] = length(vload3(i, in)); // HERE
}

// run: -g 16 -l 8 --arg zeros:47
// expect: out-of-bounds write global_id=15,0,0 argument=0 offset=180 size=12 count=1
kernel void store_of_three(global int *out) {
    int i = get_global_id(0);
    // => if (i < 15)
    vstore3((int3)(i), i, out); // HERE
}

// run: -g 4 -l 4 --arg zeros:4 --arg iota:64
// expect: out-of-bounds read global_id=3,0,0 argument=1 count=1
kernel void load_of_sixteen(global int *out, global const uchar *in) {
    int i = get_global_id(0);
    uchar16 v = vload16(i, in + 1); // HERE => uchar16 v = vload16(i, in);
    out[i] = v.s0 + v.sf;
}

// run: -g 32 -l 8 --arg zeros:64
// expect: out-of-bounds write global_id=31,0,0 argument=0 count=1
kernel void store_of_two(global short *out) {
    int i = get_global_id(0);
    vstore2((short2)(i), i, out + 1); // HERE => vstore2((short2)(i), i, out);
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=128 size=2 count=1
kernel void load_of_a_half(global float *out, global const half *in) {
    int i = get_global_id(0);
    out[i] = vload_half(i + 1, in); // HERE => out[i] = vload_half(i, in);
}

// run: -g 16 -l 8 --arg zeros:64
// expect: out-of-bounds write global_id=15,0,0 argument=0
kernel void store_of_halves(global half *out) {
    int i = get_global_id(0);
    vstore_half4((float4)(1.5f), i, out + 4 * (i == 15)); // HERE => vstore_half4((float4)(1.5f), i, out);
}

// run: -g 8 -l 8 --arg zeros:8
// expect: out-of-bounds read global_id=7,0,0 count=1
kernel void load_from_private_memory(global int *out) {
    int i = get_global_id(0);
    int a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    out[i] = vload2(0, a + i).x; // HERE => out[i] = vload2(0, a + min(i, 6)).x;
}

// run: -g 8 -l 8 --arg zeros:8
// expect: out-of-bounds write global_id=7,0,0 count=1
kernel void store_to_local_memory(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    vstore2((int2)(l, -l), l, tile + (l == 7)); // HERE => vstore2((int2)(l, -l), l, tile);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[2 * l % 14];
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds read global_id=3,0,0 count=1
constant float table[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
kernel void load_from_constant_memory(global float4 *out) {
    int i = get_global_id(0);
    // => if (i < 3)
    out[i] = vload4(i, table); // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16 --arg 17
// expect: out-of-bounds read group_id=0,0,0 argument=1
kernel void a_copy_reads_too_much(global int *out, global const int *in, int n) {
    local int tile[17];
    event_t e = async_work_group_copy(tile, in, n, 0); // HERE => event_t e = async_work_group_copy(tile, in, n - 1, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:17 --arg 17
// expect: out-of-bounds write group_id=0,0,0
kernel void a_copy_overflows_local_memory(global int *out, global const int *in, int n) {
    local int tile[16];
    event_t e = async_work_group_copy(tile, in, n, 0); // HERE => event_t e = async_work_group_copy(tile, in, n - 1, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// run: -g 32 -l 16 --arg zeros:31
// expect: out-of-bounds write group_id=1,0,0 argument=0
kernel void a_copy_overflows_global_memory(global int *out) {
    local int tile[16];
    int l = get_local_id(0), g = get_group_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 16 * g, tile, 16, 0); // HERE => event_t e = async_work_group_copy(out + 16 * g, tile, 16 - g, 0);
    wait_group_events(1, &e);
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:45
// expect: out-of-bounds read group_id=0,0,0 argument=1
kernel void a_copy_with_a_stride(global int *out, global const int *in) {
    local int tile[16];
    event_t e = async_work_group_strided_copy(tile, in, 16, 3, 0); // HERE => event_t e = async_work_group_strided_copy(tile, in, 15, 3, 0);
    wait_group_events(1, &e);
    int l = get_local_id(0);
    out[l] = tile[min(l, 14)];
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:64
// expect: out-of-bounds write global_id=63,0,0 argument=1 offset=256 size=4 count=1
kernel void a_result_by_pointer(global float *sines, global float *cosines) {
    int i = get_global_id(0);
    sines[i] = sincos((float)i, cosines + i + 1); // HERE => sines[i] = sincos((float)i, cosines + i);
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: out-of-bounds write global_id=15,0,0 argument=0 count=1
kernel void an_exponent_by_pointer(global int *out, global const float *in) {
    int i = get_global_id(0);
    float m = frexp(in[i] + 1, out + i + 1); // HERE => float m = frexp(in[i] + 1, out + i);
    if (m < 0) out[0] = 1;
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds read global_id=2,0,0 count=1
constant char text[3] = {'a', 'b', 'c'}; // => constant char text[4] = {'a', 'b', 'c', 0};
kernel void a_text_without_an_end(global int *out) {
    int i = get_global_id(0);
    if (i == 2) printf("%s\n", text); // HERE
    out[i] = i;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:15 --arg 8
// expect: out-of-bounds read group_id=1,0,0 argument=1
kernel void a_copy_of_the_last_group(global int *out, global const int *in, int n) {
    local int tile[8];
    event_t e = async_work_group_copy(tile, in + get_group_id(0) * 8, n, 0); // HERE => event_t e = async_work_group_copy(tile, in + get_group_id(0) * 7, n, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:64
// expect: out-of-bounds write group_id=0,0,0
kernel void a_copy_with_a_stride_overflows_local_memory(global int *out, global const int *in) {
    local int tile[15];
    event_t e = async_work_group_strided_copy(tile, in, 16, 3, 0); // HERE => event_t e = async_work_group_strided_copy(tile, in, 15, 3, 0);
    wait_group_events(1, &e);
    int l = get_local_id(0);
    out[l] = tile[min(l, 14)];
}

// run: -g 16 -l 16 --arg zeros:46
// expect: out-of-bounds write group_id=0,0,0 argument=0
kernel void a_copy_with_a_stride_to_global_memory(global float *out) {
    local float tile[16];
    tile[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out + 1, tile, 16, 3, 0); // HERE => event_t e = async_work_group_strided_copy(out, tile, 16, 3, 0);
    wait_group_events(1, &e);
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:64 --arg iota:16
// expect: out-of-bounds write group_id=0,0,0 argument=1
kernel void a_copy_into_an_argument(global float4 *out, local float4 *tile, global const float4 *in) {
    event_t e = async_work_group_copy(tile, in, 5, 0); // HERE => event_t e = async_work_group_copy(tile, in, 4, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0) % 4];
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds read global_id=1,0,0 count=1
kernel void a_private_text_without_an_end(global int *out) {
    int i = get_global_id(0);
    char text[4] = {'a', 'b', 'c', 'd'}; // => char text[4] = {'a', 'b', 'c', 0};
    if (i == 1) printf("%d: %s\n", i, text); // HERE
    out[i] = i;
}

// run: -g 4 -l 4 --arg zeros:4 --arg zeros:8
// expect: out-of-bounds read global_id=0,0,0 argument=1 count=1
kernel void a_text_in_a_buffer_without_an_end(global int *out, global char *text) {
    int i = get_global_id(0);
    if (i == 0) {
        for (int k = 0; k < 8; k++) text[k] = 'a'; // => for (int k = 0; k < 7; k++) text[k] = 'a';
        printf("100%% %.3s %s\n", text, text + 5); // HERE
    }
    out[i] = i;
}

// run: -g 32 -l 8 --arg zeros:32 --arg iota:32
// expect: out-of-bounds read global_id=24,0,0 argument=1 count=8
kernel void a_copy_whose_place_the_group_says(global int *out, global const int *in) {
    local int tile[8];
    int g = get_group_id(0);
    event_t e = async_work_group_copy(tile, in + 9 * g, 8, 0); // HERE => event_t e = async_work_group_copy(tile, in + 8 * g, 8, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}

// run: -g 24 -l 8 --arg zeros:24 --arg iota:60
// expect: out-of-bounds read global_id=20,0,0 argument=1 offset=120 size=6 count=4
kernel void load_of_three_halves(global float *out, global const half *in) {
    int i = get_global_id(0);
    float3 v = vload_half3(i, in); // HERE => float3 v = vload_half3(i % 20, in);
    out[i] = v.x + v.y + v.z;
}

// run: -g 24 -l 8 --arg zeros:60 --arg iota:24
// expect: out-of-bounds write global_id=20,0,0 argument=0 offset=120 size=6 count=4
kernel void store_of_three_halves(global half *out, global const float *in) {
    int i = get_global_id(0);
    float3 v = (float3)(in[i], 1, 2);
    vstore_half3(v, i, out); // HERE => if (i < 20) vstore_half3(v, i, out);
}
