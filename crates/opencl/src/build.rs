//! Building, compiling and linking of programs, without handles and states.

use crate::binary::Binary;
use crate::cl::*;
use crate::objects::device_info::MAX_PARAMETER_SIZE;
use crate::objects::platform::jit;
use compiler::{
    Error, Header, Lookup, Module, NotifyCallback, Options, Profile, ProgramInfo, SpecializationInfo,
    SpirvDeviceInfo, State,
};
use jit::CarriedCode;
use runtime::Device;
use std::sync::Arc;

/// The target of a build: a device, and the callback for messages that no log has.
#[derive(Clone)]
pub struct For {
    pub device: &'static dyn Device,
    pub callback: NotifyCallback,
    /// What the context adds to the options of its programs.
    pub options: &'static [&'static str],
}

impl For {
    fn module(&self) -> Result<Module, Error> {
        self.device.compiler().target(Some(self.callback.clone()))?.create_module()
    }
}

/// The result of a build.
pub struct Outcome {
    /// `CL_SUCCESS`, or the error code if there is no program.
    pub code: cl_int,
    pub log: String,
    pub built: Option<Arc<Built>>,
    /// The files that the compiler looked for on disk; see [`Module::lookups`].
    pub lookups: Option<Vec<Lookup>>,
}

impl Outcome {
    /// No code, for a reason that the log may say.
    pub fn failed(code: cl_int, log: impl Into<String>) -> Outcome {
        Outcome { code, log: log.into(), built: None, lookups: None }
    }

    /// Code that was made before.
    pub fn ready(built: Arc<Built>) -> Outcome {
        Outcome { code: CL_SUCCESS, log: built.log.clone(), built: Some(built), lookups: None }
    }
}

/// Code of one of the three kinds of a binary.
pub struct Built {
    /// `CL_PROGRAM_BINARY_TYPE_…`
    pub kind: cl_uint,
    pub options_text: String,
    pub options: Options,
    pub info: ProgramInfo,
    pub log: String,
    pub program: Arc<jit::Program>,
}

/// The error code of a step that failed.
struct Failed(cl_int);

impl Built {
    fn new(device: &'static dyn Device, kind: cl_uint, options_text: &str, module: Module) -> Arc<Built> {
        // SAFETY: there is no code.
        unsafe { Built::carrying(device, kind, options_text, module, CarriedCode::new()) }
    }

    /// # Safety
    /// As for [`jit::Program::carrying`].
    unsafe fn carrying(
        device: &'static dyn Device,
        kind: cl_uint,
        options_text: &str,
        module: Module,
        code: CarriedCode,
    ) -> Arc<Built> {
        let built = Built {
            kind,
            options_text: options_text.to_owned(),
            options: module.options().clone(),
            info: module.program_info().clone(),
            log: module.build_log().to_owned(),
            // SAFETY: the caller vouches for the code.
            program: unsafe { jit::Program::carrying(jit().clone(), device, module, code) },
        };
        if built.is_executable() {
            built.program.expect_launches();
        }
        Arc::new(built)
    }

    pub fn is_executable(&self) -> bool {
        self.kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    }

    /// Whether work-groups must all have the same size.
    pub fn is_uniform(&self) -> bool {
        self.info.opencl_version < (2, 0) || self.options.uniform_work_group_size
    }

    /// The bytes of a program binary, with this machine code in it.
    pub fn binary(&self, code: CarriedCode) -> Vec<u8> {
        let module = self.program.module().serialize();
        let (options, log) = (self.options_text.clone(), self.log.clone());
        Binary { kind: self.kind, options, log, code, module }.to_bytes(self.program.device())
    }

    /// The machine code that there is for the program: see [`jit::Program::code`].
    pub fn code(&self) -> CarriedCode {
        if self.is_executable() { self.program.code() } else { CarriedCode::new() }
    }

    /// The program in a binary; an error if the binary is damaged, or for another device.
    pub fn from_binary(bytes: &[u8], target: &For) -> Result<Arc<Built>, String> {
        let binary = Binary::read(bytes, target.device)?;
        let has = |word: &&&str| binary.options.split_whitespace().any(|own| own == **word);
        if !target.options.iter().all(|word| has(&word)) {
            return Err("it was not built for a context that initializes memory as this one does".to_owned());
        }
        let mut module = target.module().map_err(|e| e.to_string())?;
        module.deserialize(&binary.module).map_err(|e| e.to_string())?;
        module.set_options(&binary.options).map_err(|e| e.to_string())?;
        module.add_text(&binary.log);
        let state = if binary.kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE {
            module.state() == State::Finalized
        } else {
            matches!(module.state(), State::Compiled | State::Linked)
        };
        match state {
            // SAFETY: whoever loads a binary vouches for it, as for a program that they run.
            true => Ok(unsafe {
                Built::carrying(target.device, binary.kind, &binary.options, module, binary.code)
            }),
            false => Err("the binary is not of the kind that it says".to_owned()),
        }
    }
}

/// Puts an earlier log in front of a module's log.
trait AddText {
    fn add_text(&mut self, text: &str);
}

impl AddText for Module {
    fn add_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.add_diagnostic(text);
        }
    }
}

/// Runs the steps on a new module and keeps its log.
fn with_module(
    target: &For,
    steps: impl FnOnce(&mut Module) -> Result<(cl_uint, String), Failed>,
) -> Outcome {
    let mut module = match target.module() {
        Ok(module) => module,
        Err(e) => return Outcome::failed(CL_OUT_OF_HOST_MEMORY, e.to_string()),
    };
    match steps(&mut module) {
        Ok((kind, options)) => Outcome {
            code: CL_SUCCESS,
            log: module.build_log().to_owned(),
            lookups: module.lookups().map(<[Lookup]>::to_vec),
            built: Some(Built::new(target.device, kind, &options, module)),
        },
        Err(Failed(code)) => Outcome::failed(code, module.build_log()),
    }
}

/// The error code `failure`, for any error of the compiler but that memory is short.
fn fail(failure: cl_int) -> impl Fn(Error) -> Failed {
    move |e| Failed(if e.is_out_of_memory() { CL_OUT_OF_HOST_MEMORY } else { failure })
}

/// Brings a program into canonical form, with remarks in its log if the options ask for them: the
/// vectorizer's remarks for an unknown local size, which only a launch determines.
fn finalize(target: &For, module: &mut Module, failure: cl_int) -> Result<(), Failed> {
    module.finalize().map_err(fail(failure))?;
    let local_memory = target.device.properties().local_memory_bytes;
    for kernel in module.program_info().kernels.clone() {
        if kernel.local_memory_size > local_memory && !module.options().no_warnings {
            let (name, bytes) = (&kernel.name, kernel.local_memory_size);
            module.add_diagnostic(&format!(
                "warning: kernel '{name}' cannot run: its variables take {bytes} bytes of local memory, and \
                 the device has {local_memory}"
            ));
        }
        let bytes = kernel.args.iter().map(|arg| arg.size).fold(0usize, usize::saturating_add);
        if bytes > MAX_PARAMETER_SIZE {
            let name = &kernel.name;
            module.add_build_error(&format!(
                "kernel '{name}' has {bytes} bytes of arguments; the device takes {MAX_PARAMETER_SIZE} \
                    at most"
            ));
            return Err(Failed(failure));
        }
    }
    if module.options().remarks {
        let remarks = module.remarks(None, None).map_err(fail(failure))?;
        remarks.iter().for_each(|remark| module.add_diagnostic(&remark.to_string()));
    }
    Ok(())
}

/// Whether the options are valid for a compilation: OpenCL's, and the device's own.
pub fn are_compile_options(device: &dyn Device, text: &str) -> bool {
    let options = device.compiler().parse_options(text);
    options.is_ok_and(|o| !o.create_library && !o.enable_link_options)
}

/// Whether the options are valid for linking: those for libraries, and those for mathematics.
pub fn are_link_options(device: &dyn Device, text: &str) -> bool {
    device.compiler().parse_options(text).is_ok_and(|o| {
        let compiles = o.std.is_some() || !o.defines.is_empty() || !o.include_dirs.is_empty();
        !compiles
            && o.warnings.is_empty()
            && !o.no_warnings
            && !o.warnings_are_errors
            && (o.create_library || !o.enable_link_options)
    })
}

/// The input of a compilation.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    OpenClC(&'a [u8], &'a [Header<'a>]),
    /// SPIR-V, with the values of its specialization constants.
    Il(&'a [u32], &'a SpecializationInfo),
}

impl Source<'_> {
    fn compile(self, module: &mut Module) -> Result<(), Error> {
        match self {
            Source::OpenClC(text, headers) => module.compile_opencl_c(Profile::Full, "", text, headers),
            Source::Il(words, constants) => {
                module.compile_spirv(words, &SpirvDeviceInfo::default(), Some(constants)).map(|_| ())
            }
        }
    }
}

/// `clCompileProgram`: source to an object that can be linked.
pub fn compile(target: &For, source: Source<'_>, options: &str) -> Outcome {
    with_module(target, |module| {
        module.set_options(options).map_err(fail(CL_INVALID_COMPILER_OPTIONS))?;
        source.compile(module).map_err(fail(CL_COMPILE_PROGRAM_FAILURE))?;
        Ok((CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, options.to_owned()))
    })
}

/// `clBuildProgram` of a source: compile and link in one.
pub fn build(target: &For, source: Source<'_>, options: &str) -> Outcome {
    with_module(target, |module| {
        module.set_options(options).map_err(fail(CL_INVALID_BUILD_OPTIONS))?;
        source.compile(module).map_err(fail(CL_BUILD_PROGRAM_FAILURE))?;
        finalize(target, module, CL_BUILD_PROGRAM_FAILURE)?;
        Ok((CL_PROGRAM_BINARY_TYPE_EXECUTABLE, options.to_owned()))
    })
}

/// `clLinkProgram`: objects and libraries to a library or an executable. The options are those of
/// the first input, and those for linking.
pub fn link(target: &For, inputs: &[Arc<Built>], options: &str, failure: cl_int) -> Outcome {
    with_module(target, |module| {
        let first = inputs.first().map_or("", |b| b.options_text.as_str());
        let all = format!("{first} {options}").trim().to_owned();
        module.set_options(&all).map_err(fail(CL_INVALID_LINKER_OPTIONS))?;
        let library = module.options().create_library;
        // One lock at a time: the same object may be given twice.
        for input in inputs {
            let part = input.program.module();
            module.link(&[&part]).map_err(fail(failure))?;
        }
        if library {
            return Ok((CL_PROGRAM_BINARY_TYPE_LIBRARY, first.to_owned()));
        }
        finalize(target, module, failure)?;
        Ok((CL_PROGRAM_BINARY_TYPE_EXECUTABLE, all))
    })
}
