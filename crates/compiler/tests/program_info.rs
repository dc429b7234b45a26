//! The description of a program after `finalize`.

mod common;

use common::{compiled, finalized};
use lanewise_compiler as compiler;

use compiler::{ArgKind, KernelArg, State};

fn arg(name: &str, type_name: &str, qualifiers: &str, kind: ArgKind, size: usize) -> KernelArg {
    KernelArg {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        base_type_name: type_name.to_owned(),
        type_qualifiers: qualifiers.to_owned(),
        kind,
        size,
        layout: String::new(),
        image: None,
    }
}

/// The same argument, whose type clang spells so.
fn spelled(base_type_name: &str, arg: KernelArg) -> KernelArg {
    KernelArg { base_type_name: base_type_name.to_owned(), ..arg }
}

#[test]
fn arguments() {
    let source = "typedef struct { int a; double b; } Pair; typedef float real;
        kernel void k(global float4 *restrict out, global const volatile int *in, constant uchar *table,
                      local long *scratch, uint n, char c, Pair pair, float16 wide, real r) {}";
    let mut m = compiled(source, "-cl-std=CL3.0");
    let done = m.finalize().unwrap();
    assert!(done.printf_calls.is_empty() && !done.report.times.is_empty());
    let kernel = done.program.kernel("k").unwrap();
    assert_eq!(
        kernel.args,
        [
            spelled(
                "float __attribute__((ext_vector_type(4)))*",
                arg("out", "float4*", "restrict", ArgKind::Global, 8)
            ),
            arg("in", "int*", "const volatile", ArgKind::Global, 8),
            arg("table", "uchar*", "const", ArgKind::Constant, 8),
            arg("scratch", "long*", "", ArgKind::Local, 8),
            arg("n", "uint", "", ArgKind::Value, 4),
            arg("c", "char", "", ArgKind::Value, 1),
            KernelArg {
                layout: "{16:0 a int,8 b double}".to_owned(),
                ..arg("pair", "Pair", "", ArgKind::Value, 16)
            },
            spelled(
                "float __attribute__((ext_vector_type(16)))",
                arg("wide", "float16", "", ArgKind::Value, 64)
            ),
            spelled("float", arg("r", "real", "", ArgKind::Value, 4)),
        ]
    );
    assert_eq!((kernel.reqd_work_group_size, kernel.work_group_size_hint), (None, None));
    assert_eq!(m.program_info(), &done.program);
    assert_eq!(m.state(), State::Finalized);
}

#[test]
fn sizes_of_work_groups() {
    let m = finalized(
        "kernel __attribute__((reqd_work_group_size(4, 2, 2))) void required() {}
         kernel __attribute__((work_group_size_hint(16, 1, 1))) void hinted() {}
         kernel void plain() {}",
        "",
    );
    let sizes = |name: &str| {
        let k = m.program_info().kernel(name).unwrap();
        (k.reqd_work_group_size, k.work_group_size_hint)
    };
    assert_eq!(sizes("required"), (Some([4, 2, 2]), None));
    assert_eq!(sizes("hinted"), (None, Some([16, 1, 1])));
    assert_eq!(sizes("plain"), (None, None));
    assert!(m.program_info().kernel("other").is_none());
}

#[test]
fn local_memory() {
    let m = finalized(
        "void use(local int *p) { p[get_local_id(0)] = 1; }
         kernel void none(global int *a, local int *dynamic) { a[0] = dynamic[0]; }
         kernel void some(global int *a) {
            local char c[3]; local double d[2]; local int i;
            c[get_local_id(0)] = 1; d[get_local_id(0)] = 1; i = 2;
            barrier(CLK_LOCAL_MEM_FENCE);
            a[get_global_id(0)] = c[0] + d[0] + i;
         }
         kernel void calls(global int *a) { local int big[100]; use(big); barrier(CLK_LOCAL_MEM_FENCE); \
         a[get_global_id(0)] = big[0]; }",
        "",
    );
    let bytes = |name: &str| m.program_info().kernel(name).unwrap().local_memory_size;
    assert_eq!(bytes("none"), 0);
    // Three characters, two doubles and an integer, wherever they are.
    assert!((23..=32).contains(&bytes("some")), "{}", bytes("some"));
    assert_eq!(bytes("calls"), 400);
}

#[test]
fn versions_of_opencl_c() {
    for (options, version) in [
        ("", (1, 2)),
        ("-cl-std=CL1.1", (1, 1)),
        ("-cl-std=CL1.2", (1, 2)),
        ("-cl-std=CL2.0", (2, 0)),
        ("-cl-std=CL3.0", (3, 0)),
    ] {
        assert_eq!(
            finalized("kernel void k() {}", options).program_info().opencl_version,
            version,
            "{options}"
        );
    }
    let mut m = common::module();
    m.load_ir("t.ll", b"define spir_kernel void @k() {\n  ret void\n}").unwrap();
    assert_eq!(m.finalize().unwrap().program.opencl_version, (1, 2));
}

#[test]
fn arguments_of_ir_without_notes() {
    let mut m = common::module();
    let ir = "target triple = \"spir64-unknown-unknown\"
        define spir_kernel void @k(ptr addrspace(1) %a, <4 x float> %v, i64 %n, ptr addrspace(3) %l) { \
        ret void }";
    m.load_ir("t.ll", ir.as_bytes()).unwrap();
    let program = m.finalize().unwrap().program;
    let args: Vec<_> = program.kernels[0]
        .args
        .iter()
        .map(|a| (a.name.as_str(), a.base_type_name.as_str(), a.kind, a.size))
        .collect();
    assert_eq!(
        args,
        [
            ("a", "", ArgKind::Global, 8),
            ("v", "float4", ArgKind::Value, 16),
            ("n", "long", ArgKind::Value, 8),
            ("l", "", ArgKind::Local, 8)
        ]
    );
}

#[test]
fn a_program_without_kernels_is_a_program() {
    let mut m = finalized("int f(int a) { return a; }", "");
    assert!(m.program_info().kernels.is_empty() && m.get_kernel("f").is_none());
}
