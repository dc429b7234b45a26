// Pixels that an image does not have.

// run: -g 9,4 -l 1,4 --arg image2d:8x4:rgba:float
// expect: out-of-bounds write argument=0 global_id=8,0,0 count=4
kernel void a_write_beside_an_image(write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x < 9) write_imagef(to, at, (float4)(1)); // HERE => if (at.x < 8) write_imagef(to, at, (float4)(1));
}

// run: -g 8 -l 8 --arg image2d:8x4:rgba:float --arg zeros:8
// expect: out-of-bounds read argument=0 global_id=0,0,0 count=1
kernel void a_read_before_an_image(read_only image2d_t from, global float *out) {
    int x = get_global_id(0);
    out[x] = read_imagef(from, (int2)(x - 1, 3)).x; // HERE => out[x] = read_imagef(from, (int2)(x, 3)).x;
}

// run: -g 8 -l 8 --arg image2d:8x4:rgba:uint8 --arg zeros:8
// expect: out-of-bounds read argument=0 global_id=0,0,0 count=8
kernel void a_row_below_an_image(read_only image2d_t from, global uint *out) {
    int x = get_global_id(0), y = 4; // => int x = get_global_id(0), y = 3;
    out[x] = read_imageui(from, (int2)(x, y)).x; // HERE
}

// run: -g 8 -l 8 --arg image2d:8x4:rgba:float --arg zeros:8
// expect: out-of-bounds read argument=0 global_id=7,0,0 count=1
kernel void a_sampler_without_addressing(read_only image2d_t from, global float *out) {
    const sampler_t clamp = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    const sampler_t none = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    int x = get_global_id(0);
    float sum = read_imagef(from, clamp, (int2)(x + 5, -1)).x;
    sum += read_imagef(from, edge, (float2)(-3, 9)).x;
    sum += read_imagef(from, none, (int2)(x + 1, 0)).x; // HERE => sum += read_imagef(from, none, (int2)(x, 0)).x;
    out[x] = sum;
}

// run: -g 8 -l 8 --arg image2d:8x4:rgba:float --arg zeros:8 --arg sampler:nearest,none,normalized
// expect: out-of-bounds read argument=0 global_id=7,0,0 count=1
kernel void a_normalized_coordinate(read_only image2d_t from, global float *out, sampler_t none) {
    int x = get_global_id(0);
    out[x] = read_imagef(from, none, (float2)((x + 1) / 8.0f, 0.5f)).x; // HERE => out[x] = read_imagef(from, none, (float2)((x + 0.5f) / 8.0f, 0.5f)).x;
}

// run: -g 8 -l 8 --arg image2d:8x4:rgba:float --arg zeros:8
// expect: out-of-bounds read argument=0 global_id=0,0,0 count=1
kernel void a_filter_over_the_edge(read_only image2d_t from, global float *out) {
    const sampler_t none = CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;
    int x = get_global_id(0);
    out[x] = read_imagef(from, none, (float2)(x + 0.25f, 2)).x; // HERE => out[x] = read_imagef(from, none, (float2)(x + 0.5f, 2)).x;
}

// run: -g 4,4,3 -l 4,1,1 --arg image3d:4x4x2:r:int32
// expect: out-of-bounds write argument=0 global_id=0,0,2 count=16
kernel void a_slice_behind_an_image(write_only image3d_t to) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0); // => int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2) % 2, 0);
    write_imagei(to, at, (int4)(7)); // HERE => if (get_global_id(2) < 2) write_imagei(to, at, (int4)(7));
}

// run: -g 8 -l 8 --arg image2d_array:4x4x3:r:float --arg zeros:8
// expect: out-of-bounds read argument=0 global_id=3,0,0 count=5
kernel void a_layer_that_is_not_there(read_only image2d_array_t from, global float *out) {
    int i = get_global_id(0);
    out[i] = read_imagef(from, (int4)(1, 1, i, 0)).x; // HERE => out[i] = read_imagef(from, (int4)(1, 1, i % 3, 0)).x;
}

// run: -g 8 -l 8 --arg image1d_array:4x3:r:float
// expect: out-of-bounds write argument=0 global_id=3,0,0 count=5
kernel void a_layer_that_is_written(write_only image1d_array_t to) {
    int i = get_global_id(0);
    write_imagef(to, (int2)(0, i), (float4)(i)); // HERE => if (i < 3) write_imagef(to, (int2)(0, i), (float4)(i));
}

// run: -g 9 -l 3 --arg image1d:8:r:float
// expect: out-of-bounds write argument=0 global_id=8,0,0 count=1
void put(write_only image1d_t to, int x) {
    write_imagef(to, x, (float4)(x)); // HERE
}
kernel void in_a_function(write_only image1d_t to) {
    put(to, get_global_id(0)); // => if (get_global_id(0) < 8) put(to, get_global_id(0));
}

// run: -g 8 -l 8 --arg image1d_buffer:8:r:float --arg zeros:8
// expect: out-of-bounds read argument=0 global_id=7,0,0 count=1
kernel void an_image_of_a_buffer(read_only image1d_buffer_t from, global float *out) {
    int i = get_global_id(0);
    out[i] = read_imagef(from, i + 1).x; // HERE => out[i] = read_imagef(from, i).x;
}

// run: -g 8 -l 8 --arg image2d:8x8:r:float
// expect: out-of-bounds read argument=0 global_id=7,0,0 count=1
kernel void an_image_that_is_read_and_written(read_write image2d_t image) {
    int x = get_global_id(0);
    float4 next = read_imagef(image, (int2)(x + 1, 0)); // HERE => float4 next = read_imagef(image, (int2)(x, 0));
    write_imagef(image, (int2)(x, 1), next);
}

// run: -g 16,4 -l 4,4 --arg image2d:16x4:rgba:uint8 --arg image2d:16x4:rgba:uint8
// expect: out-of-bounds read argument=0 global_id=15,0,0 count=4
kernel void a_neighbour_in_a_kernel_of_images_only(read_only image2d_t src, write_only image2d_t dst) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    uint4 a = read_imageui(src, p);
    uint4 b = read_imageui(src, p + (int2)(1, 0)); // HERE => uint4 b = read_imageui(src, min(p + (int2)(1, 0), (int2)(15, 3)));
    write_imageui(dst, p, abs_diff(a, b));
}
