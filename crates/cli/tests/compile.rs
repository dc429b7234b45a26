//! `lanewise compile`: every kind of output, and binaries that run again.

mod common;

use common::{Folder, data, digest, example, ok};

#[test]
fn every_kind_of_output() {
    let folder = Folder::new();
    let reduce = example("reduce.cl");
    let emit = |kind: &str| {
        folder.ok(&format!("compile {reduce} -o out --emit {kind}"));
        folder.read("out")
    };
    let text = String::from_utf8(emit("ll")).unwrap();
    assert!(text.contains("define void @reduce.host-entry-hook(ptr"), "{text}");
    assert!(!text.contains("__mux_get_"), "all builtins have their bodies");
    assert_eq!(&emit("bc")[..4], b"BC\xc0\xde");
    let assembly = String::from_utf8(emit("asm")).unwrap();
    assert!(assembly.contains("reduce.host-entry-hook\":") && assembly.contains(".note.lanewise"));
    for kind in ["obj", "bin"] {
        let elf = emit(kind);
        // A relocatable ELF file of 64 bits.
        assert_eq!((&elf[..5], elf[16]), (b"\x7fELF\x02".as_slice(), 1), "{kind}");
    }
    folder.ok(&format!("compile {reduce} -o by-name.s"));
    assert_eq!(folder.read("by-name.s"), assembly.as_bytes());
    assert!(folder.ok(&format!("compile {reduce} -o - --emit asm")).contains("reduce.host-entry-hook\":"));
}

#[test]
fn one_kernel_or_all() {
    let folder = Folder::new();
    let wide = data("wide.cl");
    let all = folder.ok(&format!("compile {wide} -o - --emit ll"));
    let one = folder.ok(&format!("compile {wide} -o - --emit ll -k ids"));
    assert!(all.contains("@prefix.host-entry-hook(") && all.contains("@ids.host-entry-hook("));
    assert!(!one.contains("@prefix.host-entry-hook(") && one.contains("@ids.host-entry-hook("));
    folder.ok(&format!("compile {wide} -o one.bin -k ids"));
    folder.ok("run one.bin -g 4 --arg zeros:4 --arg 0");
    assert_eq!(
        folder.fails(1, "run one.bin -k prefix -g 4"),
        "one.bin: there is no kernel prefix; there is ids"
    );
    folder.ok(&format!("compile {wide} -o all.bin"));
    assert_eq!(
        folder.fails(1, "run all.bin -g 4"),
        "all.bin: which kernel? Give -k NAME; there are ids, prefix, types"
    );
}

#[test]
fn binaries_behave_like_their_sources() {
    let folder = Folder::new();
    folder.write("pair.bin", [3, 0, 0, 0, 4, 0, 0, 0]);
    let cases = [
        (example("saxpy.cl"), "-g 1001 --arg 2.5 --arg iota:1001 --arg rand:1001:3", 2),
        (example("reduce.cl"), "-g 1000 -l 48 --arg iota:1000 --arg zeros:21 --arg local:192 --arg 1000", 1),
        (example("transpose.cl"), "-g 64,32 --arg iota:64x32 --arg zeros:64x32 --arg 64 --arg 32", 1),
        (data("wide.cl"), "-k ids -g 5,4,3 -l 2,3,2 --offset 1,2,3 --arg zeros:60 --arg 9", 0),
        (
            data("wide.cl"),
            "-k types -g 3 --arg zeros:3 --arg 1,2,3,4 --arg 2.25 --arg @pair.bin --arg 1.5 --arg iota:3",
            0,
        ),
        (data("clang15.ll"), "-g 20 -l 5 --arg iota:20", 0),
    ];
    for (file, rest, argument) in cases {
        folder.ok(&format!("compile {file} -o k.bin"));
        let from_source = folder.ok(&format!("run {file} {rest}"));
        let from_binary = folder.ok(&format!("run k.bin {rest}"));
        assert_eq!(digest(&from_source, argument), digest(&from_binary, argument), "{file} {rest}");
        // The same kernel, types, names and first elements: all but the times.
        let without_times = |said: &str| {
            let timed = |line: &&str| line.starts_with("ready") || line.starts_with("time");
            said.lines().filter(|line| !timed(line)).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(without_times(&from_source), without_times(&from_binary));
    }
    assert_eq!(
        folder.fails(1, "run k.bin -g 1 --arg zeros:1 --options -g"),
        "k.bin: a binary is compiled already, --options come too late"
    );
    assert_eq!(folder.fails(1, "compile k.bin -o x"), "k.bin: this is a binary, which is compiled already");
}

#[test]
fn binaries_check_arguments_and_sizes_too() {
    let folder = Folder::new();
    folder.ok(&format!("compile {} -o t.bin", example("transpose.cl")));
    let run = |rest: &str| folder.fails(1, &format!("run t.bin {rest}"));
    assert!(
        run("-g 16,16")
            .starts_with("transpose(float* input, float* output, uint width, uint height) takes 4 arguments")
    );
    assert!(run("-g 16,16 -l 8,8").contains("requires work-groups of 16 x 16 x 1"));
    assert_eq!(
        run("-g 16,16 --arg zeros:256 --arg zeros:256 --arg -1 --arg 16"),
        "argument 2 (width): -1 does not fit in uint (0 to 4294967295)"
    );
}

#[test]
fn damaged_binaries_are_refused() {
    let folder = Folder::new();
    folder.ok(&format!("compile {} -o whole.bin", example("saxpy.cl")));
    let whole = folder.read("whole.bin");
    let run = |bytes: &[u8]| {
        folder.write("damaged.bin", bytes);
        folder.fails(1, "run damaged.bin -g 4 --arg 1 --arg zeros:4 --arg zeros:4")
    };
    let count = whole.len();
    for length in [0, 3, 20, 64, count / 2, count - 9, count - 1] {
        assert!(run(&whole[..length]).starts_with("damaged.bin: "), "{length}");
    }
    let notes = whole.windows(8).position(|w| w == b"Lanewise").unwrap();
    // The ELF header, the notes, the section headers at the end, and everything between them here
    // and there.
    let places = (0..64).step_by(5).chain((notes..notes + 200).step_by(17)).chain((64..count).step_by(97));
    for at in places {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        assert!(run(&bytes).starts_with("damaged.bin: "), "{at}");
    }
    assert!(run(b"hello").contains("not a binary of Lanewise"));
    let program = std::fs::read(env!("CARGO_BIN_EXE_lanewise")).unwrap();
    assert!(run(&program[..4096]).contains("no binary of Lanewise"));
}

#[test]
fn binaries_of_other_versions_and_machines_are_refused() {
    let folder = Folder::new();
    folder.ok(&format!("compile {} -o x.o", example("saxpy.cl")));
    let object = folder.read("x.o");
    let run = |bytes: Vec<u8>| {
        folder.write("other.bin", compiler::seal(bytes, "cpu"));
        folder.fails(1, "run other.bin -g 4 --arg 1 --arg zeros:4 --arg zeros:4")
    };
    // The devices may have the same CPU, and call their kernels in different ways.
    folder.write("other.bin", compiler::seal(object.clone(), "threads"));
    let message = folder.fails(1, "run other.bin -g 4 --arg 1 --arg zeros:4 --arg zeros:4");
    assert_eq!(message, "other.bin: the binary was made for the target 'threads', not for 'cpu'");
    let version = object.windows(5).position(|w| w == b"0.1.0").unwrap();
    let mut other = object.clone();
    other[version] = b'9';
    let message = run(other);
    assert!(message.starts_with("other.bin: the binary was made by Lanewise 9.1.0"), "{message}");
    assert!(message.ends_with("compile it again"), "{message}");
    let feature = object.iter().skip(version).position(|b| *b == b'+').unwrap() + version;
    let mut other = object.clone();
    other[feature] = b'-';
    assert!(run(other).contains("the binary was made for the CPU "));
    let mut other = object.clone();
    other[18] ^= 0x40;
    assert!(run(other).contains("for another kind of machine"));
}

#[test]
fn compiled_code_is_not_taken_as_source() {
    let folder = Folder::new();
    folder.ok(&format!("compile {} -o x.ll", example("saxpy.cl")));
    assert!(folder.fails(1, "run x.ll -g 1 --arg 1").contains("went through all passes already"));
}

#[test]
fn every_stage_is_dumped() {
    let folder = Folder::new();
    let stages = |folder: &Folder| {
        let mut names: Vec<String> = std::fs::read_dir(folder.path("dump"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    for line in [
        format!("compile {} -o x.bin", example("reduce.cl")),
        format!("run {} -g 8 --arg zeros:8 --arg zeros:8 --arg local:32 --arg 8", example("reduce.cl")),
    ] {
        ok(folder.command(&line).env("LANEWISE_DUMP", "dump"), &line);
        let names = stages(&folder);
        for stage in ["transfer-kernel-metadata", "work-item-loops", "add-entry-hook", "add-metadata"] {
            let file = format!("-{stage}.reduce.ll");
            assert!(names.iter().any(|name| name.ends_with(&file)), "{names:?}");
        }
        assert_eq!(names[0], "0000-before-frontend.ll");
        let loops = names.iter().find(|name| name.ends_with("work-item-loops.reduce.ll")).unwrap();
        let text = String::from_utf8(folder.read(&format!("dump/{loops}"))).unwrap();
        assert!(text.contains("@reduce.mux-barrier-wrapper("));
        std::fs::remove_dir_all(folder.path("dump")).unwrap();
    }
}

/// What a C program links; `crates/native_cpu` tests that it runs.
#[test]
fn objects_for_programs() {
    let folder = Folder::new();
    let saxpy = example("saxpy.cl");
    let text = folder.ok(&format!("compile --target native-cpu {saxpy} -o - --emit ll"));
    assert!(text.contains("@saxpy(") && text.contains("@saxpy_scratch_bytes("), "{text}");
    assert!(!text.contains("host-entry-hook"), "{text}");
    folder.ok(&format!("compile --target=native-cpu {saxpy} -o saxpy.o"));
    assert_eq!(&folder.read("saxpy.o")[..4], b"\x7fELF");
}

/// Objects for other machines have the machine's number in their ELF headers; what has no name is
/// refused.
#[test]
fn objects_for_other_machines() {
    let folder = Folder::new();
    let saxpy = example("saxpy.cl");
    for (options, machine) in [
        ("--triple aarch64-linux-gnu --features +sve", 183),
        ("--triple aarch64-linux-gnu --cpu neoverse-v2", 183),
        ("--triple riscv64-linux-gnu --features +m,+a,+f,+d,+c,+v", 243),
        ("--triple x86_64-linux-gnu --cpu nehalem", 62),
        ("--cpu x86-64-v4", 62),
    ] {
        let line = format!("compile {saxpy} --target native-cpu {options} -o out.o");
        let output = folder.command(&line).output().unwrap();
        // Nothing is said, as of features that other architectures have.
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{options}");
        assert_eq!(folder.read("out.o")[18], machine, "{options}");
    }
    // Without a CPU, RISC-V is what its systems require: their linker refuses other floating point.
    folder.ok(&format!("compile {saxpy} --target native-cpu --triple riscv64-linux-gnu -o out.o"));
    assert_eq!(folder.read("out.o")[48], 5, "compressed instructions, and doubles in registers");
    let refused = |options: &str| folder.fails(2, &format!("compile {saxpy} {options} -o out.o"));
    for (triple, why) in [
        ("banana", "no code generator"),
        ("i686-linux-gnu", "objects are for"),
        ("riscv32-linux-gnu", "objects are for"),
        ("aarch64_be-linux-gnu", "objects are for"),
        ("x86_64-linux-gnux32", "addresses have 64 bits"),
        ("aarch64-linux-gnu_ilp32", "addresses have 64 bits"),
        ("arm64-apple-darwin", "objects are ELF"),
    ] {
        let message = refused(&format!("--target native-cpu --triple {triple}"));
        assert!(message.contains(why), "{triple}: {message}");
    }
    let message = refused("--target native-cpu --triple aarch64-linux-gnu --cpu z80");
    assert!(message.contains("has no CPU 'z80'"), "{message}");
    let message = refused("--target native-cpu --triple x86_64-linux-gnu --cpu i486");
    assert!(message.contains("'i486' has no 64-bit mode"), "{message}");
    let message = refused("--triple aarch64-linux-gnu");
    assert!(message.contains("native-cpu is for any machine"), "{message}");
    let cpus = folder.ok("compile --list-cpus");
    assert!(["  neoverse-v2", "  sifive-x280", "  znver4"].iter().all(|cpu| cpus.contains(cpu)), "{cpus}");
    assert!(!folder.ok("compile --list-cpus --triple riscv64").contains("znver4"));
}

/// Numbers of low precision are computed with by the instructions of a CPU that has them
/// (`bfloat16`, dot products of bytes, halves), and without them on others.
#[test]
fn low_precision_by_instructions() {
    let folder = Folder::new();
    folder.write(
        "low.cl",
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
         kernel void brain(global const float *x, global ushort *y) {
             size_t i = get_global_id(0);
             y[i] = intel_convert_bfloat16_as_ushort(x[i]);
         }
         kernel void dots(global const uint *x, global const uint *y, global int *z) {
             size_t i = get_global_id(0);
             z[i] = dot_acc_sat_4x8packed_us_int(x[i], y[i], z[i]) + dot_4x8packed_ss_int(x[i], y[i])
                 + dot(as_char4(x[i]), as_char4(z[i]));
         }
         kernel void halves(global const half *x, global const half *y, global half *z) {
             size_t i = get_global_id(0);
             z[i] = fma(x[i], y[i], fmin(x[i], y[i])) + (x[i] - z[i]) / sqrt(y[i]);
         }",
    );
    let assembly = |kernel: &str, cpu: &str| {
        folder.ok(&format!("compile low.cl -k {kernel} --target native-cpu --cpu {cpu} --emit asm -o -"))
    };
    for (kernel, instructions, conversions) in [
        ("brain", &["vcvtneps2bf16"][..], &["vcmpunord"][..]),
        ("dots", &["vpdpbusd", "vpdpbusds"], &["vpmulld", "vpmaddwd"]),
        ("halves", &["vsubph", "vdivph", "vsqrtph", "vminph", "vfmadd"], &["vcvtph2ps", "vcvtps2ph"]),
    ] {
        let new = assembly(kernel, "sapphirerapids");
        let old = assembly(kernel, "skylake-avx512");
        assert!(instructions.iter().all(|name| new.contains(name)), "{kernel}: {new}");
        assert!(!conversions.iter().any(|name| new.contains(name)), "{kernel}: {new}");
        assert!(!instructions.iter().any(|name| old.contains(name)), "{kernel}: {old}");
    }
}

/// A specialization constant of SPIR-V has the value that the command line gives it.
#[test]
fn specialization_constants_have_values() {
    let folder = Folder::new();
    folder.write("k.spvasm", SPECIALIZED);
    let stored =
        |options: &str| folder.ok(&format!("compile k.spvasm --target native-cpu {options} -o - --emit ll"));
    assert!(stored("").contains("store i32 7,"));
    assert!(stored("--spec 3=41").contains("store i32 41,"));
    let run = |options: &str| {
        let said = folder.ok(&format!("run k.spvasm -g 1 --arg zeros:1 {options}"));
        said.lines().last().map(|line| line.trim().to_owned())
    };
    assert_eq!([run(""), run("--spec 3=41")].map(Option::unwrap), ["7", "41"]);
    folder.ok("compile k.spvasm -o k.bin");
    assert!(folder.fails(1, "run k.bin -g 1 --arg zeros:1 --spec 3=41").contains("comes too late"));
    let message = folder.fails(2, "compile k.spvasm --spec 4=41 -o k.ll");
    assert!(message.contains("there is no such constant; there is 3"), "{message}");
    let message = folder.fails(2, "compile k.spvasm --spec 3=x -o k.ll");
    assert!(message.contains("--spec 3=x: this should be a value of type"), "{message}");
}

const SPECIALIZED: &str = "\
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
OpDecorate %n SpecId 3
%void = OpTypeVoid
%int = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %int
%fn = OpTypeFunction %void %ptr
%n = OpSpecConstant %int 7
%k = OpFunction %void None %fn
%p = OpFunctionParameter %ptr
%entry = OpLabel
OpStore %p %n Aligned 4
OpReturn
OpFunctionEnd
";
