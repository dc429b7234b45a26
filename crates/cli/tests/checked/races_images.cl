// Work-items that write a pixel that others write or read.

// run: -g 16 -l 4 --arg image2d:8x4:rgba:float
// expect: race write argument=0 offset=0 size=16 global_id=8,0,0 other_global_id=0,0,0 count=8
kernel void two_write_a_pixel(write_only image2d_t to) {
    int i = get_global_id(0);
    write_imagef(to, (int2)(i % 8, 0), (float4)(i)); // HERE => write_imagef(to, (int2)(i % 8, i / 8), (float4)(i));
}

// run: -g 8,8 -l 4,4 --arg image2d:8x8:r:uint8
// expect: race write argument=0 offset=0 size=1 count=56
kernel void a_column_for_each_row(write_only image2d_t to) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(to, (int2)(x, 0), (uint4)(y)); // HERE => write_imageui(to, (int2)(x, y), (uint4)(y));
}

// run: -g 8,2 -l 8,1 --arg image1d:8:r:float
// expect: race write argument=0 offset=0 size=4 global_id=0,1,0 other_global_id=0,0,0 count=8
kernel void a_dimension_that_is_left_out(write_only image1d_t to) {
    int x = get_global_id(0);
    if (get_global_id(1) < 2) // => if (get_global_id(1) < 1)
        write_imagef(to, x, (float4)(1)); // HERE
}

// run: -g 16 -l 16 --arg image2d:16x1:r:int32 --arg zeros:16
// expect: race read argument=0 size=4
kernel void a_neighbour_is_read(read_write image2d_t image, global int *out) {
    int x = get_global_id(0);
    write_imagei(image, (int2)(x, 0), (int4)(x)); // OTHER
    // => barrier(CLK_IMAGE_MEM_FENCE);
    out[x] = read_imagei(image, (int2)(x ^ 1, 0)).x; // HERE
}

// run: -g 32 -l 16 --arg image2d:32x1:r:int32 --arg zeros:32
// expect: race read argument=0 size=4
kernel void a_barrier_orders_one_group(read_write image2d_t image, global int *out) {
    int x = get_global_id(0);
    write_imagei(image, (int2)(x, 0), (int4)(x)); // OTHER
    barrier(CLK_IMAGE_MEM_FENCE);
    out[x] = read_imagei(image, (int2)(31 - x, 0)).x; // HERE => out[x] = read_imagei(image, (int2)(x ^ 15, 0)).x;
}

// run: -g 4,4,2 -l 4,4,1 --arg image3d:4x4x2:rg:int16
// expect: race write argument=0 size=4 count=16
void put(write_only image3d_t to, int4 at) {
    write_imagei(to, at, (int4)(3)); // HERE
}
kernel void a_slice_in_a_function(write_only image3d_t to) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), 1, 0); // => int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    put(to, at);
}

// run: -g 9,9 -l 3,3 --arg image2d:9x9:rgba:unorm8 --arg image2d:9x9:rgba:unorm8
// expect: race argument=1 size=4
kernel void a_blur_in_place(read_only image2d_t from, read_write image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int x = max(at.x - 1, 0); x <= min(at.x + 1, 8); x++)
        sum += read_imagef(to, (int2)(x, at.y)); // HERE OTHER => sum += read_imagef(from, (int2)(x, at.y));
    write_imagef(to, at, sum / 3); // HERE OTHER
}

// run: -g 16,16 -l 4,4 --arg image2d:16x16:rgba:float --arg image2d_array:16x16x2:r:float
kernel void own_pixels(read_write image2d_t a, write_only image2d_array_t b) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 x = read_imagef(a, at);
    write_imagef(a, at, x + 1);
    write_imagef(b, (int4)(at, 0, 0), x);
    write_imagef(b, (int4)(at, 1, 0), x);
}
