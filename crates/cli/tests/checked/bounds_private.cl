// Accesses beyond private arrays and variables.

// run: -g 16 -l 8 --arg zeros:16 --arg 8
// expect: out-of-bounds write global_id=3,0,0 offset=32 size=4 count=1
kernel void an_array(global int *out, int n) {
    int a[8] = {0};
    int i = get_global_id(0);
    a[i == 3 ? n : i & 7] = i; // HERE => a[i & 7] = i;
    out[i] = a[i & 7];
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds read global_id=0,0,0 offset=-4 size=4 count=1
kernel void before_an_array(global int *out) {
    int i = get_global_id(0);
    int a[16];
    for (int k = 0; k < 16; k++) a[k] = k * i;
    out[i] = a[i - 1]; // HERE => out[i] = a[max(i - 1, 0)];
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 offset=32 size=4 count=1
kernel void in_a_loop(global int *out) {
    int i = get_global_id(0), sum = 0;
    int a[8];
    for (int k = 0; k < 8 + (i == 15); k++) // => for (int k = 0; k < 8; k++)
        a[k] = k; // HERE
    for (int k = 0; k < 8; k++) sum += a[k];
    out[i] = sum;
}

// run: -g 16 -l 8 --arg zeros:16 --arg 4
// expect: out-of-bounds read count=16 offset=16 size=4
kernel void by_all_work_items(global int *out, int n) {
    int i = get_global_id(0);
    int a[4] = {i, i + 1, i + 2, i + 3};
    out[i] = a[n]; // HERE => out[i] = a[n - 1];
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds read global_id=8,0,0 offset=32 size=4 count=1
int get(const int *from, int at) {
    return from[at]; // HERE
}
kernel void in_a_function(global int *out) {
    int i = get_global_id(0);
    int a[8];
    for (int k = 0; k < 8; k++) a[k] = k;
    if (i <= 8) out[i] = get(a, i); // => if (i < 8) out[i] = get(a, i);
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=12,0,0 offset=48 size=4 count=1
kernel void rows(global int *out) {
    int i = get_global_id(0);
    int a[3][4] = {{0}};
    if (i <= 12) a[i / 4][i % 4] = 1; // HERE => if (i < 12) a[i / 4][i % 4] = 1;
    out[i] = a[0][0] + a[2][3];
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=5,0,0 size=4 count=1
typedef struct { int values[4]; } Four;
kernel void an_array_of_a_struct(global int *out) {
    int i = get_global_id(0);
    Four f = {{0, 0, 0, 0}};
    f.values[i == 5 ? 4 : i & 3] = i; // HERE => f.values[i & 3] = i;
    out[i] = f.values[0];
}

// run: -g 16 -l 8 --arg zeros:16 --arg {{1,2,3,4}}
// expect: out-of-bounds read global_id=4,0,0 size=4 count=1
typedef struct { int values[4]; } Four;
kernel void a_struct_that_is_an_argument(global int *out, Four four) {
    int i = get_global_id(0);
    if (i <= 4) out[i] = four.values[i]; // HERE => if (i < 4) out[i] = four.values[i];
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// expect: out-of-bounds read global_id=4,0,0 offset=16 size=4 count=1
kernel void elements_of_a_vector(global int *out, global const int4 *in) {
    int i = get_global_id(0);
    int4 v = in[i];
    if (i <= 4) out[i] = ((int *)&v)[i]; // HERE => if (i < 4) out[i] = ((int *)&v)[i];
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=4,0,0 offset=64 size=16 count=1
kernel void an_array_of_vectors(global float *out) {
    int i = get_global_id(0);
    float4 a[4] = {0, 0, 0, 0};
    if (i <= 4) a[i] = (float4)(1, 2, 3, 4); // HERE => if (i < 4) a[i] = (float4)(1, 2, 3, 4);
    out[i] = a[0].x + a[3].w;
}

// run: -g 16 -l 8 --arg zeros:16 --arg 1
// expect: out-of-bounds write count=1 global_id=6,0,0 size=4
kernel void a_variable(global int *out, int n) {
    int i = get_global_id(0);
    int a = 1, b = 2;
    int *p = &a;
    p[i == 6 ? n : 0] = 5; // HERE => p[i == 6 ? n - 1 : 0] = 5;
    out[i] = a + b;
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds read global_id=10,0,0 offset=16 size=1 count=1
kernel void bytes_after_a_barrier(global int *out) {
    int i = get_global_id(0);
    uchar a[16];
    for (int k = 0; k < 16; k++) a[k] = k + i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 16 + (i == 10); k++) // => for (int k = 0; k < 16; k++)
        sum += a[k]; // HERE
    out[i] = sum;
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=13,0,0 offset=80 size=4 count=1
kernel void a_stack_that_overflows(global int *out) {
    int i = get_global_id(0), top = 0;
    int stack[20];
    for (int k = 0; k <= i + 7; k++) {
        if (i <= 13) // => if (i <= 12)
            stack[top++] = k; // HERE
    }
    out[i] = top;
}
