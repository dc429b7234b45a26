//! Programs that were damaged at random, in one process: IR as text and as bitcode, SPIR-V, and
//! program binaries with and without a checksum that fits. Each is refused with an error or built,
//! and none is run: what a damaged kernel does when it runs is its own affair. The process stays
//! alive.
//!
//! `LANEWISE_HOSTILE=N` damages N programs instead of a few hundred, `LANEWISE_HOSTILE_SEED=S` only
//! that with seed S, and `LANEWISE_HOSTILE_TRACE=1` prints each seed before it is tried.

mod common;

use common::*;
use compiler::{Module, NdRange, NdRangeOptions, Profile};
use jit::hash128;
use kernelgen::{Rng, damage_spirv};
use std::ffi::CString;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

/// Kernels that go through the most of the compiler: barriers, local memory, groups, vectors,
/// atomics, loops, structs.
const SOURCES: [&str; 6] = [
    "kernel void k(global float *a, global const float *b, float f, int n) {
        int i = get_global_id(0);
        if (i < n) a[i] = b[i] * f + (i > 0 ? b[i - 1] : 0.0f);
    }",
    "kernel void k(global int *a, local int *s) {
        int l = get_local_id(0);
        s[l] = a[get_global_id(0)];
        for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < d) s[l] += s[l + d];
        }
        if (l == 0) a[get_group_id(0)] = s[0];
    }",
    "kernel void k(global int *a) {
        int x = a[get_global_id(0)];
        x = work_group_reduce_add(x) + sub_group_reduce_max(x) + sub_group_broadcast(x, 0);
        a[get_global_id(0)] = work_group_any(x > 3) ? work_group_scan_inclusive_min(x) : x;
    }",
    "typedef struct { float4 p; int n[3]; } S;
    kernel void k(global S *s, global uchar *out, S by_value) {
        size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);
        float4 v = s[i].p.wzyx * by_value.p + (float4)(1, 2, 3, 4);
        int t[4];
        for (int j = 0; j < 4; j++) t[j] = s[i].n[j % 3] << j;
        switch (t[i & 3]) { case 1: v.x = sin(v.x); break; case 2: v = sqrt(v); break; default: v.y = 0; }
        s[i].p = v;
        out[i] = convert_uchar_sat(dot(v, v));
    }",
    "kernel void k(global int *a, volatile global int *c, global long *l) {
        atomic_add(c, a[get_global_id(0)]);
        while (atomic_cmpxchg(c, 0, 1) == 7) atomic_inc(c);
        l[get_global_id(0)] = (long)a[0] / (a[1] + 1) % 7;
        if (a[0] == 12345) printf(\"%d %v4d\\n\", a[0], (int4)(a[1]));
    }",
    "float helper(float x, int n) { float r = 1; while (n-- > 0) r = mad(r, x, 1.0f); return r; }
    constant float table[4] = {1, 2, 3, 4};
    kernel void k(global float *a, global const float *b) {
        local float tile[64];
        event_t e = async_work_group_copy(tile, b, 64, 0);
        wait_group_events(1, &e);
        a[get_global_id(0)] = helper(tile[get_local_id(0) & 63], 5) + table[get_local_id(0) & 3] + exp(a[0]);
    }",
];

const OPTIONS: &str = "-cl-std=CL3.0";

fn module() -> Module {
    devices::all()[0].compiler().target(None).unwrap().create_module().unwrap()
}

/// Front-end IR of the sources as bitcode.
static BITCODE: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let compile = |source: &&str| {
        let mut m = module();
        m.set_options(OPTIONS).unwrap();
        m.compile_opencl_c(Profile::Full, "k.cl", source, &[]).unwrap_or_else(|e| panic!("{e}"));
        m.bitcode().to_vec()
    };
    SOURCES.iter().map(compile).collect()
});

/// The same as text, IR that spells mux builtins, and what the passes' own tests have, which is IR
/// of all stages.
static TEXT: LazyLock<Vec<String>> = LazyLock::new(|| {
    let context = llvm::Context::new();
    let text = |code: &Vec<u8>| llvm::Module::parse_bitcode(&context, code).unwrap().to_string();
    let mut all: Vec<String> = BITCODE.iter().map(text).chain([MUX.to_owned()]).collect();
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../passes/tests/filetests");
    let mut files: Vec<_> = std::fs::read_dir(folders)
        .unwrap()
        .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|file| file.extension().is_some_and(|e| e == "ll"))
        .collect();
    files.sort();
    let layout = "target datalayout = \"e-i64:64\"\n";
    all.extend(files.iter().map(|file| format!("{layout}{}", std::fs::read_to_string(file).unwrap())));
    all
});

const MUX: &str = "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256\"
target triple = \"spir64-unknown-unknown\"
declare i64 @__mux_get_global_id(i32)
declare i64 @__mux_get_local_id(i32)
declare i32 @__mux_get_sub_group_local_id()
declare void @__mux_work_group_barrier(i32, i32, i32)
declare void @__mux_mem_barrier(i32, i32)
declare i32 @__mux_work_group_reduce_add_i32(i32, i32)
declare float @__mux_sub_group_scan_inclusive_fadd_f32(float)
declare i32 @__mux_sub_group_shuffle_xor_i32(i32, i32)
declare float @__mux_exponent_f(float)
declare i1 @__mux_work_group_any_i1(i32, i1)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %s, i32 %n) {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %l = call i64 @__mux_get_local_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(3) %s, i64 %l
  store float %x, ptr addrspace(3) %q, align 4
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %c = icmp slt i32 %n, 3
  br i1 %c, label %then, label %done
then:
  %e = call float @__mux_exponent_f(float %x)
  %f = call float @__mux_sub_group_scan_inclusive_fadd_f32(float %e)
  %b = bitcast float %f to i32
  %g = call i32 @__mux_sub_group_shuffle_xor_i32(i32 %b, i32 1)
  call void @__mux_mem_barrier(i32 2, i32 264)
  br label %done
done:
  %v = phi i32 [ %g, %then ], [ %n, %entry ]
  %r = call i32 @__mux_work_group_reduce_add_i32(i32 1, i32 %v)
  %z = icmp eq i32 %r, 0
  %any = call i1 @__mux_work_group_any_i1(i32 2, i1 %z)
  %t = select i1 %any, i32 %r, i32 %v
  store i32 %t, ptr addrspace(1) %p, align 4
  ret void
}
!opencl.ocl.version = !{!0}
!0 = !{i32 3, i32 0}
";

/// SPIR-V of the reader's own tests.
static SPIRV: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spirv/tests/modules");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files.iter().filter_map(|f| spirv::assemble(&std::fs::read_to_string(f).unwrap()).ok()).collect()
});

// ---- Damage
// -------------------------------------------------------------------------------------------------

fn damage_bytes(rng: &mut Rng, bytes: &mut Vec<u8>, first: usize) {
    for _ in 0..*rng.pick(&[1, 1, 1, 2, 4, 16]) {
        if bytes.len() <= first + 8 {
            return;
        }
        let at = first + rng.below(bytes.len() - first);
        match rng.below(8) {
            0..=3 => bytes[at] ^= 1 << rng.below(8),
            4 => bytes[at] = rng.next() as u8,
            5 => {
                let end = bytes.len().min(at + 1 + rng.below(8));
                bytes.drain(at..end);
            }
            6 => {
                let from = first + rng.below(bytes.len() - first);
                let copy = bytes[from..bytes.len().min(from + 1 + rng.below(32))].to_vec();
                bytes.splice(at..at, copy);
            }
            _ if rng.below(6) == 0 => bytes.truncate(at),
            _ => bytes[at] = 0,
        }
    }
}

const TYPES: [&str; 18] = [
    "i1",
    "i7",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "half",
    "bfloat",
    "float",
    "double",
    "ptr",
    "<4 x i32>",
    "<3 x float>",
    "<vscale x 4 x i32>",
    "{ i32, float }",
    "[4 x i8]",
    "void",
];

/// Replaces lines, types, words and numbers of IR by others of its own and of `others`.
fn damage_text(rng: &mut Rng, text: &str, others: &[String]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..*rng.pick(&[1, 1, 1, 2, 3, 6]) {
        let at = rng.below(lines.len());
        match rng.below(14) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[rng.below(lines.len())].clone()),
            2 => {
                let other: Vec<&str> = rng.pick(others).lines().collect();
                let line = *rng.pick(&other);
                lines.insert(at, line.to_owned());
            }
            3 => {
                let to = rng.below(lines.len());
                lines.swap(at, to);
            }
            // One type for another, in a line or everywhere.
            4..=6 => {
                let (from, to) = (*rng.pick(&TYPES), *rng.pick(&TYPES));
                if rng.below(4) == 0 {
                    lines.iter_mut().for_each(|line| *line = line.replace(from, to));
                } else {
                    let with: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].contains(from)).collect();
                    if !with.is_empty() {
                        let i = *rng.pick(&with);
                        lines[i] = lines[i].replacen(from, to, 1 + rng.below(3));
                    }
                }
            }
            // One word for another.
            7..=10 => {
                let other: Vec<&str> = rng.pick(others).split([' ', '\n', ',', '(', ')']).collect();
                let word = *rng.pick(&other);
                let words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
                let i = rng.below(words.len());
                let line: Vec<&str> =
                    (0..words.len()).map(|j| if i == j { word } else { words[j].as_str() }).collect();
                lines[at] = line.join(" ");
            }
            // One number for another.
            11 | 12 => {
                let line = lines[at].clone();
                if let Some(i) = line.find(|c: char| c.is_ascii_digit()) {
                    let end = line[i..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |n| i + n);
                    let number =
                        *rng.pick(&["0", "1", "-1", "3", "64", "4294967296", "99999999999999999999"]);
                    lines[at] = format!("{}{number}{}", &line[..i], &line[end..]);
                }
            }
            _ => {
                let mut bytes = lines[at].clone().into_bytes();
                if !bytes.is_empty() {
                    let i = rng.below(bytes.len());
                    bytes[i] = 32 + rng.below(95) as u8;
                }
                lines[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

// ---- Building
// -------------------------------------------------------------------------------------------------

/// Makes machine code of all kernels of a finalized module, as a launch would.
fn generate(rng: &mut Rng, m: &mut Module) -> Result<(), String> {
    if rng.below(2) == 0 {
        return m.create_binary().map(drop).map_err(|e| e.to_string());
    }
    let names: Vec<String> = m.program_info().kernels.iter().map(|k| k.name.clone()).collect();
    for name in names {
        let kernel = m.get_kernel(&name).ok_or("no kernel")?;
        let range = NdRange::new(&[64], &[16]);
        kernel.create_specialized_kernel(&NdRangeOptions::from(&range)).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn load_ir(rng: &mut Rng, name: &str, bytes: &[u8]) -> Result<(), String> {
    let mut m = module();
    m.load_ir(name, bytes).map_err(|e| e.to_string())?;
    m.finalize().map_err(|e| e.to_string())?;
    generate(rng, &mut m)
}

fn build_it(cl: &Cl, program: Result<Handle, cl_int>) -> Result<(), String> {
    let program = program.map_err(|code| format!("code {code}"))?;
    let code = build::clBuildProgram(program, 0, In::NULL, In::NULL, None, Memory::NULL);
    let log = cl.log(program);
    let mut kernels = [NULL; 8];
    let mut count = 0;
    let made =
        kernel::clCreateKernelsInProgram(program, 8, kernels.as_mut_slice().into(), (&mut count).into());
    if made == CL_SUCCESS {
        for &kernel in &kernels[..count as usize] {
            let name = CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
            // This query runs the vectorizer.
            let _ = query(|size, value, ret| {
                kernel::clGetKernelWorkGroupInfo(kernel, cl.device, name, size, value, ret)
            });
            release_kernel(kernel);
        }
    }
    release_program(program);
    if code == CL_SUCCESS { Ok(()) } else { Err(log) }
}

fn text_ir(seed: u64) -> Result<(), String> {
    let mut rng = Rng::new(seed);
    // Half of them from the programs that are sure to be built.
    let good = if rng.below(2) == 0 { &TEXT[..=SOURCES.len()] } else { &TEXT[..] };
    let text = rng.pick(good).clone();
    let text = damage_text(&mut rng, &text, &TEXT);
    load_ir(&mut rng, "damaged.ll", text.as_bytes())
}

fn bitcode(seed: u64) -> Result<(), String> {
    let mut rng = Rng::new(seed);
    let mut bytes = rng.pick(&BITCODE).clone();
    damage_bytes(&mut rng, &mut bytes, 4);
    load_ir(&mut rng, "damaged.bc", &bytes)
}

fn il(cl: &Cl, seed: u64) -> Result<(), String> {
    let mut rng = Rng::new(seed);
    let mut code = rng.pick(&SPIRV).clone();
    damage_spirv(&mut rng, &mut code, &SPIRV);
    let size = size_of_val(code.as_slice());
    build_it(cl, made(|out| program::clCreateProgramWithIL(cl.context, memory(&code), size, out)))
}

/// Binaries of an executable, of a library and of an object, for each source.
fn binaries(cl: &Cl) -> Vec<Vec<u8>> {
    let binary = |program: Handle| {
        let ask =
            |size, value, ret| program::clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, size, value, ret);
        let mut bytes = vec![0u8; as_sizes(query(ask).unwrap())[0]];
        let mut places = [bytes.as_mut_ptr()];
        let value = Out::from(places.as_mut_slice());
        // SAFETY: a list with one place, which has the size the driver said.
        let value: Out<u8> = unsafe { std::mem::transmute(value) };
        assert_eq!(program::clGetProgramInfo(program, CL_PROGRAM_BINARIES, 8, value, Out::NULL), CL_SUCCESS);
        release_program(program);
        bytes
    };
    let mut all = Vec::new();
    for source in SOURCES {
        all.push(binary(cl.build(source, OPTIONS).unwrap_or_else(|(_, log)| panic!("{log}"))));
        let object = cl.source(source);
        let options = CString::new(OPTIONS).unwrap();
        let options = || options.as_c_str().into();
        let code = build::clCompileProgram(
            object,
            0,
            In::NULL,
            options(),
            0,
            In::NULL,
            In::NULL,
            None,
            Memory::NULL,
        );
        assert_eq!(code, CL_SUCCESS);
        all.push(binary(object));
    }
    all
}

/// The place of `part` in `whole`.
fn position(whole: &[u8], part: &[u8]) -> usize {
    whole.windows(part.len()).position(|window| window == part).expect("it is in there")
}

/// The number of bytes that follows in a container, before the bytes.
fn set_length(container: &mut [u8], at: usize, length: usize) {
    container[at - 8..at].copy_from_slice(&(length as u64).to_le_bytes());
}

/// Damages a binary: anywhere, and it is refused by its checksum; or the bitcode inside, or
/// anything, with checksums that fit again.
fn damage_binary(rng: &mut Rng, binary: &[u8]) -> Vec<u8> {
    let mut bytes = binary.to_vec();
    let way = rng.below(8);
    if way == 0 {
        damage_bytes(rng, &mut bytes, 0);
        return bytes;
    }
    bytes.truncate(bytes.len() - 16);
    if way == 1 {
        damage_bytes(rng, &mut bytes, 8);
    } else {
        // The module ends the container with its own checksum, after its bitcode.
        let start = position(&bytes, b"LWMODULE");
        let mut inner = bytes.split_off(start);
        inner.truncate(inner.len() - 8);
        let code_at = position(&inner, b"BC\xc0\xde");
        let mut code = inner.split_off(code_at);
        damage_bytes(rng, &mut code, 4);
        set_length(&mut inner, code_at, code.len());
        inner.extend(code);
        inner.extend(compiler::checksum(&inner).to_le_bytes());
        set_length(&mut bytes, start, inner.len());
        bytes.extend(inner);
    }
    let hash = hash128(&bytes);
    bytes.extend(hash);
    bytes
}

fn binary(cl: &Cl, seed: u64, binaries: &[Vec<u8>]) -> Result<(), String> {
    let mut rng = Rng::new(seed);
    let good = rng.pick(binaries).clone();
    let bytes = damage_binary(&mut rng, &good);
    let program = made(|code| {
        let (lengths, parts) = ([bytes.len()], [memory(&bytes)]);
        program::clCreateProgramWithBinary(
            cl.context,
            1,
            list(&[cl.device]),
            list(&lengths),
            list(&parts),
            Out::NULL,
            code,
        )
    });
    build_it(cl, program)?;
    // And code, which the driver would make at the first launch.
    let start = position(&bytes, b"LWMODULE");
    let mut m = module();
    m.deserialize(&bytes[start..bytes.len() - 16]).map_err(|e| e.to_string())?;
    if m.state() != compiler::State::Finalized {
        m.finalize().map_err(|e| e.to_string())?;
    }
    generate(&mut rng, &mut m)
}

// ---- Running
// -------------------------------------------------------------------------------------------------

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Ends the process if one program takes longer than any should.
fn watch(what: &str) -> Arc<Mutex<Option<(u64, Instant)>>> {
    let watched: Arc<Mutex<Option<(u64, Instant)>>> = Arc::default();
    let (what, shared) = (what.to_owned(), watched.clone());
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if let Some((seed, start)) = *shared.lock().unwrap()
                && start.elapsed() > LIMIT
            {
                eprintln!("{what} {seed} takes more than {LIMIT:?}");
                std::process::abort();
            }
        }
    });
    watched
}

const LIMIT: Duration = Duration::from_secs(120);

/// Tries as many damaged programs as `share` of a hundred, and says how many were built.
fn try_all(what: &str, share: u64, few: u64, damaged: impl Fn(u64) -> Result<(), String>) {
    let trace = number("LANEWISE_HOSTILE_TRACE").is_some();
    let count = number("LANEWISE_HOSTILE").map_or(few, |n| n * share / 100);
    let seeds = number("LANEWISE_HOSTILE_SEED").map_or(1..=count, |seed| seed..=seed);
    let (mut built, mut crashed, mut panicked) = (0, 0, 0);
    let watched = watch(what);
    for seed in seeds.clone() {
        *watched.lock().unwrap() = Some((seed, Instant::now()));
        if trace {
            eprintln!("{what} {seed}");
        }
        match damaged(seed) {
            Ok(()) => built += 1,
            Err(why) => {
                assert!(!why.is_empty(), "{what} {seed} is refused without a word");
                let is = |text: &str| why.contains(text);
                let crash = is("LLVM crashed") || is("LLVM gave up") || is("LLVM ran out");
                crashed += u64::from(crash);
                panicked += u64::from(is("internal error"));
                if trace && (crash || is("internal error") || is("malformed IR")) {
                    eprintln!("{what} {seed}: {}", why.lines().next().unwrap_or_default());
                }
            }
        }
    }
    *watched.lock().unwrap() = None;
    let tried = seeds.count() as u64;
    let refused = tried - built;
    println!(
        "{what}: {tried} damaged, {built} built, {refused} refused: {crashed} crashed, {panicked} panicked"
    );
    // Some damage must be harmless, or the rest tests nothing but the first check.
    assert!(tried < 50 || built > tried / 50, "{what}: {built} of {tried} were built");
}

#[test]
fn damaged_text() {
    try_all("text", 30, 60, text_ir);
}

#[test]
fn damaged_bitcode() {
    try_all("bitcode", 25, 80, bitcode);
}

#[test]
fn damaged_spirv() {
    let cl = Cl::new();
    try_all("SPIR-V", 20, 80, |seed| il(&cl, seed));
}

#[test]
fn damaged_binaries() {
    let cl = Cl::new();
    let binaries = binaries(&cl);
    try_all("binary", 25, 80, |seed| binary(&cl, seed, &binaries));
}

/// The threads of a program have stacks of its choosing. A build that needs more stack is an error.
#[test]
fn stacks_may_be_small() {
    let chain = |n: usize| {
        let terms: String = (0..n).map(|i| format!("x{i} * x{i} + ")).collect();
        let values: String = (0..n).map(|i| format!("long x{i} = a[{i}];\n")).collect();
        format!("kernel void k(global long *a) {{ {values} a[0] = {terms} {} a[1]; }}", "-~".repeat(n))
    };
    let blocks = |n: usize| {
        let (ifs, ends) = ("if (a[n++] > n) { a[n] = n;\n".repeat(n), "}".repeat(n));
        format!("kernel void k(global int *a, int n) {{ {ifs} {ends} }}")
    };
    let sources = [SOURCES[0].to_owned(), SOURCES[1].to_owned(), chain(400), blocks(150)];
    // LLVM itself needs about 80 KB for the two small sources.
    for kilobytes in [96, 256] {
        let sources = sources.clone();
        let small = std::thread::Builder::new().stack_size(kilobytes << 10);
        let build = move || {
            let cl = Cl::new();
            let outcome = |source: &String| build_it(&cl, Ok(cl.source(source)));
            sources.iter().map(outcome).collect::<Vec<_>>()
        };
        let outcomes = small.spawn(build).unwrap().join().unwrap();
        println!("{kilobytes} KB: {outcomes:?}");
        assert!(outcomes[..2].iter().all(Result::is_ok), "{kilobytes} KB: {outcomes:?}");
    }
}
