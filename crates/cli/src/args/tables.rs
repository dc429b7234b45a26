//! The commands and their options.

use super::grammar::{CommandSpec, OptionSpec};

const OPTIONS: OptionSpec =
    OptionSpec::value("--options", "TEXT", "Build options as OpenCL has them: \"-D N=8 -cl-opt-disable\"")
        .any_value();

const REMARKS: OptionSpec = OptionSpec::flag("--remarks", "Say what the vectorizer makes of each line");

const TIME_PASSES: OptionSpec = OptionSpec::flag("--time-passes", "Say how long each step of the build took");

const TRIPLE: OptionSpec = OptionSpec::value(
    "--triple",
    "T",
    "With --target native-cpu: code for another machine, aarch64-linux-gnu",
);

const CPU: OptionSpec =
    OptionSpec::value("--cpu", "NAME", "With --target native-cpu: the CPU; `compile --list-cpus` lists them");

const FEATURES: OptionSpec =
    OptionSpec::value("--features", "LIST", "With --target native-cpu: what the CPU has, +sve2,-dotprod")
        .any_value();

const SPEC: OptionSpec =
    OptionSpec::value("--spec", "ID=VALUE", "The value of a specialization constant of SPIR-V").repeats();

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "run",
        summary: "Compile a kernel and run it on all cores",
        usage: "run FILE [-k KERNEL] -g SIZE [options] --arg VALUE …",
        options: &[
            OptionSpec::value("--kernel", "NAME", "The kernel; may be left out where there is one only")
                .short("-k"),
            OptionSpec::value("--device", "NAME", "cpu or threads; `lanewise info` lists them"),
            OptionSpec::value("--global", "X[,Y[,Z]]", "Global size: how many work-items").short("-g"),
            OptionSpec::value("--local", "X[,Y[,Z]]", "Local size; chosen for you where it is left out")
                .short("-l"),
            OptionSpec::value("--offset", "X[,Y[,Z]]", "Global offset"),
            OptionSpec::value("--arg", "VALUE", "The next argument of the kernel, see below")
                .short("-a")
                .repeats()
                .any_value(),
            OptionSpec::value(
                "--repeat",
                "N",
                "Launch N times over the same buffers, and give the best and the median time",
            ),
            OptionSpec::value("--out", "I=FILE", "Write argument I, from 0, to a .npy, .png or .bin")
                .repeats(),
            SPEC,
            OPTIONS,
            OptionSpec::flag(
                "--check",
                "Look for the kernel's mistakes, or --check=KIND,…; exit code 3 if any",
            )
            .or_value(),
            REMARKS,
            TIME_PASSES,
            OptionSpec::flag("--json", "Print the times and what was counted as JSON, for other programs"),
            OptionSpec::flag("--divergence", "With --json: count in how many vectors branches diverge"),
        ],
        operand: Some("file"),
        notes: "\
FILE is OpenCL C, SPIR-V (.spv, .spvasm), LLVM IR (.ll, .bc), or a binary that `lanewise compile` made.

values, whose type is the kernel's:
  3  -1  0x10  2.5f     a scalar
  1,2,3,4               a vector; a single number fills all of it
  zeros:N               a buffer of N elements, all zero; N may be a product: zeros:640x480
  zeros:4,3             a buffer of 12 elements that --out writes as an array of 4 rows; so do iota and rand
  iota:N                a buffer counting 0, 1, 2, …
  rand:N[:SEED]         a random buffer: [0, 1) for floating point, any value for integers
  @FILE.npy  @FILE.bin  a buffer with a file's contents
  local:BYTES           local memory
  image:FILE.png        an image of a picture, rgba:unorm8
  image2d:640x480       an image of zeros; with a format, image2d:640x480:rgba:float; so are image1d, image3d,
                        image1d_array, image2d_array and image1d_buffer
  sampler:linear,clamp  a sampler: nearest, linear; none, edge, clamp, repeat, mirror; pixels, normalized
  {1,2.5,{3,4}}         a struct by its fields, in their order, with the fields of an inner struct or array in
                        braces of their own

A buffer of a struct has N structs in zeros:N. A .npy file for it may be structured: its fields must have the
places and types of the kernel's.",
        example: "\
lanewise run examples/saxpy.cl -k saxpy -g 1000000 --arg 2.5 --arg iota:1000000 --arg rand:1000000
lanewise run examples/reduce.cl -g 4096 -l 256 --arg iota:4096 --arg zeros:16 --arg local:1024 --arg 4096",
    },
    CommandSpec {
        name: "compile",
        summary: "Compile a kernel to a file",
        usage: "compile FILE -o OUT [options]",
        options: &[
            OptionSpec::value("--output", "OUT", "The file to write, or - for standard output").short("-o"),
            OptionSpec::value("--emit", "KIND", "ll, bc, asm, obj or bin; OUT's extension says it as well"),
            OptionSpec::value("--stage", "NAME", "canonical: the IR that opt and vecz take; late: the last"),
            OptionSpec::value("--kernel", "NAME", "Only this kernel").short("-k"),
            OptionSpec::value(
                "--target",
                "NAME",
                "cpu, threads, or native-cpu for objects that programs link",
            ),
            TRIPLE,
            CPU,
            FEATURES,
            OptionSpec::flag("--list-cpus", "List the CPUs that native-cpu makes code for, and end"),
            SPEC,
            OptionSpec::value(
                "--help-target",
                "NAME",
                "Say what a target is and which options it has, and end",
            ),
            OPTIONS,
            REMARKS,
            TIME_PASSES,
        ],
        operand: Some("file"),
        notes: "\
FILE is OpenCL C, SPIR-V (.spv, or .spvasm as text), or LLVM IR (.ll, .bc).
ll and bc are the IR after all passes, or before those of the late stage with --stage canonical. asm and obj
are machine code, and bin is what `lanewise run` loads without compiling. Such code is for any range;
--remarks tells of the vector code that a launch gets when its size is known.
native-cpu makes objects for this machine, or with --triple, --cpu and --features for any x86-64, AArch64 or
RISC-V CPU.",
        example: "lanewise compile examples/saxpy.cl -o saxpy.s --emit asm",
    },
    CommandSpec {
        name: "opt",
        summary: "Run passes over LLVM IR",
        usage: "opt --passes PIPELINE FILE [-o OUT] [options]\n       lanewise opt --test FILE… [--bless]",
        options: &[
            OptionSpec::value("--passes", "PIPELINE", "Passes with commas between them"),
            OptionSpec::value("--output", "OUT", "The file to write, or - for standard output (the default)")
                .short("-o"),
            OptionSpec::value("--target", "NAME", "cpu, native-cpu or threads: whose passes and builtins"),
            TRIPLE,
            CPU,
            FEATURES,
            OPTIONS,
            OptionSpec::flag("--print-after-all", "Print the IR after every pass"),
            OptionSpec::value("--print-after", "PASS", "Print the IR after this pass").repeats(),
            OptionSpec::flag("--time-passes", "Say how long each pass took"),
            OptionSpec::flag("--verify-each", "Verify the IR after every pass"),
            OptionSpec::flag("--test", "Run filetests: each FILE, or all .ll files below a folder")
                .many_operands(),
            OptionSpec::flag("--bless", "With --test: rewrite the expectations that do not hold"),
            OptionSpec::flag("--list", "List the target's stages and passes, with what each does, and end"),
        ],
        operand: Some("file"),
        notes: "\
A pipeline mixes our passes with LLVM's, which stand in llvm(…); options of a pass stand in <…>. The name
of a stage stands for its passes: canonical,late is all between the front end and machine code.
Files that LANEWISE_DUMP=DIR made begin with the command that makes each from the one before.
FILE is LLVM IR as text or bitcode, or SPIR-V; - is standard input. OUT is text, or bitcode if named .bc.
A filetest is a .ll file with its pipeline and the expected lines in comments; its target is abstract.",
        example: "lanewise opt --passes \
            'prepare-barriers,llvm(instcombine,simplifycfg),work-item-loops<debug>' in.ll",
    },
    CommandSpec {
        name: "vecz",
        summary: "Vectorize a kernel of LLVM IR",
        usage: "vecz FILE.ll [-k KERNEL] [-w WIDTH] [-o OUT] [--remarks]",
        options: &[
            OptionSpec::value("--kernel", "NAME", "The kernel; may be left out where there is one only")
                .short("-k"),
            OptionSpec::value(
                "--width",
                "N",
                "How many work-items run at once, 2 to 64, or nxv4: 4 * vscale",
            )
            .short("-w"),
            OptionSpec::value("--output", "OUT", "The file to write, or - for standard output (the default)")
                .short("-o"),
            REMARKS,
        ],
        operand: Some("file"),
        notes: "\
FILE is LLVM IR with OpenCL's functions or mux builtins, as text or bitcode, and - is standard input.
OUT is the module with the kernel and its vector version, as text, or as bitcode where its name ends in .bc.",
        example: "lanewise vecz kernels.ll -k saxpy -w 8 -o wide.ll --remarks",
    },
    CommandSpec {
        name: "explore",
        summary: "Show a kernel's way from source to instructions in the browser",
        usage: "explore FILE [-k KERNEL] [--html OUT.html] [options]",
        options: &[
            OptionSpec::value("--kernel", "NAME", "The kernel; may be left out where there is one only")
                .short("-k"),
            OptionSpec::value("--html", "OUT", "Write the page to a file and end, instead of serving it"),
            OptionSpec::value("--global", "X[,Y[,Z]]", "Global size of runs").short("-g"),
            OptionSpec::value("--local", "X[,Y[,Z]]", "Local size").short("-l"),
            OptionSpec::value(
                "--arg",
                "VALUE",
                "The next argument of the kernel, as `lanewise run` takes it",
            )
            .short("-a")
            .repeats()
            .any_value(),
            OptionSpec::value("--repeat", "N", "How many times a run launches the kernel; 20 if not given"),
            OptionSpec::value("--cpu", "NAME", "Code for another CPU; `compile --list-cpus` lists them"),
            SPEC,
            OPTIONS,
            OptionSpec::value("--compare", "TEXT", "Other options to see beside these: \"--lanes 8\"")
                .any_value(),
            OptionSpec::value("--port", "N", "The port of the page; any that is free if not given"),
            OptionSpec::flag("--json", "Print what the page shows as JSON, for other programs"),
        ],
        operand: Some("file"),
        notes: "\
FILE is OpenCL C, SPIR-V (.spv, .spvasm), LLVM IR (.ll, .bc), or a folder that LANEWISE_DUMP=DIR wrote.
The page is served on this computer only, to whoever has the address that is printed. With -g and --arg, the
file of --html has a run and its what-if table, too. docs/explorer.md shows the page.",
        example: "lanewise explore examples/saxpy.cl --html saxpy.html",
    },
    CommandSpec {
        name: "info",
        summary: "Show the devices and the versions of things",
        usage: "info [--roofline] [--json]",
        options: &[
            OptionSpec::flag("--roofline", "Measure what all cores compute and move, once, and show it"),
            OptionSpec::flag("--json", "The same and more as JSON, for other programs"),
        ],
        operand: None,
        notes: "",
        example: "lanewise info",
    },
];
