#!/usr/bin/env python3
"""Measures kernels over images on several OpenCL drivers side by side.

    bench-images.py NAME=DRIVER.so [NAME=DRIVER.so …] [--ours NAME] [--rounds N] [--only CASE,CASE] [--lib DIR]

Needs pyopencl and numpy. Each result is compared with numpy's. With --ours, the last column is the speed of that driver
against the fastest of the others: above 1 it is faster.
"""
import math

import side_by_side

SIZE = 1024
VOLUME, STEPS, RAYS = 128, 64, 512

FILTER = """
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void filter5(read_only image2d_t in, write_only image2d_t out, constant float *weights) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i)
      sum += weights[j * 5 + i] * read_imagef(in, s, (int2)(x + i - 2, y + j - 2));
  write_imagef(out, (int2)(x, y), sum);
}
"""
ROTATE = """
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
kernel void rotate_image(read_only image2d_t in, write_only image2d_t out, float c, float n, float scale) {
  int x = get_global_id(0), y = get_global_id(1);
  float u = x + 0.5f - 0.5f * get_image_width(out), v = y + 0.5f - 0.5f * get_image_height(out);
  float2 place = (float2)(c * u - n * v, n * u + c * v) * scale;
  place += (float2)(0.5f * get_image_width(in), 0.5f * get_image_height(in));
  write_imagef(out, (int2)(x, y), read_imagef(in, s, place));
}
"""
MARCH = """
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void march(read_only image3d_t volume, global float *out, float4 forward, float4 right, float4 up, int steps) {
  int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
  float u = (x + 0.5f) / n - 0.5f, v = (y + 0.5f) / n - 0.5f;
  float4 place = (float4)(0.5f, 0.5f, 0.5f, 0.0f) + u * right + v * up - 0.5f * forward;
  float4 step = forward / steps;
  float light = 1.0f, sum = 0.0f;
  for (int i = 0; i < steps; ++i) {
    float density = read_imagef(volume, s, place).x * 0.05f;
    sum += light * density;
    light *= 1.0f - density;
    place += step;
  }
  out[y * n + x] = sum;
}
"""
UPDATE = """
kernel void update(read_write image2d_t image) {
  int2 place = (int2)(get_global_id(0), get_global_id(1));
  uint4 v = read_imageui(image, place);
  write_imageui(image, place, (uint4)(v.x * 1664525u + 1013904223u, 0, 0, 0));
}
"""


class Bench:
    def __init__(self):
        import numpy
        import pyopencl

        self.np, self.cl = numpy, pyopencl
        self.device = pyopencl.get_platforms()[0].get_devices()[0]
        self.context = pyopencl.Context([self.device])
        self.queue = pyopencl.CommandQueue(self.context)
        self.random = numpy.random.default_rng(16)

    def build(self, source, options=("-cl-std=CL2.0",)):
        return self.cl.Program(self.context, source).build(options=list(options))

    def image(self, array, channels, flags=0):
        """An image with what an array holds; without channels, its elements are of one channel."""
        cl, np = self.cl, self.np
        kinds = {np.dtype("u1"): cl.channel_type.UNORM_INT8, np.dtype("f4"): cl.channel_type.FLOAT,
                 np.dtype("u4"): cl.channel_type.UNSIGNED_INT32}
        order = {1: cl.channel_order.R, 4: cl.channel_order.RGBA}[channels]
        shape = array.shape[:-1] if channels > 1 else array.shape
        return cl.Image(self.context, (flags or cl.mem_flags.READ_WRITE) | cl.mem_flags.COPY_HOST_PTR,
                        cl.ImageFormat(order, kinds[array.dtype]), shape=shape[::-1], hostbuf=array)

    def read(self, image, like):
        out = self.np.empty_like(like)
        shape = tuple(image.shape)
        self.cl.enqueue_copy(self.queue, out, image, origin=(0,) * len(shape), region=shape)
        return out

    def pixels(self, shape=(SIZE, SIZE, 4)):
        return self.random.integers(0, 256, shape, dtype="u1")

    # Each case gives what is measured, and what is asked afterwards whether the result is right.

    def filter5x5_rgba8(self):
        np = self.np
        source = self.pixels()
        weights = self.random.random(25).astype("f4")
        weights /= weights.sum()
        a, b = self.image(source, 4), self.image(source, 4)
        constants = self.cl.Buffer(self.context, self.cl.mem_flags.COPY_HOST_PTR, hostbuf=weights)
        kernel = self.build(FILTER).filter5

        def check():
            padded = np.pad(source, ((2, 2), (2, 2), (0, 0)), "edge").astype("f4")
            want = sum(weights[j * 5 + i] * padded[j:j + SIZE, i:i + SIZE] for j in range(5) for i in range(5))
            return abs(self.read(b, source) - want).max() <= 1.0
        return lambda: kernel(self.queue, (SIZE, SIZE), None, a, b, constants), check

    def linear(self, array, x, y, z=None):
        """What a linear sampler gives at unnormalized coordinates; outside of the array is 0."""
        np = self.np
        places = [y, x] if z is None else [z, y, x]
        lows = [np.floor(p - 0.5) for p in places]
        sum = 0
        for k in range(1 << len(places)):
            weight, inside, index = 1, True, []
            for axis, (p, low) in enumerate(zip(places, lows)):
                bit, size = k >> axis & 1, array.shape[axis]
                weight = weight * (p - 0.5 - low if bit else 1 - (p - 0.5 - low))
                at = low.astype(int) + bit
                # The volume is clamped to its edge, pictures have a border.
                inside = inside & ((at >= 0) & (at < size) | (z is not None))
                index.append(np.clip(at, 0, size - 1))
            weight = weight * inside
            values = array[tuple(index)]
            sum = sum + values * (weight[..., None] if values.ndim > weight.ndim else weight)
        return sum

    def rotation(self, source, channels, scale):
        """`scale` is what the values are multiplied by to have the images' own."""
        np = self.np
        a, b = self.image(source, channels), self.image(source, channels)
        c, n, zoom = np.float32(math.cos(0.4)), np.float32(math.sin(0.4)), np.float32(0.9)
        kernel = self.build(ROTATE).rotate_image

        def check():
            at = np.arange(SIZE) + 0.5 - SIZE / 2
            u, v = at[None, :], at[:, None]
            want = self.linear(source.astype("f8"), (c * u - n * v) * zoom + SIZE / 2, (n * u + c * v) * zoom + SIZE / 2)
            got = self.read(b, source)
            # Peers' weights have few bits; a border pixel here and there is another one by rounding.
            return (abs(got - want) > 0.02 * scale).mean() < 1e-4
        return lambda: kernel(self.queue, (SIZE, SIZE), None, a, b, c, n, zoom), check

    def rotate_rgba8(self):
        # Neighbours differ little, as in pictures.
        x, y = self.np.meshgrid(self.np.arange(SIZE), self.np.arange(SIZE))
        planes = [127 + 120 * self.np.sin(x / (7 + i) + y / (11 - i)) for i in range(4)]
        return self.rotation(self.np.stack(planes, axis=-1).astype("u1"), 4, 255)

    def rotate_r32f(self):
        return self.rotation(self.random.random((SIZE, SIZE), dtype="f4"), 1, 1)

    def march3d(self):
        np = self.np
        volume = self.random.random((VOLUME,) * 3, dtype="f4")
        a = self.image(volume, 1)
        axes = np.array([[0.8, 0.3, 0.5], [-0.5, 0.8, 0.1], [-0.2, -0.4, 0.9]], "f4")
        vectors = [np.array([*axis, 0], "f4").view(self.cl.cltypes.float4)[0] for axis in axes]
        out = self.cl.Buffer(self.context, self.cl.mem_flags.READ_WRITE, RAYS * RAYS * 4)
        kernel = self.build(MARCH).march

        def check():
            at = (np.arange(RAYS) + 0.5) / RAYS - 0.5
            u, v = np.meshgrid(at, at)
            forward, right, up = axes.astype("f8")
            place = [0.5 + u * right[i] + v * up[i] - 0.5 * forward[i] for i in range(3)]
            light, sum = 1.0, 0.0
            for i in range(STEPS):
                now = [np.clip(place[k] + i * forward[k] / STEPS, -1, 2) * VOLUME for k in range(3)]
                density = self.linear(volume, *now) * 0.05
                sum += light * density
                light = light * (1 - density)
            got = np.empty((RAYS, RAYS), "f4")
            self.cl.enqueue_copy(self.queue, got, out)
            return abs(got - sum).max() < 0.01
        return lambda: kernel(self.queue, (RAYS, RAYS), None, a, out, *vectors, np.int32(STEPS)), check

    def update_r32ui(self):
        np = self.np
        source = self.random.integers(0, 1 << 32, (SIZE, SIZE), dtype="u4")
        a = self.image(source, 1)
        kernel = self.build(UPDATE).update
        count = 0

        def run():
            nonlocal count
            count += 1
            return kernel(self.queue, (SIZE, SIZE), None, a)

        def check():
            want = source.copy()
            for _ in range(count):
                want = want * np.uint32(1664525) + np.uint32(1013904223)
            return (self.read(a, source) == want).all()
        return run, check

    def copy_rgba8(self):
        source = self.pixels()
        a, b = self.image(source, 4), self.image(source * 0, 4)
        size = (SIZE, SIZE)
        return (lambda: self.cl.enqueue_copy(self.queue, b, a, src_origin=(0, 0), dest_origin=(0, 0), region=size),
                lambda: (self.read(b, source) == source).all())

    def fill_rgba8(self):
        source = self.pixels()
        a = self.image(source, 4)
        colour = self.np.array([0.2, 0.4, 0.6, 1.0], "f4")
        return (lambda: self.cl.enqueue_fill_image(self.queue, a, colour, (0, 0), (SIZE, SIZE)),
                lambda: (self.read(a, source) == [51, 102, 153, 255]).all())


CASES = ["filter5x5_rgba8", "rotate_rgba8", "rotate_r32f", "march3d", "update_r32ui", "copy_rgba8", "fill_rgba8"]


if __name__ == "__main__":
    side_by_side.main(__file__, __doc__, Bench, CASES)
