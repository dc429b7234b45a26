//! From source to bytes.

use compiler::{Kernel, NdRange, Profile, SpecializationInfo, SpirvDeviceInfo, Target};
use host::{HostKernel, HostTarget, LoadedKernel};
use runtime::{ArgValue, Buffer, Command, Launch, PackedArgs, Queue};
use std::sync::Arc;

/// A built program.
pub struct Program(compiler::Module);

impl Program {
    /// Compiles and finalizes OpenCL C; the error is the build log.
    pub fn build(source: &str, options: &str) -> Result<Program, String> {
        Self::finalized(options, |module| module.compile_opencl_c(Profile::Full, "test.cl", source, &[]))
    }

    /// Takes and finalizes LLVM IR, text or bitcode; the error is the build log.
    pub fn from_ir(ir: &[u8], options: &str) -> Result<Program, String> {
        Self::finalized(options, |module| module.load_ir("test.ll", ir))
    }

    /// Translates and finalizes SPIR-V; the error is the build log.
    pub fn from_spirv(
        code: &[u32],
        options: &str,
        constants: &SpecializationInfo,
    ) -> Result<Program, String> {
        Self::finalized(options, |m| m.compile_spirv(code, &SpirvDeviceInfo::default(), Some(constants)))
    }

    fn finalized(
        options: &str,
        front_end: impl FnOnce(&mut compiler::Module) -> compiler::Result<()>,
    ) -> Result<Program, String> {
        let mut module = HostTarget::with_builtins().create_module().map_err(|e| e.to_string())?;
        let built = module
            .set_options(options)
            .and_then(|()| front_end(&mut module))
            .and_then(|()| module.finalize());
        match built {
            Ok(_) => Ok(Program(module)),
            Err(e) => Err(format!("{e}\n{}", module.build_log())),
        }
    }

    pub fn kernel(&mut self, name: &str) -> Option<Arc<dyn Kernel>> {
        self.0.get_kernel(name)
    }

    /// All kernels, made for any range and loaded.
    pub fn binary(&self) -> Result<Vec<Arc<LoadedKernel>>, String> {
        let binary = self.0.create_binary().map_err(|e| e.to_string())?;
        // SAFETY: the compiler just made it.
        #[allow(unsafe_code)]
        unsafe {
            host::load(&binary)
        }
    }

    pub fn module(&self) -> &compiler::Module {
        &self.0
    }
}

/// Runs a kernel once and waits for it.
pub fn run(kernel: &dyn Kernel, range: NdRange, args: &[ArgValue]) -> Result<(), String> {
    let kernel = kernel.as_any().downcast_ref::<HostKernel>().expect("a kernel of the host");
    let code = kernel.executable(&range).map_err(|e| e.to_string())?;
    run_code(&code, range, args)
}

/// Runs loaded code once and waits for it.
pub fn run_code(code: &Arc<LoadedKernel>, range: NdRange, args: &[ArgValue]) -> Result<(), String> {
    let packed = PackedArgs::pack(code.facts(), args).map_err(|e| e.to_string())?;
    let launch = Launch::new(code.clone(), range, packed).map_err(|e| e.to_string())?;
    let event = Queue::in_order().enqueue(Command::launch(launch), &[]).map_err(|e| e.to_string())?;
    event.wait().map_err(|e| e.to_string())
}

/// A buffer with these contents.
pub fn buffer(bytes: &[u8]) -> Result<Arc<Buffer>, String> {
    let buffer = Buffer::new(bytes.len()).map_err(|e| e.to_string())?;
    buffer.write(0, bytes).map_err(|e| e.to_string())?;
    Ok(buffer)
}

/// All bytes of a buffer.
pub fn contents(buffer: &Buffer) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; buffer.len()];
    buffer.read(0, &mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}
