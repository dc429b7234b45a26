//! From options to clang's arguments, and from source to a module.

use crate::options::{Options, Standard};
use crate::{Device, features};
use llvm::{Context, Lookup, Module, SourceFile, clang_compile};
use std::borrow::Cow;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The profile of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Full,
    Embedded,
}

/// A header in memory, for `#include` of its name.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    pub name: &'a str,
    /// In any encoding.
    pub text: &'a [u8],
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Output {
    /// None if there were errors.
    pub module: Option<Module>,
    /// The diagnostics, with source lines and carets.
    pub log: String,
    pub errors: u32,
    pub warnings: u32,
    /// What clang looked for on disk; see [`llvm::ClangOutput::lookups`].
    pub lookups: Option<Vec<Lookup>>,
}

// Where files in memory stand. The source has a directory of its own, so that no header can take
// its place.
const SOURCE_DIR: &str = "/lanewise/source/";
const HEADER_DIR: &str = "/lanewise/include/";
const BASE_HEADER: &str = "/lanewise/clang/opencl-c-base.h";

/// Clang recurses over expressions. Pages of the stack are allocated only when a deeply nested
/// program touches them.
const STACK_SIZE: usize = 256 << 20;

/// The log of a compilation that the system has no thread for says so with these words.
pub const NO_THREAD: &str = "no thread for the compiler";

/// The number of errors after which clang stops.
const ERROR_LIMIT: &str = "100";

/// Clang's options and headers for a device, made once for each kind of device.
struct Language {
    /// The option with the extensions.
    switches: String,
    /// Clang's header for use with `-fdeclare-opencl-builtins`, between definitions that make it
    /// agree with the table of features, and then our own header.
    base_header: String,
}

impl Language {
    fn of(device: &Device) -> &'static Language {
        static ALL: [OnceLock<Language>; 64] = [const { OnceLock::new() }; 64];
        let is_3_1 = device.version >= Standard::Cl31;
        let parts =
            [device.half, device.double, device.int64_atomics, device.sub_groups, device.images, is_3_1];
        ALL[parts.into_iter().fold(0, |index, has| index << 1 | usize::from(has))].get_or_init(|| {
            let header = include_str!(concat!(env!("OUT_DIR"), "/opencl-c-base.h"));
            let ours = include_str!("../include/extensions.h");
            let (before, after) = (features::before_header(device), features::after_header(device));
            Language {
                switches: format!("-cl-ext={}", features::clang_switches(device)),
                base_header: format!("{before}{header}\n{after}{ours}"),
            }
        })
    }
}

/// A header with functions that few programs call.
struct RareHeader {
    path: &'static str,
    text: &'static str,
    /// What the names of its functions begin with.
    prefixes: &'static [&'static str],
    is_for: fn(&Device) -> bool,
}

const RARE_HEADERS: &[RareHeader] = &[
    RareHeader {
        path: "/lanewise/clang/intel_subgroups.h",
        text: include_str!("../include/intel_subgroups.h"),
        prefixes: &["intel_sub_group_"],
        is_for: |device| device.sub_groups,
    },
    RareHeader {
        path: "/lanewise/clang/work_group_arithmetic.h",
        text: include_str!("../include/work_group_arithmetic.h"),
        prefixes: &["work_group_reduce_", "work_group_scan_"],
        is_for: |_| true,
    },
];

impl RareHeader {
    /// Whether the source may call its functions, itself or in files that it includes.
    fn is_needed(&self, source: &[u8], device: &Device) -> bool {
        let mut words = self.prefixes.iter().chain(&["include"]);
        (self.is_for)(device) && words.any(|word| contains(source, word))
    }
}

/// Writes the source of a program that has no file where a debugger finds it: into the folder for
/// temporary files, under a name that follows from the text.
fn keep_source(source: &[u8]) -> Option<String> {
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    let path = std::env::temp_dir().join(format!("lanewise-{:016x}.cl", hasher.finish()));
    if !path.exists() {
        // The file gets its name when it is complete. Only new files are created: nothing is
        // written through links that another user placed there.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let part = path.with_extension(format!("{}-{number}.part", std::process::id()));
        File::create_new(&part).and_then(|mut file| file.write_all(source)).ok()?;
        // Another thread or process may have been first.
        let _ = std::fs::hard_link(&part, &path);
        let _ = std::fs::remove_file(part);
    }
    let is_regular =
        std::fs::symlink_metadata(&path).is_ok_and(|m| m.is_file() && m.len() == source.len() as u64);
    let is_it = is_regular && std::fs::read(&path).is_ok_and(|text| text == source);
    is_it.then(|| path.to_str().map(str::to_owned)).flatten()
}

/// The name of a source without one in diagnostics and debug information.
pub const UNNAMED: &str = "program.cl";

/// Compiles OpenCL C for a device. `name` is the source's name in diagnostics and debug
/// information. Its bytes reach clang as they are: strings and comments may be in any encoding.
pub fn compile(
    context: &Context,
    source: &(impl AsRef<[u8]> + ?Sized),
    name: &str,
    profile: Profile,
    device: &Device,
    options: &Options,
    headers: &[Header],
) -> Output {
    let mut notes = Vec::new();
    let kept = (options.debug && options.source_path.is_none() && name.is_empty())
        .then(|| keep_source(source.as_ref()))
        .flatten();
    let file = options.source_path.as_deref().or(kept.as_deref());
    let name = file.unwrap_or(if name.is_empty() { UNNAMED } else { name });
    let source = without_nul(source.as_ref(), name, &mut notes);
    if let Some(path) = &options.source_path
        && !Path::new(path).exists()
        && let Err(error) = std::fs::write(path, &source)
    {
        notes.push(format!("{path}: warning: the source could not be written here: {error}\n"));
    }

    let path = source_path(name);
    let headers: Vec<_> = headers
        .iter()
        .filter(|header| !header.name.is_empty())
        .map(|header| (header_path(header.name), header.text))
        .collect();
    let base_header = own_header(&Language::of(device).base_header, options);
    let rare_headers: Vec<_> = RARE_HEADERS
        .iter()
        .filter(|header| header.is_needed(&source, device))
        .map(|header| (header.path, own_header(header.text, options)))
        .collect();
    let mut files = vec![
        SourceFile { path: &path, text: &source },
        SourceFile { path: BASE_HEADER, text: base_header.as_bytes() },
    ];
    files.extend(headers.iter().map(|(path, text)| SourceFile { path, text }));
    let mut include_dirs: Vec<&str> = options.include_dirs.iter().map(String::as_str).collect();
    if !headers.is_empty() {
        include_dirs.insert(0, HEADER_DIR);
    }
    let mut args = arguments(&path, profile, device, options, &include_dirs);
    for (path, text) in &rare_headers {
        files.push(SourceFile { path, text: text.as_bytes() });
        args.extend(["-include", *path].map(str::to_owned));
    }

    let standard = options.standard();
    let compiled = match standard <= device.version {
        true => run_clang(context, &args, &files),
        false => {
            let newest = device.version.name();
            Err(format!("-cl-std={} is newer than the device, which has {newest}", standard.name()))
        }
    };
    let mut output = compiled.unwrap_or_else(|message| Output {
        module: None,
        log: format!("{name}: error: {message}\n"),
        errors: 1,
        warnings: 0,
        lookups: None,
    });
    add_warnings(&mut output, name, &notes, options);
    output
}

/// Runs clang in a thread of its own, since the caller's stack may be small.
fn run_clang(context: &Context, args: &[String], files: &[SourceFile]) -> Result<Output, String> {
    std::thread::scope(|scope| {
        let clang = || clang_compile(context, args, files);
        let thread = std::thread::Builder::new().name("clang".to_owned()).stack_size(STACK_SIZE);
        let thread = thread.spawn_scoped(scope, clang).map_err(|error| format!("{NO_THREAD}: {error}"))?;
        let output = thread.join().map_err(|_| "the compiler panicked".to_owned())?;
        Ok(Output {
            module: output.module.map(|module| events_as_pointers(context, module)),
            log: output.log.replace(SOURCE_DIR, "").replace(HEADER_DIR, ""),
            errors: output.errors,
            warnings: output.warnings,
            lookups: output.lookups,
        })
    })
}

/// Adds our own warnings to clang's, and makes them errors with `-Werror`, as clang does its own.
fn add_warnings(output: &mut Output, name: &str, warnings: &[String], options: &Options) {
    if options.no_warnings {
        return;
    }
    output.log.insert_str(0, &warnings.concat());
    output.warnings += warnings.len() as u32;
    if options.warnings_are_errors && !warnings.is_empty() && output.errors == 0 {
        output.log.push_str(&format!("{name}: error: there are warnings, and -Werror is given\n"));
        output.errors = 1;
        output.module = None;
    }
}

/// Replaces the type of `event_t`, for which clang has a target extension type of SPIR-V, by a
/// pointer. A type cannot be changed in place, so the few programs with events are printed and
/// parsed.
pub fn events_as_pointers(context: &Context, module: Module) -> Module {
    const EVENT: &str = "target(\"spirv.Event\")";
    if !module.target_types().iter().any(|ty| ty.to_string() == EVENT) {
        return module;
    }
    let text = module.to_string().replace(EVENT, "ptr");
    Module::parse(context, text.as_bytes(), &module.name()).unwrap_or(module)
}

/// Clang takes text to its first NUL. Hosts often count the NUL at the end; any other is a blank
/// with a warning.
fn without_nul<'a>(source: &'a [u8], name: &str, notes: &mut Vec<String>) -> Cow<'a, [u8]> {
    let end = source.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let source = &source[..end];
    let Some(place) = source.iter().position(|byte| *byte == 0) else { return Cow::Borrowed(source) };
    let line = source[..place].iter().filter(|byte| **byte == b'\n').count() + 1;
    notes.push(format!("{name}:{line}: warning: null character ignored\n"));
    Cow::Owned(source.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect())
}

/// One of our own headers. If warnings are enabled by name, it becomes a system header, so that
/// none is about it: the user could not fix it.
fn own_header<'a>(text: &'a str, options: &Options) -> Cow<'a, str> {
    match options.warnings.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("#pragma clang system_header\n{text}")),
    }
}

fn contains(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).any(|part| part == word.as_bytes())
}

/// The path of the source in memory: made of its name so that no option or header has the same.
fn source_path(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    match name.trim_end_matches('/') {
        "" => format!("{SOURCE_DIR}program.cl"),
        name if name.starts_with('/') => name.to_owned(),
        name => format!("{SOURCE_DIR}{name}"),
    }
}

fn header_path(name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("{HEADER_DIR}{name}") }
}

/// The arguments of `clang -cc1`.
fn arguments(
    path: &str,
    profile: Profile,
    device: &Device,
    options: &Options,
    include_dirs: &[&str],
) -> Vec<String> {
    let mut args: Vec<String> = Vec::with_capacity(64);
    let mut add = |arg: &str| args.push(arg.to_owned());

    add("-triple");
    add(device.triple());
    add("-emit-llvm-only");
    add("-x");
    add("cl");
    let standard = options.standard();
    add(&format!("-cl-std={}", standard.in_clang().name()));
    if standard != standard.in_clang() {
        add("-U__OPENCL_C_VERSION__");
        add(&format!("-D__OPENCL_C_VERSION__={}", standard.number()));
    }
    add(&Language::of(device).switches);

    // No header but those in memory and those of `-I`.
    for arg in ["-nostdsysteminc", "-nobuiltininc", "-fdeclare-opencl-builtins", "-include", BASE_HEADER] {
        add(arg);
    }
    for dir in include_dirs {
        add("-I");
        add(dir);
    }
    add(&format!("-D__OPENCL_VERSION__={}", device.version.number()));
    if profile == Profile::Embedded {
        add("-D__EMBEDDED_PROFILE__=1");
        add("-Dcles_khr_int64=1");
    }
    for define in &options.defines {
        match &define.value {
            Some(value) => add(&format!("-D{}={value}", define.name)),
            None => add(&format!("-D{}", define.name)),
        }
    }

    // IR as for LLVM's optimizer, but without running it: our own passes follow. At -O0 every
    // function would be `noinline`.
    add("-O2");
    if options.opt_disable {
        add("-disable-lifetime-markers");
    }
    add("-disable-llvm-passes");
    // Kernels read memory as another type than it was written as; `-cl-strict-aliasing` was removed
    // after OpenCL 1.0.
    add("-relaxed-aliasing");
    // Later passes need the names and types of arguments.
    add("-cl-kernel-arg-info");
    add("-Qn");
    floating_point(options, &mut add);
    if options.uniform_work_group_size && options.standard() >= Standard::Cl20 {
        add("-cl-uniform-work-group-size");
    }

    debug_info(path, options, &mut add);
    warnings(options, &mut add);
    args
}

fn debug_info(path: &str, options: &Options, add: &mut impl FnMut(&str)) {
    if options.debug {
        add("-debug-info-kind=standalone");
        add("-dwarf-version=5");
        add("-debugger-tuning=gdb");
        add("-main-file-name");
        add(path.rsplit('/').next().unwrap_or(path));
        // Debuggers look up relative file names in the current directory.
        let cwd = std::env::current_dir().unwrap_or_default();
        for dir in [SOURCE_DIR, HEADER_DIR] {
            add(&format!("-fdebug-prefix-map={dir}={}/", cwd.display()));
        }
    }
    if (options.remarks || options.keep_lines || !options.checks.is_empty()) && !options.debug {
        // With a remark option, clang keeps the lines of instructions, and marks them as not to be
        // written to objects.
        add("-Rpass=lanewise");
        // Otherwise clang would make file names relative to the current directory.
        add("-fdebug-compilation-dir=/");
        for dir in [SOURCE_DIR, HEADER_DIR] {
            add(&format!("-fdebug-prefix-map={dir}="));
        }
    }
    for dir in [SOURCE_DIR, HEADER_DIR] {
        add(&format!("-fmacro-prefix-map={dir}="));
    }
}

fn warnings(options: &Options, add: &mut impl FnMut(&str)) {
    options.warnings.iter().for_each(|warning| add(warning));
    if options.no_warnings {
        add("-w");
    }
    if options.warnings_are_errors {
        add("-Werror");
    }
    // Generated programs have branches inside of hundreds of others.
    add("-fbracket-depth");
    add("4096");
    add("-ferror-limit");
    add(ERROR_LIMIT);
}

fn floating_point(options: &Options, add: &mut impl FnMut(&str)) {
    // `-cl-mad-enable` allows `a * b + c` with one rounding or two, so contraction across
    // statements is allowed.
    let contract = options.mad_enable || options.unsafe_math || options.fast_relaxed_math;
    add(if contract { "-ffp-contract=fast" } else { "-ffp-contract=on" });
    let flags = [
        (options.single_precision_constant, "-cl-single-precision-constant"),
        (options.denorms_are_zero, "-fdenormal-fp-math-f32=preserve-sign,preserve-sign"),
        (options.correctly_rounded_divide_sqrt, "-cl-fp32-correctly-rounded-divide-sqrt"),
        (options.mad_enable, "-cl-mad-enable"),
        (options.no_signed_zeros, "-cl-no-signed-zeros"),
        (options.unsafe_math, "-cl-unsafe-math-optimizations"),
        (options.finite_math_only, "-cl-finite-math-only"),
        (options.fast_relaxed_math, "-cl-fast-relaxed-math"),
    ];
    for (_, flag) in flags.iter().filter(|(on, _)| *on) {
        add(flag);
    }
}
