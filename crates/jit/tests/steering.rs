//! Steering arguments of kernels, and specialization of launches with the same values.

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
