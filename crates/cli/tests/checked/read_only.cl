// Writes to memory that is `const`.

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: read-only write global_id=17,0,0 argument=1 offset=68 size=4 count=1
kernel void a_const_argument(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = in[i];
    if (i == 17) ((global int *)in)[i] = 5; // HERE => if (i == 17) out[i] = 5;
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: read-only write global_id=17,0,0 argument=1 offset=68 size=4 count=1
void clear(global int *p) {
    *p = 0; // HERE
}
kernel void in_a_function(global int *out, global const int *in) {
    int i = get_global_id(0);
    if (i == 17) clear((global int *)in + i); // => if (i == 17) clear(out + i);
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:64
// expect: read-only write global_id=9,0,0 argument=1 count=1
kernel void through_a_vector(global int *out, global const int *in) {
    int i = get_global_id(0);
    if (i == 9) vstore4((int4)(1), i, (global int *)in); // HERE => if (i == 9) vstore4((int4)(1), 0, out);
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: read-only global_id=9,0,0 argument=1 offset=0 size=4 count=1
kernel void an_atomic(global int *out, global const int *in) {
    int i = get_global_id(0);
    if (i == 9) atomic_inc((global int *)in); // HERE => if (i == 9) atomic_inc(out);
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: read-only write global_id=3,0,0 argument=1 offset=12 size=4 count=1
kernel void a_constant_argument(global int *out, constant int *in) {
    int i = get_global_id(0);
    ulong at = i == 3 ? (ulong)(in + i) : (ulong)(out + i); // => ulong at = (ulong)(out + i);
    *(global int *)at = i; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: read-only write global_id=3,0,0 size=4 count=1
constant int table[4] = {1, 2, 3, 4};
kernel void a_constant_table(global int *out) {
    int i = get_global_id(0);
    ulong at = i == 3 ? (ulong)(table + 1) : (ulong)(out + i); // => ulong at = (ulong)(out + i);
    *(global int *)at = i; // HERE
}

// run: -g 8 -l 4 --arg zeros:8 --arg iota:64
// expect: read-only write global_id=5,0,0 argument=1 count=8 size=4
kernel void in_a_loop(global int *out, global const int *in) {
    int i = get_global_id(0);
    global int *to = i == 5 ? (global int *)in : out; // => global int *to = out;
    if (i == 5)
        for (int k = 0; k < 8; k++) to[k] = k; // HERE
}
