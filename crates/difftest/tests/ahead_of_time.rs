//! Code that is made before anything is known of a launch is vector code too, and gives the same
//! bytes as code that is made for the launch. Ranges with global IDs beyond 30 bits, where an `int`
//! may wrap from lane to lane, are right in both.

mod common;

use common::{Data, value};
use compiler::NdRange;
use lanewise_difftest::{Program, device, run, run_code};
use runtime::{ArgValue, Executable};
use std::sync::Arc;

fn build(source: &str, options: &str) -> Program {
    Program::build(source, &format!("-cl-std=CL3.0 {options}")).unwrap_or_else(|log| panic!("{log}"))
}

/// The code of all kernels that is made before anything is known of a launch.
fn all_ahead(program: &Program) -> Vec<Arc<Executable>> {
    let kernels = program.binary().unwrap_or_else(|e| panic!("{e}"));
    let any = NdRange::new(&[1], &[1]);
    kernels.iter().map(|kernel| kernel.wait_for_code(&any).unwrap_or_else(|e| panic!("{e}"))).collect()
}

fn ahead(program: &Program) -> Arc<Executable> {
    all_ahead(program).remove(0)
}

const TILED: &str = "#define T 16
kernel void gemm(int N, global const float *A, global const float *B, global float *C) {
    local float As[T][T], Bs[T][T];
    int lx = get_local_id(0), ly = get_local_id(1), c = get_global_id(0), r = get_global_id(1);
    float s = 0;
    for (int t = 0; t < N / T; t++) {
        As[ly][lx] = A[r * N + t * T + lx];
        Bs[ly][lx] = B[(t * T + ly) * N + c];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < T; k++) s += As[ly][k] * Bs[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[r * N + c] = s;
}";

const MANDELBROT: &str = "kernel void mandel(global int *out, int w, int most) {
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    float cr = -2 + 3.0f * x / w, ci = -1.5f + 3.0f * y / w, zr = 0, zi = 0;
    while (n < most && zr * zr + zi * zi < 4) { float t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; \
    zr = t; n++; }
    out[y * w + x] = n;
}";

#[test]
fn vector_code_with_the_same_bytes() {
    const N: usize = 64;
    let floats: Vec<f32> = (0..N * N).map(|i| (i * 7 % 101) as f32 / 16.0).collect();
    let (a, b) = (Data::of(&floats), Data::of(&floats[1..].iter().copied().chain([1.0]).collect::<Vec<_>>()));
    let side = value(N as i32);
    let cases = [
        (TILED, vec![side.clone(), a.arg(), b.arg()], vec![], [16, 16]),
        (MANDELBROT, vec![], vec![side, value(50)], [7, 3]),
        (MANDELBROT, vec![], vec![value(N as i32), value(50)], [32, 2]),
    ];
    for (source, before, after, local) in cases {
        let program = build(source, "");
        let code = ahead(&program);
        assert!(code.facts().work_width >= 4, "{}", code.facts().name);
        let range = NdRange::new(&[N, N], &local);
        let out = [0, 1].map(|_| Data::<u32>::zeros(N * N));
        let args = |i: usize| [before.clone(), vec![out[i].arg()], after.clone()].concat();
        run_code(&code, range, &args(0)).unwrap();
        let kernel = program.kernel(&code.facts().name).unwrap();
        run(&kernel, range, &args(1)).unwrap();
        assert!(out[0].get() == out[1].get() && out[0].get().iter().any(|x| *x != 0));
    }
}

/// Offsets at which 31 and 32 bits end within the range, also those of IDs times 16, and on either
/// side of the end of small IDs.
const OFFSETS: [usize; 8] = [
    0,
    (1 << 27) - 50,
    (1 << 27) - 49,
    (1 << 28) - 20,
    (1 << 30) - 50,
    (1 << 31) - 20,
    (1 << 32) - 20,
    1 << 40,
];

/// Runs a kernel over 50 work-items from each offset, with code for any range and code for this
/// one.
fn at_offsets(source: &str, options: &str, wanted: impl Fn(usize, usize) -> u64) {
    let program = build(source, options);
    let code = ahead(&program);
    let kernel = program.kernel(&code.facts().name).unwrap();
    for offset in OFFSETS {
        for local in [50, 16, 5] {
            let range = NdRange::new(&[50], &[local]).with_offset(&[offset]);
            let want: Vec<u64> = (0..50).map(|i| wanted(offset + i, i)).collect();
            for late in [false, true] {
                let out = Data::<u64>::zeros(50);
                let args = [out.arg(), value(offset as u64), value(0i32)];
                let done = if late { run(&kernel, range, &args) } else { run_code(&code, range, &args) };
                done.unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(out.get(), want, "'{options}' late {late} offset {offset} local {local}");
            }
        }
    }
}

#[test]
fn narrow_ids_wrap_where_they_must() {
    for options in ["", "-cl-wfv=always", "-cl-wfv=never", "-cl-wfv=always --lanes 4"] {
        at_offsets(
            "kernel void k(global ulong *out, ulong offset, int zero) {
                int i = get_global_id(0);
                out[get_global_id(0) - offset] = (long)i;
            }",
            options,
            |id, _| i64::from(id as i32) as u64,
        );
        // The index itself is narrow, and lands in the buffer again as it wraps.
        at_offsets(
            "kernel void k(global ulong *out, ulong offset, int zero) {
                int i = get_global_id(0) + zero;
                long first = (int)offset, end = (long)(int)(offset + 49);
                long at = (long)i >= first ? i - first : i - end + 49;
                out[at] = at + 1000;
            }",
            options,
            |_, i| i as u64 + 1000,
        );
        at_offsets(
            "kernel void k(global ulong *out, ulong offset, int zero) {
                uint i = get_global_id(0);
                out[(uint)(i - (uint)offset)] = (ulong)i + (uint)(i + 3u);
            }",
            options,
            |id, _| u64::from(id as u32) + u64::from((id as u32).wrapping_add(3)),
        );
        // Multiples wrap earlier.
        at_offsets(
            "kernel void k(global ulong *out, ulong offset, int zero) {
                int i = get_global_id(0) * 16;
                uint u = get_global_id(0) * 12 + 5;
                out[get_global_id(0) - offset] = (long)(i | 3) + (ulong)u;
            }",
            options,
            |id, _| {
                let signed = (id as i32).wrapping_mul(16) | 3;
                let unsigned = (id as u32).wrapping_mul(12).wrapping_add(5);
                (i64::from(signed) as u64).wrapping_add(unsigned.into())
            },
        );
    }
}

/// The size of sub-groups and the results of their operations are the same for large IDs.
#[test]
fn sub_groups_have_their_size_in_all_ranges() {
    for (attribute, options, size) in [
        ("", "--lanes 8", Some(8)),
        ("__attribute__((intel_reqd_sub_group_size(4)))", "", Some(4)),
        ("__attribute__((intel_reqd_sub_group_size(16)))", "-cl-wfv=never", Some(16)),
        ("", "", None),
    ] {
        let source = format!(
            "kernel {attribute} void k(global ulong *out, ulong offset, int zero) {{
                int i = get_global_id(0);
                uint sum = sub_group_reduce_add(1u), first = sub_group_broadcast(i, 0);
                out[get_global_id(0) - offset] = sum + 100 * get_max_sub_group_size() + 10000 * (i - \
                (int)first);
            }}"
        );
        let program = build(&source, options);
        let width = ahead(&program).facts().work_width;
        assert_eq!(width, size.unwrap_or(width));
        assert!(width > 1);
        let code = ahead(&program);
        let kernel = program.kernel("k").unwrap();
        for offset in OFFSETS {
            let range = NdRange::new(&[50], &[25]).with_offset(&[offset]);
            for late in [false, true] {
                let out = Data::<u64>::zeros(50);
                let args = [out.arg(), value(offset as u64), value(0i32)];
                if late { run(&kernel, range, &args) } else { run_code(&code, range, &args) }.unwrap();
                for (i, got) in out.get().into_iter().enumerate() {
                    // Code for this very size may have sub-groups of another one, unless it is
                    // required.
                    let most = (got / 100 % 100) as usize;
                    assert!(late && attribute.is_empty() || most == width.min(25), "{most} {width}");
                    let at = i % 25;
                    let own = most.min(25 - at / most * most);
                    let want = own + 100 * most + 10000 * (at % most);
                    assert_eq!(got, want as u64, "{late} {offset} {i}");
                }
            }
        }
    }
}

/// The required local size and the local memory of a kernel are facts of its binary, and hold.
#[test]
fn required_sizes_and_local_memory() {
    let source = "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(global int *out) {
        local int sums[8]; local char flag;
        int x = get_local_id(0), y = get_local_id(1);
        if (y == 0) sums[x] = get_global_id(0);
        if (x + y == 0) flag = 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_linear_id()] = sums[x] * 10 + flag;
    }";
    let program = build(source, "");
    let binary = program.module().create_binary().unwrap();
    let info = compiler::describe(&binary, device().compiler()).unwrap().remove(0);
    assert_eq!(
        (info.reqd_work_group_size, info.local_memory_size),
        (Some([8, 4, 1]), 33.max(info.local_memory_size))
    );
    assert!(info.local_memory_size <= 48);
    let code = ahead(&program);
    assert_eq!((code.facts().local_size, code.facts().work_width), (Some([8, 4, 1]), 8));
    for offset in [0, 1 << 31] {
        let out = Data::<i32>::zeros(16 * 8);
        run_code(&code, NdRange::new(&[16, 8], &[8, 4]).with_offset(&[0, offset]), &[out.arg()]).unwrap();
        let want: Vec<i32> = (0..128).map(|i| i % 16 * 10 + 3).collect();
        assert_eq!(out.get(), want);
    }
    let out = Data::<i32>::zeros(64);
    let refused = run_code(&code, NdRange::new(&[8, 8], &[8, 8]), &[out.arg()]).unwrap_err();
    assert!(refused.to_string().contains("[8, 4, 1]"), "{refused}");
}

/// A binary of several kernels keeps them apart.
#[test]
fn several_kernels() {
    let source = "kernel void a(global int *out) { int i = get_global_id(0); out[i] = i + 1; }
        kernel void b(global int *out) { int i = get_global_id(0); out[i] = i * 2; }
        kernel void c(global int *out) { out[0] = 7; }";
    let kernels = all_ahead(&build(source, ""));
    let mut names: Vec<_> = kernels.iter().map(|k| k.facts().name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c"]);
    for kernel in &kernels {
        let out = Data::<i32>::zeros(40);
        let n = if kernel.facts().name == "c" { 1 } else { 40 };
        run_code(kernel, NdRange::new(&[n], &[1]), &[out.arg()] as &[ArgValue]).unwrap();
        let want = |i: i32| match kernel.facts().name.as_str() {
            "a" => i + 1,
            "b" => i * 2,
            _ => {
                if i == 0 {
                    7
                } else {
                    0
                }
            }
        };
        assert_eq!(out.get(), (0..40).map(want).collect::<Vec<_>>());
    }
}

/// `!max_work_dim` holds for a binary, too.
#[test]
fn more_dimensions_than_there_may_be_are_refused() {
    let ir = "declare i64 @__mux_get_global_id(i32)
        define spir_kernel void @k(ptr addrspace(1) %p) !max_work_dim !0 {
          %i = call i64 @__mux_get_global_id(i32 0)
          %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
          store i32 7, ptr addrspace(1) %at
          ret void
        }
        !0 = !{i32 1}";
    let code = ahead(&Program::from_ir(ir.as_bytes(), "").unwrap_or_else(|log| panic!("{log}")));
    let out = Data::<i32>::zeros(40);
    run_code(&code, NdRange::new(&[40], &[20]), &[out.arg()]).unwrap();
    assert_eq!(out.get(), [7; 40]);
    let refused = run_code(&code, NdRange::new(&[20, 2], &[20, 1]), &[out.arg()]).unwrap_err();
    assert!(refused.to_string().contains("dimension"), "{refused}");
}

/// Shuffles over a work-group of a size that is not known when the code is made.
#[test]
fn degenerate_sub_groups_of_any_size() {
    let source = "kernel void k(global const int *in, global long *out) {
        size_t g = get_global_linear_id();
        uint id = get_sub_group_local_id(), size = get_sub_group_size();
        int reversed = sub_group_shuffle(in[g], size - 1 - id);
        long before = sub_group_shuffle_up((long)in[g] << 33, 1);
        out[g] = reversed + (id ? before : 0) + sub_group_reduce_max(in[g]);
    }";
    let program = build(source, "--degenerate-sub-groups");
    let code = ahead(&program);
    let values: Vec<i32> = (0..60).map(|i| i * 37 % 61).collect();
    for local in [[4, 3], [5, 7], [10, 6]] {
        let (data, out) = (Data::of(&values), Data::<i64>::zeros(60));
        run_code(&code, NdRange::new(&[10, 6], &local), &[data.arg(), out.arg()]).unwrap();
        for (i, got) in out.get().into_iter().enumerate() {
            let (first, size) = ([i % 10 / local[0] * local[0], i / 10 / local[1] * local[1]], [10, 6]);
            let size = [0, 1].map(|d: usize| local[d].min(size[d] - first[d]));
            let at = |n: usize| i64::from(values[(first[1] + n / size[0]) * 10 + first[0] + n % size[0]]);
            let (place, items) = ((i / 10 - first[1]) * size[0] + i % 10 - first[0], size[0] * size[1]);
            let before = if place > 0 { at(place - 1) << 33 } else { 0 };
            let most = (0..items).map(at).max().unwrap();
            assert_eq!(got, at(items - 1 - place) + before + most, "{local:?} {i}");
        }
    }
}
