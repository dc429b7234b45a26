//! Steering arguments of kernels, specialization of launches with the same values, and rivals.

use compiler::{NdRange, Profile};
use lanewise_jit::{ChosenCode, Jit, Kernel, Program};
use runtime::ArgValue;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn kernel(jit: Jit, source: &str, options: &str) -> Arc<Kernel> {
    let mut module = host::host_info().target(None).unwrap().create_module().unwrap();
    module.set_options(&format!("-cl-std=CL3.0 {options}")).unwrap();
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    Program::new(Arc::new(jit), host::device(), module).kernel("k").unwrap()
}

fn steering(source: &str, options: &str) -> Vec<usize> {
    let kernel = kernel(Jit::new(), source, options);
    let code = kernel.wait_for_code(&NdRange::new(&[64], &[16])).unwrap();
    code.facts().steering_args.clone()
}

const GEMM: &str = "kernel void k(int N, global const float *A, global const float *B, global float *C) {
    int c = get_global_id(0); float s = 0;
    for (int k = 0; k < N; k++) s += A[k] * B[k * N + c];
    C[c] = s;
}";

#[test]
fn bounds_and_strides_of_loops_steer() {
    assert_eq!(steering(GEMM, ""), [0]);
    let derived = "kernel void k(global int *a, int w, uint n, long m, int z) {
        int s = z;
        for (int i = 0; i < min(w, 100) / 4; i++) s += a[i * m] ^ n;
        a[get_global_id(0)] = s;
    }";
    assert_eq!(steering(derived, ""), [1, 3]);
    let several = "kernel void k(global int *a, int n, float f, int most) {
        int i = 0; float x = a[get_global_id(0)];
        while (i < most && x < 4) { x = x * x + f; i++; }
        a[get_global_id(0) + n] = i;
    }";
    assert_eq!(steering(several, ""), [3]);
    // Loop bounds and strides are steering arguments; values that loops only compute with, or that
    // no loop uses, are not.
    assert_eq!(steering("kernel void k(global int *a, int n) { a[get_global_id(0) * n] += n; }", ""), []);
    let unrelated = "kernel void k(global int *a, int n) {
        int s = 0;
        for (int i = 0; i < a[0]; i++) s += a[i] + n;
        a[get_global_id(0)] = s;
    }";
    assert_eq!(steering(unrelated, ""), []);
}

/// Code that is made anew might contract or reassociate otherwise, or have other sub-groups.
#[test]
fn kernels_that_need_not_give_the_same_results_are_left_alone() {
    for options in ["-cl-fast-relaxed-math", "-cl-mad-enable", "-cl-unsafe-math-optimizations"] {
        assert_eq!(steering(GEMM, options), [], "{options}");
    }
    let sub_groups = GEMM.replace("C[c] = s;", "C[c] = sub_group_reduce_add(s);");
    assert_eq!(steering(&sub_groups, ""), []);
}

/// A launch of [`GEMM`] with this `N` that is said to take a second.
fn choose(k: &Arc<Kernel>, range: &NdRange, n: i32) -> ChosenCode {
    let values = [ArgValue::Bytes(n.to_le_bytes().to_vec()), ArgValue::Null, ArgValue::Null, ArgValue::Null];
    let choice = k.choose(range, &values).unwrap();
    choice.timing.iter().for_each(|timing| timing.note(64, 1 << 30));
    choice
}

#[test]
fn code_for_values_is_made_once_and_used_for_them_only() {
    let k = kernel(Jit::specializing(), GEMM, "");
    let range = NdRange::new(&[64], &[16]);
    let general = k.wait_for_code(&range).unwrap();
    // So many launches are watched before code is asked for: they all have the general code, and
    // are timed.
    for _ in 0..4 {
        let choice = choose(&k, &range, 24);
        assert!(Arc::ptr_eq(&choice.executable, &general) && choice.timing.is_some());
    }
    let until = Instant::now() + Duration::from_secs(60);
    let own = loop {
        let choice = choose(&k, &range, 24);
        if !Arc::ptr_eq(&choice.executable, &general) {
            break choice.executable;
        }
        // Ordered once, nothing is watched until it is made.
        assert!(choice.timing.is_none());
        assert!(Instant::now() < until, "the code is never made");
        std::thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(
        (&own.facts().args, own.facts().args_size),
        (&general.facts().args, general.facts().args_size)
    );
    assert!(Arc::ptr_eq(&choose(&k, &range, 25).executable, &general));
    assert!(Arc::ptr_eq(&choose(&k, &range, 24).executable, &own));
    // The general code and that for one value: no more was made.
    assert_eq!(k.report().times.iter().filter(|(step, _)| step == "generate code").count(), 2);
}

#[test]
fn without_the_wish_nothing_is_watched_or_made() {
    let k = kernel(Jit::new(), GEMM, "");
    let range = NdRange::new(&[64], &[16]);
    let general = k.wait_for_code(&range).unwrap();
    for _ in 0..20 {
        let choice = choose(&k, &range, 24);
        assert!(Arc::ptr_eq(&choice.executable, &general) && choice.timing.is_none());
    }
}

/// A loop that each work-item leaves when its data say so.
const DIVIDES: &str = "kernel void k(global uint *a) {
    uint i = get_global_id(0), n = i * 7919 + 1, d = 2;
    while (d * d <= n && n % d != 0) d++;
    a[i] = d;
}";

/// What runs launches of a millisecond each, in turn: whether it is vector code.
fn widths(k: &Arc<Kernel>, launches: usize) -> Vec<bool> {
    let range = NdRange::new(&[64], &[16]);
    let of_launch = |_| {
        let choice = k.choose(&range, &[ArgValue::Null]).unwrap();
        let is_wide = choice.executable.facts().work_width > 1;
        choice.timing.iter().for_each(|timing| timing.note(64, if is_wide { 4 << 20 } else { 1 << 20 }));
        is_wide
    };
    (0..launches).map(of_launch).collect()
}

#[test]
fn scalar_code_that_is_faster_takes_the_place_of_vector_code() {
    let k = kernel(Jit::specializing(), DIVIDES, "");
    let range = NdRange::new(&[64], &[16]);
    let general = k.wait_for_code(&range).unwrap();
    assert!(general.facts().undecided && general.facts().work_width > 1);
    let until = Instant::now() + Duration::from_secs(60);
    while widths(&k, 1) == [true] {
        assert!(Instant::now() < until, "the scalar code is never made");
        std::thread::sleep(Duration::from_millis(1));
    }
    // After its trial nothing is timed any more.
    assert_eq!(widths(&k, 20), [false; 20]);
    let choice = k.choose(&range, &[ArgValue::Null]).unwrap();
    assert!(choice.executable.facts().work_width == 1 && choice.timing.is_none());
}

/// Whether vector code pays is certain of what does not depend on data, not asked where the options
/// say it, and of no interest where results might differ.
#[test]
fn what_is_decided_has_no_rival() {
    let undecided = |source: &str, options: &str| {
        let kernel = kernel(Jit::new(), source, options);
        kernel.wait_for_code(&NdRange::new(&[64], &[16])).unwrap().facts().undecided
    };
    assert!(undecided(DIVIDES, ""));
    for options in ["-cl-wfv=always", "-cl-wfv=never"] {
        assert!(!undecided(DIVIDES, options), "{options}");
    }
    let floats = DIVIDES.replace("a[i] = d;", "a[i] = (uint)(i * 1.5f * d);");
    assert!(undecided(&floats, "") && !undecided(&floats, "-cl-fast-relaxed-math"));
    assert!(!undecided("kernel void k(global float *a) { a[get_global_id(0)] *= 2; }", ""));
}
