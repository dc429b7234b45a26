//! Code that is made before its kernel's first launch.

use compiler::{NdRange, Outlook, Profile};
use lanewise_jit::{Jit, Kernel, Program};
use runtime::ArgValue;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn program(source: &str) -> Arc<Program> {
    let mut module = host::host_info().target(None).unwrap().create_module().unwrap();
    module.set_options("-cl-std=CL3.0").unwrap();
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    Program::new(Arc::new(Jit::specializing()), host::device(), module)
}

fn outlook(source: &str) -> Outlook {
    program(source).kernel("k").unwrap().compiler().unwrap().outlook()
}

#[test]
fn the_code_tells_which_launches_to_expect() {
    let flat = outlook("kernel void k(global int *p) { p[get_global_id(0)]++; }");
    assert!(flat.ignores_groups && flat.work_dim == Some(1));
    let square = "p[get_global_id(1) * get_global_size(0) + get_global_id(0)]++;";
    let square = outlook(&format!("kernel void k(global int *p) {{ {square} }}"));
    assert!(square.ignores_groups && square.work_dim == Some(2));
    let groups =
        "void k(global int *p, local int *t) { t[get_local_id(0)] = p[0]; barrier(1); p[1] = t[7]; }";
    let any = outlook(&format!("kernel {groups}"));
    assert!(!any.ignores_groups && any.work_dim == Some(1) && any.local_size.is_none());
    let sized = outlook(&format!("kernel __attribute__((reqd_work_group_size(8, 4, 1))) {groups}"));
    assert!(!sized.ignores_groups && sized.work_dim == Some(2) && sized.local_size == Some([8, 4, 1]));
    assert_eq!(outlook("kernel void k(global int *p) { p[get_work_dim()]++; }").work_dim, None);
    assert_eq!(outlook("kernel void k(global int *p, int d) { p[get_global_id(d)]++; }").work_dim, None);
}

/// How often machine code was made.
fn made(k: &Kernel) -> usize {
    k.report().times.iter().filter(|(step, _)| step == "generate code").count()
}

/// The kernel of a program whose launches were expected, and the code for some of its launches.
fn launched(source: &str, ranges: &[NdRange]) -> Arc<Kernel> {
    let program = program(source);
    let k = program.kernel("k").unwrap();
    program.expect_launches();
    let until = Instant::now() + Duration::from_secs(60);
    while made(&k) == 0 && host::device().properties().compute_units > 1 {
        assert!(Instant::now() < until, "the code is never made");
        std::thread::sleep(Duration::from_millis(1));
    }
    let code = |range| k.choose(range, &[ArgValue::Null, ArgValue::Null]).unwrap().executable;
    let first = code(&ranges[0]);
    assert!(ranges.iter().all(|range| Arc::ptr_eq(&code(range), &first)));
    k
}

#[test]
fn launches_have_the_code_that_was_made_ahead() {
    let flat = "kernel void k(global int *p) { p[get_global_id(0)]++; }";
    let ranges = [NdRange::new(&[64], &[16]), NdRange::new(&[100], &[25]), NdRange::new(&[90], &[16])];
    assert_eq!(made(&launched(flat, &ranges)), 1);
    let sized = "kernel __attribute__((reqd_work_group_size(16, 1, 1))) void k(global int *p) {
        local int t[16]; int l = get_local_id(0); t[l] = p[l]; barrier(CLK_LOCAL_MEM_FENCE);
        p[l] = t[15 - l]; }";
    assert_eq!(made(&launched(sized, &[NdRange::new(&[64], &[16]), NdRange::new(&[32], &[16])])), 1);
}

#[test]
fn the_local_size_of_the_last_launch_is_expected_again() {
    let source = |n: u32| {
        format!(
            "kernel void k{n}(global int *p, local int *t) {{ int l = get_local_id(0); t[l] = p[l] + {n};
                barrier(CLK_LOCAL_MEM_FENCE); p[l] = t[l ^ 1]; }}"
        )
    };
    let program = program(&(source(0) + &source(1)));
    let [first, second] = ["k0", "k1"].map(|name| program.kernel(name).unwrap());
    let range = NdRange::new(&[64], &[32]);
    let launch = |k: &Arc<Kernel>| k.choose(&range, &[ArgValue::Null, ArgValue::Local(128)]).unwrap();
    launch(&first);
    program.expect_launches();
    let until = Instant::now() + Duration::from_secs(60);
    while made(&second) == 0 && host::device().properties().compute_units > 1 {
        assert!(Instant::now() < until, "the code is never made");
        std::thread::sleep(Duration::from_millis(1));
    }
    launch(&second);
    assert_eq!((made(&first), made(&second)), (1, 1));
}

#[test]
fn a_launch_that_comes_first_or_is_of_another_kind_has_its_own_code() {
    let flat = "kernel void k(global int *p) { p[get_global_id(0)]++; }";
    let program = program(flat);
    let k = program.kernel("k").unwrap();
    let own = k.wait_for_code(&NdRange::new(&[64, 2], &[16, 1])).unwrap();
    program.expect_launches();
    let other = k.choose(&NdRange::new(&[64, 4], &[32, 2]), &[ArgValue::Null]).unwrap().executable;
    assert!(Arc::ptr_eq(&own, &other));
    let flat = k.wait_for_code(&NdRange::new(&[64], &[16])).unwrap();
    assert!(!Arc::ptr_eq(&own, &flat));
    assert_eq!(made(&k), 2);
}
