//! From source to bytes.

use crate::Result;
use crate::emulation::{Source, record};
use compiler::{
    BuiltinCapabilities, Context, Module, NdRange, Profile, SpecializationInfo, SpirvDeviceInfo, Target,
};
use jit::{Jit, Kernel};
use runtime::{ArgValue, Buffer, Command, Device, Executable, Launch, PackedArgs, Queue};
use std::sync::{Arc, MutexGuard};

/// The device that tests run on: the first of `LANEWISE_DEVICES`.
pub fn device() -> &'static dyn Device {
    devices::all()[0]
}

/// Whether tests run on the CPU, so that what only it does can be tested.
pub fn on_cpu() -> bool {
    device().id() == "cpu"
}

/// Whether the device's compiler has these options: some are the CPU's own, such as `--lanes`.
pub fn understands(options: &str) -> bool {
    device().compiler().parse_options(options).is_ok()
}

/// An empty module for the device.
pub fn module() -> Result<Module> {
    let target = device().compiler().target(None)?;
    Ok(target.create_module()?)
}

/// A built program.
pub struct Program {
    program: Arc<jit::Program>,
    /// What it was built from, with its options, if that is known.
    pub(crate) source: Option<(Source, String)>,
}

impl Program {
    /// Compiles and finalizes OpenCL C; the error is the build log.
    pub fn build(source: &str, options: &str) -> Result<Program> {
        let built = Self::finalized(options, |module| {
            module.compile_opencl_c(Profile::Full, "test.cl", source, &[])
        })?;
        Ok(built.made_from(Source::OpenClC(source.to_owned()), options))
    }

    fn made_from(self, source: Source, options: &str) -> Program {
        Program { source: Some((source, options.to_owned())), ..self }
    }

    /// Takes and finalizes LLVM IR, text or bitcode; the error is the build log.
    pub fn from_ir(ir: &[u8], options: &str) -> Result<Program> {
        let built = Self::finalized(options, |module| module.load_ir("test.ll", ir))?;
        Ok(built.made_from(Source::Ir(ir.to_vec()), options))
    }

    /// Translates and finalizes SPIR-V; the error is the build log.
    pub fn from_spirv(code: &[u32], options: &str, constants: &SpecializationInfo) -> Result<Program> {
        let built = Self::finalized(options, |m| {
            m.compile_spirv(code, &SpirvDeviceInfo::default(), Some(constants)).map(|_| ())
        })?;
        Ok(built.made_from(Source::Spirv(code.to_vec(), constants.clone()), options))
    }

    /// Compiles and finalizes OpenCL C with the library for a device with these capabilities.
    pub fn build_for(capabilities: BuiltinCapabilities, source: &str, options: &str) -> Result<Program> {
        let target = device().compiler().create_target(Arc::new(Context::new()), None);
        let target = target?;
        target.init_with_builtins(compiler::builtin_library(capabilities))?;
        Self::finalized_by(target, options, |m| m.compile_opencl_c(Profile::Full, "test.cl", source, &[]))
    }

    fn finalized(
        options: &str,
        front_end: impl FnOnce(&mut Module) -> compiler::Result<()>,
    ) -> Result<Program> {
        let target = device().compiler().target(None)?;
        Self::finalized_by(target, options, front_end)
    }

    fn finalized_by(
        target: Arc<Target>,
        options: &str,
        front_end: impl FnOnce(&mut Module) -> compiler::Result<()>,
    ) -> Result<Program> {
        let mut module = target.create_module()?;
        let built = module
            .set_options(&runtime::checks::with_environment(device(), options))
            .and_then(|()| front_end(&mut module))
            .and_then(|()| module.finalize());
        match built {
            Ok(_) => Ok(Program::of(module, Jit::new())),
            Err(e) => Err(format!("{e}\n{}", module.build_log()).into()),
        }
    }

    /// A finalized module of [`module`], whose kernels have their code made as `jit` says.
    pub fn of(module: Module, jit: Jit) -> Program {
        Program { program: jit::Program::new(Arc::new(jit), device(), module), source: None }
    }

    pub fn kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        let kernel = self.program.kernel(name)?;
        record::remember(&kernel, self);
        Some(kernel)
    }

    /// All kernels, made for any range and loaded.
    pub fn binary(&self) -> Result<Vec<Arc<Kernel>>> {
        Ok(self.program.kernels_ahead_of_time()?)
    }

    pub fn module(&self) -> MutexGuard<'_, Module> {
        self.program.module()
    }
}

/// Runs a kernel once and waits for it.
pub fn run(kernel: &Kernel, range: NdRange, args: &[ArgValue]) -> Result<()> {
    let code = kernel.wait_for_code(&range)?;
    let before = record::before(kernel, args)?;
    run_code(&code, range, args)?;
    before.map_or(Ok(()), |before| record::after(before, kernel, range, args))
}

/// Runs loaded code once and waits for it.
pub fn run_code(code: &Arc<Executable>, range: NdRange, args: &[ArgValue]) -> Result<()> {
    let packed = PackedArgs::pack(code.facts(), args)?;
    let launch = Launch::new(code.clone(), range, packed)?;
    let event = Queue::in_order().enqueue(Command::launch(launch), &[])?;
    Ok(event.wait()?)
}

/// A buffer with these contents.
pub fn buffer(bytes: &[u8]) -> Result<Arc<Buffer>> {
    let buffer = Buffer::new(bytes.len())?;
    buffer.write(0, bytes)?;
    Ok(buffer)
}

/// All bytes of a buffer.
pub fn contents(buffer: &Buffer) -> Result<Vec<u8>> {
    let mut bytes = vec![0; buffer.len()];
    buffer.read(0, &mut bytes)?;
    Ok(bytes)
}
