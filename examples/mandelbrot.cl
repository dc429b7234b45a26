// The Mandelbrot set, one pixel a work-item, coloured smoothly with plain arithmetic only.
//
//   lanewise run examples/mandelbrot.cl -k mandelbrot -g 2048,1536 --arg zeros:2048x1536 \
//       --arg 1000 --arg -0.65 --arg 0 --arg 3.2 --out 0=mandelbrot.png

// log2(x) for x >= 1, to about 1/100.
float log2_above_one(float x) {
  float whole = 0.0f;
  if (x > 1.0e30f) // so that the loop ends for infinity as well
    x = 1.0e30f;
  while (x >= 2.0f) {
    x *= 0.5f;
    whole += 1.0f;
  }
  // Exact at both ends of [1, 2).
  float t = x - 1.0f;
  return whole + t + 0.3465f * t * (1.0f - t);
}

// A smooth wave of period 1 between 0 and 1, with its valley at t = 0. For t >= 0.
float wave(float t) {
  t -= (float)(int)t;
  float ramp = t < 0.5f ? 2.0f * t : 2.0f - 2.0f * t;
  return ramp * ramp * (3.0f - 2.0f * ramp);
}

uchar channel(float value) { return (uchar)(255.0f * value); }

// `span` is the width of the view in the complex plane; the global size is the picture's.
__kernel void mandelbrot(__global uchar4 *image, uint max_iterations, float centre_x, float centre_y,
                         float span) {
  const size_t column = get_global_id(0), row = get_global_id(1);
  const size_t width = get_global_size(0), height = get_global_size(1);
  const float step = span / (float)width;
  const float cx = centre_x + ((float)column + 0.5f - 0.5f * (float)width) * step;
  const float cy = centre_y - ((float)row + 0.5f - 0.5f * (float)height) * step;

  // Far beyond the 4 that would do: the larger it is, the smoother the colours.
  const float bailout = 65536.0f;
  float x = 0.0f, y = 0.0f, xx = 0.0f, yy = 0.0f;
  uint n = 0;
  while (n < max_iterations && xx + yy <= bailout) {
    y = 2.0f * x * y + cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
    ++n;
  }

  uchar4 pixel = (uchar4)(0, 0, 0, 255);
  if (xx + yy > bailout) {
    // |z| squares itself with each step, so log2 log2 |z|^2 grows by one: take off what is over the bailout.
    float over = log2_above_one(log2_above_one(xx + yy) * (1.0f / 16.0f));
    float depth = log2_above_one((float)n + 2.0f - over);
    // From night blue far out over white and orange, and round again at the rim. The sums stay positive.
    float shade = 0.45f * (depth - 2.1f);
    pixel.x = channel(wave(shade + 0.76f));
    pixel.y = channel(wave(shade + 0.84f));
    pixel.z = channel(0.10f + 0.90f * wave(shade + 0.97f));
  }
  image[row * width + column] = pixel;
}
