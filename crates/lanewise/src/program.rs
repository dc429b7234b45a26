//! Programs, from source or SPIR-V to kernels.

use crate::{Context, Device, Error, Kernel, Result};
use compiler::{Module, Profile};
use jit::Busy;
use std::fmt;

/// The name of a source without a name, in messages.
const UNNAMED: &str = "<source>";

/// A program that was built for a device, and its kernels.
///
/// ```
/// # fn main() -> Result<(), lanewise::Error> {
/// use lanewise::Program;
///
/// let program = Program::new(
///     "kernel void fill(global float *p, float value) { p[get_global_id(0)] = value; }
///      kernel void sum(global const float4 *p, global float *sum) { *sum = dot(*p, (float4)(1)); }",
/// )?;
/// for kernel in program.kernels() {
///     println!("{} takes {} arguments", kernel.name(), kernel.params().len());
/// }
/// let sum = program.kernel("sum")?;
/// assert_eq!(sum.params()[0].to_string(), "global const float4 *p");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Program {
    device: Device,
    kernels: Vec<Kernel>,
    log: String,
}

impl Program {
    /// Builds OpenCL C for the default device. The error has the compiler's messages.
    pub fn new(source: &str) -> Result<Program> {
        Program::builder().source(source)
    }

    /// Builds SPIR-V, the bytes of a module in either byte order, for the default device. See
    /// [`Builder::spirv`].
    pub fn from_spirv(module: &[u8]) -> Result<Program> {
        Program::builder().spirv(module)
    }

    /// Builds a program with options, for any device.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The kernel of this name. All kernels returned for one name share their machine code.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let found = self.kernels.iter().find(|kernel| kernel.name() == name);
        found.cloned().ok_or_else(|| Error::UnknownKernel {
            name: name.to_owned(),
            known: self.kernels.iter().map(|kernel| kernel.name().to_owned()).collect(),
        })
    }

    /// All kernels, in the order of the source.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The compiler's warnings, with lines of the source. Empty if there are none.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// The device that the program was built for.
    pub fn device(&self) -> Device {
        self.device
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.kernels.iter().map(Kernel::name).collect();
        f.debug_struct("Program")
            .field("device", &self.device)
            .field("kernels", &names)
            .finish_non_exhaustive()
    }
}

/// How a program is built; begun by [`Program::builder`], ended by [`Builder::source`] or
/// [`Builder::spirv`].
///
/// ```
/// # fn main() -> Result<(), lanewise::Error> {
/// use lanewise::{Device, Program};
///
/// let program = Program::builder()
///     .name("scale.cl")
///     .options("-cl-fast-relaxed-math -D FACTOR=3")
///     .device(Device::named("cpu")?)
///     .source("kernel void scale(global float *p) { p[get_global_id(0)] *= FACTOR; }")?;
/// assert_eq!(program.log(), "");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Builder {
    name: Option<String>,
    options: String,
    device: Device,
    context: Option<Context>,
}

impl Builder {
    /// The name of the source in messages; `<source>` if there is none.
    pub fn name(self, name: &str) -> Builder {
        Builder { name: Some(name.to_owned()), ..self }
    }

    /// Adds options of OpenCL's compilers, such as `-cl-std=CL3.0`, `-D NAME=VALUE`, `-I DIR`, or
    /// of Lanewise's own (`-cl-lanewise-remarks`).
    pub fn options(mut self, options: &str) -> Builder {
        self.options.extend([" ", options]);
        self
    }

    /// Builds for this device instead of the default one.
    pub fn device(self, device: Device) -> Builder {
        Builder { device, ..self }
    }

    /// Shares caches with the other programs of this context.
    pub fn context(self, context: &Context) -> Builder {
        Builder { context: Some(context.clone()), ..self }
    }

    /// Builds OpenCL C.
    pub fn source(self, source: &str) -> Result<Program> {
        if let Some(at) = source.find('\0') {
            return Err(Error::Build { log: format!("byte {at} of the source is zero") });
        }
        let name = self.name.clone().unwrap_or_else(|| UNNAMED.to_owned());
        self.build(true, |module| module.compile_opencl_c(Profile::Full, &name, source, &[]))
    }

    /// Builds SPIR-V: the bytes of a module, in either byte order.
    ///
    /// Properties of parameters that the module does not state are not checked: pointers that it
    /// does not call `const` are taken for written to, so that they ask for `&mut`, and integers
    /// have any sign.
    pub fn spirv(self, module: &[u8]) -> Result<Program> {
        let (words, rest) = module.as_chunks::<4>();
        if !rest.is_empty() {
            let log = format!("SPIR-V has words of four bytes, this has {} bytes", module.len());
            return Err(Error::Build { log });
        }
        let words: Vec<u32> = words.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        self.build(false, |module| module.compile_spirv(&words, &Default::default(), None).map(|_| ()))
    }

    fn build(
        self,
        has_signs: bool,
        compile: impl FnOnce(&mut Module) -> compiler::Result<()>,
    ) -> Result<Program> {
        jit::watch_main_thread();
        let _busy = Busy::new();
        let device = self.device.runtime;
        if !device.uses_process_memory() {
            let log = format!("the device {} has memory of its own, where slices are not", device.id());
            return Err(Error::Build { log });
        }
        let failed = |e: compiler::Error| Error::Build { log: e.message().to_owned() };
        let target = device.compiler().target(None).map_err(failed)?;
        let mut module = target.create_module().map_err(failed)?;
        let built = module
            .set_options(&runtime::checks::with_environment(device, &self.options))
            .and_then(|()| compile(&mut module))
            .and_then(|()| module.finalize().map(|_| ()));
        let log = module.build_log().trim_end().to_owned();
        match built {
            Err(e) if log.is_empty() => return Err(failed(e)),
            Err(_) => return Err(Error::Build { log }),
            Ok(()) => {}
        }
        let program = jit::Program::new(self.context.unwrap_or_default().jit, device, module);
        let infos = program.module().program_info().kernels.clone();
        let kernels = infos.iter().filter_map(|info| program.kernel(&info.name));
        let kernels = kernels.map(|kernel| Kernel::new(&program, kernel, has_signs)).collect();
        Ok(Program { device: self.device, kernels, log })
    }
}
