//! A program on its way from source to kernels.

use crate::codegen::{self, Output};
use crate::pipeline::{LateStage, RangeSize};
use crate::program_info::{PrintfDescriptor, ProgramInfo};
use crate::unsupported::{refuse_missing_types, refuse_required_sizes, refuse_unsupported_types};
use crate::variables::{self, SplitProgram};
use crate::{
    Context, DeviceInfo, Error, Header, Kernel, Lookup, Lowered, NdRange, Options, PassMachinery, Profile,
    Reader, Result, SpecializationInfo, SpirvDeviceInfo, SpirvModuleInfo, Target, Writer, checksum, seal,
};
use ir::Builtin;
use ir::attributes::{LONG_COLUMN, SMALL_RANGE_END};
use llvm::LinkMode;
use passes::{Remark, Report, Trace};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// The state of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No IR yet.
    Empty,
    /// Front-end IR of one source.
    Compiled,
    /// Front-end IR of several sources.
    Linked,
    /// Kernels in canonical form.
    Finalized,
}

/// The result of `finalize`.
#[derive(Clone, Debug)]
pub struct Finalized {
    pub program: ProgramInfo,
    pub printf_calls: Vec<PrintfDescriptor>,
    /// How long each pass took.
    pub report: Report,
}

/// The container of a device program. It goes from [`Module::compile_opencl_c`], perhaps through
/// [`Module::link`], to [`Module::finalize`]; then it has kernels.
pub struct Module {
    target: Arc<Target>,
    context: Arc<Context>,
    options: Options,
    /// The text of `options`.
    options_text: String,
    state: State,
    /// The IR as bitcode, which belongs to no context and no thread.
    bitcode: Arc<Vec<u8>>,
    program: ProgramInfo,
    kernels: HashMap<String, Arc<Kernel>>,
    log: String,
    errors: u32,
    report: Report,
    /// The files that clang looked for on disk; `None` if the result depends on the time of
    /// compilation (`__TIME__`).
    lookups: Option<Vec<Lookup>>,
}

const MAGIC: &[u8; 8] = b"LWMODULE";

impl Module {
    /// For [`Target::create_module`].
    pub(crate) fn new(target: Arc<Target>, context: Arc<Context>) -> Self {
        Module {
            target,
            context,
            options: Options::default(),
            options_text: String::new(),
            state: State::Empty,
            bitcode: Arc::default(),
            program: ProgramInfo::default(),
            kernels: HashMap::new(),
            log: String::new(),
            errors: 0,
            report: Report::default(),
            lookups: Some(Vec::new()),
        }
    }

    pub fn target(&self) -> &Arc<Target> {
        &self.target
    }

    fn device(&self) -> &'static DeviceInfo {
        self.target.compiler_info().device_info()
    }

    pub fn state(&self) -> State {
        self.state
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The messages of all steps so far.
    pub fn build_log(&self) -> &str {
        &self.log
    }

    pub fn num_errors(&self) -> u32 {
        self.errors
    }

    /// How long each step so far took.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Adds a message to the build log.
    pub fn add_diagnostic(&mut self, message: &str) {
        self.log.push_str(message);
        if !message.ends_with('\n') {
            self.log.push('\n');
        }
    }

    /// Adds an error to the build log and counts it.
    pub fn add_build_error(&mut self, message: &str) {
        self.errors += 1;
        self.add_diagnostic(&format!("error: {message}"));
    }

    /// Back to an empty module.
    pub fn clear(&mut self) {
        *self = Module::new(self.target.clone(), self.context.clone());
    }

    /// Sets the options by their text, OpenCL's and the target's own.
    pub fn set_options(&mut self, text: &str) -> Result<()> {
        let options = self.target.compiler_info().parse_options(text);
        let options = options.map_err(|e| self.fail(Error::InvalidBuildOptions, e.message()))?;
        self.options = options;
        self.options_text = text.to_owned();
        Ok(())
    }

    /// The files that compilations of OpenCL C looked for on disk. The same source, headers and
    /// options give the same module as long as these files are unchanged. `None` if that does not
    /// hold, since the source asks for the time.
    pub fn lookups(&self) -> Option<&[Lookup]> {
        self.lookups.as_deref()
    }

    /// Compiles OpenCL C into this module, with the options that were set. `name` is the source's
    /// name in messages.
    pub fn compile_opencl_c(
        &mut self,
        profile: Profile,
        name: &str,
        source: &(impl AsRef<[u8]> + ?Sized),
        headers: &[Header<'_>],
    ) -> Result<()> {
        let context = self.context.clone();
        let guard = context.lock();
        let start = Instant::now();
        // A dump belongs to its source by the lines of its instructions.
        let is_dumped = Trace::from_environment().dump.is_some_and(|dump| dump.directory.is_some());
        let options = clc::Options { keep_lines: is_dumped, ..self.options.clone() };
        let language = self.device().language();
        let output = clc::compile(guard.llvm(), source, name, profile, &language, &options, headers);
        self.report.add("clang", start.elapsed());
        self.lookups = self.lookups.take().zip(output.lookups).map(|(all, more)| [all, more].concat());
        self.errors += output.errors;
        if !output.log.is_empty() {
            self.add_diagnostic(&output.log);
        }
        let Some(module) = output.module else {
            return Err(Error::CompileProgramFailure(output.log.trim_end().to_owned()));
        };
        if !self.options.checks.is_empty() {
            let own = self.options.source_path.as_deref().unwrap_or(name);
            let own = if own.is_empty() { clc::UNNAMED } else { own };
            ir::metadata::add_source(&module, own, &String::from_utf8_lossy(source.as_ref()));
            for header in headers {
                ir::metadata::add_source(&module, header.name, &String::from_utf8_lossy(header.text));
            }
        }
        let text = is_dumped.then(|| String::from_utf8_lossy(source.as_ref()).into_owned());
        let report = self.run_frontend_passes(&module, text);
        let report = report.map_err(|e| self.fail(Error::CompileProgramFailure, e))?;
        self.report.extend(report);
        self.take_ir(&module, State::Compiled)
    }

    /// Runs the target's passes after a front end, which read `source` if that was OpenCL C.
    fn run_frontend_passes(
        &self,
        module: &llvm::Module,
        source: Option<String>,
    ) -> std::result::Result<Report, String> {
        let info = self.target.compiler_info();
        let backend = info.backend();
        let pipeline = backend.frontend_passes(&self.options);
        let mut machinery = PassMachinery::new(info, &self.options).map_err(|e| e.to_string())?;
        backend.initialize_pass_machinery_for_frontend(&mut machinery, &self.options);
        if let Some(dump) = &mut machinery.trace.dump {
            dump.source = source;
        }
        machinery.manager().run(&pipeline, module).map_err(|e| e.to_string())
    }

    /// Compiles SPIR-V, of either byte order, into this module. `device` may allow fewer features
    /// than the target's device has, never more. Specialization constants that are not given a
    /// value keep their default. Returns a description of the module.
    pub fn compile_spirv(
        &mut self,
        code: &[u32],
        device: &SpirvDeviceInfo,
        constants: Option<&SpecializationInfo>,
    ) -> Result<SpirvModuleInfo> {
        let context = self.context.clone();
        let guard = context.lock();
        let none = SpecializationInfo::default();
        let options = &self.options;
        let math = spirv::Math {
            contract: options.mad_enable,
            no_signed_zeros: options.no_signed_zeros,
            finite_only: options.finite_math_only || options.fast_relaxed_math,
            unsafe_math: options.unsafe_math || options.fast_relaxed_math,
            denorms_are_zero: options.denorms_are_zero,
        };
        let constants = constants.unwrap_or(&none);
        let device = self.device().restrict_spirv(device.clone());
        let translate = || {
            let translated = spirv::translate_with(guard.llvm(), code, &device, constants, math);
            let (module, info) = translated.map_err(|e| e.to_string())?;
            self.run_frontend_passes(&module, None)?;
            Ok((module, info))
        };
        let translated = llvm::recover(translate).and_then(|translated| translated);
        let (module, info) = translated.map_err(|e| self.fail(Error::CompileProgramFailure, e))?;
        self.take_ir(&module, State::Compiled)?;
        Ok(info)
    }

    /// Takes LLVM IR, text or bitcode, that another tool wrote in the conventions of mux IR. IR
    /// without a data layout has addresses of the target's size.
    pub fn load_ir(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let context = self.context.clone();
        let guard = context.lock();
        let read = || {
            let module = llvm::Module::parse(guard.llvm(), bytes, name)?;
            module.verify().map_err(|e| format!("the IR is not well-formed: {e}"))?;
            refuse_finished(&module)?;
            if module.data_layout().is_empty() && self.device().address_bits != module.size_type().int_bits()
            {
                module.set_data_layout(&spirv::triple_and_layout(self.device().address_bits).1);
            }
            refuse_unsupported_types(&module, self.device())?;
            let module = clc::events_as_pointers(guard.llvm(), module);
            ir::check_front_end_ir(&module)?;
            ir::check_opencl_version(&module)?;
            self.run_frontend_passes(&module, None)?;
            Ok(module)
        };
        let module = llvm::recover(read).and_then(|read| read);
        let module = module.map_err(|e| self.fail(Error::CompileProgramFailure, e))?;
        self.take_ir(&module, State::Compiled)
    }

    fn fail(&mut self, kind: impl FnOnce(String) -> Error, message: impl Into<String>) -> Error {
        let message = message.into();
        self.add_build_error(&message);
        kind(message)
    }

    fn take_ir(&mut self, module: &llvm::Module, state: State) -> Result<()> {
        let start = Instant::now();
        let bitcode = llvm::recover(|| module.to_bitcode());
        self.bitcode = Arc::new(bitcode.map_err(|e| self.fail(Error::Failure, e))?);
        self.state = state;
        self.program = ProgramInfo::default();
        self.kernels.clear();
        self.report.add("write bitcode", start.elapsed());
        Ok(())
    }

    /// Links the modules into this one. They must be compiled and not finalized; this one may be
    /// empty.
    pub fn link(&mut self, inputs: &[&Module]) -> Result<()> {
        let compiled = |m: &Module| matches!(m.state, State::Compiled | State::Linked);
        if inputs.is_empty() || !inputs.iter().all(|m| compiled(m)) || self.state == State::Finalized {
            return Err(Error::InvalidValue(
                "only compiled modules that are not finalized can be linked".to_owned(),
            ));
        }
        let context = self.context.clone();
        let guard = context.lock();
        let own = compiled(self).then(|| self.bitcode.clone());
        let mut all = own.into_iter().chain(inputs.iter().map(|m| m.bitcode.clone()));
        let parse = |bitcode: Arc<Vec<u8>>| llvm::Module::parse_bitcode(guard.llvm(), &bitcode);
        let start = Instant::now();
        let linked = llvm::recover(|| {
            let dest = parse(all.next().expect("there is at least one input"))?;
            for bitcode in all {
                dest.link(parse(bitcode)?, LinkMode::All)?;
            }
            Ok(dest)
        });
        self.report.add("link", start.elapsed());
        let linked = linked.and_then(|linked| linked).map_err(|e| self.fail(Error::LinkProgramFailure, e))?;
        self.take_ir(&linked, State::Linked)
    }

    /// Brings the kernels into canonical form.
    pub fn finalize(&mut self) -> Result<Finalized> {
        if !matches!(self.state, State::Compiled | State::Linked) {
            return Err(Error::InvalidValue("only a compiled module can be finalized".to_owned()));
        }
        let context = self.context.clone();
        let guard = context.lock();
        let target = self.target.clone();
        let start = Instant::now();
        let result = llvm::recover(|| {
            let module = llvm::Module::parse_bitcode(guard.llvm(), &self.bitcode)?;
            let mut read = Report::default();
            read.add("read bitcode", start.elapsed());
            let info = target.compiler_info();
            let backend = info.backend();
            let mut machinery = PassMachinery::new(info, &self.options).map_err(|e| e.to_string())?;
            backend.initialize_pass_machinery_for_finalize(&mut machinery, &self.options);
            ir::check_front_end_ir(&module)?;
            refuse_required_sizes(&module, info.device_info())?;
            let pipeline = backend.finalize_passes(target.builtins(), &self.options);
            let passes = machinery.manager().run(&pipeline, &module).map_err(|e| e.to_string())?;
            let mut report = read;
            report.extend(passes);
            refuse_unresolved(&module)?;
            // Detects a target that was given the wrong library, or IR of another target.
            refuse_missing_types(&module, target.compiler_info().device_info())?;
            let program = ProgramInfo::read(&module);
            let printf_calls: Vec<_> = ir::printf::recorded(&module)
                .into_iter()
                .map(|(format, arguments)| PrintfDescriptor { format, arguments })
                .collect();
            Ok((module, report, program, printf_calls))
        });
        let (module, report, program, printf_calls) =
            result.and_then(|result| result).map_err(|e| self.fail(Error::FinalizeProgramFailure, e))?;
        self.report.extend(report.clone());
        self.take_ir(&module, State::Finalized)?;
        self.program = program;
        Ok(Finalized { program: self.program.clone(), printf_calls, report })
    }

    /// The description of the kernels of a finalized module.
    pub fn program_info(&self) -> &ProgramInfo {
        &self.program
    }

    /// The kernel of this name; made when it is first asked for. `None` if there is none, or if
    /// this compiler does not defer the compilation of kernels.
    pub fn get_kernel(&mut self, name: &str) -> Option<Arc<Kernel>> {
        if let Some(kernel) = self.kernels.get(name) {
            return Some(kernel.clone());
        }
        let kernel = self.create_kernel(name)?;
        self.kernels.insert(name.to_owned(), kernel.clone());
        Some(kernel)
    }

    fn create_kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        if !self.target.compiler_info().supports_deferred_compilation() {
            return None;
        }
        let index = self.program.kernels.iter().position(|k| k.name == name)?;
        let (info, outlook) = (self.program.kernels[index].clone(), self.program.outlooks[index]);
        let kernel =
            Kernel::new(self.target.clone(), info, outlook, self.bitcode.clone(), self.options.clone());
        Some(Arc::new(kernel))
    }

    /// Splits the program's variables in global memory from its code; `None` if it has no such
    /// variables.
    pub fn split_variables(&self) -> Result<Option<SplitProgram>> {
        if self.program.global_variable_size == 0 {
            return Ok(None);
        }
        let split = variables::split(self.target.compiler_info(), &self.bitcode, &self.options);
        split.map(Some).inspect_err(|e| self.target.notify(e.message()))
    }

    /// The IR of this state as bitcode.
    pub fn bitcode(&self) -> Arc<Vec<u8>> {
        self.bitcode.clone()
    }

    /// A binary with all kernels, for any NDRange, which loads without compiling.
    pub fn create_binary(&self) -> Result<Vec<u8>> {
        let object = self.lower(None).and_then(|mut lowered| lowered.generate(Output::Object));
        let name = self.target.compiler_info().name();
        object.map(|object| seal::seal(object, name)).inspect_err(|e| self.target.notify(e.message()))
    }

    /// All kernels of a finalized module, or one of them, after the late stage for any NDRange.
    pub fn lower(&self, kernel: Option<&str>) -> Result<Lowered> {
        self.needs_finalized()?;
        let info = self.target.compiler_info();
        let stage = LateStage { kernel, ..info.backend().stage(&self.options) };
        codegen::lower(info, &self.bitcode, &self.options, &stage)
    }

    /// As [`Module::lower`], but only for ranges whose global IDs are below [`SMALL_RANGE_END`], of
    /// which kernels otherwise have a version beside that for any range.
    pub fn lower_for_small_ranges(&self, kernel: Option<&str>) -> Result<Lowered> {
        self.needs_finalized()?;
        let info = self.target.compiler_info();
        let stage = LateStage { kernel, ranges: RangeSize::Small, ..info.backend().stage(&self.options) };
        codegen::lower(info, &self.bitcode, &self.options, &stage)
    }

    /// A kernel of a finalized module after the late stage, as a launch of this range has it.
    pub fn lower_for(&self, kernel: &str, range: &NdRange) -> Result<Lowered> {
        self.needs_finalized()?;
        let info = self.target.compiler_info();
        let stage = LateStage {
            kernel: Some(kernel),
            local_size: Some(range.local_size.map(|size| size as u64)),
            work_dim: Some(range.work_dim),
            zero_offset: range.global_offset == [0; 3],
            ranges: match range.has_ids_below(SMALL_RANGE_END) {
                true => RangeSize::Small,
                false => RangeSize::Large,
            },
            long_columns: range.work_dim > 1 && range.global_size[1] >= LONG_COLUMN,
            ..info.backend().stage(&self.options)
        };
        codegen::lower(info, &self.bitcode, &self.options, &stage)
    }

    /// The vectorizer's remarks on the kernels of a finalized module, or one of them, for launches
    /// of which only the local size is known, if any.
    pub fn remarks(&self, kernel: Option<&str>, local_size: Option<[u64; 3]>) -> Result<Vec<Remark>> {
        self.needs_finalized()?;
        let info = self.target.compiler_info();
        let stage =
            LateStage { kernel, local_size, ranges: RangeSize::Small, ..info.backend().stage(&self.options) };
        Ok(codegen::vectorize(info, &self.bitcode, &self.options, &stage)?.remarks)
    }

    fn needs_finalized(&self) -> Result<()> {
        match self.state {
            State::Finalized => Ok(()),
            _ => Err(Error::InvalidValue("only a finalized module has code".to_owned())),
        }
    }

    // ---- On disk --------------------------------------------------------------------------------

    /// The number of bytes that [`Module::serialize`] writes.
    pub fn size(&self) -> usize {
        self.serialize().len()
    }

    /// The module as bytes, for this version of the compiler. They end with a checksum: LLVM must
    /// see no damaged bitcode.
    pub fn serialize(&self) -> Vec<u8> {
        let mut w = Writer(MAGIC.to_vec());
        w.text(env!("CARGO_PKG_VERSION")).text(llvm::VERSION).u64(self.state as u64);
        w.text(&self.options_text).bytes(&self.bitcode);
        let sum = checksum(&w.0);
        w.u64(sum);
        w.0
    }

    /// Takes the bytes of [`Module::serialize`] into this module, which stays as it is if they are
    /// refused.
    pub fn deserialize(&mut self, bytes: &[u8]) -> Result<()> {
        let refuse = |message: &str| Error::InvalidValue(message.to_owned());
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| refuse("not a serialized module"))?;
        let mut r = Reader(rest);
        let (Some(version), Some(llvm)) = (r.text(), r.text()) else {
            return Err(refuse("the serialized module is cut short"));
        };
        if (version.as_str(), llvm.as_str()) != (env!("CARGO_PKG_VERSION"), llvm::VERSION) {
            return Err(Error::InvalidValue(format!(
                "the module was written by Lanewise {version} with LLVM {llvm}, this is {} with LLVM {}",
                env!("CARGO_PKG_VERSION"),
                llvm::VERSION
            )));
        }
        let intact = bytes.split_last_chunk().is_some_and(|(b, sum)| checksum(b) == u64::from_le_bytes(*sum));
        let (true, Some(state), Some(options), Some(bitcode)) = (intact, r.u64(), r.text(), r.bytes()) else {
            return Err(refuse("the serialized module is damaged or cut short"));
        };
        let state = match state {
            0 => State::Empty,
            1 => State::Compiled,
            2 => State::Linked,
            3 => State::Finalized,
            _ => return Err(refuse("the serialized module has an unknown state")),
        };
        let mut new = Module::new(self.target.clone(), self.context.clone());
        let parsed = self.target.compiler_info().parse_options(&options);
        new.options = parsed.map_err(|e| Error::InvalidValue(e.message().to_owned()))?;
        new.options_text = options;
        if state != State::Empty {
            let guard = self.context.lock();
            let read = || {
                let module = llvm::Module::parse_bitcode(guard.llvm(), bitcode)?;
                module.verify()?;
                ir::check_front_end_ir(&module)?;
                let finalized = state == State::Finalized;
                Ok(if finalized { ProgramInfo::read(&module) } else { ProgramInfo::default() })
            };
            let program = llvm::recover(read).and_then(|program| program);
            new.program =
                program.map_err(|e| Error::InvalidValue(format!("the serialized module is broken: {e}")))?;
        }
        new.bitcode = Arc::new(bitcode.to_vec());
        new.state = state;
        *self = new;
        Ok(())
    }
}

/// Refuses kernels that have been through the late passes: their parameters are no longer the
/// kernel's.
fn refuse_finished(module: &llvm::Module) -> std::result::Result<(), String> {
    let finished =
        passes::entry_points(module).into_iter().find(|f| ir::metadata::packed_args(module, *f).is_some());
    match finished {
        None => Ok(()),
        Some(f) => {
            Err(format!("'{}' takes packed arguments: the IR went through all passes already", f.name()))
        }
    }
}

/// Refuses functions and variables that are used and that neither the program nor the library
/// defines.
fn refuse_unresolved(module: &llvm::Module) -> std::result::Result<(), String> {
    let declared = |g: &llvm::Global| g.initializer().is_none() && g.is_used();
    if let Some(variable) = module.globals().into_iter().find(declared) {
        return Err(format!("undefined variable '{}'", variable.name()));
    }
    for f in module.functions() {
        if !f.is_declaration() || f.is_intrinsic() || !f.is_used() || Builtin::of(f).is_some() {
            continue;
        }
        let name = f.name();
        let shown = ir::mangling::demangle(&name).map_or(name.as_str(), |(plain, _)| plain).to_owned();
        let call = f.uses().calls.first().copied();
        let line =
            call.and_then(|c| c.debug_line()).map(|(line, _)| format!(" in line {line}")).unwrap_or_default();
        let caller = call.and_then(|c| c.block()).map(|b| b.function().name()).unwrap_or_default();
        let params: Vec<_> = f.function_type().params().iter().map(ToString::to_string).collect();
        return Err(format!(
            "undefined function '{shown}' ({name}, of {}), called by '{caller}'{line}",
            params.join(", ")
        ));
    }
    Ok(())
}
