// Atomics beside plain accesses, with scopes that are too small and orders that are too weak.

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1
// expect: race read global_id=9,0,0 argument=1 offset=0 size=4
kernel void a_plain_read(global int *out, global int *count) {
    int i = get_global_id(0);
    atomic_inc(count); // OTHER
    // => barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 9) out[i] = *count; // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1
// expect: race argument=1 offset=0 size=4
kernel void a_plain_write(global int *out, global int *count) {
    int i = get_global_id(0);
    if (i == 0) *count = 100; // OTHER
    // => barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = atomic_inc(count); // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race size=4
kernel void a_plain_write_in_local_memory(global int *out) {
    local int count;
    int l = get_local_id(0);
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) count = 5; // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = atomic_add(&count, 2); // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: race read size=4
kernel void a_plain_read_in_local_memory(global int *out) {
    local int count;
    int l = get_local_id(0);
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&count, l); // OTHER
    // => barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = count; // HERE
}

// run: -g 64 -l 16 --arg zeros:1
// expect: race argument=0 offset=0 size=4
kernel void a_scope_of_the_group_between_groups(global atomic_int *count) {
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_work_group); // HERE => atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1 --arg zeros:1
// expect: race read argument=1 other_global_id=0,0,0
kernel void a_message_that_is_relaxed(global int *out, global int *data, global atomic_int *flag) {
    int i = get_global_id(0);
    if (i == 0) {
        *data = 42; // OTHER
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device); // => atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (i > 0 && atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
        out[i] = *data; // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1 --arg zeros:1
// expect: race read argument=1 other_global_id=0,0,0
kernel void a_message_that_is_not_acquired(global int *out, global int *data, global atomic_int *flag) {
    int i = get_global_id(0);
    if (i == 0) {
        *data = 42; // OTHER
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    int seen = i > 0 && atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device); // => int seen = i > 0 && atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
    if (seen) out[i] = *data; // HERE
}

// run: -g 32 -l 16 --arg zeros:1 --arg zeros:1 --arg zeros:1
// expect: race read global_id=16,0,0 group_id=1,0,0 other_global_id=0,0,0 argument=1
kernel void a_message_in_the_scope_of_the_group(global int *out, global int *data, global atomic_int *flag) {
    int i = get_global_id(0);
    if (i == 0) {
        *data = 42; // OTHER
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group); // => atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (i == 16) {
        int seen = 0;
        for (int k = 0; k < 10000000 && !seen; k++)
            seen = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
        if (seen) out[0] = *data; // HERE
    }
}

// run: -g 32 -l 16 --arg zeros:1 --arg zeros:1 --arg zeros:1
// expect: race read global_id=16,0,0 other_global_id=0,0,0 argument=1
kernel void a_message_without_a_fence(global int *out, global int *data, global atomic_int *flag) {
    int i = get_global_id(0);
    if (i == 0) {
        *data = 42; // OTHER
        // => atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    }
    if (i == 16) {
        int seen = 0;
        for (int k = 0; k < 10000000 && !seen; k++)
            seen = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        if (seen) out[0] = *data; // HERE
    }
}

// run: -g 64 -l 16 --arg zeros:1 --arg zeros:4 --arg zeros:1
// expect: race read argument=1
kernel void the_last_group_sums_up(global int *out, global int *partial, global atomic_int *done) {
    int g = get_group_id(0);
    if (get_local_id(0) == 0) {
        partial[g] = g; // OTHER
        int n = atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device); // => int n = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device);
        if (n == 3) {
            int sum = 0;
            for (int k = 0; k < 4; k++) sum += partial[k]; // HERE
            *out = sum;
        }
    }
}

// run: -g 64 -l 16 --arg zeros:1 --arg zeros:1
// expect: race argument=0
kernel void a_lock_that_orders_nothing(global int *sum, global atomic_int *lock) {
    if (get_local_id(0) == 0) {
        int expected = 0;
        while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_relaxed, // => while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                        memory_order_relaxed, memory_scope_device))
            expected = 0;
        *sum += 1; // HERE
        atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device); // => atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:1
// expect: race read global_id=7,0,0 argument=1 offset=1 size=1
kernel void a_byte_of_an_atomic(global int *out, global int *count) {
    int i = get_global_id(0);
    atomic_inc(count); // OTHER
    // => barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 7) out[i] = ((global char *)count)[1]; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:1
// expect: race read argument=1
kernel void a_plain_read_of_other_groups(global int *out, global int *count) {
    int i = get_global_id(0);
    atomic_inc(count); // OTHER
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = *count; // HERE => out[i] = atomic_add(count, 0);
}

// run: -g 32 -l 8 --arg zeros:32 --arg zeros:4
// expect: race argument=1
kernel void an_atomic_and_a_plain_increment(global int *out, global int *counts) {
    int i = get_global_id(0);
    if (i & 1)
        atomic_inc(&counts[i / 8]); // OTHER
    else
        counts[i / 8]++; // HERE OTHER => atomic_inc(&counts[i / 8]);
    out[i] = i;
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:2
// expect: race argument=1 size=4
void count(global int *counts, int atomically) {
    if (atomically)
        atomic_inc(counts); // OTHER
    else
        *counts += 1; // HERE
}
kernel void in_a_function(global int *out, global int *counts) {
    int i = get_global_id(0);
    count(counts, i != 6); // => count(counts, 1);
    out[i] = i;
}

// run: -g 64 -l 16 --arg zeros:1 --arg zeros:1
// expect: race write argument=0
kernel void what_follows_an_atomic_is_not_ordered_by_it(global int *out, global atomic_int *counter) {
    int at = atomic_fetch_add(counter, 1);
    out[0] = at; // HERE => if (at == 63) out[0] = at;
}

// run: -g 64 -l 16 --arg zeros:64 --arg zeros:4 --arg zeros:64
kernel void the_group_knows_what_one_work_item_acquired(global int *out, global atomic_int *flags, global int *sums) {
    int l = get_local_id(0), g = get_group_id(0);
    out[get_global_id(0)] = l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0) atomic_store(&flags[g], 1);
    local int seen;
    if (l == 0) seen = g > 0 && atomic_load(&flags[g - 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (seen) sums[get_global_id(0)] = out[get_global_id(0) - 16];
}

// run: -g 32 -l 16 --arg zeros:32 --arg zeros:2
// expect: race argument=0
kernel void a_release_without_acquire(global int *out, global atomic_int *f) {
    int l = get_local_id(0), i = get_global_id(0);
    if (l == 0) {
        out[get_group_id(0)] = 5; // OTHER
        atomic_store_explicit(&f[get_group_id(0)], 1, memory_order_release, memory_scope_device);
    }
    if (l == 5) {
        if (atomic_load_explicit(&f[get_group_id(0)], memory_order_relaxed, memory_scope_device)) // => if (atomic_load_explicit(&f[get_group_id(0)], memory_order_acquire, memory_scope_device))
            out[i] = out[get_group_id(0)]; // HERE
    }
}
