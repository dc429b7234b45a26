//! What others reported against OpenCL drivers for CPUs and against LLVM, in kernels of our own.
//! Each test names the report; `docs/correctness.md` lists them.

mod common;

use common::*;
use compiler::NdRange;
use lanewise_difftest::Program;

/// The ways the kernels are built: scalar, at several widths, without optimisation.
const MODES: [&str; 6] = ["", "-cl-wfv=never", "--lanes 4", "--lanes 16", "--lanes 32", "-cl-opt-disable"];

/// Runs `k(out, …)` in every mode; `out` begins as zeros and has to become `want`.
fn check_in_all_modes<T: Plain>(source: &str, range: NdRange, inputs: &[&[i32]], want: &[T]) {
    for mode in MODES {
        let k = kernel(source, "k", mode);
        let out = Data::<T>::zeros(want.len());
        let inputs: Vec<Data<i32>> = inputs.iter().map(|values| Data::of(values)).collect();
        let mut args = vec![out.arg()];
        args.extend(inputs.iter().map(Data::arg));
        launch(&k, range, &args);
        let got = out.get();
        if let Some(at) = (0..want.len()).find(|&i| got[i] != want[i]) {
            panic!("'{mode}': element {at} is {:?}, not {:?}\n{source}", got[at], want[at]);
        }
    }
}

fn one(global: usize, local: usize) -> NdRange {
    NdRange::new(&[global], &[local])
}

/// pocl#1167: a barrier behind a condition all work-items agree on, in a loop whose body they run
/// a different number of times.
#[test]
fn guarded_barrier_in_a_loop_of_uneven_work() {
    let source = "kernel void k(global int *out, global const int *rounds) {
        local int shared[64];
        int l = get_local_id(0), n = get_local_size(0), sum = 0;
        for (int i = 0; i < 8; i++) {
          if (i < rounds[get_global_id(0)]) sum += i + l;
          shared[l] = sum;
          if (i % 2 == 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += shared[(l + 1) % n];
            barrier(CLK_LOCAL_MEM_FENCE);
          }
        }
        out[get_global_id(0)] = sum;
      }";
    let rounds: Vec<i32> = (0..96).map(|g| g * 7 % 9).collect();
    let mut want = vec![0i32; 96];
    for group in 0..3 {
        let mut sum = [0i32; 32];
        for i in 0..8 {
            for l in 0..32 {
                if i < rounds[group * 32 + l] {
                    sum[l] = sum[l].wrapping_add(i + l as i32);
                }
            }
            if i % 2 == 1 {
                let shared = sum;
                for l in 0..32 {
                    sum[l] = sum[l].wrapping_add(shared[(l + 1) % 32]);
                }
            }
        }
        want[group * 32..][..32].copy_from_slice(&sum);
    }
    check_in_all_modes(source, one(96, 32), &[&rounds], &want);
}

/// pocl#553: two loops in each other, with conditional barriers in the inner one and behind both.
#[test]
fn conditional_barriers_in_nested_loops() {
    let source = "kernel void k(global int *out, global const int *n) {
        local int shared[16];
        int l = get_local_id(0), x = l;
        for (int outer = 0; outer < n[0]; outer++)
          for (int inner = 0; inner < n[1]; inner++) {
            x = x * 3 + outer - inner;
            shared[l] = x;
            if (n[2] > 0) { barrier(CLK_LOCAL_MEM_FENCE); x ^= shared[15 - l]; }
            if (n[3] > 0) { barrier(CLK_LOCAL_MEM_FENCE); shared[l] = x; }
            barrier(CLK_LOCAL_MEM_FENCE);
          }
        if (n[3] > 0) { barrier(CLK_LOCAL_MEM_FENCE); x += shared[(l + 5) % 16]; }
        out[get_global_id(0)] = x;
      }";
    for flags in [[2, 3, 0, 1], [3, 2, 1, 0], [2, 2, 1, 1], [0, 5, 1, 1]] {
        let mut x: [i32; 16] = std::array::from_fn(|l| l as i32);
        let mut shared = [0i32; 16];
        for outer in 0..flags[0] {
            for inner in 0..flags[1] {
                x = x.map(|x| x.wrapping_mul(3).wrapping_add(outer - inner));
                shared = x;
                if flags[2] > 0 {
                    x = std::array::from_fn(|l| x[l] ^ shared[15 - l]);
                }
                if flags[3] > 0 {
                    shared = x;
                }
            }
        }
        if flags[0] == 0 {
            continue; // Nobody wrote the local memory.
        }
        if flags[3] > 0 {
            x = std::array::from_fn(|l| x[l].wrapping_add(shared[(l + 5) % 16]));
        }
        check_in_all_modes(source, one(32, 16), &[&flags], &[x, x].concat());
    }
}

/// pocl#1794: a reduction in local memory with its barrier at the head of a loop, whose steps
/// fewer and fewer work-items take.
#[test]
fn reduction_with_its_barrier_at_the_head() {
    let source = "kernel void k(global int *out, global const int *in) {
        local int shared[64];
        int items = get_local_size(0), l = get_local_id(0);
        shared[l] = in[get_global_id(0)] == 0;
        for (int d = 1; d < items; d *= 2) {
          barrier(CLK_LOCAL_MEM_FENCE);
          int at = 2 * d * l;
          if (at < items) {
            int other = 1;
            if (at + d < items) other = shared[at + d];
            shared[at] &= other;
          }
        }
        if (l == 0) out[get_group_id(0)] = shared[0] + 10;
      }";
    for local in [4, 7, 60] {
        let mut input = vec![0; 4 * local];
        input[local + local / 2] = 1;
        input[3 * local + local - 1] = 1;
        check_in_all_modes(source, one(4 * local, local), &[&input], &[11, 10, 11, 10]);
    }
}

/// pocl#1990: a sort of a work-group's values that goes on until nobody has swapped.
#[test]
fn sort_until_nobody_swaps() {
    let source = "kernel void k(global int *out, global const int *in) {
        local int values[96];
        local int swapped;
        int l = get_local_id(0), n = get_local_size(0);
        for (int i = l; i < 96; i += n) values[i] = in[i];
        int step = 96;
        bool again = true;
        while (again) {
          step = max(1, step * 10 / 13);
          barrier(CLK_LOCAL_MEM_FENCE);
          if (l == 0) swapped = step > 1;
          barrier(CLK_LOCAL_MEM_FENCE);
          for (int part = 0; part < 2; part++) {
            for (int i = l; i + step < 96; i += n)
              if (i / step % 2 == part) {
                int a = values[i], b = values[i + step];
                if (a > b) { values[i] = b; values[i + step] = a; atomic_or(&swapped, 1); }
              }
            barrier(CLK_LOCAL_MEM_FENCE);
          }
          again = swapped;
        }
        for (int i = l; i < 96; i += n) out[i] = values[i];
      }";
    let input: Vec<i32> = (0..96).map(|i| i * 37 % 101 - 50).collect();
    let mut want = input.clone();
    want.sort_unstable();
    for local in [1, 16, 23] {
        check_in_all_modes(source, one(local, local), &[&input], &want);
    }
}

/// pocl#2113: a loop without an end behind a condition that does not come true. What the rest of
/// the kernel computes of the same ID is not changed by it.
#[test]
fn loop_without_end_that_nobody_enters() {
    let source = "void helper(local int *data, int bad) {
        data[0] = get_local_size(0);
        if (bad) while (1) {}
      }
      kernel void k(global int *out, global const int *bad) {
        local int data[2];
        if (get_local_id(0) % 36 == 0) helper(data, bad[0]);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = get_local_id(0) % 36 + 100 * data[0];
      }";
    let want: Vec<i32> = (0..72).map(|l| l % 36 + 7200).collect();
    check_in_all_modes(source, one(72, 72), &[&[0]], &want);
}

/// pocl#1977: what only the first work-item does, behind much that all do.
#[test]
fn block_of_the_first_work_item() {
    let source = "kernel void k(global int *out, global const int *in) {
        int l = get_local_id(0);
        local int total;
        if (l == 0) total = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < in[l % 8]; i++) atomic_add(&total, i & l);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) { atomic_inc(&out[0]); out[1 + get_group_id(0)] = total; }
      }";
    let rounds = [3, 0, 9, 4, 1, 7, 2, 12];
    let total: i32 = (0..32).map(|l| (0..rounds[l % 8]).map(|i| i & l as i32).sum::<i32>()).sum();
    check_in_all_modes(source, one(96, 32), &[&rounds], &[3, total, total, total]);
}

/// intel/llvm#23220: a butterfly of two private numbers before and after a barrier, by `fma` and
/// by plain arithmetic.
#[test]
fn butterfly_around_a_barrier() {
    for step in ["t = a; a = fma(c, b, t); b = fma(-c, b, t);", "t = a; a = c * b + t; b = t - c * b;"] {
        let source = format!(
            "kernel void k(global double *out, global const int *in) {{
               local double shared[64];
               int l = get_local_id(0);
               double a = in[l], b = in[63 - l], c = 0.5 + in[l] % 4, t;
               {step}
               shared[l] = a;
               barrier(CLK_LOCAL_MEM_FENCE);
               b += shared[l ^ 1];
               {step}
               out[2 * l] = a;
               out[2 * l + 1] = b;
             }}"
        );
        let input: Vec<i32> = (0..64).map(|i| i * 13 % 31).collect();
        // All values are exact.
        let start: Vec<(f64, f64, f64)> = (0..64)
            .map(|l| {
                let (a, b) = (f64::from(input[l]), f64::from(input[63 - l]));
                let c = 0.5 + f64::from(input[l] % 4);
                (a + c * b, a - c * b, c)
            })
            .collect();
        let end = (0..64).flat_map(|l| {
            let (a, b, c) = start[l];
            let b = b + start[l ^ 1].0;
            [a + c * b, a - c * b]
        });
        check_in_all_modes(&source, one(64, 64), &[&input], &end.collect::<Vec<f64>>());
    }
}

/// intel/llvm#7877: loop bounds that are chosen by whether group and work-item are the first.
#[test]
fn loop_whose_bounds_depend_on_being_first() {
    let source = "#define lid ((int)get_local_id(0))
      #define gid ((int)get_group_id(0))
      kernel __attribute__((reqd_work_group_size(5, 1, 1))) void k(global int *restrict out) {
        if (5 - 5 * gid - lid >= 0) {
          int from = gid == 0 && lid == 0 ? 0 : 2 * lid + 10 * gid - 1;
          int to = gid == 1 && lid == 0 ? 9 : 2 * lid;
          for (int j = from; j <= to; j++) out[j] = j;
        }
      }";
    let want: Vec<i32> = (0..10).collect();
    check_in_all_modes(source, one(10, 5), &[], &want);
}

/// intel/llvm#5989: a maximum over each of many small work-groups, of doubles.
#[test]
fn maxima_of_small_work_groups() {
    let source = "kernel void k(global double *out, global const int *in) {
        double x = in[get_global_id(0)];
        out[get_global_id(0)] = work_group_reduce_max(x);
      }";
    for local in [2, 3, 8] {
        let input: Vec<i32> = (0..local * 50).map(|i| i as i32 * 29 % 1013 - 500).collect();
        let max = |g: usize| *input[g / local * local..][..local].iter().max().unwrap();
        let want: Vec<f64> = (0..input.len()).map(|g| f64::from(max(g))).collect();
        check_in_all_modes(source, one(local * 50, local), &[&input], &want);
    }
}

/// intel/llvm#6607: a bitonic sort of pairs in local memory, as PyOpenCL generates it.
#[test]
fn bitonic_sort_of_pairs() {
    let source = "typedef struct { int key, value; } pair;
      #define ORDER(a, b) { bool swap = reverse ^ (a.key < b.key); pair x = a, y = b; \
        a = swap ? y : x; b = swap ? x : y; }
      kernel void k(global pair *out, global const pair *in) {
        local pair s[128];
        int t = get_local_id(0);
        s[t] = in[t];
        s[t + 64] = in[t + 64];
        for (int length = 1; length < 128; length <<= 1) {
          bool direction = (t & length) != 0;
          for (int inc = length; inc > 0; inc >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int low = t & (inc - 1), i = (t << 1) - low;
            bool reverse = !direction;
            pair a = s[i], b = s[i + inc];
            ORDER(a, b);
            s[i] = a;
            s[i + inc] = b;
          }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        out[t] = s[t];
        out[t + 64] = s[t + 64];
      }";
    let mut pairs: Vec<(i32, i32)> = (0..128).map(|i| (i * 71 % 128, i)).collect();
    let input: Vec<i32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    pairs.sort_unstable();
    let want: Vec<i32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    check_in_all_modes(source, one(64, 64), &[&input], &want);
}

/// pocl#1525: a large private array that lives across a barrier, in a work-group of 1,536.
#[test]
fn large_private_array_across_a_barrier() {
    let source = "kernel void k(global int *out, global const int *in) {
        local int unused[64];
        int copy[256], g = get_global_id(0);
        for (int i = 0; i < 256; i++) copy[i] = in[(g + i) % 1536];
        unused[get_local_id(0) % 64] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 256; i++) out[g] = out[g] * 3 + copy[(i * 5 + g) % 256];
      }";
    let input: Vec<i32> = (0..1536).map(|i| i * 7919 % 1000).collect();
    let want: Vec<i32> = (0..1536usize)
        .map(|g| {
            let copy = |i: usize| input[(g + (i * 5 + g) % 256) % 1536];
            (0..256).fold(0i32, |sum, i| sum.wrapping_mul(3).wrapping_add(copy(i)))
        })
        .collect();
    check_in_all_modes(source, one(1536, 1536), &[&input], &want);
}

/// pocl#1213: constant tables, tables in constant memory that are passed by pointer, structs in
/// global memory that several functions change.
#[test]
fn password_generator() {
    let source = "typedef struct { uint key; uint count; } entry;
      constant uint powers[4] = {1, 27, 729, 19683};
      uint letter(global const entry *table, constant uint *powers, uint position, ulong word) {
        uint at = word / powers[position] % 27;
        return table[position * 27 + at].key;
      }
      void make(uint *pw, global const entry *table, ulong word, int length) {
        for (int i = 0; i < length; i++) pw[i / 4] |= letter(table, powers, i, word) << i % 4 * 8;
        pw[length / 4] |= 0x80u << length % 4 * 8;
      }
      kernel void k(global uint *out, global const entry *table) {
        uint pw[4] = {0};
        make(pw, table, get_global_id(0) * 1009, 4);
        vstore4((uint4)(pw[0], pw[1], pw[2], pw[3]), get_global_id(0), out);
      }";
    let table: Vec<i32> = (0..4 * 27).flat_map(|i| [97 + i * 11 % 26, i]).collect();
    let key = |position: u32, word: u64| {
        table[2 * (position * 27 + (word / 27u64.pow(position) % 27) as u32) as usize] as u32
    };
    let word = |g: u64| (0..4).fold(0u32, |pw, i| pw | key(i, g * 1009) << (8 * i));
    let want: Vec<u32> = (0..100).flat_map(|g| [word(g), 0x80, 0, 0]).collect();
    check_in_all_modes(source, one(100, 10), &[&table], &want);
}

/// pocl#979: values are scattered by one kernel's stores and copied by the same work-item.
#[test]
fn scatter_and_copy() {
    let source = "kernel void k(global int *out, global int *from) {
        int i = get_global_id(0);
        global int *to = out + 64;
        out[i] = -1;
        if (i % 8 == 0) { from[i / 8] = i; to[i / 8] = from[i / 8]; }
        out[i] = i;
      }";
    let want: Vec<i32> = (0..64).chain((0..8).map(|i| 8 * i)).collect();
    check_in_all_modes(source, one(64, 16), &[&[-1; 8]], &want);
}

/// pocl#2324: powers of ordinary doubles are exact where the result is a small number.
#[test]
fn powers_of_ordinary_doubles() {
    let source = "kernel void k(global double *out, global const int *in) {
        int i = get_global_id(0);
        double x = in[2 * i], y = in[2 * i + 1];
        out[2 * i] = powr(x, y);
        out[2 * i + 1] = pow(x, y);
      }";
    let cases = [(2, 3), (3, 2), (2, -1), (10, 2), (4, -2), (1, 77), (16, 0), (7, 5)];
    let input: Vec<i32> = (0..2000)
        .flat_map(|i| {
            let (x, y) = cases[i % 8];
            [x, y]
        })
        .collect();
    let power = |i: usize| f64::from(cases[i % 8].0).powi(cases[i % 8].1);
    let want: Vec<f64> = (0..2000).flat_map(|i| [power(i); 2]).collect();
    check_in_all_modes(source, one(2000, 100), &[&input], &want);
}

/// llvm#186922: a loop that fills an array of records whose padding nobody defines, word by word.
#[test]
fn records_with_undefined_padding() {
    let source = "typedef struct { int value; uchar tag; } record;
      kernel void k(global record *out, global const int *in) {
        int n = in[0], at = get_global_id(0) * 9;
        record r = {in[1], 0};
        for (int i = 0; i < n; i++) { r.tag = (uchar)i; out[at + i] = r; r.value += in[2]; }
      }";
    for mode in MODES {
        let k = kernel(source, "k", mode);
        let out = Data::<i32>::zeros(2 * 9 * 20);
        let input = Data::<i32>::of(&[9, 5, 3]);
        // Not by `run`: undefined bytes are not to be compared on other CPUs.
        let code = k.wait_for_code(&one(20, 4)).unwrap();
        lanewise_difftest::run_code(&code, one(20, 4), &[out.arg(), input.arg()]).unwrap();
        for (i, record) in out.get().chunks(2).enumerate() {
            let i = i as i32 % 9;
            assert_eq!((record[0], record[1] & 0xff), (5 + 3 * i, i), "{mode}");
        }
    }
}

/// intel/llvm#2038, intel/llvm#3549: structs with pointers and arrays by value, changed by
/// functions and handed on.
#[test]
fn structs_by_value() {
    let source = "typedef struct { int size; short bias[3]; long scale; } view;
      view grow(view v, int by) { v.size += by; v.bias[by % 3] += 7; return v; }
      long sum(view v, global const int *in, int i) {
        long s = 0;
        for (int j = 0; j < v.size; j++) s += v.scale * in[(i + j) % 64] + v.bias[j % 3];
        return s;
      }
      kernel void k(global long *out, global const int *in) {
        int i = get_global_id(0);
        view v = {i % 5, {1, 2, 3}, i - 30};
        view w = grow(v, i % 4);
        out[i] = sum(v, in, i) * 1000 + sum(grow(w, 1), in, i + 1);
      }";
    let input: Vec<i32> = (0..64).map(|i| i * 17 % 23).collect();
    type View = (i64, [i64; 3], i64);
    let grow = |mut v: View, by: i64| {
        v.0 += by;
        v.1[by as usize % 3] += 7;
        v
    };
    let sum = |v: View, i: i64| -> i64 {
        (0..v.0).map(|j| v.2 * i64::from(input[((i + j) % 64) as usize]) + v.1[j as usize % 3]).sum()
    };
    let want: Vec<i64> = (0..64)
        .map(|i| {
            let v = (i % 5, [1, 2, 3], i - 30);
            let w = grow(v, i % 4);
            sum(v, i) * 1000 + sum(grow(w, 1), i + 1)
        })
        .collect();
    check_in_all_modes(source, one(64, 16), &[&input], &want);
}

/// A switch whose cases have barriers, in a loop: every work-item takes the same case.
#[test]
fn switch_with_barriers() {
    let source = "kernel void k(global int *out, global const int *plan) {
        local int shared[32];
        int l = get_local_id(0), x = l;
        for (int i = 0; i < 7; i++) {
          shared[l] = x;
          switch (plan[i]) {
          case 0: barrier(CLK_LOCAL_MEM_FENCE); x += shared[31 - l]; break;
          case 1: x *= 3;
          case 2: barrier(CLK_LOCAL_MEM_FENCE); x ^= shared[(l + 1) % 32];
            barrier(CLK_LOCAL_MEM_FENCE); break;
          case 3: if (l > 5) x -= 9; break;
          default: barrier(CLK_LOCAL_MEM_FENCE); return;
          }
          barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_id(0)] = x;
      }";
    for (plan, ends) in
        [([0, 1, 2, 3, 1, 0, 2], true), ([3, 2, 1, 0, 0, 3, 1], true), ([0, 1, 9, 3, 1, 0, 2], false)]
    {
        let mut x: [i32; 32] = std::array::from_fn(|l| l as i32);
        for step in plan {
            let shared = x;
            x = std::array::from_fn(|l| match step {
                0 => x[l].wrapping_add(shared[31 - l]),
                1 => x[l].wrapping_mul(3) ^ shared[(l + 1) % 32],
                2 => x[l] ^ shared[(l + 1) % 32],
                _ if l > 5 => x[l].wrapping_sub(9),
                _ => x[l],
            });
        }
        let want = if ends { [x, x].concat() } else { vec![0; 64] };
        check_in_all_modes(source, one(64, 32), &[&plan], &want);
    }
}

/// pyopencl's `jsf` report (pocl#926): arrays whose size and index come from loops in loops.
#[test]
fn polynomial_in_nested_loops() {
    let source = "kernel void k(global float *out, global const int *in) {
        float p[16];
        int g = get_global_id(0);
        for (int i = 0; i < 16; i++) p[i] = 0;
        p[0] = 1;
        for (int j = 0; j < 6; j++)
          for (int i = j + 1; i >= 0; i--)
            p[i] = p[i] * in[(g + j) % 64] + (i > 0 ? p[i - 1] : 0);
        for (int i = 0; i < 8; i++) out[g * 8 + i] = p[i];
      }";
    let input: Vec<i32> = (0..64).map(|i| i % 4 - 2).collect();
    let want: Vec<f32> = (0..40)
        .flat_map(|g| {
            let mut p = [0f32; 16];
            p[0] = 1.0;
            for j in 0..6 {
                for i in (0..=j + 1).rev() {
                    p[i] = p[i] * input[(g + j) % 64] as f32 + if i > 0 { p[i - 1] } else { 0.0 };
                }
            }
            p[..8].to_vec()
        })
        .collect();
    check_in_all_modes(source, one(40, 8), &[&input], &want);
}

/// OpenCL.jl#460: a cell of local memory that all reset, some raise, and all read.
#[test]
fn cell_that_is_reset_between_barriers() {
    let source = "kernel void k(global int *out, global const int *in) {
        local int cell;
        int l = get_local_id(0), n = in[0], g = get_global_id(0);
        bool active = g < n;
        int seen = 0;
        for (int i = 0; i < 5; i++) {
          barrier(CLK_LOCAL_MEM_FENCE);
          if (l == 0) cell = 0;
          barrier(CLK_LOCAL_MEM_FENCE);
          if (active && in[1 + (g + i) % 16] > 2) atomic_max(&cell, 1 + l);
          barrier(CLK_LOCAL_MEM_FENCE);
          if (active) seen = seen * 64 + cell;
        }
        if (active) out[g] = seen;
      }";
    let mut input = vec![20];
    input.extend((0..16).map(|i| i * 5 % 7));
    let mut want = vec![0i32; 20];
    for i in 0..5 {
        let raised = (0..20).filter(|g| input[1 + (g + i) % 16] > 2).max().map_or(0, |l| 1 + l as i32);
        want.iter_mut().for_each(|w| *w = w.wrapping_mul(64).wrapping_add(raised));
    }
    check_in_all_modes(source, one(64, 64), &[&input], &want);
}

/// OpenCL.jl#388: a scan over several work-groups, in which each waits for the sum of those before
/// it. Work-groups are taken in order, by a counter.
#[test]
fn scan_that_waits_for_the_group_before() {
    let source = "kernel void k(global int *out, global const int *in, global int *state) {
        local int ticket, before;
        int l = get_local_id(0);
        volatile global atomic_int *next = (volatile global atomic_int *)state;
        if (l == 0) ticket = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
        barrier(CLK_LOCAL_MEM_FENCE);
        int g = ticket * get_local_size(0) + l;
        int sum = work_group_scan_inclusive_add(in[g]);
        if (l == get_local_size(0) - 1) {
          before = 0;
          if (ticket > 0) {
            int ready;
            do {
              ready = atomic_load_explicit(next + 2 * ticket, memory_order_acquire, memory_scope_device);
            } while (ready == 0);
            before = state[2 * ticket - 1];
          }
          state[2 * ticket + 1] = before + sum;
          atomic_store_explicit(next + 2 * ticket + 2, 1, memory_order_release, memory_scope_device);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        out[g] = before + sum;
      }";
    let input: Vec<i32> = (0..1024).map(|i| i * 31 % 17 - 5).collect();
    let want: Vec<i32> = input
        .iter()
        .scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
        .collect();
    for mode in MODES {
        let k = kernel(source, "k", mode);
        let (out, state) = (Data::<i32>::zeros(1024), Data::<i32>::zeros(2 * 33 + 2));
        launch_once(&k, one(1024, 32), &[out.arg(), Data::of(&input).arg(), state.arg()]);
        assert_eq!(out.get(), want, "{mode}");
    }
}

/// KernelAbstractions.jl#695, #700: work-items that leave before a barrier, which the others come
/// to all the same: the first ones, the last ones, in a loop.
#[test]
fn work_items_that_leave_before_a_barrier() {
    let source = "kernel void k(global int *out, global const int *in) {
        local int shared[40];
        int l = get_local_id(0), g = get_global_id(0);
        shared[l] = 1000 + l;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (g < in[0] || g >= in[1]) return;
        shared[l] = in[2 + g % 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = shared[(l + 1) % 40];
        for (int i = 0; i < 3; i++) {
          barrier(CLK_LOCAL_MEM_FENCE);
          shared[l] = sum + i;
          barrier(CLK_LOCAL_MEM_FENCE);
          sum += shared[(l + 39) % 40];
          out[g] = sum;
          if (l % 7 == i) return;
        }
      }";
    for (from, to) in [(0, 80), (0, 53), (21, 80), (38, 77), (80, 80)] {
        let mut input = vec![from, to];
        input.extend((0..16).map(|i| i * 3 % 11));
        let mut want = vec![0i32; 80];
        for group in 0..2 {
            let g = |l: usize| group * 40 + l;
            let mut here: Vec<usize> = (0..40).filter(|&l| (from..to).contains(&(g(l) as i32))).collect();
            let mut shared: Vec<i32> = (1000..1040).collect();
            here.iter().for_each(|&l| shared[l] = input[2 + g(l) % 16]);
            let mut sum: Vec<i32> = (0..40).map(|l| shared[(l + 1) % 40]).collect();
            for i in 0..3 {
                here.iter().for_each(|&l| shared[l] = sum[l] + i as i32);
                for &l in &here {
                    sum[l] += shared[(l + 39) % 40];
                    want[g(l)] = sum[l];
                }
                here.retain(|l| l % 7 != i);
            }
        }
        check_in_all_modes(source, one(80, 40), &[&input], &want);
    }
}

/// pocl#1784, OpenCL.jl#249: a trap ends its work-item. The process, and what the others compute,
/// stay.
#[test]
fn traps_end_their_work_item() {
    let source = "void check(int i, int n) { if (i >= n) __builtin_trap(); }
      int element(global const int *in, int i) { check(i, 32); return in[i]; }
      kernel void k(global int *out, global const int *in) {
        int g = get_global_id(0);
        out[g] = 1;
        local int shared[16];
        shared[get_local_id(0)] = g;
        barrier(CLK_LOCAL_MEM_FENCE);
        int x = element(in, g * 5 % 48);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[g] = x + shared[15 - get_local_id(0)];
      }";
    let input: Vec<i32> = (0..32).map(|i| i * i).collect();
    let want: Vec<i32> = (0..64i32)
        .map(|g| match input.get((g * 5 % 48) as usize) {
            Some(x) => x + g / 16 * 16 + 15 - g % 16,
            None => 1,
        })
        .collect();
    check_in_all_modes(source, one(64, 16), &[&input], &want);
}

/// pocl#1711: a loop that ends with a barrier, over a private array that each work-item reads in
/// turn and a cell of global memory that is another one each time.
#[test]
fn turns_of_a_private_array() {
    let source = "kernel void k(global int *out, global const int *in) {
        int own[8], l = get_local_id(0);
        for (int j = 0; j < 8; j++) own[j] = in[8 * l + j];
        for (int j = 0; j < 8; j++) {
          out[8 * get_group_id(0) + (j + l) % 8] += own[j];
          barrier(CLK_GLOBAL_MEM_FENCE);
        }
      }";
    let input: Vec<i32> = (0..64).map(|i| i * 11 % 29).collect();
    let cell = |at: usize| (0..8).map(|l| input[8 * l + (at + 8 - l) % 8]).sum::<i32>();
    let want: Vec<i32> = (0..16).map(|i| cell(i % 8)).collect();
    check_in_all_modes(source, one(16, 8), &[&input], &want);
}

/// OpenCL.jl#388: a scan up and down a tree in local memory, with gaps against conflicts of banks,
/// the barriers at the heads of its loops and a range that ends in the middle of a group.
#[test]
fn scan_by_a_tree_with_gaps() {
    let source = "#define AT(i) ((i) + ((i) >> 5))
      kernel void k(global int *out, global const int *in) {
        local int tree[128 + 4];
        int n = in[0], items = get_local_size(0), l = get_local_id(0);
        int first = get_group_id(0) * items * 2, a = l, b = l + items;
        tree[AT(a)] = first + a < n ? in[1 + first + a] : 0;
        tree[AT(b)] = first + b < n ? in[1 + first + b] : 0;
        int step = 1;
        for (int d = items; d > 0; d >>= 1, step *= 2) {
          barrier(CLK_LOCAL_MEM_FENCE);
          if (l < d) tree[AT(step * (2 * l + 2) - 1)] += tree[AT(step * (2 * l + 1) - 1)];
        }
        if (l == 0) tree[AT(2 * items - 1)] = 0;
        for (int d = 1; d < 2 * items; d *= 2) {
          step >>= 1;
          barrier(CLK_LOCAL_MEM_FENCE);
          if (l < d) {
            int low = AT(step * (2 * l + 1) - 1), high = AT(step * (2 * l + 2) - 1), x = tree[low];
            tree[low] = tree[high];
            tree[high] += x;
          }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first + a < n) out[first + a] = tree[AT(a)];
        if (first + b < n) out[first + b] = tree[AT(b)];
      }";
    let mut input = vec![167];
    input.extend((0..167).map(|i| i * 23 % 41));
    for local in [64, 16] {
        let sum = |i: usize| input[1 + i / (2 * local) * 2 * local..=i].iter().sum::<i32>();
        let want: Vec<i32> = (0..167).map(sum).collect();
        let groups = 167usize.div_ceil(2 * local);
        check_in_all_modes(source, one(groups * local, local), &[&input], &want);
    }
}

/// intel/llvm#9662: a variable of the program keeps a pointer, which another kernel reads behind a
/// condition that work-items differ in.
#[test]
fn pointer_that_another_kernel_kept() {
    let source = "global int *kept;
      kernel void keep(global int *p) { kept = p; }
      kernel void k(global int *out, global int *kept_on) {
        int g = get_global_id(0);
        if (g % 3) out[g] = kept[g] + 1;
      }";
    let values: Vec<i32> = (0..48).map(|i| 100 * i).collect();
    for mode in MODES {
        let program = Program::build(source, &format!("-cl-std=CL3.0 {mode}")).unwrap();
        let [keep, k] = ["keep", "k"].map(|name| program.kernel(name).unwrap());
        let (out, kept) = (Data::<i32>::zeros(48), Data::of(&values));
        launch_once(&keep, one(1, 1), &[kept.arg()]);
        // The buffer is an argument, too, so that it is there while the kernel runs.
        launch_once(&k, one(48, 16), &[out.arg(), kept.arg()]);
        let want: Vec<i32> = (0..48).map(|g| if g % 3 == 0 { 0 } else { 100 * g + 1 }).collect();
        assert_eq!(out.get(), want, "{mode}");
    }
}

/// pocl#205: one conditional barrier after the other. A compiler that copies what comes behind each
/// does not come to an end.
#[test]
fn many_conditional_barriers() {
    let step = |i: usize| {
        format!(
            "if (in[{i}] > {}) {{ barrier(CLK_LOCAL_MEM_FENCE); x += shared[(l + {i}) % 16]; \
             barrier(CLK_LOCAL_MEM_FENCE); shared[l] = x; }}\n",
            i % 3
        )
    };
    let source = format!(
        "kernel void k(global int *out, global const int *in) {{
           local int shared[16];
           int l = get_local_id(0), x = l;
           shared[l] = x;
           {}
           out[get_global_id(0)] = x;
         }}",
        (0..24).map(step).collect::<String>()
    );
    let input: Vec<i32> = (0..24).map(|i| i * 7 % 4).collect();
    let mut x: [i32; 16] = std::array::from_fn(|l| l as i32);
    for i in (0..24).filter(|&i| input[i] > (i % 3) as i32) {
        let shared = x;
        x = std::array::from_fn(|l| x[l].wrapping_add(shared[(l + i) % 16]));
    }
    check_in_all_modes(&source, one(32, 16), &[&input], &[x, x].concat());
}

/// pocl#2092: a generated kernel of a thousand statements that depend on each other, with loads
/// by computed indices and conditions between them.
#[test]
fn generated_kernel_of_a_thousand_statements() {
    const STATEMENTS: usize = 1000;
    let statement = |i: usize| {
        let (a, b) = (i - 1, i / 2);
        let value = match i % 4 {
            0 => format!("v{a} * 3 + v{b}"),
            1 => format!("v{a} ^ in[v{b} % 64]"),
            2 => format!("v{b} - v{a}"),
            _ => format!("v{a} > v{b} ? v{a} - {i} : v{b} + g"),
        };
        format!("uint v{i} = {value};\n")
    };
    let source = format!(
        "kernel void k(global uint *out, global const uint *in) {{
           uint g = get_global_id(0), v0 = g, v1 = in[g % 64];
           {}
           out[g] = v{};
         }}",
        (2..STATEMENTS).map(statement).collect::<String>(),
        STATEMENTS - 1
    );
    let input: Vec<i32> = (0..64).map(|i| i * 37 % 101 - 50).collect();
    let result = |g: u32| {
        let element = |at: u32| input[at as usize % 64] as u32;
        let mut v = vec![g, element(g)];
        for i in 2..STATEMENTS {
            let (a, b) = (v[i - 1], v[i / 2]);
            v.push(match i % 4 {
                0 => a.wrapping_mul(3).wrapping_add(b),
                1 => a ^ element(b),
                2 => b.wrapping_sub(a),
                _ if a > b => a.wrapping_sub(i as u32),
                _ => b.wrapping_add(g),
            });
        }
        v[STATEMENTS - 1]
    };
    check_in_all_modes(&source, one(40, 20), &[&input], &(0..40).map(result).collect::<Vec<u32>>());
}

/// llvm#156849: a table of 16 that is read at a multiple of the ID or of a loop's counter, of which
/// some bits are kept.
#[test]
fn multiples_of_which_bits_are_kept() {
    let source = "kernel void k(global int *out, global const int *in) {
        int g = get_global_id(0);
        uint sum = in[(g * 5) & 15];
        for (int i = 0; i < 16; i++) sum = sum * 3 + in[(i * 5) & 15] - in[(i * 6 + g) & 7];
        out[g] = sum;
        out[80 + g] = in[(g * 3) & 12];
        out[160 + g] = in[(uchar)(g * 7) >> 4];
      }";
    let input: Vec<i32> = (0..16).map(|i| i * i - 60).collect();
    let part = |of: &dyn Fn(usize) -> i32| (0..80).map(of).collect::<Vec<i32>>();
    let sum = |g: usize| {
        (0..16).fold(input[(g * 5) & 15], |sum, i| {
            sum.wrapping_mul(3).wrapping_add(input[(i * 5) & 15]).wrapping_sub(input[(i * 6 + g) & 7])
        })
    };
    let want = [part(&sum), part(&|g| input[(g * 3) & 12]), part(&|g| input[((g * 7) as u8 >> 4) as usize])];
    check_in_all_modes(source, one(80, 16), &[&input], &want.concat());
}

/// llvm#87189: counters in a private array, one of which each round of a loop reads and raises.
#[test]
fn counters_by_lengths() {
    let source = "kernel void k(global int *out, global const int *in) {
        int g = get_global_id(0), next[8];
        for (int i = 0; i < 8; i++) next[i] = i * 100 + g;
        for (int i = 0; i < 20; i++) out[20 * g + i] = next[in[(i + g) % 32] & 7]++;
      }";
    let input: Vec<i32> = (0..32).map(|i| i * 5 % 13).collect();
    let codes = |g: usize| {
        let mut next: [i32; 8] = std::array::from_fn(|i| (i * 100 + g) as i32);
        let mut take = |length: usize| {
            next[length] += 1;
            next[length] - 1
        };
        (0..20).map(|i| take(input[(i + g) % 32] as usize & 7)).collect::<Vec<i32>>()
    };
    check_in_all_modes(source, one(48, 12), &[&input], &(0..48).flat_map(codes).collect::<Vec<i32>>());
}

/// llvm#159723: comparisons of vectors of halves as parts of masks, more of them than there are
/// registers, so that some operands are read from memory.
#[test]
fn comparisons_of_halves_in_masks() {
    const N: usize = 48;
    let (mut first, mut compare, mut change) = (String::new(), String::new(), String::new());
    for i in 0..N {
        let (m, a, b, c) = (i * i % 9, i % 5, (i * 7 + 3) % N, (i * 5 + 2) % N);
        first += &format!("half a{i} = (half)in[(g + {m}) % 9] * (half){a} + (half){};\n", i % 3);
        compare += &format!("if (a{i} < a{b}) r = r * 3 + {i}; else if (a{b} <= a{c}) r ^= {};\n", i * 8);
        if i.is_multiple_of(3) {
            change += &format!("a{i} = (half)in[(r + {i}) & 7] - a{};\n", i + 1);
        }
    }
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(global int *out, global const int *in) {{
          int g = get_global_id(0);
          uint r = 0;
          {first}
          for (int i = 0; i < in[g & 3] + 6; i++) {{ {compare} {change} }}
          out[g] = r;
        }}"
    );
    let input: Vec<i32> = (-4..5).collect();
    let result = |g: usize| {
        let mut a: [i32; N] = std::array::from_fn(|i| {
            input[(g + i * i % 9) % 9] * (i as i32 % 5) + i as i32 % 3 // No half is rounded.
        });
        let mut r = 0u32;
        for _ in 0..input[g & 3] + 6 {
            for i in 0..N {
                if a[i] < a[(i * 7 + 3) % N] {
                    r = r.wrapping_mul(3).wrapping_add(i as u32);
                } else if a[(i * 7 + 3) % N] <= a[(i * 5 + 2) % N] {
                    r ^= i as u32 * 8;
                }
            }
            for i in (0..N).step_by(3) {
                a[i] = input[(r as usize + i) & 7] - a[i + 1];
            }
        }
        r
    };
    let want: Vec<u32> = (0..96).map(result).collect();
    check_in_all_modes(&source, one(96, 32), &[&input], &want);
}
