// Accesses beyond constant tables, and beyond variables and arguments in local memory.

// run: -g 6 -l 6 --arg zeros:6
// expect: out-of-bounds read global_id=5,0,0 offset=20 size=4 count=1
constant int table[5] = {2, 3, 5, 7, 11};
kernel void a_constant_table(global int *out) {
    int i = get_global_id(0);
    out[i] = table[i]; // HERE => out[i] = table[i % 5];
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:20 --arg iota:4
// expect: out-of-bounds read global_id=9,0,0 argument=2 offset=16 size=4 count=1
kernel void a_constant_argument(global float *out, global const float *in, constant float *weights) {
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 4 + (i == 9); k++) // => for (int k = 0; k < 4; k++)
        sum += in[i] * weights[k]; // HERE
    out[i] = sum;
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds read global_id=3,0,0 offset=48 size=4 count=1
constant int table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
kernel void a_constant_table_of_rows(global int *out) {
    int i = get_global_id(0);
    out[i] = table[i][0]; // HERE => out[i] = table[i % 3][0];
}

// run: -g 5 -l 5 --arg zeros:5
// expect: out-of-bounds read global_id=4,0,0 offset=4 size=1 count=1
constant char text[] = "abc";
kernel void a_constant_text(global char *out) {
    int i = get_global_id(0);
    out[i] = text[i]; // HERE => out[i] = text[min(i, 3)];
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds read global_id=3,0,0 size=4 count=1
typedef struct { float x, y; } Point;
constant Point points[3] = {{1, 2}, {3, 4}, {5, 6}};
kernel void a_constant_struct(global float *out) {
    int i = get_global_id(0);
    out[i] = points[i].y; // HERE => out[i] = points[i % 3].y;
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds read global_id=0,0,0 offset=-4 size=4 count=1
constant int before[4] = {1, 2, 3, 4};
constant int table[4] = {5, 6, 7, 8};
kernel void before_a_constant_table(global int *out) {
    int i = get_global_id(0);
    out[i] = table[i - 1] + before[i]; // HERE => out[i] = table[i] + before[i];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 local_id=15,0,0 group_id=0,0,0 offset=64 size=4 count=1
kernel void a_variable(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l + 1] = l; // HERE => tile[(l + 1) % 16] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[max(l, 1)];
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:64
// expect: out-of-bounds write global_id=15,0,0 argument=1 offset=64 size=4 count=1
kernel void an_argument(global int *out, local int *tile) {
    int l = get_local_id(0);
    tile[l + 1] = l; // HERE => tile[(l + 1) % 16] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[max(l, 1)];
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:64
// expect: out-of-bounds read global_id=0,0,0 argument=1 offset=-4 size=4 count=1
kernel void before_an_argument(global int *out, local int *tile) {
    int l = get_local_id(0);
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l - 1]; // HERE => out[get_global_id(0)] = tile[max(l - 1, 0)];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 offset=64 size=4 count=1
kernel void into_the_variable_behind(global int *out) {
    local int a[16], b[16];
    int l = get_local_id(0);
    b[l] = l;
    a[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l + 1] = 2 * l; // HERE => a[l] = 2 * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[l] + b[l];
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:64 --arg local:64
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=64 size=4 count=1
kernel void into_the_argument_behind(global int *out, local int *a, local int *b) {
    int l = get_local_id(0);
    a[l] = l;
    b[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[l + 1] + b[l]; // HERE => out[get_global_id(0)] = a[l] + b[l];
}

// run: -g 32 -l 16 --arg zeros:32
// expect: out-of-bounds write global_id=31,0,0 local_id=15,0,0 group_id=1,0,0 offset=64 size=4 count=1
kernel void in_the_second_group(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l + get_group_id(0)] = l; // HERE => tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

// run: -g 5,4 -l 5,4 --arg zeros:20
// expect: out-of-bounds read global_id=4,3,0 local_id=4,3,0 offset=80 size=4 count=1
kernel void a_tile_of_rows(global int *out) {
    local int tile[4][5];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = x * y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 5 + x] = tile[y][x + (y == 3)]; // HERE => out[y * 5 + x] = tile[y][x];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds read global_id=15,0,0 offset=64 size=4 count=1
kernel void in_a_loop(global int *out) {
    local int tile[16];
    int l = get_local_id(0), sum = 0;
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < 16 + (l == 15); k++) // => for (int k = l; k < 16; k++)
        sum += tile[k]; // HERE
    out[get_global_id(0)] = sum;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 offset=64 size=4 count=1
void put(local int *to, int at) {
    to[at + 1] = at; // HERE => to[at] = at;
}
kernel void in_a_function(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    put(tile, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

// run: -g 4 -l 4 --arg zeros:4
// expect: out-of-bounds write global_id=3,0,0 offset=64 size=16 count=1
kernel void a_vector(global float *out) {
    local float4 tile[4];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l + 1] = (float4)(l); // HERE => tile[l] = (float4)(l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l].x;
}

// run: -g 16 -l 16 --arg zeros:16 --arg local:62
// expect: out-of-bounds write global_id=15,0,0 argument=1 offset=60 size=4 count=1
kernel void the_last_bytes_are_missing(global int *out, local int *tile) {
    int l = get_local_id(0);
    if (l < 16) // => if (l < 15)
        tile[l] = l; // HERE
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[min(l, 14)];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=11,0,0 size=4 count=1
kernel void under_divergence(global int *out) {
    local struct { int n; int values[16]; } list;
    int l = get_local_id(0);
    if (l == 0) list.n = 16;
    list.values[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 11) list.values[list.n] = 5; // HERE => if (l == 11) list.values[list.n - 1] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = list.values[l];
}
