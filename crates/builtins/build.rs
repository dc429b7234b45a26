//! Compiles the sources in `cl/` with clang 19, links them to one module, and cuts each into a part
//! for scalars and one for vectors, so that a program opens only what it calls.
//!
//! Sources that mention `size_t` are compiled for 64-bit and for 32-bit addresses, the others for
//! 64 bits only. The sources in `cl/without_double` and `cl/without_half` define functions a second
//! time, for devices that lack the type.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The extensions and features that the definitions may use. Which of them a program sees is
/// decided by its device (`clc::features`).
const EXTENSIONS: &str = "-cl-ext=-all,+cl_khr_fp16,+cl_khr_fp64,+__opencl_c_fp64,\
    +__opencl_c_generic_address_space,+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst,\
    +cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_subgroups,+__opencl_c_subgroups,\
    +__opencl_c_images,+__opencl_c_3d_image_writes,+cl_khr_3d_image_writes,+__opencl_c_read_write_images,\
    +cl_khr_depth_images";

const SPIR64: &str = "spir64-unknown-unknown";
const SPIR32: &str = "spir-unknown-unknown";

fn output(program: &Path, args: &[&str]) -> Option<String> {
    let out = Command::new(program).args(args).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// A program of LLVM 19: under its name with the version, or in LLVM's own directory.
fn tool(name: &str) -> PathBuf {
    let versioned = PathBuf::from(format!("{name}-19"));
    if output(&versioned, &["--version"]).is_some() {
        return versioned;
    }
    let dir = output(Path::new("llvm-config-19"), &["--bindir"]).unwrap_or_default();
    let path = Path::new(&dir).join(name);
    assert!(
        path.is_file(),
        "{name} of LLVM 19 was not found: run `make setup`, or install clang-19 and llvm-19"
    );
    path
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// Removes the module-level metadata (versions and flags), which linking would add to that of a
/// program. Returns the names of the module's functions. An event is a pointer for all of the
/// compiler.
fn strip(module: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(module).expect("clang wrote it");
    let lines = text.lines().filter(|line| !line.starts_with("!opencl.") && !line.starts_with("!llvm."));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut text = text.replace("target(\"spirv.Event\")", "ptr");
    // Clang marks functions without a body as convergent: all work-items of a group would have to
    // call them.
    if !text.contains("@_Z7barrierj") && !text.contains("sub_group") {
        text = text.replace(" convergent ", " ");
    }
    // Nothing writes what is behind a pointer to constant memory.
    let is_load = |line: &str| line.contains(" = load ") && line.contains(", ptr addrspace(2) ");
    let marked = |line: &str| if is_load(line) { ", !invariant.load !{}\n" } else { "\n" };
    text = text.lines().flat_map(|line| [line, marked(line)]).collect();
    std::fs::write(module, &text).expect("OUT_DIR is writable");
    let definitions = text.lines().filter(|line| line.starts_with("define "));
    let names = definitions.filter_map(|line| Some(line.split_once('@')?.1.split_once('(')?.0.to_owned()));
    names.filter(|name| name.starts_with("_Z")).collect()
}

/// The devices a module is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Devices {
    WithoutDouble,
    WithoutHalf,
    Address32,
    All,
}

impl Devices {
    /// In the order in which `link` looks for a function.
    const EACH: [Devices; 4] =
        [Devices::WithoutDouble, Devices::WithoutHalf, Devices::Address32, Devices::All];

    fn sources(self) -> &'static str {
        match self {
            Devices::WithoutDouble => "cl/without_double",
            Devices::WithoutHalf => "cl/without_half",
            Devices::Address32 | Devices::All => "cl",
        }
    }

    /// The sizes of addresses that a source is compiled for.
    fn address_bits(self, source: &Path) -> &'static [u32] {
        match (self, depends_on_address_size(source)) {
            (Devices::Address32, true) => &[32],
            (Devices::Address32, false) => &[],
            (Devices::WithoutDouble | Devices::WithoutHalf, true) => &[64, 32],
            _ => &[64],
        }
    }

    /// The table in `parts.rs` of functions and their parts.
    fn table(self) -> &'static str {
        match self {
            Devices::WithoutDouble => "WITHOUT_DOUBLE",
            Devices::WithoutHalf => "WITHOUT_HALF",
            Devices::Address32 => "ADDRESS_32",
            Devices::All => "INDEX",
        }
    }
}

/// A source with what it is compiled for.
struct Module {
    source: PathBuf,
    devices: Devices,
    address_bits: u32,
    define: Option<String>,
    path: PathBuf,
}

const ONE_FOR_EACH: &str = "// One module for each ";

/// Whether a source, or a header of ours that it includes, has functions of a `size_t`.
fn depends_on_address_size(source: &Path) -> bool {
    let text = std::fs::read_to_string(source).expect("cl/ is readable");
    let headers = text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'));
    let dir = source.parent().expect("a source is in a directory");
    text.contains("size_t") || headers.into_iter().any(|header| depends_on_address_size(&dir.join(header)))
}

/// The modules of a source. `// One module for each M: a b` in its first line makes two, with
/// `-DM=a` and `-DM=b`.
fn modules_of(source: &Path, devices: Devices, out: &Path) -> Vec<Module> {
    let text = std::fs::read_to_string(source).expect("cl/ is readable");
    let stem = source.file_stem().expect("a source has a name").to_string_lossy();
    let each = text.lines().next().and_then(|line| line.strip_prefix(ONE_FOR_EACH)?.split_once(':'));
    let variants = match each {
        None => vec![(stem.to_string(), None)],
        Some((name, values)) => {
            let variant = |value| (format!("{stem}_{value}"), Some(format!("-D{name}={value}")));
            values.split_whitespace().map(variant).collect()
        }
    };
    let mut modules = Vec::new();
    for (name, define) in variants {
        for &address_bits in devices.address_bits(source) {
            let prefix = devices.sources().replace('/', "_");
            modules.push(Module {
                source: source.to_owned(),
                devices,
                address_bits,
                define: define.clone(),
                path: out.join(format!("{prefix}_{name}_{address_bits}.ll")),
            });
        }
    }
    modules
}

/// The OpenCL C sources in a directory, in order.
fn sources(dir: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{dir}: {error}"));
    let mut sources: Vec<_> = entries
        .map(|entry| entry.expect("cl/ is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cl"))
        .collect();
    sources.sort();
    sources
}

/// Maps a function over items on all CPUs; the results keep the order of the items.
fn in_parallel<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<_> = items.iter().map(|_| OnceLock::new()).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let _ = results[i].set(work(item));
                }
            });
        }
    });
    results.into_iter().map(|result| result.into_inner().expect("each item was worked on")).collect()
}

/// A library without functions, for documentation that is built where there is no clang.
fn write_empty(out: &Path) {
    let tables = Devices::EACH.map(|d| format!("static {}: &[(&str, usize)] = &[];\n", d.table())).concat();
    let parts = format!("static PARTS: &[&Aligned<[u8]>] = &[];\n{tables}");
    std::fs::write(out.join("parts.rs"), parts).expect("OUT_DIR is writable");
    std::fs::write(out.join("builtins.bc"), "").expect("OUT_DIR is writable");
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cl");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    if std::env::var_os("CARGO_FEATURE_DOCS_ONLY").is_some() {
        return write_empty(&out);
    }
    let (clang, link, extract) = (tool("clang"), tool("llvm-link"), tool("llvm-extract"));
    let resources = output(&clang, &["-print-resource-dir"]).expect("clang knows its directory");
    let header = Path::new(&resources).join("include/opencl-c-base.h");

    // `link` takes the first parts first: those for some devices before those for all.
    let modules: Vec<_> = Devices::EACH
        .into_iter()
        .flat_map(|devices| sources(devices.sources()).into_iter().map(move |source| (source, devices)))
        .flat_map(|(source, devices)| modules_of(&source, devices, &out))
        .collect();
    let compile = |module: &Module| {
        run(Command::new(&clang)
            .args(["-cc1", "-triple", if module.address_bits == 32 { SPIR32 } else { SPIR64 }])
            .args(["-x", "cl", "-cl-std=CL3.0", EXTENSIONS])
            // With the mode for denormals left open, functions are inlined into kernels of any
            // mode.
            .args(["-O2", "-w", "-Qn", "-ffp-contract=on", "-fdenormal-fp-math=dynamic,dynamic"])
            .args(["-cl-fp32-correctly-rounded-divide-sqrt", "-emit-llvm"])
            .args(&module.define)
            .arg("-include")
            .arg(&header)
            .arg("-o")
            .arg(&module.path)
            .arg(&module.source));
        let names = strip(&module.path);
        let mut parts = Vec::new();
        for vectors in [false, true] {
            let part_names: Vec<_> =
                names.iter().filter(|name| name.contains("Dv") == vectors).cloned().collect();
            if part_names.is_empty() {
                continue;
            }
            let part = module.path.with_extension(if vectors { "vectors.bc" } else { "scalars.bc" });
            let mut command = Command::new(if part_names.len() < names.len() { &extract } else { &link });
            if part_names.len() < names.len() {
                command.arg("--rfunc=Dv");
                command.args((!vectors).then_some("--delete"));
            }
            run(command.arg(&module.path).arg("-o").arg(&part));
            parts.push((module.devices, part, part_names));
        }
        parts
    };
    let parts: Vec<_> = in_parallel(&modules, compile).into_iter().flatten().collect();
    let mut table: String = parts.iter().map(|(_, path, _)| format!("part!({path:?}),")).collect();
    table = format!("static PARTS: &[&Aligned<[u8]>] = &[{table}];\n");
    for devices in Devices::EACH {
        let own = parts.iter().enumerate().filter(|(_, part)| part.0 == devices);
        let mut index: Vec<_> =
            own.flat_map(|(i, (_, _, names))| names.iter().map(move |name| (name, i))).collect();
        index.sort();
        table += &format!("static {}: &[(&str, usize)] = &{index:?};\n", devices.table());
    }
    std::fs::write(out.join("parts.rs"), table).expect("OUT_DIR is writable");

    let whole = modules.iter().filter(|m| m.devices == Devices::All);
    run(Command::new(&link).args(whole.map(|m| &m.path)).arg("-o").arg(out.join("builtins.bc")));
}
