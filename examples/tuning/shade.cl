// Darkens every second field of a chessboard of 8 by 8 pixels, over an image of rows of w pixels.
kernel void shade_long(global const float *in, global float *out, uint w) {
  size_t i = get_global_id(0);
  size_t x = i % w;
  size_t y = i / w;
  out[i] = ((x ^ y) & 8) ? 0.5f * in[i] : in[i];
}

// The same with positions of 32 bits, which are divided side by side.
kernel void shade_int(global const float *in, global float *out, uint w) {
  uint i = get_global_id(0);
  uint x = i % w;
  uint y = i / w;
  out[i] = ((x ^ y) & 8) ? 0.5f * in[i] : in[i];
}
