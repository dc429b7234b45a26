// Kernels for tests/emulated.rs: each stands for a construct that vectors of unknown length might get wrong.
// All take the same arguments: `a` has 4 n numbers, `b` 8 n, `d` 2 n and `l` 256.
// Whether products and sums are contracted is up to a CPU.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define ARGS global uint *a, global uint *b, global double *d, local uint *l, uint n

kernel void doubles(ARGS) {
  size_t i = get_global_id(0);
  double x = d[i], y = (double)(int)a[i] / 3.0;
  float f = (float)x * 0.25f;
  b[i] = convert_uint_sat(x) ^ as_uint(f) ^ (uint)((long)(x * 1e6) >> 7) ^ (x < y) << 9;
  d[i] = fma(x, y, sqrt(fabs(y))) + exp(x * 0.125) + f;
}

kernel void halves(ARGS) {
  size_t i = get_global_id(0);
  global half *h = (global half *)b;
  // No NaN: not all CPUs keep its payload.
  half x = (half)(float)(a[i] % 2000u), y = as_half((ushort)(as_ushort(h[2 * i]) & 0xbfff));
  h[2 * i] = x * y + (half)0.5f;
  h[2 * i + 1] = (half)(int)(y < x ? -i : i);
  // What LLVM makes `fabs` and `fneg` of, although a CPU may have neither for halves.
  half size = fabs(y);
  if (a[i] & 2u) size = -size;
  h[2 * i + 1 + 2 * n] = a[i] & 1u ? copysign(size, x) : -fabs(x);
  vstore_half_rtz((float)(x / (y + (half)3)), i, (global half *)d);
}

kernel void collectives(ARGS) {
  size_t i = get_global_id(0);
  uint x = a[i], sum = 0;
  for (uint k = 0; k < 3; k++) {
    sum += work_group_reduce_max(x ^ sum) + work_group_scan_exclusive_add(x >> k);
    if (work_group_any(sum % 97u == k)) sum ^= work_group_broadcast(x, k % get_local_size(0));
  }
  b[i] = sum + work_group_scan_inclusive_min(as_int(x)) + work_group_all(x > 5u);
  d[i] = work_group_reduce_add((double)(x % 1000u));
  half small = (half)(int)(x % 8u);
  half all = work_group_reduce_add(small) + work_group_reduce_max(small), upto = work_group_scan_inclusive_min(small);
  b[n + i] = as_ushort(all) | (uint)as_ushort(upto) << 16;
}

kernel void barriers(ARGS) {
  size_t i = get_global_id(0), own = get_local_id(0), size = get_local_size(0);
  l[own] = a[i];
  double kept = d[i];
  for (uint step = 1; step < size; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint other = own + step < size ? l[own + step] : 7u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own % (2 * step) == 0) l[own] = l[own] * 3u + other;
    kept = kept * 0.5 + other;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  b[i] = l[own / 2] ^ l[0];
  d[i] = kept;
}

// Loops over the work-items end, or begin, where conditions on IDs say.
kernel void ranges(ARGS) {
  size_t i = get_global_id(0);
  uint own = get_local_id(0), size = get_local_size(0);
  l[own] = a[i];
  for (uint step = size / 2; step; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own < step) l[own] += l[own + step] * 3u;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own >= 5 && own < size - 3) l[own] ^= own * 77u;
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((int)own - 9 >= 0 && (int)own - 9 <= (int)(n & 7u)) b[n + i] = l[own];
  if (own > size - 2) l[255] = size;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own == 17) l[254] = l[255] + own;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= 40 && i < 100) b[i] = l[own] + l[254];
}

kernel void private_arrays(ARGS) {
  size_t i = get_global_id(0);
  uint t[12];
  uchar small[5] = {1, 2, 3, 4, 5};
  double two[2] = {0.5, d[i]};
  for (uint k = 0; k < 12; k++) t[k] = a[(i + k) % n];
  for (uint k = 0; k < 24; k++) {
    uint x = t[t[k % 12] % 12];
    t[(x >> 3) % 12] += x ^ k;
    small[x % 5] ^= (uchar)(x >> 5);
  }
  l[get_local_id(0)] = t[i % 12];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[i] = t[l[0] % 12] + small[t[3] % 5] * 17u;
  d[i] = two[t[0] & 1] + two[small[1] & 1];
}

typedef struct { float x, y, z; } three;
kernel void records(ARGS) {
  size_t i = get_global_id(0);
  global three *r = (global three *)(b + n);
  three v = r[i];
  r[i] = (three){v.y, v.z, v.x + (float)i};
  uint3 w = vload3(i, a);
  if (w.x & 1u) vstore3(w.zxy, i, b + 4 * n);
  uint4 q = ((global uint4 *)a)[i];
  double2 both = vload2(i, d);
  vstore2(both.yx * 0.5, i, d);
  b[i] = q.x + q.y * 3u + q.z * 5u;
}

typedef struct { ushort s; uchar c[2]; } mixed;
typedef struct __attribute__((packed)) { uchar c; uint x; ushort s; } packed;
typedef ushort __attribute__((aligned(1))) odd_ushort;
typedef ulong __attribute__((aligned(2))) even_ulong;
kernel void bytes(ARGS) {
  size_t i = get_global_id(0);
  uchar4 p = ((global uchar4 *)a)[i];
  ushort2 q = ((global ushort2 *)b)[i];
  global mixed *m = (global mixed *)(b + n);
  global packed *t = (global packed *)(b + 2 * n);
  mixed own = m[i];
  packed tight = t[i];
  ((global uchar4 *)b)[i] = (uchar4)(p.w + 1, p.z, q.y >> 8, p.x);
  own.s = (ushort)(own.s + q.x);
  own.c[0] = p.y > own.c[1] ? p.y : (uchar)3;
  m[i] = own;
  tight.x += tight.c * tight.s;
  tight.s ^= p.x;
  t[i] = tight;
  // Elements side by side, and at any distance, that are not aligned.
  global odd_ushort *o = (global odd_ushort *)((global uchar *)(b + 4 * n) + 1);
  global even_ulong *e = (global even_ulong *)((global ushort *)(b + 5 * n) + 1);
  o[i] = p.x & 2 ? o[i] + 3 : tight.s;
  if (p.x & 4) e[i] += ((global even_ulong *)((global ushort *)a + 1))[a[i] % n];
  bool odd = p.x & 1, large = d[i] > 0.5;
  if (odd != large) d[i] = odd ? d[i] + p.y : (double)(uchar)(p.z + q.x);
}

kernel void atomics(ARGS) {
  size_t i = get_global_id(0), own = get_local_id(0);
  if (own < 16) l[own] = l[own + 16] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint x = a[i];
  if (x % 3u) atomic_add(&l[x % 16u], 1u); else atomic_xor(&l[16u + x % 16u], x << 4);
  while (x % 7u == 2u) {
    uint was = atomic_or(&b[n + i % 8], 0u);
    if (atomic_cmpxchg(&b[n + i % 8], was, was + (x & 255u)) == was) break;
  }
  atomic_max((volatile global int *)&b[2 * n], (int)x);
  volatile global atomic_uint *c = (volatile global atomic_uint *)(b + 3 * n + x % 5u);
  uint was = atomic_load_explicit(c, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(
      c, &was, was * 3u + 1u, memory_order_relaxed, memory_order_relaxed, memory_scope_device));
  barrier(CLK_LOCAL_MEM_FENCE);
  b[i] = l[own % 32];
}

kernel void divisions(ARGS) {
  size_t i = get_global_id(0);
  int x = (int)a[i], y = (int)b[i] % 50 - 25;
  char cx = (char)x, cy = (char)y;
  long wide = ((long)x << 20) + y;
  uint r = 0;
  if (y) r = (uint)(x / y) ^ (uint)(x % y) ^ (uint)(wide / y) ^ (uint)((ulong)wide % (uint)(y < 0 ? -y : y));
  if (cy > 2) r += (uint)(cx / cy) + (uint)((uchar)cx % (uchar)cy);
  for (short s = 1; s < (y & 7); s++) r += (uint)((short)x / s);
  b[i] = r;
}

kernel void loops(ARGS) {
  size_t i = get_global_id(0);
  uint x = a[i], r = 0;
  bool flag = x & 1, other = false;
  for (uint k = 0; k < (x & 15u); k++) {
    bool next = (a[(i + k) % n] >> k & 1) != flag;
    for (uint m = k; m; m >>= 1) {
      if (next && m == 3) { r += 5; continue; }
      if (r % 11u == 10u) { other = !other; break; }
      r = r * 3u + m;
    }
    if (other && k > 9) break;
    flag = other ? next : flag ^ next;
    switch (r & 3u) { case 0: r += 7; break; case 1: r ^= x; case 2: r++; }
  }
  b[i] = r * 2u + flag;
  if (r & 1) d[i] = r; else if (flag) d[i] *= 2;
}

kernel void shuffles(ARGS) {
  size_t i = get_global_id(0);
  uint4 v = (uint4)(a[i], a[(i + 1) % n], i, 9u), m = (uint4)(a[i] >> 3, i, a[i] >> 9, 2u);
  uint4 s = shuffle(v, m), t = shuffle2(v, s, m.wzyx);
  uchar8 c = as_uchar8(v.xz);
  c[a[i] % 8] = (uchar)i;
  s[i % 4] += t[a[i] % 4];
  uint truths = any(v > s) + 2 * all(t >= v - s) + 4 * any(convert_long4(as_int4(v))) + 8 * all(as_char4(v.x));
  b[i] = s.x + s.y * 3u + s.z * 5u + s.w * 7u + t.x + c[(a[i] >> 5) % 8] + truths;
}

kernel void mathematics(ARGS) {
  size_t i = get_global_id(0);
  float x = (float)(a[i] % 4096u) * 0.03f + 0.01f, y = (float)d[i];
  int e;
  float m = frexp(x * 1e-20f, &e);
  float f = exp2(y * 0.1f) + log(x) * sin(y) + pow(x, 0.37f) + rsqrt(x) + ldexp(m, e % 9) + cbrt(y) + ilogb(x);
  b[i] = as_uint(f);
  d[i] = log(fabs(d[i]) + 0.5) + rsqrt((double)x) + logb(d[i]) + fmod(d[i], 0.7);
}

kernel void rows(ARGS) {
  size_t w = get_global_size(0), i = get_global_linear_id();
  size_t mirrored = get_local_size(0) - 1 - get_local_id(0);
  l[get_local_linear_id()] = a[i] + (uint)get_group_id(1);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint up = get_local_id(1) ? l[get_local_linear_id() - get_local_size(0)] : 1u;
  b[i] = l[get_local_id(1) * get_local_size(0) + mirrored] * 5u + up + a[(n - 1 - i) % n] + a[i * (w & 3u) % n];
}

kernel void sub_groups(ARGS) {
  size_t i = get_global_id(0);
  uint x = a[i], own = get_sub_group_local_id();
  uint r = sub_group_reduce_add(x) ^ sub_group_scan_exclusive_max(x) ^ sub_group_broadcast(x, 0) << 1;
  if (x & 4u) r += sub_group_non_uniform_reduce_add(x >> 3);
  r += sub_group_non_uniform_reduce_mul(x | 1u);
  r += sub_group_shuffle(x, own / 2) ^ sub_group_any(x % 50u == 0);
  l[get_local_id(0)] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  b[i] = l[get_local_id(0)] + get_sub_group_size() * 1000u + get_sub_group_id();
}

kernel void byte_products(ARGS) {
  size_t i = get_global_id(0);
  uint x = a[i], y = a[(i + 7) % n];
  b[i] = dot_acc_sat_4x8packed_uu_uint(x, y, a[(i + 1) % n]) ^ (uint)dot_acc_sat_4x8packed_ss_int(x, y, (int)a[(i + 2) % n])
         ^ (uint)dot_4x8packed_su_int(x, y);
}

uint memory_of(void *p) {
  return (to_global(p) != 0) + 2 * (to_local(p) != 0) + 4 * (to_private(p) != 0) + get_fence(p) * 8;
}

kernel void generic_pointers(ARGS) {
  size_t i = get_global_id(0);
  local uint variable[4];
  uint own[3] = {a[i], 1u, n};
  variable[i % 4] = a[i];
  void *pointers[6] = {a + i, l + get_local_id(0), &variable[i % 4], &own[i % 3], b, d};
  b[i] = memory_of(pointers[a[i] % 6]);
}
