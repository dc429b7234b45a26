// Accesses beyond memory that is reached by generic pointers, pointers in structs and in memory.

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=256 size=4 count=1
int get(const int *from, int at) {
    return from[at]; // HERE
}
kernel void generic_to_global(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = get(in, i + 1); // => out[i] = get(in, i);
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 offset=64 size=4 count=1
void put(int *to, int at) {
    to[at] = at; // HERE
}
kernel void generic_to_local(global int *out) {
    local int tile[16];
    int l = get_local_id(0);
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    put(tile, l + 1); // => put(tile, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 offset=64 size=4 count=1
__attribute__((noinline)) void put(int *to, int at) {
    to[at] = at; // HERE
}
kernel void generic_to_private(global int *out) {
    int i = get_global_id(0);
    int a[16] = {0};
    put(a, i + 1); // => put(a, i);
    out[i] = a[i];
}

// run: -g 16 -l 16 --arg zeros:17 --arg zeros:15
// expect: out-of-bounds write global_id=15,0,0 argument=1 offset=60 size=4 count=1
kernel void generic_to_one_of_three(global int *a, global int *b) {
    local int tile[16];
    int i = get_global_id(0);
    int *to = i % 3 == 0 ? (int *)b : i % 3 == 1 ? (int *)tile : (int *)a; // => int *to = i % 3 ? (int *)tile : (int *)a;
    to[i] = i; // HERE
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64 --arg 64
// expect: out-of-bounds read global_id=40,0,0 argument=1 offset=256 size=4 count=1
typedef struct { global const int *data; int n; } Slice;
int last(Slice s) {
    return s.data[s.n]; // HERE => return s.data[s.n - 1];
}
kernel void a_pointer_in_a_struct(global int *out, global const int *in, int n) {
    int i = get_global_id(0);
    Slice s = {in, n};
    if (i == 40) out[i] = last(s);
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:16
// expect: out-of-bounds read global_id=15,0,0 argument=1 offset=64 size=4 count=1
typedef struct { const int *data; } Inner;
typedef struct { int n; Inner inner; } Outer;
kernel void a_generic_pointer_in_a_struct_of_a_struct(global int *out, global const int *in) {
    int i = get_global_id(0);
    Outer o = {1, {in}};
    Outer *p = &o;
    out[i] = p->inner.data[i + p->n]; // HERE => out[i] = p->inner.data[i + p->n - 1];
}

// run: -g 64 -l 16 --arg zeros:64 --arg iota:64
// expect: out-of-bounds read global_id=63,0,0 argument=1 offset=256 size=4 count=1
kernel void a_pointer_to_a_pointer(global int *out, global const int *in) {
    int i = get_global_id(0);
    global const int *p = in + i;
    global const int **pp = &p;
    ++*pp; // => *pp += i < 63;
    out[i] = **pp; // HERE
}

// run: -g 30 -l 10 --arg zeros:10 --arg zeros:10 --arg zeros:9
// expect: out-of-bounds write global_id=29,0,0 group_id=2,0,0 argument=2 offset=36 size=4 count=1
kernel void an_array_of_pointers(global int *a, global int *b, global int *c) {
    global int *rows[3] = {a, b, c};
    int i = get_global_id(0);
    if (i < 30) // => if (i < 29)
        rows[i / 10][i % 10] = i; // HERE
}

// run: -g 16 -l 16 --arg zeros:16 --arg zeros:16 --arg iota:16
// expect: out-of-bounds read global_id=15,0,0 count=1 size=4
kernel void a_pointer_in_global_memory(global int *out, global ulong *pointers, global const int *in) {
    int i = get_global_id(0);
    pointers[i] = (ulong)(in + i + 1); // => pointers[i] = (ulong)(in + i);
    out[i] = *(global const int *)pointers[i]; // HERE
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds read global_id=9,0,0 count=1 size=4
kernel void a_null_pointer(global int *out) {
    int i = get_global_id(0);
    global int *p = out + i;
    if (i == 9) p = 0; // => if (i == 9) p = out;
    int x = *p; // HERE
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = x;
}

// run: -g 16 -l 16 --arg zeros:16
// expect: out-of-bounds write global_id=9,0,0 count=1 size=4
kernel void a_wild_pointer(global int *out) {
    int i = get_global_id(0);
    global int *p = out + i;
    if (i == 9) p = (global int *)0x123456789abc; // => if (i == 9) p = out + 9;
    *p = 5; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds read global_id=5,0,0 offset=16 size=4 count=1
kernel void a_pointer_to_an_array(global int *out) {
    int i = get_global_id(0);
    int a[4] = {1, 2, 3, 4};
    int (*p)[4] = &a;
    if (i == 5) p++; // =>
    out[i] = (*p)[0]; // HERE
}

// run: -g 8 -l 8 --arg zeros:8 --arg zeros:8
// expect: out-of-bounds read global_id=7,0,0 count=1
typedef struct Node { int value; global struct Node *next; } Node;
kernel void a_list(global int *out, global Node *nodes) {
    int i = get_global_id(0), sum = 0;
    if (i == 7) {
        for (int k = 0; k < 8; k++) {
            nodes[k].value = k;
            nodes[k].next = nodes + k + 1; // => nodes[k].next = k < 7 ? nodes + k + 1 : 0;
        }
        global Node *n = nodes;
        for (int k = 0; k < 9 && n; k++) {
            int value = n->value; // HERE
            sum += value;
            n = k < 8 ? n->next : 0;
        }
        out[i] = sum;
    }
}

// run: -g 16 -l 16 --arg zeros:16 --arg iota:17
// expect: out-of-bounds write global_id=15,0,0 argument=0 offset=64 size=4 count=1
typedef struct { global int *to; global const int *from; } Pair;
__attribute__((noinline)) void move(const Pair *p, int at) {
    p->to[at] = p->from[at]; // HERE
}
kernel void pointers_in_a_struct_by_reference(global int *out, global const int *in) {
    int i = get_global_id(0);
    Pair p = {out, in};
    move(&p, i + 1); // => move(&p, i);
}

// run: -g 16 -l 8 --arg zeros:16
// expect: out-of-bounds write global_id=15,0,0 size=4 count=1 offset=68
kernel void a_generic_pointer_to_a_variable(global int *out) {
    int store[17];
    int i = get_global_id(0);
    struct { int *at; int n; } view;
    view.at = store + 1;
    view.n = 16;
    for (int k = 0; k < 17; k++) store[k] = 0;
    int n = i == 15 ? 17 : 16; // => int n = 16;
    for (int k = 0; k < n; k++) view.at[k] = k; // HERE
    out[i] = store[4];
}

// run: -g 16 -l 8 --arg zeros:16 --arg zeros:16
// expect: out-of-bounds write argument=1 offset=64 size=4 count=1 global_id=15,0,0
kernel void generic_select(global int *a, global int *b) {
    int i = get_global_id(0);
    int priv = 0;
    int *p = (i & 1) ? (int *)(b + i + 1) : &priv; // => int *p = (i & 1) ? (int *)(b + i) : &priv;
    *p = 5; // HERE
    a[i] = priv;
}

// run: -g 64 -l 16 --arg zeros:64 --arg {3,1.5,{4,5}}
// expect: out-of-bounds read count=64 global_id=0,0,0
typedef struct { int n; float f; int a[2]; } params;
kernel void a_struct_argument(global int *out, params p) {
    out[get_global_id(0)] = p.a[p.n - 1]; // HERE => out[get_global_id(0)] = p.a[p.n - 2];
}
