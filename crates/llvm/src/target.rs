//! This machine's CPU, and code generation for a CPU.

use crate::Error;
use crate::ffi::{
    ffi, lw_emit, lw_initialize_all_targets, lw_initialize_native_target, lw_machine_has, lw_names,
};
use crate::module::take_buffer;
use crate::text::{c, take};
use crate::{Module, guard};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::sync::{LazyLock, Once};

/// How hard the code generator tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptLevel {
    None,
    Default,
    Aggressive,
}

pub fn host_triple() -> String {
    take(ffi!(LLVMGetDefaultTargetTriple()))
}

// CPUID traps in virtual machines, which is slow: ask once.
static CPU: LazyLock<String> = LazyLock::new(|| take(ffi!(LLVMGetHostCPUName())));
static FEATURES: LazyLock<String> = LazyLock::new(|| take(ffi!(LLVMGetHostCPUFeatures())));

pub fn host_cpu() -> &'static str {
    &CPU
}

/// The features of this CPU in LLVM's form, `+avx2,-avx512f,…`.
pub fn host_features() -> &'static str {
    &FEATURES
}

/// Generates machine code for one CPU.
pub struct TargetMachine(LLVMTargetMachineRef);

// SAFETY: a target machine is not bound to a thread; `&self` methods are called by one thread at a
// time, as it is not `Sync`.
unsafe impl Send for TargetMachine {}

impl Drop for TargetMachine {
    fn drop(&mut self) {
        if !guard::has_crashed(self.0.cast()) {
            ffi!(LLVMDisposeTargetMachine(self.0));
        }
    }
}

/// Registers LLVM's target for a triple: the native one, or all that are linked if the machine is
/// another one.
pub(crate) fn initialize(triple: &str) {
    static NATIVE: Once = Once::new();
    NATIVE.call_once(|| {
        ffi!(lw_initialize_native_target());
    });
    let family = |triple: &str| triple.split('-').next().unwrap_or_default().to_owned();
    if family(triple) != family(&host_triple()) {
        static ALL: Once = Once::new();
        ALL.call_once(|| ffi!(lw_initialize_all_targets()));
    }
}

/// The names of a triple's CPUs; `None` if LLVM has no code generator for it.
pub fn cpus(triple: &str) -> Option<Vec<String>> {
    names(triple, false)
}

/// The names of the features that CPUs of a triple can have.
pub fn features(triple: &str) -> Option<Vec<String>> {
    names(triple, true)
}

fn names(triple: &str, features: bool) -> Option<Vec<String>> {
    initialize(triple);
    let text = ffi!(lw_names(c(triple).as_ptr(), features.into()));
    (!text.is_null()).then(|| take(text).lines().map(str::to_owned).collect())
}

impl TargetMachine {
    pub fn new(triple: &str, cpu: &str, features: &str, opt: OptLevel) -> Result<Self, Error> {
        initialize(triple);
        let (triple, cpu, features) = (c(triple), c(cpu), c(features));
        let mut target = std::ptr::null_mut();
        let mut error = std::ptr::null_mut();
        if ffi!(LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut error)) != 0 {
            return Err(Error::new(take(error)));
        }
        let level = match opt {
            OptLevel::None => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            OptLevel::Default => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            OptLevel::Aggressive => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        let machine = ffi!(LLVMCreateTargetMachine(
            target,
            triple.as_ptr(),
            cpu.as_ptr(),
            features.as_ptr(),
            level,
            LLVMRelocMode::LLVMRelocPIC,
            LLVMCodeModel::LLVMCodeModelSmall
        ));
        if machine.is_null() { Err(Error::new("LLVM made no target machine")) } else { Ok(Self(machine)) }
    }

    pub(crate) fn raw(&self) -> LLVMTargetMachineRef {
        self.0
    }

    pub fn triple(&self) -> String {
        take(ffi!(LLVMGetTargetMachineTriple(self.0)))
    }

    pub fn cpu(&self) -> String {
        take(ffi!(LLVMGetTargetMachineCPU(self.0)))
    }

    pub fn features(&self) -> String {
        take(ffi!(LLVMGetTargetMachineFeatureString(self.0)))
    }

    /// Whether the machine has a feature, by LLVM's name: as one of its own or as one of its CPU's.
    pub fn has(&self, feature: &str) -> bool {
        ffi!(lw_machine_has(self.0, c(feature).as_ptr())) != 0
    }

    pub fn data_layout(&self) -> String {
        let data = ffi!(LLVMCreateTargetDataLayout(self.0));
        let text = take(ffi!(LLVMCopyStringRepOfTargetData(data)));
        ffi!(LLVMDisposeTargetData(data));
        text
    }

    fn emit(&self, module: &Module, kind: LLVMCodeGenFileType) -> Result<Vec<u8>, Error> {
        let (mut error, mut crash) = (std::ptr::null_mut(), std::ptr::null_mut());
        let memory = ffi!(lw_emit(self.0, module.raw(), kind, &mut error, &mut crash));
        guard::check(module.context().raw(), self.0.cast(), crash)?;
        if memory.is_null() { Err(Error::new(take(error).trim_end())) } else { Ok(take_buffer(memory)) }
    }

    /// An ELF object.
    pub fn object(&self, module: &Module) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// Assembly text.
    pub fn assembly(&self, module: &Module) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)
    }
}
