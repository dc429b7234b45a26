//! Binaries: made ahead of time, for one size or for any, loaded without compiling, refused when
//! they are not ours.

mod common;

use common::{Data, value};
use compiler::{KernelInfo, Machine, NdRange, Profile};
use jit::Jit;
use lanewise_difftest::{Program, device, module, run_code};
use runtime::{ArgValue, Executable};
use std::sync::Arc;

const SOURCE: &str = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }
kernel void reverse(global int *a, local int *s) {
    size_t l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = s[get_local_size(0) - 1 - l];
}
kernel void ids(global int *a) {
    local int first;
    if (get_local_linear_id() == 0) first = get_global_linear_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_linear_id()] = first * 1000 + (int)get_local_size(0) * 10 + get_work_dim();
}";

fn build(source: &str, options: &str) -> Program {
    Program::build(source, &format!("-cl-std=CL3.0 {options}")).unwrap_or_else(|log| panic!("{log}"))
}

/// The kernels of a binary that was made here, or is refused.
fn load(binary: &[u8]) -> compiler::Result<Vec<Arc<Executable>>> {
    // SAFETY: there are no variables.
    let program = unsafe { device().create_program(None) }?;
    // SAFETY: what tests change of a binary is found by its seal, or is no code.
    unsafe { program.load(binary) }
}

fn machine() -> Machine {
    device().compiler().backend().machine()
}

fn describe(binary: &[u8]) -> compiler::Result<Vec<KernelInfo>> {
    compiler::describe(binary, device().compiler())
}

fn named<'a>(kernels: &'a [Arc<Executable>], name: &str) -> &'a Arc<Executable> {
    kernels.iter().find(|k| k.facts().name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn numbers(n: usize) -> Vec<i32> {
    (0..n as i32).map(|i| i * 7 - 3).collect()
}

#[test]
fn a_binary_has_all_kernels_for_any_range() {
    for options in common::BUILDS {
        let binary = build(SOURCE, options).module().create_binary().unwrap();
        let kernels = load(&binary).unwrap();
        assert_eq!(kernels.len(), 3);
        for (global, local) in [(100, 10), (100, 7), (5, 64), (1, 1), (4096, 4096)] {
            let range = NdRange::new(&[global], &[local]).with_offset(&[0]);
            let data = Data::of(&numbers(global));
            run_code(named(&kernels, "add"), range, &[data.arg(), value(5i32)]).unwrap();
            run_code(named(&kernels, "reverse"), range, &[data.arg(), ArgValue::Local(4 * local)]).unwrap();
            let mut expected: Vec<i32> = numbers(global).iter().map(|v| v + 5).collect();
            expected.chunks_mut(local).for_each(<[i32]>::reverse);
            assert_eq!(data.get(), expected, "'{options}', {global} {local}");
        }
        for range in common::shapes() {
            let data = Data::<i32>::zeros(range.work_items());
            run_code(named(&kernels, "ids"), range, &[data.arg()]).unwrap();
            let actual = data.get();
            for group in common::groups(&range) {
                for item in &group.items {
                    let first = group.items[0].g;
                    let expected = first * 1000 + group.size[0] * 10 + range.work_dim as usize;
                    assert_eq!(actual[item.g], expected as i32, "'{options}', {range:?}");
                }
            }
        }
    }
}

#[test]
fn a_binary_tells_of_its_kernels() {
    let program = build(SOURCE, "");
    let binary = program.module().create_binary().unwrap();
    let mut told = describe(&binary).unwrap();
    let mut known = program.module().program_info().kernels.clone();
    told.sort_by(|a, b| a.name.cmp(&b.name));
    known.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(told, known);
    // The live values across barriers are known only once machine code is made.
    let keeps = "kernel void k(global int *a, local int *s) {
        int own = a[get_global_id(0)];
        s[get_local_id(0)] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = own ^ s[get_local_size(0) - 1 - get_local_id(0)];
    }";
    let told = describe(&build(keeps, "").module().create_binary().unwrap()).unwrap();
    assert_eq!(told[0].private_memory_size, 4);
}

fn specialised(program: &Program, name: &str, range: &NdRange) -> Vec<u8> {
    let kernel = program.kernel(name).unwrap();
    kernel.compiler().unwrap().create_specialized_kernel(&range.into()).unwrap()
}

#[test]
fn a_specialised_binary_is_for_its_size() {
    let program = build(SOURCE, "");
    let range = NdRange::new(&[96], &[16]);
    let binary = specialised(&program, "reverse", &range);
    let kernels = load(&binary).unwrap();
    assert_eq!((kernels.len(), kernels[0].facts().local_size), (1, Some([16, 1, 1])));
    let data = Data::of(&numbers(96));
    let args = [data.arg(), ArgValue::Local(64)];
    run_code(&kernels[0], range, &args).unwrap();
    let mut expected = numbers(96);
    expected.chunks_mut(16).for_each(<[i32]>::reverse);
    assert_eq!(data.get(), expected);
    run_code(&kernels[0], NdRange::new(&[32], &[16]), &args).unwrap();
    expected[..32].chunks_mut(16).for_each(<[i32]>::reverse);
    assert_eq!(data.get(), expected);
    assert!(
        run_code(&kernels[0], NdRange::new(&[96], &[8]), &args)
            .unwrap_err()
            .to_string()
            .contains("[16, 1, 1]")
    );
    assert!(
        run_code(&kernels[0], NdRange::new(&[90], &[16]), &args).unwrap_err().to_string().contains("divide")
    );
    let with_offset = NdRange::new(&[32], &[16]).with_offset(&[64]);
    assert!(run_code(&kernels[0], with_offset, &args).unwrap_err().to_string().contains("global offset"));
}

#[test]
fn a_specialised_binary_for_a_range_that_is_not_divided() {
    let program = build(SOURCE, "");
    let range = NdRange::new(&[90], &[16]);
    let binary = specialised(&program, "reverse", &range);
    let kernels = load(&binary).unwrap();
    let data = Data::of(&numbers(90));
    run_code(&kernels[0], range, &[data.arg(), ArgValue::Local(64)]).unwrap();
    let mut expected = numbers(90);
    expected.chunks_mut(16).for_each(<[i32]>::reverse);
    assert_eq!(data.get(), expected);
}

#[test]
fn ranges_that_are_none_are_refused() {
    let program = build(SOURCE, "");
    let kernel = program.kernel("add").unwrap();
    let good = NdRange::new(&[16], &[4]);
    for bad in [
        NdRange { local_size: [0, 1, 1], ..good },
        NdRange { local_size: [4, 1, 0], ..good },
        NdRange { work_dim: 0, ..good },
        NdRange { work_dim: 4, ..good },
    ] {
        let error = kernel.compiler().unwrap().create_specialized_kernel(&(&bad).into()).unwrap_err();
        assert!(matches!(error, compiler::Error::InvalidValue(_)), "{bad:?}: {error:?}");
        assert!(kernel.wait_for_code(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn a_required_size_is_required() {
    let source = "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global int *a) {
            a[get_global_id(0)] = get_local_size(0);
        }";
    let program = build(source, "");
    let k = program.kernel("k").unwrap();
    assert_eq!(k.compiler().unwrap().preferred_local_size(), [8, 1, 1]);
    let a = Data::<i32>::zeros(32);
    common::launch(&k, NdRange::new(&[32], &[8]), &[a.arg()]);
    assert_eq!(a.get(), [8; 32]);
    for (global, local) in [(32, 16), (32, 4), (30, 8)] {
        let range = NdRange::new(&[global], &[local]);
        let error = lanewise_difftest::run(&k, range, &[a.arg()]).unwrap_err();
        assert!(error.to_string().contains('8'), "{global} {local}: {error}");
    }
}

/// The object under a new seal, with one text replaced by another of the same length.
fn patched(binary: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let name = device().compiler().name();
    let mut object = compiler::open_seal(binary, name).unwrap().to_vec();
    let places: Vec<usize> = object
        .windows(from.len())
        .enumerate()
        .filter(|(_, w)| *w == from.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty(), "the binary has no '{from}'");
    places.iter().for_each(|at| object[*at..*at + to.len()].copy_from_slice(to.as_bytes()));
    compiler::seal(object, name)
}

#[test]
fn binaries_of_other_versions_and_cpus_are_refused() {
    let binary = build(SOURCE, "").module().create_binary().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let other = patched(&binary, &format!("{version} (LLVM"), &format!("9{} (LLVM", &version[1..]));
    let error = load(&other).unwrap_err();
    assert!(
        error.to_string().contains(&format!("Lanewise 9{}", &version[1..]))
            && error.to_string().contains(version),
        "{error}"
    );
    let cpu = machine().cpu;
    let length = |n: &str| (n.len() as u64).to_le_bytes().iter().map(|b| *b as char).collect::<String>();
    let name = format!("{}{cpu}", length(&cpu));
    let stranger = format!("{}{}", length(&cpu), "z".repeat(cpu.len()));
    let error = load(&patched(&binary, &name, &stranger)).unwrap_err();
    assert!(error.to_string().contains("zzz") && error.to_string().contains(&cpu), "{error}");
    assert!(describe(&other).is_err());
    // Patched with the text it had, the binary loads: only the other text was refused.
    assert!(load(&patched(&binary, &name, &name)).is_ok());
}

#[test]
fn what_is_no_binary_is_refused() {
    let binary = build(SOURCE, "").module().create_binary().unwrap();
    let other_elf = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    for (bytes, what) in [
        (&[][..], "nothing"),
        (b"#!/bin/sh", "a script"),
        (&binary[..100], "a piece"),
        (&other_elf[..], "a program"),
        (&compiler::seal(b"nonsense".to_vec(), "cpu")[..], "sealed nonsense"),
        (&compiler::seal(other_elf.clone(), "cpu")[..], "a sealed program"),
    ] {
        let error = load(bytes).expect_err(what);
        assert!(!error.message().is_empty() && !error.message().contains('\n'), "{what}: {error}");
    }
    for at in (0..binary.len()).step_by(17) {
        let mut bad = binary.clone();
        bad[at] ^= 0x41;
        assert!(load(&bad).is_err(), "byte {at}");
        assert!(load(&binary[..at]).is_err(), "cut to {at}");
    }
}

#[test]
fn code_lives_as_long_as_its_kernel() {
    let kernel = {
        let binary = build(SOURCE, "").module().create_binary().unwrap();
        let kernels = load(&binary).unwrap();
        named(&kernels, "add").clone()
    };
    let data = Data::of(&[1, 2, 3]);
    run_code(&kernel, NdRange::new(&[3], &[1]), &[data.arg(), value(10i32)]).unwrap();
    assert_eq!(data.get(), [11, 12, 13]);
}

#[test]
fn a_module_that_was_serialized_runs() {
    let program = build(SOURCE, "-cl-denorms-are-zero");
    let mut module = module().unwrap();
    module.deserialize(&program.module().serialize()).unwrap();
    let kernel = Program::of(module, Jit::new()).kernel("reverse").unwrap();
    let data = Data::of(&numbers(30));
    common::launch(&kernel, NdRange::new(&[30], &[8]), &[data.arg(), ArgValue::Local(32)]);
    let mut expected = numbers(30);
    expected.chunks_mut(8).for_each(<[i32]>::reverse);
    assert_eq!(data.get(), expected);
}

#[test]
fn linked_sources_run() {
    let target = device().compiler().target(None).unwrap();
    let compile = |source: &str| {
        let mut m = target.create_module().unwrap();
        m.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
        m
    };
    let table = "constant int offset = 100; int even(int n);
        int odd(int n) { barrier(CLK_LOCAL_MEM_FENCE); return even(n) + offset; }";
    let user = "int odd(int n); int even(int n) { return n * 2; }
        kernel void k(global int *a) { a[get_global_id(0)] = odd(get_local_id(0)); }";
    let mut linked = target.create_module().unwrap();
    linked.link(&[&compile(user), &compile(table)]).unwrap();
    linked.finalize().unwrap();
    let a = Data::<i32>::zeros(10);
    let k = Program::of(linked, Jit::new()).kernel("k").unwrap();
    common::launch(&k, NdRange::new(&[10], &[4]), &[a.arg()]);
    assert_eq!(a.get(), [100, 102, 104, 106, 100, 102, 104, 106, 100, 102]);
}

#[test]
fn more_sizes_than_are_kept_still_run() {
    let program = build(SOURCE, "");
    let kernel = program.kernel("reverse").unwrap();
    for local in (1..=50).chain([3, 40, 7]) {
        let data = Data::of(&numbers(4 * local));
        common::launch(
            &kernel,
            NdRange::new(&[4 * local], &[local]),
            &[data.arg(), ArgValue::Local(4 * local)],
        );
        let mut expected = numbers(4 * local);
        expected.chunks_mut(local).for_each(<[i32]>::reverse);
        assert_eq!(data.get(), expected, "{local}");
    }
    let code = |local: usize| kernel.wait_for_code(&NdRange::new(&[local], &[local])).unwrap();
    // The first sizes have code of their own, the later ones share one.
    assert!(Arc::ptr_eq(&code(3), &code(3)) && !Arc::ptr_eq(&code(3), &code(4)));
    assert!(Arc::ptr_eq(&code(48), &code(50)) && code(50).facts().local_size.is_none());
    let distinct: std::collections::HashSet<_> = (1..=50).map(|l| Arc::as_ptr(&code(l))).collect();
    assert!(distinct.len() <= 34, "{}", distinct.len());
}

#[test]
fn threads_build_and_run_at_once() {
    std::thread::scope(|scope| {
        for t in 0..8usize {
            scope.spawn(move || {
                for round in 0..6 {
                    let n = (t * 10 + round) as i32;
                    let source = SOURCE.replace("+= n", &format!("+= n * {}", n + 1));
                    let program = build(&source, common::BUILDS[round % 3]);
                    let data = Data::of(&numbers(200));
                    let range = NdRange::new(&[200], &[10 + t]);
                    common::launch(&program.kernel("add").unwrap(), range, &[data.arg(), value(2i32)]);
                    let expected: Vec<i32> = numbers(200).iter().map(|v| v + 2 * (n + 1)).collect();
                    assert_eq!(data.get(), expected);
                }
            });
        }
    });
}

#[test]
fn threads_share_a_kernel_and_its_code() {
    let program = build(SOURCE, "");
    let kernel = program.kernel("reverse").unwrap();
    let codes: Vec<Arc<Executable>> = std::thread::scope(|scope| {
        let ask = || {
            let code = kernel.wait_for_code(&NdRange::new(&[64], &[16])).unwrap();
            let data = Data::of(&numbers(64));
            common::launch(&kernel, NdRange::new(&[64], &[16]), &[data.arg(), ArgValue::Local(64)]);
            assert_eq!(data.get()[0], numbers(64)[15]);
            code
        };
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(codes.iter().all(|c| Arc::ptr_eq(c, &codes[0])));
}

#[test]
fn the_callback_hears_of_failures() {
    let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
    let ear = heard.clone();
    let callback = Arc::new(move |message: &str| ear.lock().unwrap().push(message.to_owned()));
    let context = Arc::new(compiler::Context::new());
    let target = device().compiler().create_target(context, Some(callback)).unwrap();
    target.init_with_builtins(compiler::BUILTIN_LIBRARY).unwrap();
    let mut module = target.create_module().unwrap();
    let source = r#"kernel void k(global int *a) { __asm__ volatile("no_such_instruction"); a[0] = 1; }"#;
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    let error = module.create_binary().unwrap_err();
    assert_eq!(*heard.lock().unwrap(), [error.message()]);
}

#[test]
fn assembly_that_is_none_is_an_error() {
    let source = "kernel void k(global int *a) { a[0] = 1; __asm__ volatile(\"bogus\"); }";
    let program = build(source, "");
    let error = program.module().create_binary().unwrap_err();
    assert!(error.message().contains("bogus"), "{error}");
    let a = Data::<i32>::zeros(1);
    let kernel = program.kernel("k").unwrap();
    assert!(lanewise_difftest::run(&kernel, NdRange::new(&[1], &[1]), &[a.arg()]).is_err());
}
