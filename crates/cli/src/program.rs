//! A file with kernels: OpenCL C, SPIR-V, LLVM IR, or a compiled binary.

use std::collections::BTreeMap;
use std::sync::Arc;

use compiler::{Error as CompilerError, Info, KernelInfo, Module, Profile};
use compiler::{SpecializableConstant, SpecializationInfo};
use jit::{Jit, Kernel};
use passes::Report;
use runtime::Device;

use crate::args::Place;
use crate::error::{Error, Result};

/// The language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    OpenClC,
    /// LLVM IR, text or bitcode.
    Ir,
    SpirV,
    /// SPIR-V as text.
    SpirVText,
    /// An ELF file, which must be a binary of Lanewise.
    Binary,
}

impl Language {
    /// The language of a file: by its first bytes if they identify it, else by the file's
    /// extension.
    pub fn of(place: &Place, bytes: &[u8]) -> Self {
        const SPIR_V: [[u8; 4]; 2] = [0x0723_0203u32.to_le_bytes(), 0x0723_0203u32.to_be_bytes()];
        let extension = place.path().and_then(|path| path.extension()).and_then(|e| e.to_str());
        let starts = |magic: &[u8]| bytes.starts_with(magic);
        match extension {
            _ if starts(b"\x7fELF") => Self::Binary,
            _ if starts(b"BC\xc0\xde") || starts(&0x0b17_c0deu32.to_le_bytes()) => Self::Ir,
            _ if SPIR_V.iter().any(|magic| starts(magic)) => Self::SpirV,
            Some("ll" | "bc") => Self::Ir,
            Some("bin" | "o" | "obj") => Self::Binary,
            Some("spv") => Self::SpirV,
            Some("spvasm") => Self::SpirVText,
            None if starts(b"; SPIR-V") => Self::SpirVText,
            None if starts(b"; ModuleID") || starts(b"source_filename") => Self::Ir,
            _ => Self::OpenClC,
        }
    }
}

/// A program whose kernels can be run on a device.
pub enum Program {
    Built(Arc<jit::Program>),
    Binary(Vec<Arc<Kernel>>),
}

impl Program {
    /// Builds or loads the contents of `place` for a device.
    pub fn new(
        device: &'static dyn Device,
        jit: Jit,
        place: &Place,
        bytes: &[u8],
        options: &str,
        constants: &[(u32, String)],
    ) -> Result<Self> {
        let jit = Arc::new(jit);
        if Language::of(place, bytes) != Language::Binary {
            let module = build(device.compiler(), place, bytes, options, constants)?;
            return Ok(Self::Built(jit::Program::new(jit, device, module)));
        }
        let wrong = |why: String| Error::input(format!("{place}: {why}"));
        if !options.trim().is_empty() {
            return Err(wrong("a binary is compiled already, --options come too late".into()));
        }
        if !constants.is_empty() {
            return Err(wrong("a binary is compiled already, --spec comes too late".into()));
        }
        load_trusted(&jit, device, bytes).map(Self::Binary).map_err(|e| wrong(e.into()))
    }

    /// The kernel of this name, or the only one.
    pub fn kernel(&self, place: &Place, name: Option<&str>) -> Result<Arc<Kernel>> {
        let infos: Vec<KernelInfo> = match self {
            Self::Built(program) => program.module().program_info().kernels.clone(),
            Self::Binary(kernels) => kernels.iter().map(|kernel| kernel.info().clone()).collect(),
        };
        let name = &choose_kernel(place, &infos, name)?.name;
        let found = match self {
            Self::Built(program) => program.kernel(name),
            Self::Binary(kernels) => kernels.iter().find(|kernel| kernel.name() == name).cloned(),
        };
        found.ok_or_else(|| Error::input(format!("{place}: the kernel {name} is not there")))
    }

    /// Whether the local size must divide the global size.
    pub fn must_divide(&self, kernel: &Kernel) -> bool {
        let uniform = match self {
            Self::Built(program) => program.module().options().uniform_work_group_size,
            Self::Binary(_) => false,
        };
        uniform || kernel.info().reqd_work_group_size.is_some()
    }

    /// The time of each step of building the program and this kernel, and the remarks. Empty for a
    /// binary.
    pub fn report(&self, kernel: &Kernel) -> Report {
        let mut report = Report::default();
        if let Self::Built(program) = self {
            report.extend(program.module().report().clone());
            report.extend(kernel.report());
        }
        report
    }
}

/// Loads a binary that the user asked to run, and so trusts as any other program.
#[expect(unsafe_code, reason = "only the user can say whether a file of machine code is to be trusted")]
fn load_trusted(
    jit: &Arc<Jit>,
    device: &'static dyn Device,
    bytes: &[u8],
) -> std::result::Result<Vec<Arc<Kernel>>, CompilerError> {
    // SAFETY: the user vouches for the file by running it. Damaged ones, and those for other
    // machines, are refused.
    unsafe { jit::load_binary(jit, device, bytes) }
}

/// Build options that ask for remarks too.
pub fn with_remarks(options: &str, remarks: bool) -> String {
    if remarks { format!("{options} -cl-lanewise-remarks") } else { options.to_owned() }
}

/// Builds source or IR with a compiler. Warnings and errors of the source go to standard error as
/// clang prints them.
pub fn build(
    compiler: &'static dyn Info,
    place: &Place,
    bytes: &[u8],
    options: &str,
    constants: &[(u32, String)],
) -> Result<Module> {
    let wrong = |why: &dyn std::fmt::Display| Error::input(format!("{place}: {why}"));
    let name = match place {
        Place::Standard => "<stdin>".to_owned(),
        Place::Path(path) => path.display().to_string(),
    };
    let target = compiler.target(None).map_err(|e| wrong(&e))?;
    let mut module = target.create_module().map_err(|e| wrong(&e))?;
    module.set_options(options).map_err(|e| Error::input(format!("--options: {e}")))?;
    let language = Language::of(place, bytes);
    if !constants.is_empty() && !matches!(language, Language::SpirV | Language::SpirVText) {
        return Err(Error::usage("--spec: only SPIR-V has specialization constants"));
    }
    match language {
        Language::OpenClC => {
            if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
                return Err(wrong(&format!("this is not OpenCL C: byte {at} is zero")));
            }
            let compiled = module.compile_opencl_c(Profile::Full, &name, bytes, &[]);
            if !module.build_log().is_empty() {
                eprintln!("{}", module.build_log().trim_end());
            }
            compiled.map_err(|_| match module.num_errors() {
                0 | 1 => wrong(&"the source has an error"),
                n => wrong(&format!("the source has {n} errors")),
            })?;
        }
        Language::Ir => module.load_ir(&name, bytes).map_err(|e| refused_ir(&name, &e))?,
        language @ (Language::SpirV | Language::SpirVText) => {
            let words = spirv_words(bytes, language).map_err(|e| wrong(&e))?;
            let constants = specialization(&words, constants)?;
            module.compile_spirv(&words, &Default::default(), Some(&constants)).map_err(|e| wrong(&e))?;
        }
        Language::Binary => return Err(wrong(&"this is a binary, which is compiled already")),
    }
    module.finalize().map_err(|e| wrong(&e))?;
    Ok(module)
}

/// The values of specialization constants, in the types that the module gives them.
fn specialization(words: &[u32], given: &[(u32, String)]) -> Result<SpecializationInfo> {
    // Code that is no SPIR-V has no constants, and is refused where it is translated.
    let types = spirv::specializable_constants(words).unwrap_or_default();
    let mut values = BTreeMap::new();
    for (id, text) in given {
        let Some(ty) = types.get(id) else {
            let known: Vec<_> = types.keys().map(u32::to_string).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(Error::usage(format!(
                "--spec {id}={text}: there is no such constant; there is {known}"
            )));
        };
        let bytes = match *ty {
            SpecializableConstant::Bool => text.parse().ok().map(|yes: bool| vec![yes.into()]),
            SpecializableConstant::Int { .. } => {
                let number = text.parse::<i64>().ok().or_else(|| text.parse::<u64>().ok().map(|n| n as i64));
                number.map(|n| n.to_le_bytes()[..ty.size()].to_vec())
            }
            SpecializableConstant::Float { bits: 64 } => {
                text.parse().ok().map(|x: f64| x.to_le_bytes().to_vec())
            }
            SpecializableConstant::Float { bits: 32 } => {
                text.parse().ok().map(|x: f32| x.to_le_bytes().to_vec())
            }
            SpecializableConstant::Float { .. } => None,
        };
        let wrong = || Error::usage(format!("--spec {id}={text}: this should be a value of type {ty:?}"));
        values.insert(*id, bytes.ok_or_else(wrong)?);
    }
    Ok(SpecializationInfo { values })
}

/// The words of SPIR-V, binary or text.
pub fn spirv_words(bytes: &[u8], language: Language) -> std::result::Result<Vec<u32>, String> {
    if language == Language::SpirVText {
        let text =
            std::str::from_utf8(bytes).map_err(|e| format!("byte {} is not UTF-8", e.valid_up_to()))?;
        return spirv::assemble(text).map_err(|e| e.to_string());
    }
    if !bytes.len().is_multiple_of(4) {
        return Err(format!("SPIR-V has words of four bytes, this has {} bytes", bytes.len()));
    }
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// The error for refused IR. The parser's message begins with the file's name already, the
/// verifier's does not.
fn refused_ir(name: &str, error: &CompilerError) -> Error {
    let message = error.message();
    Error::input(if message.starts_with(name) { message.to_owned() } else { format!("{name}: {message}") })
}

/// The kernel of this name, or the only one; the error lists the file's kernels.
pub fn choose_kernel<'a>(
    place: &Place,
    infos: &'a [KernelInfo],
    name: Option<&str>,
) -> Result<&'a KernelInfo> {
    let names: Vec<String> = infos.iter().map(|info| info.name.clone()).collect();
    let chosen = choose(place, &names, name)?;
    Ok(infos.iter().find(|info| info.name == *chosen).expect("it is one of them"))
}

/// The given name, or the only one; the error lists the known names.
pub fn choose<'a>(place: &Place, names: &'a [String], name: Option<&str>) -> Result<&'a String> {
    let there_are = match names {
        [] => return Err(Error::input(format!("{place}: there is no kernel in it"))),
        [one] => format!("there is {one}"),
        all => {
            let mut all = all.to_vec();
            all.sort_unstable();
            format!("there are {}", all.join(", "))
        }
    };
    match (name, names) {
        (None, [only]) => Ok(only),
        (None, _) => Err(Error::input(format!("{place}: which kernel? Give -k NAME; {there_are}"))),
        (Some(name), _) => names
            .iter()
            .find(|known| *known == name)
            .ok_or_else(|| Error::input(format!("{place}: there is no kernel {name}; {there_are}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages() {
        let of = |name: &str, bytes: &[u8]| Language::of(&Place::Path(name.into()), bytes);
        assert_eq!(of("a.cl", b"kernel"), Language::OpenClC);
        assert_eq!(of("a", b"kernel"), Language::OpenClC);
        assert_eq!(of("a.ll", b"define"), Language::Ir);
        assert_eq!(of("a.cl", b"BC\xc0\xde"), Language::Ir);
        assert_eq!(of("a", b"\x7fELF"), Language::Binary);
        assert_eq!(of("a.bin", b""), Language::Binary);
        assert_eq!(of("a", &[3, 2, 0x23, 7]), Language::SpirV);
        assert_eq!(of("a.spvasm", b"OpCapability Kernel"), Language::SpirVText);
        assert_eq!(of("a", b"; SPIR-V\n; Version: 1.2"), Language::SpirVText);
        assert_eq!(Language::of(&Place::Standard, b"; ModuleID = 'x'"), Language::Ir);
    }
}
