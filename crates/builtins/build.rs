//! Compiles the sources in `cl/` with clang 19, links them to one module, and cuts each into a part for scalars and
//! one for vectors, so that a program opens only what it calls.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Everything that a definition may need; whether a program sees it is not decided here.
const EXTENSIONS: &str = "-cl-ext=-all,+cl_khr_fp16,+cl_khr_fp64,+__opencl_c_fp64,\
    +__opencl_c_generic_address_space,+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst,\
    +cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_subgroups,+__opencl_c_subgroups";

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

/// Removes what a module says of itself, which would be added to what a program says: versions and flags. Gives the
/// names of its functions. An event is a pointer for all of the compiler.
fn strip(module: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(module).expect("clang wrote it");
    let lines = text.lines().filter(|line| !line.starts_with("!opencl.") && !line.starts_with("!llvm."));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut text = text.replace("target(\"spirv.Event\")", "ptr");
    // Clang takes any function it does not see for one that all work-items of a group must call.
    if !text.contains("@_Z7barrierj") && !text.contains("sub_group") {
        text = text.replace(" convergent ", " ");
    }
    std::fs::write(module, &text).expect("OUT_DIR is writable");
    let definitions = text.lines().filter(|line| line.starts_with("define "));
    let names = definitions.filter_map(|line| Some(line.split_once('@')?.1.split_once('(')?.0.to_owned()));
    names.filter(|name| name.starts_with("_Z")).collect()
}

/// A source with what is defined for it.
struct Module {
    source: PathBuf,
    define: Option<String>,
    path: PathBuf,
}

const ONE_FOR_EACH: &str = "// One module for each ";

/// The modules of a source. `// One module for each M: a b` in its first line makes two, with `-DM=a` and `-DM=b`.
fn modules_of(source: &Path, out: &Path) -> Vec<Module> {
    let text = std::fs::read_to_string(source).expect("cl/ is readable");
    let stem = source.file_stem().expect("a source has a name").to_string_lossy();
    let module = |name: &str, define: Option<String>| Module {
        source: source.to_owned(),
        define,
        path: out.join(format!("{name}.ll")),
    };
    match text.lines().next().and_then(|line| line.strip_prefix(ONE_FOR_EACH)?.split_once(':')) {
        None => vec![module(&stem, None)],
        Some((name, values)) => {
            let values = values.split_whitespace();
            values
                .map(|value| module(&format!("{stem}_{value}"), Some(format!("-D{name}={value}"))))
                .collect()
        }
    }
}

/// The function's results for all items, in their order, from as many threads as there are CPUs.
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

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cl");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (clang, link, extract) = (tool("clang"), tool("llvm-link"), tool("llvm-extract"));
    let resources = output(&clang, &["-print-resource-dir"]).expect("clang knows its directory");
    let header = Path::new(&resources).join("include/opencl-c-base.h");

    let mut sources: Vec<_> = std::fs::read_dir("cl")
        .expect("cl/ is there")
        .map(|entry| entry.expect("cl/ is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cl"))
        .collect();
    sources.sort();
    // The modules: a source may say that it is one for each value of a macro.
    let modules: Vec<_> = sources.iter().flat_map(|source| modules_of(source, &out)).collect();
    let compile = |module: &Module| {
        run(Command::new(&clang)
            .args(["-cc1", "-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", EXTENSIONS])
            // With the mode for denormals left open, functions are inlined into kernels of any mode.
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
            parts.push((part, part_names));
        }
        parts
    };
    let parts: Vec<_> = in_parallel(&modules, compile).into_iter().flatten().collect();
    let index = parts.iter().enumerate().flat_map(|(i, (_, names))| names.iter().map(move |name| (name, i)));
    let mut index: Vec<_> = index.collect();
    let modules: Vec<_> = modules.iter().map(|module| &module.path).collect();
    run(Command::new(&link).args(&modules).arg("-o").arg(out.join("builtins.bc")));

    index.sort();
    let parts: String = parts.iter().map(|(path, _)| format!("part!({path:?}),")).collect();
    let table = format!(
        "static PARTS: &[&Aligned<[u8]>] = &[{parts}];\nstatic INDEX: &[(&str, usize)] = &{index:?};\n"
    );
    std::fs::write(out.join("parts.rs"), table).expect("OUT_DIR is writable");
}
