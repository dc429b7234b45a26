//! Source in, modules and diagnostics out.

use lanewise_clc::{
    Device, Found, Header, Kind, Options, Output, Profile, Standard, TABLE, compile, extensions, features,
};
use llvm::Context;
use std::fmt::Write as _;
use std::path::PathBuf;

fn build(source: &str, options: &str, headers: &[Header]) -> Output {
    build_for(&Device::FULL, source, options, headers)
}

fn build_for(device: &Device, source: &str, options: &str, headers: &[Header]) -> Output {
    let options = Options::parse(options, &[]).unwrap();
    let output = compile(&Context::new(), source, "kernel.cl", Profile::Full, device, &options, headers);
    assert_eq!(output.module.is_some(), output.errors == 0, "{}", output.log);
    output
}

/// Compiles without any diagnostics, and gives the module as text.
fn ir(source: &str, options: &str) -> String {
    ir_for(&Device::FULL, source, options)
}

fn ir_for(device: &Device, source: &str, options: &str) -> String {
    let output = build_for(device, source, options, &[]);
    assert!(output.log.is_empty() && output.warnings == 0, "{}", output.log);
    let module = output.module.unwrap();
    module.verify().unwrap();
    module.to_string()
}

fn fails(source: &str, options: &str) -> String {
    let output = build(source, options, &[]);
    assert_ne!(output.errors, 0, "it compiled: {source:.200}");
    output.log
}

/// A directory for one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("lanewise-clc-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SAXPY: &str = "kernel void saxpy(global float *y, global const float *x, const float a) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
";

#[test]
fn a_kernel_with_its_arguments() {
    let text = ir(SAXPY, "");
    assert!(text.contains("target triple = \"spir64-unknown-unknown\""));
    assert!(text.contains("define dso_local spir_kernel void @saxpy(ptr addrspace(1)"));
    for kind in ["name", "type", "base_type", "type_qual", "access_qual", "addr_space"] {
        assert!(text.contains(&format!("!kernel_arg_{kind} ")), "{kind}");
    }
    assert!(text.contains("!{!\"y\", !\"x\", !\"a\"}"));
    assert!(text.contains("!{!\"float*\", !\"float*\", !\"float\"}"));
    assert!(text.contains("@llvm.fmuladd.f32"));
    assert!(!text.contains("llvm.dbg") && !text.contains("DICompileUnit"));
}

#[test]
fn nothing_is_kept_from_the_optimizer() {
    let source = format!("int twice(int x) {{ return 2 * x; }}\n{SAXPY}");
    for options in ["", "-cl-opt-disable", "-g"] {
        let text = ir(&source, options);
        assert!(!text.contains("optnone") && !text.contains("noinline"), "{options}");
    }
}

#[test]
fn an_error_has_line_and_caret() {
    let log = fails("kernel void k(global int *p) {\n  p[0] = nothing;\n}\n", "");
    assert!(log.contains("kernel.cl:2:10: error: use of undeclared identifier 'nothing'"), "{log}");
    assert!(log.contains("p[0] = nothing;\n") && log.contains("         ^"), "{log}");
    assert!(!log.contains("/lanewise"), "{log}");
    let output = build("a b; c d; kernel void k() {}", "", &[]);
    assert_eq!(output.errors, 2, "{}", output.log);
}

#[test]
fn warnings_are_counted_silenced_or_errors() {
    let source = "#warning one\n#warning two\nkernel void k() {}\n";
    let output = build(source, "", &[]);
    assert_eq!((output.errors, output.warnings), (0, 2), "{}", output.log);
    assert!(output.log.contains("kernel.cl:1:2: warning: one"), "{}", output.log);
    let output = build(source, "-w", &[]);
    assert_eq!((output.errors, output.warnings, output.log.as_str()), (0, 0, ""));
    assert!(fails(source, "-Werror").contains("-Werror"));
}

#[test]
fn macros_reach_the_program() {
    let source = "#if A != 1 || B != 7 || F(3) != 6\n#error wrong\n#endif\nconstant char s[] = S;\n";
    ir(source, "-D A -DB=7 -D 'F(x)=2 * x' -DS=\\\"hi\\ you\\\"");
    assert!(fails(source, "-D A -DB=8 -D 'F(x)=6'").contains("wrong"));
}

#[test]
fn headers_in_memory() {
    let headers = [
        Header { name: "one.h", text: b"#pragma once\n#define ONE 1\n" },
        Header {
            name: "dir/two.h",
            text: b"#include \"three.h\"\n#include <one.h>\n#define TWO (ONE + ONE)\n",
        },
        Header { name: "dir/three.h", text: b"#define THREE 3" },
        Header { name: "bad.h", text: b"#define X 1\nconstant int y = z;\n" },
        Header { name: "", text: b"" },
    ];
    let source = "#include \"one.h\"\n#include <dir/two.h>\n\
                  #if ONE + TWO + THREE != 6\n#error no\n#endif\n";
    let output = build(source, "", &headers);
    assert_eq!(output.errors, 0, "{}", output.log);
    let output = build("#include \"bad.h\"\n", "", &headers);
    assert!(output.log.contains("In file included from kernel.cl:1:\nbad.h:2:"), "{}", output.log);
    assert!(fails("#include \"absent.h\"\n", "").contains("'absent.h' file not found"));
    assert!(fails("#include <stdio.h>\n", "").contains("'stdio.h' file not found"));
}

#[test]
fn headers_on_disk() {
    let dir = Scratch::new("include");
    std::fs::write(dir.path("disk.h"), "#define DISK 5\n").unwrap();
    let options = format!("-I '{}'", dir.path(""));
    let source = "#include \"disk.h\"\n#if DISK != N\n#error no\n#endif\n";
    ir(source, &format!("{options} -DN=5"));
    // Those in memory go first.
    let output =
        build(source, &format!("{options} -DN=6"), &[Header { name: "disk.h", text: b"#define DISK 6\n" }]);
    assert_eq!(output.errors, 0, "{}", output.log);
}

fn macro_check(name: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("#if !defined({name}) || {name} != {value}\n#error {name}\n#endif\n"),
        None => format!("#ifdef {name}\n#error {name}\n#endif\n"),
    }
}

#[test]
fn versions() {
    for (name, number) in [
        ("CL1.0", "100"),
        ("CL1.1", "110"),
        ("CL1.2", "120"),
        ("CL2.0", "200"),
        ("CL3.0", "300"),
        ("CL3.1", "310"),
    ] {
        let checks = macro_check("__OPENCL_C_VERSION__", Some(number))
            + &macro_check("__OPENCL_VERSION__", Some("310"))
            + &macro_check("CL_VERSION_3_1", Some("310"))
            + &macro_check("__ENDIAN_LITTLE__", Some("1"))
            + &macro_check("__IMAGE_SUPPORT__", Some("1"))
            + &macro_check("__EMBEDDED_PROFILE__", None)
            + &macro_check("__FAST_RELAXED_MATH__", None)
            + &macro_check("__SPIR__", None)
            + SAXPY;
        ir(&checks, &format!("-cl-std={name}"));
    }
    ir(&macro_check("__OPENCL_C_VERSION__", Some("120")), "");
    ir(&macro_check("__FAST_RELAXED_MATH__", Some("1")), "-cl-fast-relaxed-math");
    let generic = "int get(int *p) { return *p; }\nkernel void k(global int *p) { *p = get(p + 1); }\n";
    ir(generic, "-cl-std=CL2.0");
    ir(generic, "-cl-std=CL3.0");
    ir(generic, "-cl-std=CL3.1 -Wall -Werror");
    fails(generic, "-cl-std=CL1.2");
}

#[test]
fn the_embedded_profile() {
    let source = macro_check("__EMBEDDED_PROFILE__", Some("1"));
    let output = compile(
        &Context::new(),
        &source,
        "kernel.cl",
        Profile::Embedded,
        &Device::FULL,
        &Options::default(),
        &[],
    );
    assert_eq!(output.errors, 0, "{}", output.log);
}

/// A device of 3.0 refuses 3.1, and has no word of it.
#[test]
fn a_device_of_3_0() {
    let device = Device { version: Standard::Cl30, ..Device::FULL };
    let checks = macro_check("__OPENCL_VERSION__", Some("300")) + &macro_check("CL_VERSION_3_1", None);
    ir_for(&device, &checks, "-cl-std=CL3.0");
    let output = build_for(&device, SAXPY, "-cl-std=CL3.1", &[]);
    assert!(output.log.contains("-cl-std=CL3.1 is newer than the device"), "{}", output.log);
}

/// Devices without some of what is optional.
fn devices() -> [Device; 7] {
    [
        Device::FULL,
        Device { double: false, ..Device::FULL },
        Device { half: false, ..Device::FULL },
        Device { int64_atomics: false, ..Device::FULL },
        Device { sub_groups: false, ..Device::FULL },
        Device { images: false, ..Device::FULL },
        BARE,
    ]
}

/// Nothing that is optional.
const BARE: Device = Device {
    version: Standard::Cl30,
    address_bits: 32,
    half: false,
    double: false,
    int64_atomics: false,
    sub_groups: false,
    images: false,
};

#[test]
fn macros_agree_with_the_table() {
    for device in devices() {
        let mut checks = String::new();
        for capability in TABLE {
            checks += &macro_check(capability.name, capability.is_supported(&device).then_some("1"));
        }
        for standard in Standard::complete(device.version).filter(|s| *s >= Standard::Cl30) {
            ir_for(&device, &checks, &format!("-cl-std={}", standard.name()));
        }
        // Before 3.0 there are only extensions; what is not supported is nowhere.
        for standard in ["CL1.1", "CL1.2", "CL2.0"] {
            let mut checks = String::new();
            for capability in TABLE {
                let supported = capability.is_supported(&device);
                if capability.kind == Kind::Feature && supported {
                    continue;
                }
                let since = match capability.name {
                    "cl_khr_subgroups" | "cl_khr_srgb_image_writes" => "CL2.0",
                    "cl_khr_depth_images" => "CL1.2",
                    _ => "CL1.0",
                };
                let early = standard < since;
                checks += &macro_check(capability.name, (supported && !early).then_some("1"));
            }
            checks += &macro_check("cl_khr_mipmap_image", None);
            ir_for(&device, &checks, &format!("-cl-std={standard}"));
        }
    }
    assert!(
        fails("kernel void k(global int *p) { *p = get_default_queue() == 0; }", "-cl-std=CL3.0")
            .contains("get_default_queue")
    );
}

#[test]
fn functions_of_extensions_are_there_in_every_version() {
    let source =
        "kernel void k(global uint *p, uchar4 x) { p[0] = dot(x, x) + dot_4x8packed_uu_uint(p[1], p[2]);
        p[3] = bitfield_insert(p[4], p[5], 6, 7); }";
    for standard in ["CL1.2", "CL2.0", "CL3.0"] {
        let text = ir(source, &format!("-cl-std={standard}"));
        assert!(text.contains("@_Z3dotDv4_hS_") && text.contains("@_Z15bitfield_insertjjjj"), "{text}");
    }
}

#[test]
fn double_half_and_atomics_are_there() {
    let source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void k(global double *d, global half *h, global int *i, global long *l) {
        d[0] = sqrt(d[1]);
        h[0] = h[1] + h[2];
        atomic_add(i, 1);
        atom_add(l, 1L);
    }";
    for standard in ["CL1.2", "CL2.0", "CL3.0"] {
        let text = ir(source, &format!("-cl-std={standard}"));
        assert!(text.contains("@_Z4sqrtd") && text.contains("fadd half"), "{text}");
    }
    let c11 = "kernel void k(global atomic_int *p) {
        atomic_fetch_add_explicit(p, 1, memory_order_acq_rel, memory_scope_device);
        atomic_store(p, 1);
    }";
    ir(c11, "-cl-std=CL2.0");
    ir(c11, "-cl-std=CL3.0");
}

#[test]
fn a_device_has_what_it_says() {
    let lists = |device: &Device, name: &str| extensions(device).chain(features(device)).any(|n| n == name);
    let optional = [
        "cl_khr_fp16",
        "cl_khr_fp64",
        "__opencl_c_fp64",
        "cl_khr_int64_base_atomics",
        "cl_khr_int64_extended_atomics",
        "cl_intel_required_subgroup_size",
        "cl_khr_subgroup_shuffle",
        "cl_khr_subgroups",
        "__opencl_c_subgroups",
    ];
    for name in optional {
        assert!(lists(&Device::FULL, name) && !lists(&BARE, name), "{name}");
    }
    assert!(lists(&BARE, "cl_ext_float_atomics") && lists(&BARE, "__opencl_c_int64"));
    let without_int64_atomics = Device { int64_atomics: false, ..Device::FULL };
    for device in [BARE, without_int64_atomics] {
        let checks = macro_check("__opencl_c_ext_fp64_global_atomic_add", None)
            + &macro_check("__opencl_c_ext_fp64_local_atomic_min_max", None)
            + &macro_check("__opencl_c_ext_fp16_global_atomic_add", device.half.then_some("1"))
            + &macro_check("__opencl_c_ext_fp32_global_atomic_add", Some("1"));
        ir_for(&device, &checks, "-cl-std=CL3.0");
    }
}

#[test]
fn a_type_the_device_lacks_is_an_error_at_its_line() {
    let refused = |source: &str, standard: &str| {
        let output = build_for(&BARE, source, standard, &[]);
        assert_ne!(output.errors, 0, "it compiled: {source}");
        output.log
    };
    for standard in ["-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"] {
        let log = refused("kernel void k(global float *p) {\n  double d = p[0];\n  p[1] = d;\n}\n", standard);
        assert!(log.contains("kernel.cl:2:3: error: use of type 'double' requires cl_khr_fp64"), "{log}");
        let log = refused("kernel void k(global half *p) {\n  p[0] = p[1] + p[2];\n}\n", standard);
        assert!(log.contains("kernel.cl:2:10: error:") && log.contains("half"), "{log}");
        let log = refused("kernel void k(global long *p) {\n  atom_add(p, 1L);\n}\n", standard);
        assert!(log.contains("kernel.cl:2:3: error:") && log.contains("atom_add"), "{log}");
    }
    let log = refused("kernel void k(global atomic_long *p) {\n}\n", "-cl-std=CL3.0");
    assert!(log.contains("kernel.cl:1:22: error:") && log.contains("atomic_long"), "{log}");
}

#[test]
fn without_double_literals_are_single_and_half_is_for_storage() {
    let source = "kernel void k(global float *p, global half *h) {
        p[0] = p[1] * 0.1;
        p[2] = vload_half(0, h);
        vstore_half_rtz(p[3], 1, h);
        printf(\"%f\", p[4]);
    }";
    let output = build_for(&BARE, source, "-cl-std=CL3.0", &[]);
    let text = output.module.unwrap().to_string();
    assert!(text.contains("fmul float") && text.contains("@_Z10vload_halfjPU3AS"), "{text}");
    assert!(!text.contains("double") && !text.contains(" half"), "{text}");
    assert!(output.log.contains("casting to single precision"), "{}", output.log);
}

#[test]
fn a_device_with_32_bit_addresses() {
    let device = Device { address_bits: 32, ..Device::FULL };
    let source = macro_check("__SIZEOF_POINTER__", Some("4"))
        + &macro_check("__SIZE_WIDTH__", Some("32"))
        + &macro_check("__SPIR32__", None)
        + "kernel void k(global uint *p, global float4 *f) {
            p[get_global_id(0)] = sizeof(size_t) + sizeof(global int *) + (uintptr_t)p;
            f[0] = vload4(get_local_id(0), (global float *)f);
        }";
    for standard in ["CL1.2", "CL3.0"] {
        let text = ir_for(&device, &source, &format!("-cl-std={standard}"));
        assert!(
            text.contains("target triple = \"spir-unknown-unknown\"") && text.contains("p:32:32"),
            "{text}"
        );
        assert!(text.contains("i32 @_Z13get_global_idj(i32") && text.contains("@_Z6vload4jPU3AS"), "{text}");
        assert!(!text.contains("i64 %"), "{text}");
    }
}

#[test]
fn floating_point_options() {
    let source = "kernel void k(global float *o, float a, float b) {
        float t = a * b;
        o[0] = t + 1.5f;
        o[1] = a / b;
        o[2] = a * 0.1;
    }";
    let has = |options: &str, what: &str| assert!(ir(source, options).contains(what), "{options}: {what}");
    has("", "= fmul float");
    has("", "!fpmath");
    has("", "fpext float");
    has("-cl-mad-enable", "fmul contract float");
    has("-cl-no-signed-zeros", "fadd nsz float");
    has("-cl-finite-math-only", "fadd nnan ninf float");
    has("-cl-unsafe-math-optimizations", "fadd reassoc nsz arcp contract afn float");
    has("-cl-fast-relaxed-math", "fadd fast float");
    has("-cl-denorms-are-zero", "\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"");
    assert!(!ir(source, "-cl-fp32-correctly-rounded-divide-sqrt").contains("!fpmath"));
    assert!(!ir(source, "-cl-single-precision-constant").contains("fpext"));
    has("-cl-std=CL3.0", "\"uniform-work-group-size\"=\"false\"");
    has("-cl-std=CL3.0 -cl-uniform-work-group-size", "\"uniform-work-group-size\"=\"true\"");
}

#[test]
fn debug_information() {
    let text = ir(SAXPY, "-g");
    assert!(text.contains("!DILocalVariable(name: \"i\"") && text.contains("!DILocation(line: 3"), "{text}");
    assert!(text.contains("emissionKind: FullDebug"));
    let cwd = std::env::current_dir().unwrap();
    let file = format!("!DIFile(filename: \"kernel.cl\", directory: \"{}\"", cwd.display());
    assert!(text.contains(&file), "{text}");
    assert!(!text.contains("!DIFile(filename: \"/lanewise/source"), "{text}");
    assert!(!text.contains("/usr/lib"));
}

/// A program without a file, as of OpenCL's `clCreateProgramWithSource`.
#[test]
fn a_source_without_a_name_is_kept_in_a_file() {
    let source = format!("{SAXPY}// {}\n", std::process::id());
    let context = Context::new();
    let options = Options { debug: true, ..Options::default() };
    let file = || {
        let output = compile(&context, &source, "", Profile::Full, &Device::FULL, &options, &[]);
        let text = output.module.unwrap().to_string();
        let name = text.split('"').find(|word| word.contains("/lanewise-") && word.ends_with(".cl"));
        PathBuf::from(name.unwrap())
    };
    let kept = file();
    assert_eq!(file(), kept);
    assert!(kept.starts_with(std::env::temp_dir()), "{kept:?}");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), source);
    std::fs::remove_file(kept).unwrap();
}

#[test]
fn the_source_is_written_for_the_debugger() {
    let dir = Scratch::new("source");
    let path = dir.path("there.cl");
    let text = ir(SAXPY, &format!("-g -S '{path}'"));
    assert!(text.contains(&format!("!DIFile(filename: \"{path}\"")), "{text}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), SAXPY);
    // A file that is there is left alone.
    std::fs::write(&path, "mine").unwrap();
    ir(SAXPY, &format!("-g -S '{path}'"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    let output = build(SAXPY, &format!("-S '{}'", dir.path("absent/there.cl")), &[]);
    assert_eq!((output.errors, output.warnings), (0, 1));
    assert!(output.log.contains("could not be written"), "{}", output.log);
}

#[test]
fn odd_text() {
    ir(&format!("{SAXPY}\0\0"), "");
    let output = build("constant int a = 1;\nconstant int \0b = 2;\nkernel void k() {}\n", "", &[]);
    assert_eq!((output.errors, output.warnings), (0, 1));
    assert!(output.log.contains("kernel.cl:2: warning: null character"), "{}", output.log);
    ir("", "");
    ir("// \u{fffd}\u{1f980} é", "");
    fails("\u{fffd}\u{fffd}\u{7f}\u{1}", "");
    fails("#include \"/etc/passwd\"\n", "");
    fails("#include \"/\"\n", "");
    fails("#include \"kernel.cl\"\n", "");
    fails("kernel void k(", "");
    fails("\"", "");
    // Names that need care.
    let options = Options::default();
    for name in ["-", "--version", "a\"b\\c\n.cl", "/", "", "dir/x.cl"] {
        let output = compile(&Context::new(), SAXPY, name, Profile::Full, &Device::FULL, &options, &[]);
        assert_eq!(output.errors, 0, "{name}: {}", output.log);
    }
}

#[test]
fn a_header_that_includes_itself_ends() {
    let header = Header { name: "loop.h", text: b"#include \"loop.h\"\n" };
    let output = build("#include \"loop.h\"\n", "", &[header]);
    assert!(output.log.contains("nested too deeply"), "{}", output.log);
}

#[test]
fn depth_is_an_error_or_works() {
    let nest = |n: usize| format!("constant int x = {}1{};", "(".repeat(n), ")".repeat(n));
    ir(&nest(200), "");
    assert!(fails(&nest(100_000), "").contains("bracket nesting level"));
    let braces = format!("kernel void k() {{ {}{} }}", "{".repeat(50_000), "}".repeat(50_000));
    assert!(fails(&braces, "").contains("bracket nesting level"));
    let sum = format!("kernel void k(global int *p) {{ *p = p[1]{}; }}", " + p[2]".repeat(20_000));
    ir(&sum, "");
    let signs = format!("kernel void k(global int *p) {{ *p = {} p[1]; }}", "- ".repeat(20_000));
    ir(&signs, "");
}

#[test]
fn a_large_source() {
    let mut source = String::new();
    for i in 0..2000 {
        writeln!(source, "kernel void k{i}(global int *p) {{ p[get_global_id(0)] += {i}; }}").unwrap();
    }
    assert!(ir(&source, "").contains("@k1999"));
    let errors = "x y;\n".repeat(5000);
    fails(&errors, "");
}

#[test]
fn threads_compile_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for round in 0..10 {
                    let source = format!("{SAXPY}kernel void k{thread}_{round}() {{}}\n");
                    assert!(ir(&source, "-cl-std=CL3.0").contains(&format!("@k{thread}_{round}")));
                }
            });
        }
    });
}

/// Not even where the program declares the extension, or includes something that may call Intel's
/// functions.
#[test]
fn without_sub_groups_their_functions_are_errors_at_their_lines() {
    let device = Device { sub_groups: false, ..Device::FULL };
    let calls = [
        "*p = get_sub_group_size();",
        "sub_group_barrier(CLK_LOCAL_MEM_FENCE);",
        "*p = sub_group_reduce_add(*p);",
        "*p = sub_group_shuffle(*p, 1);",
        "*p = intel_sub_group_shuffle(*p, 1u);",
    ];
    for call in calls {
        let name = call.trim_start_matches("*p = ").split('(').next().unwrap();
        let source = format!("// include\nkernel void k(global int *p) {{\n  {call}\n}}\n");
        for standard in ["-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"] {
            let output = build_for(&device, &source, standard, &[]);
            let at_line = format!("kernel.cl:3:{}: error:", call.find(name).unwrap() + 3);
            assert!(output.log.contains(&at_line) && output.log.contains(name), "{}", output.log);
        }
        ir_for(&Device::FULL, &source, "-cl-std=CL3.0");
    }
}

/// The functions of sub-groups are there from 2.0 on, whether or not the extension that brought
/// them is turned on.
#[test]
fn sub_groups_are_there() {
    let source = "#ifndef cl_khr_subgroups
        #error it is not listed
        #endif
        kernel void k(global int *p) { p[get_sub_group_local_id()] = sub_group_reduce_add(p[0]); }";
    let enabled = format!("#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n{source}");
    for standard in ["CL2.0", "CL3.0"] {
        for source in [source, &enabled] {
            let text = ir(source, &format!("-cl-std={standard} -Werror"));
            assert!(text.contains("@_Z20sub_group_reduce_addi"), "{text}");
        }
    }
}

#[test]
fn warnings_are_asked_for_by_name() {
    let source = "int f(int n) {\n  int unused;\n  if (n = 1) return 2;\n  return 3; }\nkernel void k() {}\n";
    let log = |options: &str| build(source, options, &[]).log;
    assert!(!log("-Wno-parentheses").contains("warning"), "{}", log("-Wno-parentheses"));
    let all = log("-Wall");
    assert!(all.contains("kernel.cl:2:7: warning: unused variable 'unused' [-Wunused-variable]"), "{all}");
    // Warnings about our own headers are not shown to the program.
    let every = log("-Weverything");
    assert!(every.contains("unused variable") && !every.contains("opencl-c-base.h"), "{every}");
    assert!(fails(source, "-Werror=unused-variable").contains("error: unused variable 'unused'"));
    assert!(log("-Wnonsense").contains("unknown warning option '-Wnonsense'"));
}

#[test]
fn bytes_of_any_encoding_reach_the_program() {
    let mut source =
        b"constant char s[] = \"na\xefve \xe9\";\nkernel void k(global char *a) { a[0] = s[2]; }".to_vec();
    source.extend(b" // caf\xe9");
    let context = Context::new();
    let options = Options::parse("", &[]).unwrap();
    let output = compile(&context, &source, "kernel.cl", Profile::Full, &Device::FULL, &options, &[]);
    let text = output.module.unwrap_or_else(|| panic!("{}", output.log)).to_string();
    assert!(text.contains("c\"na\\EFve \\E9\\00\""), "{text}");
}

#[test]
fn images_are_refused_at_their_line_where_there_are_none() {
    let source = "kernel void fine() {}\nkernel void k(global int *a,\n  read_only image2d_t picture) {}\n";
    let device = Device { images: false, ..Device::FULL };
    ir_for(&device, &macro_check("__IMAGE_SUPPORT__", None), "");
    let fails = |source: &str, options: &str| build_for(&device, source, options, &[]).log;
    for standard in ["CL1.0", "CL1.2", "CL2.0", "CL3.0"] {
        let log = fails(source, &format!("-cl-std={standard}"));
        assert!(log.contains("kernel.cl:3:") && log.contains("image"), "{standard}: {log}");
    }
    let log = fails("kernel void k(sampler_t how) {}", "");
    assert!(log.contains("'how'") && log.contains("'k'") && log.contains("no images"), "{log}");
}

#[test]
fn images_are_opaque_types_where_there_are_some() {
    let source =
        "constant sampler_t how = CLK_FILTER_LINEAR | CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT;
        kernel void k(read_only image2d_t picture, sampler_t s, global float4 *p) {
            *p = read_imagef(picture, how, (float2)(0.5f)) + read_imagef(picture, s, (int2)(1));
        }";
    for standard in ["CL1.0", "CL1.2", "CL2.0", "CL3.0"] {
        let ir = ir(source, &format!("-cl-std={standard}"));
        assert!(ir.contains("target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0) %picture"), "{ir}");
        assert!(ir.contains("target(\"spirv.Sampler\") %s"), "{ir}");
    }
    let log = fails(
        "kernel void k(write_only image2d_t i, global int4 *p) { *p = read_imagei(i, (int2)(0)); }",
        "",
    );
    assert!(log.contains("no matching function") && log.contains("kernel.cl:1:"), "{log}");
}

#[test]
fn what_clang_looked_for_is_listed() {
    let dir = std::env::temp_dir().join(format!("lanewise-clc-lookups-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("there.h"), "#define X 1\n").unwrap();
    let options = format!("-I {}", dir.display());
    let lookups = |source: &str| build(source, &options, &[]).lookups;
    let all = lookups("#include <there.h>\n#if __has_include(<not_there.h>)\n#endif\nint x = X;").unwrap();
    let found = |name: &str| all.iter().find(|l| l.path == dir.join(name)).map(|l| l.found.clone());
    assert_eq!(found("there.h"), Some(Found::Read(b"#define X 1\n".to_vec())));
    assert_eq!(found("not_there.h"), Some(Found::Absent));
    assert!(all.iter().any(|l| l.path == dir && l.found == Found::Directory), "{all:?}");
    assert_eq!(build("kernel void k() {}", "", &[]).lookups, Some(vec![]));
    assert_eq!(lookups("constant char t[] = __TIME__;"), None);
    std::fs::remove_dir_all(dir).unwrap();
}
