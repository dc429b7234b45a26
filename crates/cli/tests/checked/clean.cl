// Kernels without a mistake that look as if they had one: nothing is found.

// run: -g 256 -l 64 --arg zeros:4 --arg iota:256
kernel void a_tree_reduction(global int *out, global const int *in) {
    local int sums[64];
    int l = get_local_id(0);
    sums[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s) sums[l] += sums[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = sums[0];
}

// run: -g 100 -l 64 --arg zeros:2 --arg iota:100 --arg 100
kernel void a_reduction_of_a_partial_group(global int *out, global const int *in, int n) {
    local int sums[64];
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    sums[l] = i < n ? in[i] : 0;
    for (int s = 32; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s && l + s < size) sums[l] += sums[l + s];
    }
    if (l == 0) out[get_group_id(0)] = sums[0];
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
kernel void a_scan_in_two_buffers(global int *out, global const int *in) {
    local int a[2][16];
    int l = get_local_id(0), from = 0;
    a[0][l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 16; d *= 2) {
        a[1 - from][l] = l >= d ? a[from][l] + a[from][l - d] : a[from][l];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = a[from][l];
}

// run: -g 64 -l 16 --arg zeros:8 --arg iota:64
kernel void a_histogram(global int *bins, global const int *in) {
    local int mine[8];
    int l = get_local_id(0);
    if (l < 8) mine[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&mine[in[get_global_id(0)] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) atomic_add(&bins[l], mine[l]);
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1 --arg iota:64
kernel void a_list_by_an_atomic_counter(global int *list, global int *count, global const int *in) {
    int i = get_global_id(0);
    if (in[i] % 3 == 0) list[atomic_inc(count)] = in[i];
}

// run: -g 64 -l 16 --arg zeros:1 --arg zeros:64
kernel void a_linked_stack(global atomic_int *head, global int *next) {
    int i = get_global_id(0);
    int old = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
    do
        next[i] = old;
    while (!atomic_compare_exchange_weak_explicit(head, &old, i + 1, memory_order_release,
                                                  memory_order_relaxed, memory_scope_device));
}

// run: -g 64 -l 16 --arg zeros:1 --arg rand:64
kernel void a_maximum_by_compare_and_exchange(global uint *best, global const float *in) {
    int i = get_global_id(0);
    uint mine = as_uint(in[i]), old = 0;
    while (as_float(old) < in[i]) {
        uint seen = atomic_cmpxchg(best, old, mine);
        if (seen == old) break;
        old = seen;
    }
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
typedef struct { char c; int i; short s; } Padded;
kernel void a_copy_with_padding(global Padded *out, global const int *in) {
    int i = get_global_id(0);
    Padded p;
    p.c = i;
    p.i = in[i];
    p.s = 3;
    Padded q = p;
    out[i] = q;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:48
kernel void three_elements_in_the_room_of_four(global float3 *out, global const float *in) {
    int i = get_global_id(0);
    float3 v = vload3(i, in);
    out[i] = v * 2.0f;
}

// run: -g 16 -l 8 --arg zeros:48 --arg iota:48
kernel void three_elements_exactly(global float *out, global const float *in) {
    int i = get_global_id(0);
    vstore3(normalize(vload3(i, in) + 1), i, out);
}

// run: -g 16 -l 8 --arg zeros:16
kernel void elements_of_a_vector_that_are_not_used(global int *out) {
    int i = get_global_id(0);
    int4 v;
    v.x = i;
    v.z = 2;
    int4 w = v + 1;
    out[i] = w.x + w.z;
}

// run: -g 16 -l 8 --arg zeros:16
kernel void a_mask_hides_what_is_not_set(global uint *out) {
    int i = get_global_id(0);
    uint x;
    ((ushort *)&x)[0] = i;
    uint low = x & 0xffff;
    if (low > 3) out[i] = low;
}

// run: -g 16 -l 8 --arg zeros:16
kernel void bit_fields_next_to_others(global uint *out) {
    int i = get_global_id(0);
    uint bits; // of 5, 11 and 3 bits
    bits = bits & ~0xffe0u | 7 * i << 5;
    bits = bits & ~31u | i;
    if ((bits & 31) > 3) out[i] = bits >> 5 & 0x7ff;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
kernel void a_halo_with_clamps(global int *out, global const int *in) {
    local int tile[18];
    int i = get_global_id(0), l = get_local_id(0);
    tile[l + 1] = in[i];
    if (l == 0) tile[0] = in[max(i - 1, 0)];
    if (l == 15) tile[17] = in[min(i + 1, 63)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l] + tile[l + 1] + tile[l + 2];
}

// run: -g 64 -l 16 --arg zeros:50 --arg iota:50 --arg 50
kernel void guards_at_the_end(global int *out, global const int *in, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    out[i] = i + 1 < n ? in[i + 1] : in[0];
}

// run: -g 40,24 -l 16,16 --arg zeros:20x30 --arg iota:20x30 --arg 30 --arg 20
kernel void a_tiled_transposition(global float *out, global const float *in, int w, int h) {
    local float tile[16][17];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < w && y < h) tile[ly][lx] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w && y < h) out[x * h + y] = tile[ly][lx];
}

// run: -g 64 -l 16 --arg zeros:64 --arg 5
kernel void barriers_in_uniform_control_flow(global int *out, int n) {
    local int tile[16];
    int l = get_local_id(0), sum = 0;
    if (get_group_id(0) % 2) {
        for (int k = 0; k < n + get_group_id(0); k++) {
            tile[l] = k + l;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += tile[(l + k) % 16];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(0)] = sum;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:4
kernel void a_barrier_behind_a_value_of_the_group(global int *out, global const int *in) {
    local int n;
    int l = get_local_id(0);
    if (l == 0) n = in[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int rounds = n;
    while (rounds-- > 0) barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = n;
}

// run: -g 64 -l 16 --arg zeros:64
kernel void bytes_next_to_each_other(global char *out) {
    local char tile[16];
    int l = get_local_id(0);
    tile[l] = l;
    out[get_global_id(0)] = tile[l];
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1
kernel void a_result_of_one_work_item(global int *out, global int *one) {
    int i = get_global_id(0);
    if (i == 17) one[0] = i;
    out[i] = i;
}

// run: -g 32 -l 16 --arg zeros:1 --arg zeros:1 --arg zeros:1
kernel void a_message(global int *out, global int *data, global atomic_int *flag) {
    int i = get_global_id(0);
    if (i == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (i == 16) {
        int seen = 0;
        for (int k = 0; k < 10000000 && !seen; k++)
            seen = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
        if (seen) *out = *data;
    }
}

// run: -g 64 -l 16 --arg zeros:1 --arg zeros:4 --arg zeros:1
kernel void the_last_group_sums_up_behind_fences(global int *out, global int *partial, global int *done) {
    local int last;
    int g = get_group_id(0), l = get_local_id(0);
    if (l == 0) {
        partial[g] = g;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        last = atomic_inc(done) == 3;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last && l == 0) *out = partial[0] + partial[1] + partial[2] + partial[3];
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
kernel void a_copy_by_the_group(global int *out, global const int *in) {
    local int tile[16];
    int l = get_local_id(0), g = get_group_id(0);
    event_t e = async_work_group_copy(tile, in + 16 * g, 16, 0);
    wait_group_events(1, &e);
    int x = tile[15 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + 16 * g, tile, 16, 0);
    wait_group_events(1, &e);
}

// run: -g 64 -l 16 --arg zeros:64
kernel void collectives(global int *out) {
    int i = get_global_id(0);
    int sum = work_group_reduce_add(i) + work_group_scan_exclusive_max(i & 7);
    if (work_group_all(sum != 12345)) sum += work_group_broadcast(i, 3);
    out[i] = sum + sub_group_reduce_add(1) + sub_group_broadcast(i, 0);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:80
typedef struct __attribute__((packed)) { uchar tag; int value; } Packed;
kernel void a_packed_struct(global int *out, global const uchar *in) {
    int i = get_global_id(0);
    out[i] = ((global const Packed *)in)[i].value;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:80
kernel void vectors_at_the_alignment_of_their_elements(global int4 *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = vload4(i, in + 3);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
kernel void a_pointer_beyond_the_end_that_is_not_used(global int *out, global const int *in) {
    int i = get_global_id(0);
    global const int *end = in + 16, *p = in + i;
    int n = 0;
    prefetch(end, 1);
    while (p < end) p++, n++;
    out[i] = n;
}

// run: -g 16 -l 8 --arg zeros:16
kernel void a_private_array_that_is_a_queue(global int *out) {
    int i = get_global_id(0), sum = 0;
    int ring[8];
    for (int k = 0; k < 20 + i; k++) {
        ring[k & 7] = k;
        if (k >= 7) sum += ring[(k + 1) & 7];
    }
    out[i] = sum;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
kernel void arithmetic_that_may_wrap(global uint *out, global const uint *in) {
    int i = get_global_id(0);
    uint hash = in[i] * 2654435761u - 7u;
    hash ^= hash << 13;
    hash ^= hash >> 17;
    char c = (char)hash;
    short s = (short)(c * 300);
    out[i] = hash + c + s + (uint)-1;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
kernel void a_nan_that_was_there_before(global float *out, global const float *in) {
    int i = get_global_id(0);
    float x = i == 3 ? NAN : in[i];
    float y = 1 / in[i] + exp(100 * in[i]);
    out[i] = x * 2 + sqrt(x) + fmin(y, 3.0f);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
kernel void divisions_that_are_guarded(global int *out, global const int *in) {
    int i = get_global_id(0);
    int x = in[i] % 4;
    out[i] = x ? 100 / x : convert_int_sat(in[i] * 1e9f) - convert_uchar_sat(300);
}

// run: -g 16 -l 8 --arg zeros:16
kernel void all_of_a_private_array_before_it_is_read(global int *out) {
    int i = get_global_id(0), n = i % 4 + 1, best = 0;
    int a[4];
    for (int k = 0; k < n; k++) a[k] = (7 * k + i) % 5;
    for (int k = 0; k < n; k++) best = max(best, a[k]);
    out[i] = best;
}

// run: -g 64 -l 16 --arg iota:64
kernel void in_place(global int *a) {
    int i = get_global_id(0);
    a[i] = a[i] * 2 + 1;
    a[i]++;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
kernel void a_swap_inside_of_the_group(global int *out, global int *a) {
    int i = get_global_id(0);
    int x = a[i ^ 15];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = x;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[i ^ 1];
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
kernel void printf_with_texts(global int *out, global const int *in) {
    int i = get_global_id(0);
    if (i == 3) printf("%s %d %v4d\n", "a text", in[i], (int4)(1, 2, 3, 4));
    out[i] = i;
}

// run: -g 16 -l 16 --arg zeros:16
kernel void an_event_of_nothing(global int *out) {
    event_t e = 0;
    out[get_global_id(0)] = 1;
}

// run: -g 16 -l 8 --arg zeros:16
kernel void one_of_two_is_set_by_pointer(global int *out) {
    int a, b;
    int i = get_global_id(0);
    int *p = i & 1 ? &b : &a;
    *p = 3;
    out[i] = i & 1 ? b : a;
}

// run: -g 16 -l 8 --arg zeros:16
kernel void a_list_in_private_memory(global int *out) {
    typedef struct node { struct node *next; int v; } node;
    node n[4], *head = 0;
    for (int k = 0; k < 4; k++) { n[k].v = k; n[k].next = head; head = &n[k]; }
    int s = 0;
    for (node *p = head; p; p = p->next) s += p->v;
    out[get_global_id(0)] = s;
}

// run: -g 64 -l 8 --arg zeros:64
kernel void private_nodes(global int *out) {
    typedef struct node { struct node *next; int v; } node;
    node a = {0, 1}, b = {&a, 2}, c = {&b, 3};
    for (node *p = &c; p; p = p->next) p->v += (int)get_global_id(0);
    out[get_global_id(0)] = a.v + b.v + c.v;
}

// run: -g 64 -l 8 --arg zeros:64
kernel void a_pointer_to_either_array(global int *out) {
    int a[4], b[4];
    int *from = a, *to = b;
    for (int k = 0; k < 4; k++) from[k] = k;
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 4; k++) to[k] = from[3 - k] + 1;
        int *t = from; from = to; to = t;
    }
    out[get_global_id(0)] = from[0] + from[3];
}

// run: -g 16 -l 8 --arg zeros:64
kernel void shuffles_of_what_is_set(global int4 *out) {
    int4 v; v.xy = (int2)(1, 2);
    float4 c = cross((float4)(1, 2, 3, 0), (float4)(3, 2, 1, 0));
    out[get_global_id(0)] = shuffle(v, (uint4)(1, 0, 0, 1)) + convert_int4(c);
}

// run: -g 16 -l 8 --arg zeros:64
kernel void a_select_of_what_is_set(global int4 *out) {
    int4 v; v.xy = (int2)(1, 2);
    out[get_global_id(0)] = select(v, (int4)(7), (int4)(0, 0, -1, -1)) + bitselect((int4)(1), v, (int4)(-1, 0, 0, 0));
}

// run: -g 16 -l 8 --arg zeros:16
kernel void halves_of_vectors(global float *out) {
    float8 v; v.lo = (float4)(1, 2, 3, 4);
    float4 s = fma(v.lo, v.lo, v.lo) + max(v.lo, 0.5f) + clamp(v.lo, 0.f, 2.f);
    out[get_global_id(0)] = dot(s, s) + (any(isnan(s)) ? 1 : 0);
}

// run: -g 64 -l 8 --arg zeros:64 --arg zeros:64
kernel void local_or_global(global int *out, global int *b) {
    local int t[8];
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = 0;
    int *p = i & 1 ? (int *)(b + i) : (int *)&t[l];
    *p = i;
    out[i] = *p + t[l];
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
kernel void a_uniform_count_from_memory(global int *out, global const int *in) {
    int i = get_global_id(0), s = 0;
    local int n, t[16];
    if (get_local_id(0) == 0) n = in[get_group_id(0)] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        t[get_local_id(0)] = i + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[15 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
kernel void a_flag_that_all_agree_on(global int *out, global const int *in) {
    int i = get_global_id(0);
    local int t[16];
    t[get_local_id(0)] = i;
    if (in[i] >= 0) { barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[15 - get_local_id(0)]; }
    else { barrier(CLK_LOCAL_MEM_FENCE); out[i] = 3; }
    for (int k = 0; k < 2 + (in[i] < 0); k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[get_local_id(0)] += k;
        if (in[i] < 0) return;
        out[i] += work_group_reduce_add(k);
        if (in[i] > 1000) break;
    }
}

// run: -g 16 -l 8 --arg zeros:48 --arg iota:48 --arg zeros:48
kernel void results_of_three_by_pointer(global double *whole, global const double *in, global double *part) {
    int i = get_global_id(0);
    global double3 *to = (global double3 *)whole;
    double3 x = vload3(i, in) / 7, sine, cosine;
    if (i < 12) x = fract(x, to + i);
    sine = sincos(x, &cosine);
    vstore3(x + sine * cosine, i, part);
}

// run: -g 4000 -l 1 --arg zeros:3
kernel void a_lock_that_many_groups_take(global uint *c) {
    volatile global atomic_flag *lock = (volatile global atomic_flag *)c;
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device)) {}
    c[1] = c[1] + 1;
    atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);
    atomic_inc(c + 2);
}
