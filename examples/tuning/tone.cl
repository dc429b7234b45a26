// A tone curve with constants of the wrong type, and of the right one. docs/tuning.md tells the story.

kernel void tone_double(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  float x = in[i];
  for (int k = 0; k < 8; k++)
    x = x * (1.7 - 0.7 * x) + 0.004;
  out[i] = x / (x + 0.155) * 1.019;
}

kernel void tone_float(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  float x = in[i];
  for (int k = 0; k < 8; k++)
    x = x * (1.7f - 0.7f * x) + 0.004f;
  out[i] = x / (x + 0.155f) * 1.019f;
}
