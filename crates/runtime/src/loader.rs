//! Brings ELF objects into the memory of this process, for devices whose kernels run there.

use crate::device::{Device, Executable, KernelCode, Limits, Program, Properties};
use crate::environment::is_on;
use crate::host_images::HostImages;
use crate::image::Images;
use crate::memory::{HostMemory, Memory};
use crate::support;
use compiler::{Error, Info, KernelFacts, Notes, Result, open_seal};
use llvm::{Jit, LoadedObject, Symbol};
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

/// Loads the binaries of one device. They may call the C library, a few functions that generated
/// code needs (`support.rs`), `printf`, and the device's own functions.
pub struct Loader {
    compiler: fn() -> &'static dyn Info,
    functions: fn() -> Vec<Symbol>,
    make_code: MakeCode,
    /// Made for the first program. An error is as lasting as it is unlikely.
    linker: OnceLock<Result<Arc<Linker>>>,
}

/// Makes the device's code of a kernel.
///
/// # Safety
/// The function must be what the device's compiler makes of kernels, and keep to its facts.
pub type MakeCode = unsafe fn(LoadedFunction<'_>) -> Box<dyn KernelCode>;

/// A kernel of a loaded object.
pub struct LoadedFunction<'a> {
    pub facts: &'a KernelFacts,
    pub address: *const c_void,
    /// Owns the memory at `address`.
    pub object: Arc<LoadedObject>,
}

struct Linker {
    jit: Jit,
    compiler: &'static dyn Info,
}

impl Loader {
    /// A loader for binaries of this compiler, which may call these functions of the device.
    pub const fn new(
        compiler: fn() -> &'static dyn Info,
        functions: fn() -> Vec<Symbol>,
        make_code: MakeCode,
    ) -> Loader {
        Loader { compiler, functions, make_code, linker: OnceLock::new() }
    }

    /// Begins a program, with the object of its variables if it has some.
    ///
    /// # Safety
    /// The object must come from the loader's compiler: it is linked with code.
    pub unsafe fn create_program(
        &self,
        limits: Limits,
        variables: Option<&[u8]>,
    ) -> Result<Arc<dyn Program>> {
        let make = || {
            let mut symbols = support::symbols();
            symbols.extend((self.functions)());
            Ok(Arc::new(Linker {
                jit: Jit::new(&symbols, is_on("LANEWISE_PERF", false))?,
                compiler: (self.compiler)(),
            }))
        };
        let linker = self.linker.get_or_init(make).clone()?;
        let variables =
            variables.map(|object| linker.jit.load(object, None, &[]).map(Arc::new)).transpose()?;
        Ok(Arc::new(LoadedProgram { linker, make_code: self.make_code, limits, variables }))
    }
}

/// A device whose kernels run in this process, on its memory and with its images.
pub struct LoadingDevice {
    properties: Properties,
    loader: Loader,
}

impl LoadingDevice {
    pub const fn new(properties: Properties, loader: Loader) -> LoadingDevice {
        LoadingDevice { properties, loader }
    }
}

impl Device for LoadingDevice {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn compiler(&self) -> &'static dyn Info {
        (self.loader.compiler)()
    }

    fn memory(&self) -> &'static dyn Memory {
        HostMemory::get()
    }

    fn images(&self) -> Option<&'static dyn Images> {
        Some(HostImages::get())
    }

    unsafe fn create_program(&self, variables: Option<&[u8]>) -> Result<Arc<dyn Program>> {
        // SAFETY: the caller vouches for the object.
        unsafe { self.loader.create_program(Limits::of(self), variables) }
    }
}

struct LoadedProgram {
    linker: Arc<Linker>,
    make_code: MakeCode,
    limits: Limits,
    variables: Option<Arc<LoadedObject>>,
}

impl Program for LoadedProgram {
    unsafe fn load(&self, binary: &[u8]) -> Result<Vec<Arc<Executable>>> {
        let compiler = self.linker.compiler;
        let object = open_seal(binary, compiler.name())?;
        let notes = Notes::read(object, &compiler.backend().machine())?;
        let symbols: Vec<&str> = notes.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
        let loaded = self.linker.jit.load(object, self.variables.as_ref(), &symbols);
        let refused = |e| Error::InvalidValue(format!("the binary cannot be loaded: {e}"));
        let loaded = Arc::new(loaded.map_err(refused)?);
        let executable = |(i, kernel): (usize, compiler::NotedKernel)| {
            let function =
                LoadedFunction { facts: &kernel.facts, address: loaded.address(i), object: loaded.clone() };
            // SAFETY: the caller vouches for the binary, whose notes name the kernel's function.
            let code = unsafe { (self.make_code)(function) };
            // SAFETY: the facts came with the code.
            Arc::new(unsafe { Executable::new(kernel.facts, self.limits, code) })
        };
        Ok(notes.kernels.into_iter().enumerate().map(executable).collect())
    }
}
