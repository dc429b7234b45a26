// Arithmetic that has no result. It is asked for by name.

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=0,0,0 local_id=0,0,0 group_id=0,0,0 count=1
kernel void a_division_by_zero(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = 100 / in[i]; // HERE => out[i] = 100 / (in[i] + 1);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=7,0,0 count=1
kernel void a_remainder_by_zero(global uint *out, global const uint *in) {
    int i = get_global_id(0);
    out[i] = 100u % (in[i] - 7u); // HERE => out[i] = 100u % (in[i] + 7u);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=9,0,0 count=1
kernel void a_division_of_longs(global long *out, global const long *in) {
    int i = get_global_id(0);
    out[i] = in[i] / (in[i] - 9); // HERE => out[i] = in[i] / (in[i] + 9);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=12,0,0 count=1
kernel void a_division_of_a_vector(global int4 *out, global const int *in) {
    int i = get_global_id(0);
    int4 by = (int4)(1, 2, in[i] - 12, 3); // => int4 by = (int4)(1, 2, in[i] + 12, 3);
    out[i] = (int4)(60) / by; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=3,0,0 count=1
kernel void a_division_of_bytes(global char *out, global const char *in) {
    int i = get_global_id(0);
    out[i] = (char)100 / (char)(in[i] - 3); // HERE => out[i] = (char)100 / (char)(in[i] + 3);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=5,0,0 count=1
int mean(int sum, int n) {
    return sum / n; // HERE
}
kernel void a_division_in_a_function(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = mean(in[i], in[i] - 5); // => out[i] = mean(in[i], in[i] + 1);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=4,0,0 count=1
kernel void a_division_in_a_loop(global int *out, global const int *in) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 5; k++)
        sum += 60 / (k - in[i] + 100 * (i < 4) - 100 * (i > 4)); // HERE => sum += 60 / (k + in[i] + 1);
    out[i] = sum;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=6,0,0 count=1
kernel void a_division_under_divergence(global int *out, global const int *in) {
    int i = get_global_id(0);
    if (in[i] % 6 == 0 && i < 12 && i > 0) // => if (in[i] % 6 != 0)
        out[i] = 7 / (in[i] % 6); // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg -1
// check: arithmetic
// expect: arithmetic global_id=2,0,0 count=1
kernel void the_quotient_that_overflows(global int *out, int by) {
    int i = get_global_id(0);
    int x = i == 2 ? INT_MIN : i; // => int x = i;
    out[i] = x / by; // HERE
}

// run: -g 40 -l 8 --arg zeros:40
// check: arithmetic
// expect: arithmetic count=8 global_id=32,0,0|33,0,0|34,0,0|35,0,0|36,0,0|37,0,0|38,0,0|39,0,0
kernel void a_shift_to_the_left(global uint *out) {
    int i = get_global_id(0);
    out[i] = 1u << i; // HERE => out[i] = 1u << (i & 31);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=0,0,0 count=1
kernel void a_shift_to_the_right_by_less_than_nothing(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = 1000 >> (in[i] - 1); // HERE => out[i] = 1000 >> in[i];
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=14,0,0 count=1
kernel void a_shift_of_a_long(global ulong *out) {
    int i = get_global_id(0);
    out[i] = 5ul >> (i + 50) * (i == 14); // HERE => out[i] = 5ul >> (i + 49) * (i == 14);
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=14,0,0 count=1
kernel void a_shift_of_a_vector(global uint2 *out) {
    int i = get_global_id(0);
    uint2 by = (uint2)(i, i == 14 ? 32 : 0); // => uint2 by = (uint2)(i, i == 14 ? 31 : 0);
    out[i] = (uint2)(3) << by; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg 2147483632
// check: arithmetic
// expect: arithmetic global_id=15,0,0 count=1
kernel void a_sum_that_overflows(global int *out, int x) {
    int i = get_global_id(0);
    int y = i == 15 ? 16 : i; // => int y = i;
    out[i] = x + y; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg -2147483640
// check: arithmetic
// expect: arithmetic global_id=9,0,0 count=1
kernel void a_difference_that_overflows(global int *out, int x) {
    int i = get_global_id(0);
    if (i < 10) out[i] = x - i; // HERE => if (i < 9) out[i] = x - i;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=13,0,0 count=1
kernel void a_product_that_overflows(global int *out, global const int *in) {
    int i = get_global_id(0);
    out[i] = in[i] * (i == 13 ? 165191050 : 3); // HERE => out[i] = in[i] * (i == 13 ? 165191049 : 3);
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=1,0,0 count=1
kernel void a_negation_that_overflows(global int *out) {
    int i = get_global_id(0);
    int x = i == 1 ? INT_MIN : i; // => int x = i;
    out[i] = -x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=10,0,0 count=1
kernel void a_sum_of_longs_that_overflows(global long *out) {
    int i = get_global_id(0);
    long x = i == 10 ? LONG_MAX : i; // => long x = i;
    out[i] = x + i; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=10,0,0 count=1
kernel void a_sum_of_vectors_that_overflows(global int4 *out) {
    int i = get_global_id(0);
    int4 x = (int4)(1, i == 10 ? INT_MAX : 0, 2, 3); // => int4 x = (int4)(1, i, 2, 3);
    out[i] = x + i; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=11,0,0 count=1
kernel void a_counter_that_overflows(global int *out) {
    int i = get_global_id(0);
    int n = i == 11 ? INT_MAX - 2 : i; // => int n = i == 11 ? INT_MAX - 3 : i;
    for (int k = 0; k < 3; k++)
        n++; // HERE
    out[i] = n;
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=3,0,0 count=1
kernel void a_float_that_no_int_holds(global int *out, global const float *in) {
    int i = get_global_id(0);
    float x = in[i] * (i == 3 ? 1e9f : 1.0f); // => float x = in[i] * (i == 3 ? 1e8f : 1.0f);
    out[i] = (int)x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=0,0,0 count=1
kernel void a_negative_float_as_unsigned(global uint *out, global const float *in) {
    int i = get_global_id(0);
    out[i] = (uint)(in[i] - 1.0f); // HERE => out[i] = (uint)(in[i] - 0.5f);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=9,0,0 count=1
kernel void a_double_as_a_byte(global uchar *out, global const double *in) {
    int i = get_global_id(0);
    out[i] = (uchar)(in[i] * (i == 9 ? 30 : 10)); // HERE => out[i] = (uchar)(in[i] * 10);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=9,0,0 count=1
kernel void a_conversion_by_name(global int4 *out, global const float *in) {
    int i = get_global_id(0);
    float4 x = (float4)(1, 2, in[i] * (i == 9 ? 1e9f : 1.0f), 3);
    out[i] = convert_int4(x); // HERE => out[i] = convert_int4_sat(x);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=0,0,0 count=1
kernel void zero_by_zero(global float *out, global const float *in) {
    int i = get_global_id(0);
    out[i] = in[i] / in[i]; // HERE => out[i] = in[i] / (in[i] + 1);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=0,0,0|1,0,0 count=2
kernel void the_root_of_a_negative_number(global float *out, global const float *in) {
    int i = get_global_id(0);
    out[i] = sqrt(in[i] - 2); // HERE => out[i] = sqrt(fabs(in[i] - 2));
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=0,0,0 count=1
kernel void the_logarithm_of_a_negative_number(global float *out, global const float *in) {
    int i = get_global_id(0);
    out[i] = log(in[i] - 0.5f); // HERE => out[i] = log(in[i] + 0.5f);
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=7,0,0 count=1
kernel void the_difference_of_infinities(global float *out, global const float *in) {
    int i = get_global_id(0);
    float x = i == 7 ? INFINITY : in[i]; // => float x = in[i];
    out[i] = x - x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=15,0,0 count=1
kernel void zero_times_infinity(global double *out, global const double *in) {
    int i = get_global_id(0);
    double x = in[i] - 15, y = i == 15 ? INFINITY : 1; // => double x = in[i] - 15, y = i == 15 ? 2 : 1;
    out[i] = x * y; // HERE
}

// run: -g 16 -l 8 --arg zeros:16 --arg iota:16
// check: arithmetic
// expect: arithmetic global_id=2,0,0 count=1
kernel void an_angle_of_no_cosine(global float2 *out, global const float *in) {
    int i = get_global_id(0);
    float2 x = (float2)(0.5f, i == 2 ? in[i] : 1.0f); // => float2 x = (float2)(0.5f, i == 2 ? 0 : 1.0f);
    out[i] = acos(x); // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=4,0,0 count=1
kernel void a_product_of_shorts_that_overflows(global short8 *out) {
    short i = get_global_id(0);
    short8 x = (short8)(i == 4 ? 256 : i); // => short8 x = (short8)(i);
    x *= (short)128; // HERE
    out[i] = x;
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=5,0,0 count=1
kernel void a_negated_vector_that_overflows(global long2 *out) {
    int i = get_global_id(0);
    long2 x = (long2)(i, i == 5 ? LONG_MIN : i); // => long2 x = (long2)(i, i);
    out[i] = -x; // HERE
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=15,0,0 count=1
int3 less(int3 x, int3 y) {
    return x - y; // HERE
}
kernel void a_difference_of_vectors_in_a_function(global int4 *out) {
    int i = get_global_id(0);
    int3 x = (int3)(0, -2, i == 15 ? INT_MIN : 3); // => int3 x = (int3)(0, -2, 3);
    out[i].xyz = less(x, (int3)(1));
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=9,0,0 count=1
kernel void a_counter_of_vectors_that_overflows(global char4 *out) {
    char i = get_global_id(0);
    char4 x = (char4)(i == 9 ? 127 : i); // => char4 x = (char4)(i);
    x++; // HERE
    out[i] = x;
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
kernel void unsigned_vectors_wrap(global uint4 *out) {
    uint i = get_global_id(0);
    uint4 x = (uint4)(i + UINT_MAX, i, 7, 8) * 0x80000001u;
    x -= (uint4)(9);
    out[i] = -x;
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=6,0,0 count=1
int quotient(int x, int y) {
    return x / y; // HERE
}
kernel void a_constant_divisor_of_a_function(global int *out) {
    int i = get_global_id(0);
    out[i] = i == 6 ? quotient(i, 0) : i; // => out[i] = i == 6 ? quotient(i, 2) : i;
}

// run: -g 16 -l 8 --arg zeros:16 --arg 32
// check: arithmetic
// expect: arithmetic global_id=0,0,0 count=16
int2 moved(int2 x, int by) {
    return x << (by & 31) << by; // HERE => return x << (by & 31) << (by & 31);
}
kernel void a_shift_with_a_mask_in_a_function(global int2 *out, int by) {
    int i = get_global_id(0);
    out[i] = moved((int2)(i, 1), by);
}

// run: -g 16 -l 8 --arg zeros:16
// check: arithmetic
// expect: arithmetic global_id=5,0,0 count=1
kernel void infinity_minus_infinity(global float *out) {
    int i = get_global_id(0);
    float x = i == 5 ? INFINITY : i;
    out[i] = x - x * 2; // HERE => out[i] = x + x * 2;
}
