//! A module for a device, and its loaded code.

use crate::{Jit, Kernel, hash128};
use compiler::{Error, KernelInfo, Module, NdRange, Result};
use runtime::{Device, Executable, lock};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Programs of more kernels, of which launches may never use most, compile nothing ahead.
const MOST_EXPECTED: usize = 4;
/// Nor do programs of more bytes of bitcode, some thousands of instructions.
const MOST_BYTES: usize = 64 << 10;

/// A program for one device.
pub struct Program {
    shared: Arc<Shared>,
    /// The kernels that were asked for, with their compiled variants.
    kernels: Mutex<HashMap<String, Arc<Kernel>>>,
}

/// The state that a program shares with its kernels.
pub(crate) struct Shared {
    pub jit: Arc<Jit>,
    pub device: &'static dyn Device,
    module: Mutex<Module>,
    loaded: OnceLock<Result<Loaded>>,
    code: Mutex<CarriedCode>,
}

/// Sealed binaries of a program's kernels, for the specializations that were launched, by the hash
/// of all that they depend on.
pub type CarriedCode = HashMap<[u8; 16], Vec<u8>>;

/// The parts of a program that are loaded before any kernel is launched.
pub(crate) enum Loaded {
    /// Kernels are compiled when they are launched, from `code`: the program without its variables,
    /// or the module's own canonical form if `None`.
    Deferred { program: Arc<dyn runtime::Program>, code: Option<Arc<Vec<u8>>> },
    /// The program is compiled as a whole.
    Whole(Vec<Arc<Executable>>),
}

impl Program {
    /// Takes a module of the device's compiler, in any state. [`Program::kernel`] finds its kernels
    /// once it is finalized.
    pub fn new(jit: Arc<Jit>, device: &'static dyn Device, module: Module) -> Arc<Program> {
        // SAFETY: there is no code.
        unsafe { Program::carrying(jit, device, module, CarriedCode::new()) }
    }

    /// The same with code that [`Program::code`] gave, which launches then need not compile.
    ///
    /// # Safety
    /// The code must come from this compiler.
    pub unsafe fn carrying(
        jit: Arc<Jit>,
        device: &'static dyn Device,
        module: Module,
        code: CarriedCode,
    ) -> Arc<Program> {
        let (module, loaded, code) = (Mutex::new(module), OnceLock::new(), Mutex::new(code));
        let shared = Shared { jit, device, module, loaded, code };
        Arc::new(Program { shared: Arc::new(shared), kernels: Mutex::default() })
    }

    /// Begins to compile in the background what the first launches of a small program are expected
    /// to want, on a device that has another core for it.
    pub fn expect_launches(&self) {
        let kernels = {
            let module = self.module();
            let names: Vec<_> = module.program_info().kernels.iter().map(|info| info.name.clone()).collect();
            let is_small = names.len() <= MOST_EXPECTED && module.bitcode().len() <= MOST_BYTES;
            if is_small { names } else { Vec::new() }
        };
        if !self.shared.jit.expects || self.device().properties().compute_units < 2 {
            return;
        }
        kernels.iter().filter_map(|name| self.kernel(name)).for_each(|kernel| kernel.expect_launches());
    }

    /// The code that launches have used so far, and that of kernels whose launches are known
    /// before: those with a required local size, which are compiled now.
    pub fn code(&self) -> CarriedCode {
        let kernels = self.module().program_info().kernels.clone();
        let required = kernels.iter().filter_map(|info| Some((&info.name, info.reqd_work_group_size?)));
        for (name, local_size) in required {
            let dims = local_size.iter().rposition(|size| *size > 1).map_or(1, |last| last + 1);
            let range = NdRange::new(&local_size[..dims], &local_size[..dims]);
            if let Some(kernel) = self.kernel(name).filter(|kernel| !kernel.takes_objects()) {
                // A kernel that cannot be compiled has no code; its launch says why.
                let _ = kernel.wait_for_code(&range);
            }
        }
        let used: Vec<Arc<Kernel>> = lock(&self.kernels).values().cloned().collect();
        used.iter().for_each(|kernel| kernel.make_best());
        lock(&self.shared.code).clone()
    }

    pub fn device(&self) -> &'static dyn Device {
        self.shared.device
    }

    pub fn module(&self) -> MutexGuard<'_, Module> {
        lock(&self.shared.module)
    }

    /// The kernel of this name, if there is one. All callers share it and its code.
    pub fn kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        let mut kernels = lock(&self.kernels);
        if let Some(kernel) = kernels.get(name) {
            return Some(kernel.clone());
        }
        let mut module = self.module();
        let info = module.program_info().kernel(name)?.clone();
        let kernel = Arc::new(match module.get_kernel(name) {
            Some(kernel) => Kernel::deferred(self.shared.clone(), kernel),
            None => Kernel::of_whole_program(self.shared.clone(), info),
        });
        kernels.insert(name.to_owned(), kernel.clone());
        Some(kernel)
    }

    /// All kernels as they are compiled ahead of time: for any range, from one binary.
    pub fn kernels_ahead_of_time(&self) -> Result<Vec<Arc<Kernel>>> {
        let binary = self.module().create_binary()?;
        // SAFETY: the device's compiler made it just now.
        unsafe { load_binary(&self.shared.jit, self.device(), &binary) }
    }
}

impl Shared {
    /// The code for a key, if the program carries it or it is in the cache on disk.
    pub(crate) fn find_code(&self, key: &[u8]) -> Option<Vec<u8>> {
        let carried = lock(&self.code).get(&hash128(key)).cloned();
        carried.or_else(|| self.jit.store()?.read(key))
    }

    /// Keeps code that was loaded for a key; `is_new` if it was compiled for it.
    pub(crate) fn keep_code(&self, key: &[u8], code: Vec<u8>, is_new: bool) {
        if let Some(store) = self.jit.store().filter(|_| is_new) {
            store.write(key, &code);
        }
        lock(&self.code).insert(hash128(key), code);
    }

    /// The loaded parts, which the first call loads.
    pub(crate) fn loaded(&self) -> Result<&Loaded> {
        self.loaded.get_or_init(|| self.load()).as_ref().map_err(Clone::clone)
    }

    fn load(&self) -> Result<Loaded> {
        let module = lock(&self.module);
        let target = module.target().clone();
        // The compiler reports its own failures to the callback; this reports those of the device.
        let refused = |why: Error| {
            target.notify(why.message());
            Error::Failure(why.message().to_owned())
        };
        let deferred = target.compiler_info().supports_deferred_compilation();
        let split = if deferred { module.split_variables()? } else { None };
        let variables = split.as_ref().map(|split| split.variables.as_slice());
        // SAFETY: the object was made just now by the device's compiler.
        let program = unsafe { self.device.create_program(variables) }.map_err(refused)?;
        if deferred {
            return Ok(Loaded::Deferred { program, code: split.map(|split| Arc::new(split.code)) });
        }
        let binary = module.create_binary()?;
        // SAFETY: the device's compiler made the binary just now.
        Ok(Loaded::Whole(unsafe { program.load(&binary) }.map_err(refused)?))
    }
}

/// The kernels of a binary that was made before ([`Module::create_binary`],
/// [`compiler::Kernel::create_specialized_kernel`]), with their notes. A binary that is damaged, or
/// for another machine or version, is refused.
///
/// # Safety
/// The binary must come from the device's compiler: it becomes code.
pub unsafe fn load_binary(
    jit: &Arc<Jit>,
    device: &'static dyn Device,
    binary: &[u8],
) -> Result<Vec<Arc<Kernel>>> {
    let infos: Vec<KernelInfo> = compiler::describe(binary, device.compiler())?;
    // SAFETY: there are no variables.
    let program = unsafe { device.create_program(None) }?;
    // SAFETY: the caller vouches for the binary.
    let executables = unsafe { program.load(binary) }?;
    let kernels = infos.into_iter().zip(executables);
    Ok(kernels.map(|(info, code)| Arc::new(Kernel::loaded(jit.clone(), device, info, code))).collect())
}
