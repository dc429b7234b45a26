// Accesses at addresses that do not have the alignment of their type.

// run: -g 16 -l 8 --arg zeros:16 --arg iota:80
// expect: alignment read global_id=3,0,0 argument=1 offset=13 size=4 count=1
kernel void a_word_of_bytes(global int *out, global const uchar *in) {
    int i = get_global_id(0);
    out[i] = *(global const int *)(in + 4 * i + (i == 3)); // HERE => out[i] = *(global const int *)(in + 4 * i);
}

// run: -g 16 -l 8 --arg zeros:160
// expect: alignment write global_id=9,0,0 argument=0 offset=73 size=4 count=1
kernel void a_write(global uchar *out) {
    int i = get_global_id(0);
    *(global float *)(out + 8 * i + (i == 9)) = 1; // HERE => *(global float *)(out + 8 * i) = 1;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:80
// expect: alignment read global_id=7,0,0 argument=1 offset=116 size=16 count=1
kernel void a_vector_of_floats(global float4 *out, global const float *in) {
    int i = get_global_id(0);
    out[i] = *(global const float4 *)(in + 4 * i + (i == 7)); // HERE => out[i] = *(global const float4 *)(in + 4 * i);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:40
// expect: alignment read count=8 argument=1 size=8
kernel void every_other(global long *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = *(global const long *)(in + i); // HERE => out[i] = *(global const long *)(in + 2 * i);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: alignment read global_id=5,0,0 offset=22 size=4 count=1
kernel void local_memory(global int *out) {
    local int words[18];
    local short *tile = (local short *)words;
    int l = get_local_id(0);
    tile[2 * l] = tile[2 * l + 1] = l;
    if (l < 2) tile[32 + l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = *(local int *)(tile + 2 * l + (l == 5)); // HERE => out[l] = *(local int *)(tile + 2 * l);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: alignment write global_id=2,0,0 size=4 count=1
kernel void private_memory(global int *out) {
    int i = get_global_id(0);
    int words[3] = {0, 0, 0};
    uchar *bytes = (uchar *)words;
    *(int *)(bytes + 4 * (i & 1) + (i == 2) * 3) = i; // HERE => *(int *)(bytes + 4 * (i & 1)) = i;
    out[i] = words[0];
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:40
// expect: alignment read global_id=15,0,0 argument=1 offset=62 size=4 count=1
int get(const int *from) {
    return *from; // HERE
}
kernel void in_a_function(global int *out, global const short *in) {
    int i = get_global_id(0);
    out[i] = get((global const int *)(in + 2 * i + (i == 15))); // => out[i] = get((global const int *)(in + 2 * i));
}

// run: -g 16 -l 8 --arg zeros:160
// expect: alignment global_id=6,0,0 argument=0 offset=50 size=4 count=1
kernel void an_atomic(global uchar *out) {
    int i = get_global_id(0);
    atomic_inc((global int *)(out + 8 * i + (i == 6) * 2)); // HERE => atomic_inc((global int *)(out + 8 * i));
}

// run: -g 8 -l 8 --arg zeros:8 --arg iota:100
// expect: alignment read global_id=4,0,0 argument=1 count=3 size=4
kernel void in_a_loop(global int *out, global const uchar *in) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 3; k++)
        sum += *(global const int *)(in + 12 * i + 4 * k + (i == 4)); // HERE => sum += *(global const int *)(in + 12 * i + 4 * k);
    out[i] = sum;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:90
// expect: alignment read global_id=11,0,0 argument=1 size=2 count=1
typedef struct { ushort a; uchar b, c; } S;
kernel void a_field(global int *out, global const uchar *in) {
    int i = get_global_id(0);
    global const S *s = (global const S *)(in + 4 * i + (i == 11)); // => global const S *s = (global const S *)(in + 4 * i);
    out[i] = s->a; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:150
// expect: alignment read global_id=1,0,0 argument=1 offset=12 size=8 count=1
kernel void a_double_under_divergence(global double *out, global const float *in) {
    int i = get_global_id(0);
    double x = i;
    if (i == 1) x = *(global const double *)(in + 2 * i + 1); // HERE => if (i == 1) x = *(global const double *)(in + 2 * i);
    out[i] = x;
}

// run: -g 16 -l 8 --arg zeros:160
// expect: alignment write global_id=8,0,0 argument=0
kernel void through_vstore(global char *out) {
    int i = get_global_id(0);
    vstore2((short2)(i), 0, (global short *)(out + 8 * i + (i == 8))); // HERE => vstore2((short2)(i), 0, (global short *)(out + 8 * i));
}
