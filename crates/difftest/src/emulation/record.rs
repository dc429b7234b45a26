//! Records the launches of execution tests, so that they can be run again under emulation.
//!
//! With `LANEWISE_RECORD=FOLDER` every launch of [`crate::run`] whose source is known is written to
//! a file: the program, the arguments before, and what the buffers held afterwards. The program
//! `emulate` runs these files on all platforms. Launches are left out that depend on what differs
//! from machine to machine: the size of sub-groups that nobody required, addresses, images,
//! estimates, `a * b + c` of halves, and options that only this CPU has; or on launches before. Of
//! large launches some of each program are enough.

use super::{Arg, Case, Kernel, Launch, Source};
use crate::{Program, Result, contents};
use compiler::{NdRange, SpecializationInfo};
use runtime::ArgValue;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = PathBuf::from(std::env::var_os("LANEWISE_RECORD").filter(|path| !path.is_empty())?);
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    Some(folder)
});

/// The program of a kernel: its source and its options.
#[derive(Clone)]
struct Origin {
    /// Kept, so that its address is not given to another kernel.
    _kernel: Arc<jit::Kernel>,
    source: Source,
    options: String,
    fuses: bool,
    /// How many large launches are recorded.
    large: usize,
}

/// Launches with more bytes than this are large.
const LARGE: usize = 256 << 10;

/// The most bytes of a recorded launch.
const MOST: usize = 8 << 20;

/// The most large launches of a program.
const MOST_LARGE: usize = 16;

static KERNELS: LazyLock<Mutex<HashMap<usize, Origin>>> = LazyLock::new(Mutex::default);

fn kernels() -> MutexGuard<'static, HashMap<usize, Origin>> {
    KERNELS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn address(kernel: &jit::Kernel) -> usize {
    std::ptr::from_ref(kernel).addr()
}

/// Remembers what a kernel was made from, unless its results are this CPU's own.
pub(crate) fn remember(kernel: &Arc<jit::Kernel>, program: &Program) {
    if let (Some((source, options)), true) = (&program.source, FOLDER.is_some()) {
        let module = program.module();
        let ir = module.bitcode();
        // What a program's variables hold is of the launches before.
        let has_variables = !matches!(module.split_variables(), Ok(None));
        if has_variables || options.contains("-cl-denorms-are-zero") || is_of_this_cpu(&ir) {
            return;
        }
        let (source, options, fuses) = (source.clone(), options.clone(), calls(&ir, "llvm.fmuladd."));
        let origin = Origin { _kernel: kernel.clone(), source, options, fuses, large: 0 };
        kernels().entry(address(kernel)).or_insert(origin);
    }
}

/// A launch before it runs on this machine.
pub(crate) struct Before {
    kernel: Kernel,
    args: Vec<Arg>,
}

/// Copies what the buffers hold, if the launch is to be recorded.
pub(crate) fn before(kernel: &jit::Kernel, args: &[ArgValue]) -> Result<Option<Before>> {
    if FOLDER.is_none() {
        return Ok(None);
    }
    let size = |arg: &ArgValue| match arg {
        ArgValue::Buffer(buffer, _) => buffer.len(),
        _ => 0,
    };
    let size: usize = args.iter().map(size).sum();
    let origin = match kernels().get_mut(&address(kernel)) {
        None => return Ok(None),
        Some(origin) => {
            origin.large += usize::from(size > LARGE);
            if size > MOST || size > LARGE && origin.large > MOST_LARGE {
                return Ok(None);
            }
            origin.clone()
        }
    };
    let mut seen: Vec<&runtime::Buffer> = Vec::new();
    let mut copies = Vec::new();
    for arg in args {
        copies.push(match arg {
            ArgValue::Bytes(bytes) => Arg::Bytes(bytes.clone()),
            ArgValue::Local(bytes) => Arg::Local(*bytes),
            ArgValue::Buffer(buffer, 0) if !seen.iter().any(|b| std::ptr::eq(*b, &**buffer)) => {
                seen.push(buffer);
                Arg::Buffer(contents(buffer)?)
            }
            // Parts of buffers, images and addresses are not the runner's.
            _ => return Ok(None),
        });
    }
    let kernel = Kernel {
        source: origin.source,
        name: kernel.name().to_owned(),
        options: without_lanes(&origin.options),
        fuses: origin.fuses,
    };
    Ok(Some(Before { kernel, args: copies }))
}

/// Whether results are a CPU's own: its estimate of 1/√x, and `a * b + c` of halves, which CPUs
/// without arithmetic of halves compute in floats.
fn is_of_this_cpu(ir: &[u8]) -> bool {
    let halves = ["f16", "v2f16", "v3f16", "v4f16", "v8f16", "v16f16"];
    calls(ir, "rsqrt_estimate") || halves.iter().any(|ty| calls(ir, &format!("llvm.fmuladd.{ty}")))
}

/// Whether bitcode names a function.
fn calls(ir: &[u8], name: &str) -> bool {
    ir.windows(name.len()).any(|at| at == name.as_bytes())
}

/// The options without the number of lanes, which is the platform's.
fn without_lanes(options: &str) -> String {
    let words: Vec<&str> = options.split_whitespace().collect();
    let lanes = words.iter().position(|word| *word == "--lanes");
    let kept = words.iter().enumerate().filter(|(i, _)| lanes.is_none_or(|at| *i != at && *i != at + 1));
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

/// Writes the launch, now that it has run.
pub(crate) fn after(before: Before, kernel: &jit::Kernel, range: NdRange, args: &[ArgValue]) -> Result<()> {
    let Some(folder) = &*FOLDER else { return Ok(()) };
    let code = kernel.wait_for_code(&range)?;
    if code.facts().uses_sub_groups && kernel.info().reqd_sub_group_size.is_none() {
        return Ok(());
    }
    let buffers = args.iter().filter_map(|arg| match arg {
        ArgValue::Buffer(buffer, _) => Some(contents(buffer)),
        _ => None,
    });
    let case = Case {
        launch: Launch {
            kernel: 0,
            work_dim: range.work_dim,
            global: range.global_size,
            offset: range.global_offset,
            local: range.local_size,
            args: before.args,
        },
        expected: buffers.collect::<Result<Vec<_>>>()?,
    };
    let mut program = Vec::new();
    write_kernel(&mut program, &before.kernel);
    let mut launch = Vec::new();
    write_case(&mut launch, &case);
    let path = folder.join(format!("{:016x}-{:016x}", hash(&program), hash(&launch)));
    if !path.exists() {
        // Tests run at the same time: the file is whole when it has its name.
        let temporary = path.with_extension(std::process::id().to_string());
        std::fs::write(&temporary, [program, launch].concat())?;
        std::fs::rename(temporary, path)?;
    }
    Ok(())
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// A recorded program with its launches.
pub struct Recorded {
    /// The name of its files, up to the hyphen.
    pub id: String,
    pub kernel: Kernel,
    pub cases: Vec<Case>,
}

/// The files of a folder by programs.
pub fn programs(folder: &Path) -> Result<BTreeMap<String, Vec<PathBuf>>> {
    let mut programs: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let (Some((program, _)), None) = (name.split_once('-'), path.extension()) {
            programs.entry(program.to_owned()).or_default().push(path.clone());
        }
    }
    programs.values_mut().for_each(|paths| paths.sort());
    Ok(programs)
}

/// Reads a program from its files.
pub fn read(id: &str, paths: &[PathBuf]) -> Result<Recorded> {
    let mut kernel = None;
    let mut cases = Vec::new();
    for path in paths {
        let bytes = std::fs::read(path)?;
        let mut rest = &bytes[..];
        let mut parse = || Some((read_kernel(&mut rest)?, read_case(&mut rest)?));
        let (own, case) = parse().ok_or_else(|| format!("{}: not a recorded launch", path.display()))?;
        kernel = Some(own);
        cases.push(case);
    }
    let kernel = kernel.ok_or("the program has no launches")?;
    Ok(Recorded { id: id.to_owned(), kernel, cases })
}

fn number(to: &mut Vec<u8>, n: usize) {
    to.extend((n as u64).to_le_bytes());
}

fn bytes(to: &mut Vec<u8>, content: &[u8]) {
    number(to, content.len());
    to.extend(content);
}

fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    usize::try_from(u64::from_le_bytes(*first)).ok()
}

fn take_bytes(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let size = take_number(rest)?;
    let (first, after) = rest.split_at_checked(size)?;
    *rest = after;
    Some(first.to_vec())
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    String::from_utf8(take_bytes(rest)?).ok()
}

fn write_kernel(to: &mut Vec<u8>, kernel: &Kernel) {
    bytes(to, kernel.name.as_bytes());
    bytes(to, kernel.options.as_bytes());
    number(to, kernel.fuses.into());
    match &kernel.source {
        Source::OpenClC(text) => {
            number(to, 0);
            bytes(to, text.as_bytes());
        }
        Source::Ir(ir) => {
            number(to, 1);
            bytes(to, ir);
        }
        Source::Spirv(words, constants) => {
            number(to, 2);
            bytes(to, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
            number(to, constants.values.len());
            for (id, value) in &constants.values {
                number(to, *id as usize);
                bytes(to, value);
            }
        }
    }
}

fn read_kernel(rest: &mut &[u8]) -> Option<Kernel> {
    let (name, options) = (take_text(rest)?, take_text(rest)?);
    let fuses = take_number(rest)? != 0;
    let source = match take_number(rest)? {
        0 => Source::OpenClC(take_text(rest)?),
        1 => Source::Ir(take_bytes(rest)?),
        _ => {
            let words = take_bytes(rest)?;
            let words = words.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let mut values = BTreeMap::new();
            for _ in 0..take_number(rest)? {
                values.insert(take_number(rest)? as u32, take_bytes(rest)?);
            }
            Source::Spirv(words.collect(), SpecializationInfo { values })
        }
    };
    Some(Kernel { source, name, options, fuses })
}

fn write_case(to: &mut Vec<u8>, case: &Case) {
    let launch = &case.launch;
    number(to, launch.work_dim as usize);
    for n in launch.global.into_iter().chain(launch.offset).chain(launch.local) {
        number(to, n);
    }
    number(to, launch.args.len());
    for arg in &launch.args {
        let (kind, content) = match arg {
            Arg::Buffer(init) => (0, init.clone()),
            Arg::Local(size) => (1, (*size as u64).to_le_bytes().to_vec()),
            Arg::Bytes(value) => (2, value.clone()),
        };
        number(to, kind);
        bytes(to, &content);
    }
    number(to, case.expected.len());
    case.expected.iter().for_each(|buffer| bytes(to, buffer));
}

fn read_case(rest: &mut &[u8]) -> Option<Case> {
    let work_dim = take_number(rest)? as u32;
    let mut three = || Some([take_number(rest)?, take_number(rest)?, take_number(rest)?]);
    let (global, offset, local) = (three()?, three()?, three()?);
    let mut args = Vec::new();
    for _ in 0..take_number(rest)? {
        let (kind, content) = (take_number(rest)?, take_bytes(rest)?);
        args.push(match kind {
            0 => Arg::Buffer(content),
            1 => Arg::Local(usize::try_from(u64::from_le_bytes(content.try_into().ok()?)).ok()?),
            _ => Arg::Bytes(content),
        });
    }
    let mut expected = Vec::new();
    for _ in 0..take_number(rest)? {
        expected.push(take_bytes(rest)?);
    }
    let launch = Launch { kernel: 0, work_dim, global, offset, local, args };
    Some(Case { launch, expected })
}
