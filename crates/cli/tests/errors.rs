//! Everything that can be wrong gets one clear message and the right exit code.

mod common;

use common::{Folder, data, example};

fn saxpy(rest: &str) -> String {
    format!("run {} {rest}", example("saxpy.cl"))
}

#[test]
fn source_errors_have_line_and_caret() {
    let folder = Folder::new();
    folder.write("bad.cl", "kernel void k(global int *p) {\n  p[0] = nowhere;\n}\n");
    let output = folder.command("run bad.cl -g 1 --arg zeros:1").output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = "bad.cl:2:10: error: use of undeclared identifier 'nowhere'\n    2 |   p[0] = \
        nowhere;\n      |          ^\n\
                    lanewise: bad.cl: the source has an error\n";
    assert_eq!(errors, expected);
    assert_eq!(folder.fails(1, "compile bad.cl -o x"), "bad.cl: the source has an error");
    folder.write("g.cl", "float g(float);\nkernel void k(global float *p) { p[0] = g(1.0f); }");
    assert!(folder.fails(1, "run g.cl -g 1 --arg zeros:1").contains("undefined function 'g'"));
    folder.write("binary.cl", b"kernel \xff\xfe");
    assert_eq!(folder.fails(1, "run binary.cl -g 1"), "binary.cl: the source has 3 errors");
    folder.write("zero.cl", b"kernel\0");
    assert_eq!(folder.fails(1, "run zero.cl -g 1"), "zero.cl: this is not OpenCL C: byte 6 is zero");
    assert!(folder.fails(1, &saxpy("-g 1 --options -cl-fun")).starts_with("--options: option '-cl-fun'"));
}

#[test]
fn kernels_that_are_not_there() {
    let folder = Folder::new();
    folder.write("two.cl", "kernel void a() {}\nkernel void b() {}");
    folder.write("none.cl", "int f(void) { return 1; }");
    assert_eq!(folder.fails(1, "run two.cl -k c -g 1"), "two.cl: there is no kernel c; there are a, b");
    assert_eq!(folder.fails(1, "run two.cl -g 1"), "two.cl: which kernel? Give -k NAME; there are a, b");
    assert_eq!(folder.fails(1, "run none.cl -g 1"), "none.cl: there is no kernel in it");
    assert_eq!(folder.fails(1, "compile none.cl -o x"), "none.cl: there is no kernel in it");
    assert_eq!(folder.fails(1, "compile two.cl -o x -k c"), "two.cl: there is no kernel c; there are a, b");
    assert!(folder.fails(1, &saxpy("-k sax -g 1")).ends_with("there is no kernel sax; there is saxpy"));
}

#[test]
fn arguments() {
    let folder = Folder::new();
    let fails = |rest: &str| folder.fails(1, &saxpy(rest));
    assert_eq!(
        fails("-g 1 --arg 1"),
        "saxpy(float a, float* x, float* y) takes 3 arguments, but there is 1 on the command line"
    );
    assert_eq!(fails("-g 1 --arg one --arg zeros:1 --arg zeros:1"), "argument 0 (a): one is not a number");
    assert_eq!(
        fails("-g 1 --arg zeros:1 --arg zeros:1 --arg zeros:1"),
        "argument 0 (a): float is no buffer, give a number"
    );
    assert!(fails("-g 1 --arg 1 --arg 2 --arg zeros:1").starts_with("argument 1 (x): float* needs a buffer"));
    assert!(fails("-g 1 --arg 1 --arg local:4 --arg zeros:1").contains("does not point to local memory"));
    folder.write("odd.bin", [0; 7]);
    assert_eq!(
        fails("-g 1 --arg 1 --arg @odd.bin --arg zeros:1"),
        "argument 1 (x): odd.bin: 7 bytes are not a whole number of floats of 4 bytes"
    );
    folder.write("x.npy", "no array");
    assert!(fails("-g 1 --arg 1 --arg @x.npy --arg zeros:1").contains("x.npy: this is not a .npy file"));
    assert_eq!(
        fails("-g 1 --arg 1 --arg @gone.bin --arg zeros:1"),
        "argument 1 (x): cannot read gone.bin: No such file or directory"
    );
    assert_eq!(
        fails("-g 1 --arg 1 --arg zeros:10000000000000 --arg zeros:1"),
        "argument 1 (x): there is not enough memory for 10000000000000 floats"
    );
    assert!(fails("-g 1 --arg 1 --arg rand:10000000000000 --arg zeros:1").contains("not enough memory"));
    let reduce = |scratch: &str| {
        format!("run {} -g 8 --arg zeros:8 --arg zeros:8 --arg {scratch} --arg 8", example("reduce.cl"))
    };
    assert!(folder.fails(1, &reduce("zeros:8")).contains("give its size as local:BYTES"));
    assert_eq!(
        folder.fails(1, &reduce("local:600000")),
        "argument 2 (scratch): 600000 bytes of local memory, but the device has 512 KiB"
    );
    assert_eq!(folder.fails(2, &reduce("local:0")), "argument 2: 0 is zero in local:0");
}

#[test]
fn sizes() {
    let folder = Folder::new();
    let arguments = "--arg 1 --arg zeros:8192 --arg zeros:8192";
    let fails = |code, rest: &str| folder.fails(code, &saxpy(&format!("{rest} {arguments}")));
    assert_eq!(fails(2, "-g 0"), "--global: the size in dimension 0 is zero");
    assert_eq!(fails(2, "-g 8 -l 0"), "--local: the size in dimension 0 is zero");
    assert_eq!(fails(2, "-g 8,8 -l 8"), "--local has 1 dimension, but --global has 2 dimensions");
    assert_eq!(
        fails(1, "-g 8192 -l 4097"),
        "the local size 4097 makes 4097 work-items a group, the device's limit is 4096"
    );
    assert!(fails(1, "-g 128,64 -l 128,64").contains("makes 8192 work-items a group"));
    assert!(fails(1, "-g 8 --offset 18446744073709551615").contains("overflow in dimension 0"));
    assert!(fails(1, "-g 10 -l 4 --options -cl-uniform-work-group-size").contains("is not a multiple"));
    let transpose = |rest: &str| {
        let file = example("transpose.cl");
        folder.fails(1, &format!("run {file} {rest} --arg zeros:256 --arg zeros:256 --arg 16 --arg 16"))
    };
    assert_eq!(
        transpose("-g 16,16 -l 8,8"),
        "transpose requires work-groups of 16 x 16 x 1, but the local size is 8 x 8"
    );
    assert_eq!(
        transpose("-g 17,16"),
        "the global size 17 x 16 is not a multiple of the local size 16 x 16, as transpose requires"
    );
    assert!(transpose("-g 16").starts_with("transpose requires work-groups of 16 x 16 x 1"));
}

#[test]
fn outputs() {
    let folder = Folder::new();
    let fails =
        |code, rest: &str| folder.fails(code, &saxpy(&format!("{rest} --arg 1 --arg zeros:8 --arg zeros:8")));
    assert_eq!(fails(1, "-g 8 --out 0=x.npy"), "--out 0=x.npy: argument 0 (a) is a float, no buffer");
    assert!(fails(2, "-g 8 --out 3=x.npy").contains("there is no argument 3"));
    assert!(fails(2, "-g 8 --out 2=x.jpg").contains("should end in .npy, .png or .bin"));
    assert_eq!(fails(1, "-g 7 --out 2=x.png"), "x.png: 8 elements do not make a picture of 7 x 1 pixels");
    assert_eq!(
        fails(1, "-g 8 --out 2=nowhere/x.npy"),
        "cannot write nowhere/x.npy: No such file or directory"
    );
    std::fs::create_dir(folder.path("folder.npy")).unwrap();
    assert_eq!(fails(1, "-g 8 --out 2=folder.npy"), "cannot write folder.npy: Is a directory");
    let compile = format!("compile {} -o nowhere/x", example("saxpy.cl"));
    assert_eq!(folder.fails(1, &compile), "cannot write nowhere/x: No such file or directory");
    let ids = data("wide.cl");
    assert!(
        folder
            .fails(1, &format!("run {ids} -k ids -g 2,2 --arg zeros:4 --arg 0 --out 0=x.png"))
            .contains("a buffer of ulong makes no picture")
    );
}

#[test]
fn files_that_are_not_there() {
    let folder = Folder::new();
    for line in ["run gone.cl -g 1", "compile gone.cl -o x", "opt --passes prepare-barriers gone.cl"] {
        assert_eq!(folder.fails(1, line), "cannot read gone.cl: No such file or directory");
    }
    assert_eq!(folder.fails(1, "run . -g 1"), "cannot read .: Is a directory");
}

#[test]
fn malformed_intermediate_code() {
    let folder = Folder::new();
    folder.write("syntax.ll", "define void @f() {\n  %x = add i32 1, foo\n}\n");
    folder.write(
        "order.ll",
        "define i32 @f(i1 %c) {\n br i1 %c, label %a, label %b\na:\n %x = add i32 1, 2\n br label %b\n\
            b:\n ret i32 %x\n}\n",
    );
    folder.write("cut.bc", b"BC\xc0\xde\x35\x14\x00\x00");
    folder.write("text.bc", "hello");
    for command in ["run -g 1", "compile -o x", "opt --passes prepare-barriers"] {
        let fails = |file: &str| folder.fails(1, &format!("{command} {file}"));
        assert!(fails("syntax.ll").starts_with("syntax.ll:2:19: error: expected value token"), "{command}");
        let order = fails("order.ll");
        assert!(order.starts_with("order.ll: the IR is not well-formed: Instruction does not dominate"));
        assert!(fails("cut.bc").starts_with("cut.bc: "), "{command}");
        assert!(fails("text.bc").starts_with("text.bc:1:1: error: "), "{command}");
    }
    folder.write("x.spv", [3, 2, 0x23, 7, 0, 0]);
    assert!(folder.fails(1, "run x.spv -g 1").contains("SPIR-V"));
}

#[test]
fn bitcode_with_any_byte_changed_does_no_harm() {
    let folder = Folder::new();
    let opt = format!("opt --passes transfer-kernel-metadata {} -o whole.bc", data("clang19.ll"));
    folder.ok(&opt);
    let whole = folder.read("whole.bc");
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        folder.write("damaged.bc", &damaged);
        let status = folder
            .command("opt --passes transfer-kernel-metadata damaged.bc -o x.ll")
            .output()
            .unwrap()
            .status;
        assert!(matches!(status.code(), Some(0 | 1)), "byte {at}: {status:?}");
    }
}

/// LLVM's reader crashes on some of these; the program does not.
#[test]
fn damaged_bitcode_is_refused_without_a_crash() {
    let folder = Folder::new();
    folder.write("k.cl", "kernel void k(global int *p) { p[get_global_id(0)] = 1; }");
    assert!(folder.command("compile k.cl -o k.bc").status().unwrap().success());
    let good = std::fs::read(folder.path("k.bc")).unwrap();
    for i in 0..40 {
        let mut bad = good.clone();
        let at = 8 + i * (good.len() - 8) / 40;
        bad[at] ^= 1 << (i % 8);
        folder.write("bad.bc", &bad);
        let output = folder.command("opt --passes llvm(globaldce) bad.bc -o out.ll").output().unwrap();
        assert!(output.status.code().is_some(), "byte {at}: {:?}", output.status);
        folder.write("cut.bc", &good[..at]);
        let output = folder.command("opt --passes llvm(globaldce) cut.bc -o out.ll").output().unwrap();
        assert!(output.status.code().is_some(), "cut at {at}: {:?}", output.status);
    }
}

/// Code that LLVM's code generator or our passes crashed on: signal 11, signal 6, a panic.
#[test]
fn hostile_kernels_are_errors() {
    let folder = Folder::new();
    let kernel = |declaration: &str, body: &str| {
        format!(
            "target datalayout = \"e-i64:64\"\n{declaration}\n\
            define spir_kernel void @k(ptr addrspace(1) %out) {{\n{body}\n  ret void\n}}\n"
        )
    };
    folder.write(
        "fadd.ll",
        kernel(
            "declare i32 @__mux_sub_group_reduce_fadd_i32(i32)",
            "  %r = call i32 @__mux_sub_group_reduce_fadd_i32(i32 1)",
        ),
    );
    assert_eq!(
        folder.fails(1, "run fadd.ll -g 4 --arg zeros:4"),
        "fadd.ll: there is no builtin '__mux_sub_group_reduce_fadd_i32': __mux_sub_group_reduce_fadd is for \
        a floating-point type"
    );
    folder.write(
        "select.ll",
        kernel(
            "declare i32 @llvm.amdgcn.workitem.id.x()",
            "  %r = call i32 @llvm.amdgcn.workitem.id.x()\n  store i32 %r, ptr addrspace(1) %out",
        ),
    );
    let error = folder.fails(1, "run select.ll -g 4 --arg zeros:16");
    assert!(error.contains("Cannot select: intrinsic %llvm.amdgcn.workitem.id.x"), "{error}");
    folder.write(
        "scalable.ll",
        kernel(
            "",
            "  %v = load <vscale x 4 x i32>, ptr addrspace(1) %out\n\
            \x20 %w = insertelement <vscale x 4 x i32> %v, i32 1, i32 0\n\
            \x20 store <vscale x 4 x i32> %w, ptr addrspace(1) %out",
        ),
    );
    for line in ["vecz -w 4 scalable.ll", "run scalable.ll -g 4 --arg zeros:16"] {
        assert!(folder.fails(1, line).contains("'k' uses scalable vectors"), "{line}");
    }
    folder.write(
        "itself.ll",
        format!(
            "define void @f() noinline {{\n  call void @f()\n  ret void\n}}\n{}",
            kernel("", "  call void @f()\n  store i32 1, ptr addrspace(1) %out")
                .replace("target datalayout = \"e-i64:64\"\n", "")
        ),
    );
    // This was inlined for ever.
    assert!(folder.fails(1, "vecz -w 4 itself.ll").contains("recursion is not supported: 'f' calls itself"));
    folder.write("deep.cl", format!("kernel void k(global int *a) {{ *a = {}*a; }}", "~".repeat(300_000)));
    assert_eq!(folder.fails(1, "run deep.cl -g 1 --arg zeros:1"), "deep.cl: the source has an error");
}

#[test]
fn exit_codes_are_those_of_the_help() {
    let folder = Folder::new();
    let help = folder.ok("help");
    let (_, codes) = help.split_once("exit codes:").unwrap();
    let codes: Vec<&str> = codes.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(codes, ["0", "1", "2"]);
    folder.ok("info");
    folder.fails(1, "run nowhere.cl -g 1");
    folder.fails(1, &saxpy("-g 1 --arg x --arg zeros:1 --arg zeros:1"));
    folder.write(
        "large.cl",
        "kernel void k(global int *a) { char x[1UL << 36]; x[a[0]] = 1;\n\
        barrier(CLK_GLOBAL_MEM_FENCE); a[1] = x[a[2]]; }",
    );
    let said = folder.fails(1, "run large.cl -g 4096 -l 4096 --arg zeros:3");
    let (_, bytes) = said.split_once("k: out of memory: a work-group needs ").expect(&said);
    let (bytes, _) = bytes.split_once(" bytes for local memory and for private variables").expect(&said);
    assert!(bytes.parse::<u64>().unwrap() >= 4096 << 36, "{said}");
    folder.fails(2, "run");
    folder.fails(2, "walk");
    folder.fails(2, &saxpy("-g 0"));
    let output = folder.command("run nowhere.cl -g 1 --nonsense").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn too_much_local_memory_is_refused_with_the_sizes() {
    let folder = Folder::new();
    let body = "x[a[0]] = a[1]; barrier(CLK_LOCAL_MEM_FENCE); a[2] = x[a[3]]; }";
    folder.write("large.cl", format!("kernel void k(global int *a) {{ local int x[1 << 20]; {body}"));
    let message = folder.fails(1, "run large.cl -g 1 --arg zeros:4");
    assert!(message.contains("k: a work-group needs 4194304 bytes of local memory"), "{message}");
    assert!(message.contains("the device has"), "{message}");
    // Variables and arguments together.
    folder.write(
        "both.cl",
        format!("kernel void k(global int *a, local int *y) {{ local int x[1 << 10]; y[0] = 1; {body}"),
    );
    folder.ok("run both.cl -g 1 --arg zeros:4 --arg local:1024");
    let json = folder.ok("info --json");
    let (_, rest) = json.split_once("\"local_memory_bytes\": ").unwrap();
    let most: usize = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    let message = folder.fails(1, &format!("run both.cl -g 1 --arg zeros:4 --arg local:{most}"));
    assert!(message.contains(&format!("needs {} bytes", most + 4096)), "{message}");
}
