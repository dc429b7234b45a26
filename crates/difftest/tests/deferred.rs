//! Deferred compilation: what a kernel answers before it runs, and code made for what is known.

mod common;

use common::*;
use compiler::{Descriptor, Error, NdRange, NdRangeOptions, Profile};
use jit::{Jit, Kernel};
use lanewise_difftest::{Program, device, module, run_code};
use runtime::Executable;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SUM: &str = "kernel void k(global const int *in, global int *out, int n) {
    int i = get_global_id(0), sum = 0;
    for (int j = 0; j < n; j++) sum += in[(i + j) % get_global_size(0)];
    out[i] = sum + get_local_size(0) + get_work_dim();
}";

const GROUPS: &str = "kernel void k(global int *out) {
    out[get_global_linear_id()] = sub_group_reduce_add(1) + 1000 * get_max_sub_group_size();
}";

/// The only kernel of a binary.
fn load(binary: &[u8]) -> Arc<Executable> {
    // SAFETY: there are no variables.
    let program = unsafe { device().create_program(None) }.unwrap();
    // SAFETY: the device's compiler made the binary in this process.
    unsafe { program.load(binary) }.unwrap().pop().unwrap()
}

/// How many times code was made.
fn compilations(kernel: &Kernel) -> usize {
    kernel.report().times.iter().filter(|(step, _)| step == "generate code").count()
}

fn is_invalid<T: std::fmt::Debug>(result: compiler::Result<T>) {
    assert!(matches!(result, Err(Error::InvalidValue(_))), "{result:?}");
}

#[test]
fn a_local_size_of_zero_is_refused_by_every_query() {
    let k = kernel(GROUPS, "k", "");
    let k = k.compiler().unwrap();
    for zero in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
        is_invalid(k.get_dynamic_work_width(zero));
        is_invalid(k.query_sub_group_size_for_local_size(zero));
        let options =
            NdRangeOptions { local_size: Some(zero), ..NdRangeOptions::from(&NdRange::new(&[8], &[8])) };
        is_invalid(k.create_specialized_kernel(&options));
    }
}

#[test]
fn options_that_are_none_are_refused() {
    let k = kernel(SUM, "k", "");
    let k = k.compiler().unwrap();
    let range = NdRange::new(&[8], &[8]);
    let good = NdRangeOptions::from(&range);
    assert!(k.create_specialized_kernel(&good).is_ok());
    is_invalid(k.create_specialized_kernel(&NdRangeOptions { descriptors: Some(&[]), ..good }));
    is_invalid(k.create_specialized_kernel(&NdRangeOptions { global_offset: None, ..good }));
    is_invalid(k.create_specialized_kernel(&NdRangeOptions { global_size: None, ..good }));
    is_invalid(k.create_specialized_kernel(&NdRangeOptions { length: 0, ..good }));
    is_invalid(k.create_specialized_kernel(&NdRangeOptions { length: 4, ..good }));
    let custom = [Descriptor::CustomBuffer];
    is_invalid(k.create_specialized_kernel(&NdRangeOptions { descriptors: Some(&custom), ..good }));
    // More values than the kernel has arguments: no code can be made.
    let many = [Descriptor::Value(&[0; 8]); 9];
    let result = k.create_specialized_kernel(&NdRangeOptions { descriptors: Some(&many), ..good });
    assert!(matches!(result, Err(Error::FinalizeProgramFailure(_))), "{result:?}");
}

#[test]
fn the_work_width_is_that_of_the_vectors_and_never_more_than_the_work_group() {
    let wide = kernel(SUM, "k", "-cl-wfv=always --lanes 8");
    for (local, width) in [([64, 1, 1], 8), ([8, 1, 1], 8), ([3, 1, 1], 3), ([1, 1, 1], 1), ([1, 1, 16], 8)] {
        assert_eq!(wide.compiler().unwrap().get_dynamic_work_width(local), Ok(width), "{local:?}");
    }
    let scalar = kernel(SUM, "k", "-cl-wfv=never");
    assert_eq!(scalar.compiler().unwrap().get_dynamic_work_width([64, 1, 1]), Ok(1));
}

/// Through `jit`, which calls the compiler's `precache_local_size`.
#[test]
fn what_was_made_for_a_question_runs_the_launch() {
    let k = kernel(GROUPS, "k", "");
    let own = k.compiler().unwrap();
    own.query_sub_group_size_for_local_size([24, 1, 1]).unwrap();
    assert_eq!(compilations(&k), 1);
    let code = k.wait_for_code(&NdRange::new(&[48], &[24])).unwrap();
    assert_eq!(code.facts().local_size, Some([24, 1, 1]));
    assert_eq!(compilations(&k), 1);
    // Other questions about that size find it, too.
    own.get_dynamic_work_width([24, 1, 1]).unwrap();
    assert_eq!(compilations(&k), 1);
}

/// What a kernel says of its sub-groups is what it finds when it runs.
#[test]
fn sub_group_queries_say_what_happens() {
    for mode in ["-cl-wfv=never", "--lanes 4", "--lanes 16", "--lanes 24", "--degenerate-sub-groups"] {
        let kernel = kernel(GROUPS, "k", mode);
        let k = kernel.compiler().unwrap();
        for local in [[1, 1, 1], [5, 1, 1], [16, 1, 1], [100, 1, 1], [6, 5, 1], [2, 3, 4]] {
            let size = k.query_sub_group_size_for_local_size(local).unwrap() as usize;
            let items: usize = local.iter().product();
            let out = Data::<i32>::zeros(items);
            launch_once(&kernel, NdRange::new(&local, &local), &[out.arg()]);
            for (i, got) in out.get().into_iter().enumerate() {
                let own = size.min(items - i / size * size);
                assert_eq!(got as usize, own + 1000 * size, "{mode} {local:?} {i}");
            }
        }
        let size = k.get_sub_group_size().unwrap() as usize;
        let most = k.query_max_sub_group_count().unwrap();
        assert_eq!(most, device().compiler().device_info().max_work_group_size.div_ceil(size), "{mode}");
        for count in [1, 2, 3, 7] {
            let local = k.query_local_size_for_sub_group_count(count).unwrap();
            if count > most {
                assert_eq!(local, [0; 3], "{mode} {count}");
                continue;
            }
            assert_eq!(local, [count * size, 1, 1], "{mode} {count}");
            assert_eq!(k.query_sub_group_size_for_local_size(local), Ok(size as u32), "{mode} {count}");
        }
        assert_eq!(k.query_local_size_for_sub_group_count(0), Ok([0; 3]));
        assert_eq!(k.query_local_size_for_sub_group_count(usize::MAX), Ok([0; 3]));
    }
}

#[test]
fn a_required_local_size_is_the_only_one() {
    let source = GROUPS.replace("kernel void", "kernel __attribute__((reqd_work_group_size(24, 1, 1))) void");
    let k = kernel(&source, "k", "--lanes 8");
    let k = k.compiler().unwrap();
    assert_eq!(k.query_max_sub_group_count(), Ok(3));
    assert_eq!(k.query_local_size_for_sub_group_count(3), Ok([24, 1, 1]));
    assert_eq!(k.query_local_size_for_sub_group_count(2), Ok([0; 3]));
}

#[test]
fn a_required_sub_group_size_is_kept() {
    for size in [4, 8, 16, 32] {
        let with = format!("kernel __attribute__((intel_reqd_sub_group_size({size}))) void");
        for mode in ["", "-cl-wfv=never", "-cl-opt-disable", "--lanes 2"] {
            let k = kernel(&GROUPS.replace("kernel void", &with), "k", mode);
            assert_eq!(k.compiler().unwrap().get_sub_group_size(), Ok(size), "{mode}");
            let out = Data::<i32>::zeros(70);
            launch_once(&k, NdRange::new(&[70], &[35]), &[out.arg()]);
            for (i, got) in out.get().into_iter().enumerate() {
                let (at, size) = (i % 35, size as usize);
                let own = size.min(35 - at / size * size);
                assert_eq!(got as usize, own + 1000 * size, "{mode} {i}");
            }
        }
    }
}

/// A binary made for values of arguments takes them from nowhere else.
#[test]
fn a_kernel_is_specialised_for_values_of_its_arguments() {
    let k = kernel(SUM, "k", "");
    let range = NdRange::new(&[32], &[16]);
    let five = 5i32.to_le_bytes();
    let descriptors = [Descriptor::Buffer, Descriptor::Null, Descriptor::Value(&five)];
    let options = NdRangeOptions { descriptors: Some(&descriptors), ..NdRangeOptions::from(&range) };
    let code = load(&k.compiler().unwrap().create_specialized_kernel(&options).unwrap());
    let input: Vec<i32> = (0..32).collect();
    let (data, out) = (Data::of(&input), Data::<i32>::zeros(32));
    // The value that is passed is not looked at.
    let args = [data.arg(), out.arg(), value(1000)];
    let packed = runtime::PackedArgs::pack(code.facts(), &args).unwrap();
    let command = runtime::Command::launch(runtime::Launch::new(code, range, packed).unwrap());
    runtime::Queue::in_order().enqueue(command, &[]).unwrap().wait().unwrap();
    let want: Vec<i32> = (0..32).map(|i| (0..5).map(|j| (i + j) % 32).sum::<i32>() + 16 + 1).collect();
    assert_eq!(out.get(), want);
}

/// A hundred local sizes: all right, and no more code is kept than for a few dozen of them.
#[test]
fn a_hundred_local_sizes_stay_right_and_bounded() {
    let source = "kernel void k(global int *out) {
        local int last;
        if (get_local_id(0) == get_local_size(0) - 1) last = get_group_id(0) * 1000 + get_local_size(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = last;
    }";
    let mut module = module().unwrap();
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    let k = Program::of(module, Jit::new()).kernel("k").unwrap();
    for local in 1..=100 {
        let n = 2 * local;
        let out = Data::<i32>::zeros(n);
        launch_once(&k, NdRange::new(&[n], &[local]), &[out.arg()]);
        let want: Vec<i32> = (0..n).map(|i| (i / local * 1000 + local) as i32).collect();
        assert_eq!(out.get(), want, "{local}");
    }
    let made = compilations(&k);
    assert!(made <= 33, "{made}");
}

/// Code is made for ranges that begin at 0 (`Late::zero_offset`), and for others.
#[test]
fn ranges_with_and_without_an_offset_have_code_of_their_own() {
    let source = "kernel void k(global int *out) {
        size_t i = get_global_id(0) - get_global_offset(0);
        out[i] = get_global_id(0) + 1000 * get_global_offset(0) + 100000 * get_global_linear_id() + \
        get_group_id(0);
    }";
    let k = kernel(source, "k", "");
    let run = |range: NdRange| {
        let code = k.wait_for_code(&range).unwrap();
        let out = Data::<i32>::zeros(64);
        run_code(&code, range, &[out.arg()]).unwrap();
        let offset = range.global_offset[0] as i32;
        let want: Vec<i32> = (0..64).map(|i| i + offset + 1000 * offset + 100_000 * i + i / 16).collect();
        assert_eq!(out.get(), want, "{range:?}");
    };
    let zero = NdRange::new(&[64], &[16]);
    let [three, nine] = [3, 9].map(|offset| NdRange { global_offset: [offset, 0, 0], ..zero });
    [zero, three, zero, nine].into_iter().for_each(run);
    assert_eq!(compilations(&k), 2);

    let specialized = |range: &NdRange| {
        load(&k.compiler().unwrap().create_specialized_kernel(&NdRangeOptions::from(range)).unwrap())
    };
    let launch = |code: &Arc<Executable>, range: NdRange| {
        let out = Data::<i32>::zeros(64);
        run_code(code, range, &[out.arg()])
    };
    let without = specialized(&zero);
    launch(&without, zero).unwrap();
    assert!(launch(&without, three).unwrap_err().to_string().contains("global offset"));
    let large = NdRange { global_size: [1 << 31, 1, 1], ..zero };
    assert!(launch(&without, large).unwrap_err().to_string().contains("global IDs of 134217728 or more"));
    let with = specialized(&three);
    [zero, three, nine].into_iter().for_each(|range| launch(&with, range).unwrap());
}

#[test]
fn code_for_any_local_size_does_until_there_is_other() {
    let source = "kernel void k(global int *out) {
        local int sums[64];
        sums[get_local_id(0)] = get_global_id(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = sums[get_local_size(0) - 1 - get_local_id(0)];
    }";
    let check = |code: &Arc<Executable>, range: NdRange| {
        let out = Data::<i32>::zeros(range.work_items());
        run_code(code, range, &[out.arg()]).unwrap();
        let mut want: Vec<i32> = (0..range.work_items() as i32).collect();
        want.chunks_mut(range.local_size[0]).for_each(<[i32]>::reverse);
        assert_eq!(out.get(), want, "{range:?}");
    };
    let specializing = |source: &str| {
        let mut module = module().unwrap();
        module.set_options("-cl-std=CL3.0").unwrap();
        module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
        module.finalize().unwrap();
        Program::of(module, Jit::specializing()).kernel("k").unwrap()
    };
    let code = |k: &Arc<Kernel>, range: &NdRange| k.choose(range, &[]).unwrap().executable;
    let own_size = |code: &Arc<Executable>| code.facts().local_size;
    let [sixteen, eight] = [16, 8].map(|local| NdRange::new(&[64], &[local]));
    // While there is no code at all, the first launch waits for its own.
    assert_eq!(own_size(&code(&specializing(source), &sixteen)), Some([16, 1, 1]));

    let k = specializing(source);
    let not_divided = NdRange::new(&[50], &[16]);
    check(&code(&k, &not_divided), not_divided);
    let general = code(&k, &sixteen);
    assert_eq!(own_size(&general), None);
    check(&general, sixteen);
    let until = Instant::now() + Duration::from_secs(60);
    let made = loop {
        let made = code(&k, &sixteen);
        check(&made, sixteen);
        if !Arc::ptr_eq(&made, &general) {
            break made;
        }
        assert!(Instant::now() < until, "the code is never made");
        std::thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(own_size(&made), Some([16, 1, 1]));
    // It was ordered once, and what was there stays in use for others.
    assert_eq!(compilations(&k), 2);
    assert!(Arc::ptr_eq(&code(&k, &not_divided), &general));
    assert!(Arc::ptr_eq(&code(&k, &eight), &general));

    // The size of sub-groups must not change under a program.
    let k = specializing(GROUPS);
    assert_eq!(own_size(&code(&k, &not_divided)), None);
    assert_eq!(own_size(&code(&k, &sixteen)), Some([16, 1, 1]));
}
