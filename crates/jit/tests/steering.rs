//! Which arguments of a kernel its loops would gain from, and what becomes of launches with the same values.

use compiler::{NdRange, Profile, Target};
use host::HostKernel;
use lanewise_host as host;
use std::sync::Arc;

fn kernel(source: &str, options: &str) -> Arc<dyn compiler::Kernel> {
    let mut module = host::HostTarget::with_builtins().create_module().unwrap();
    module.set_options(&format!("-cl-std=CL3.0 {options}")).unwrap();
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    module.get_kernel("k").unwrap()
}

fn host_kernel(kernel: &Arc<dyn compiler::Kernel>) -> &HostKernel {
    kernel.as_any().downcast_ref().unwrap()
}

fn steering(source: &str, options: &str) -> Vec<usize> {
    let kernel = kernel(source, options);
    let code = host_kernel(&kernel).executable(&NdRange::new(&[64], &[16])).unwrap();
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
    // Where loops go, not what they compute with; and what no loop is about.
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

#[test]
fn code_for_values_is_made_once_and_used_for_them_only() {
    let k = kernel(GEMM, "");
    let k = host_kernel(&k);
    let range = NdRange::new(&[64], &[16]);
    let general = k.executable(&range).unwrap();
    let choose = |n: i32| {
        let bytes = n.to_le_bytes();
        let value = |i: usize| (i == 0).then_some(bytes.as_slice());
        let choice = k.for_values(general.clone(), &range, &value);
        choice.timing.iter().for_each(|timing| timing.note(64, 1 << 30));
        choice
    };
    let mut orders = Vec::new();
    for _ in 0..10 {
        let choice = choose(24);
        assert!(Arc::ptr_eq(&choice.code, &general));
        orders.extend(choice.order);
    }
    assert_eq!((orders.len(), k.specialized_count()), (1, 0));
    k.specialize(orders.pop().unwrap());
    assert_eq!(k.specialized_count(), 1);
    let own = choose(24).code;
    assert!(!Arc::ptr_eq(&own, &general));
    assert_eq!(
        (&own.facts().args, own.facts().args_size),
        (&general.facts().args, general.facts().args_size)
    );
    assert!(Arc::ptr_eq(&choose(25).code, &general));
}
