//! Brings ELF objects into the memory of this process, for devices whose kernels run there.

use crate::support;
use compiler::{KernelFacts, Machine, Notes, open_seal};
use llvm::{Jit, LoadedObject, Symbol};
use std::ffi::c_void;
use std::sync::Arc;

/// Loads objects of one device. They may call what the C library has, a few functions that generated code needs
/// (`support.rs`), `printf`, and the device's own functions.
pub struct Loader {
    jit: Jit,
    machine: Machine,
}

/// A kernel of a loaded object.
pub struct LoadedFunction {
    pub facts: KernelFacts,
    pub address: *const c_void,
    /// Owns the memory at `address`.
    pub object: Arc<LoadedObject>,
}

impl Loader {
    /// A loader for objects that were made for `machine`, which may call `functions`.
    pub fn new(machine: Machine, functions: Vec<Symbol>) -> Result<Loader, String> {
        let mut symbols = support::symbols();
        symbols.extend(functions);
        Ok(Loader { jit: Jit::new(&symbols)?, machine })
    }

    /// Loads an object without kernels.
    ///
    /// # Safety
    /// The object must come from the compiler for this machine: it is linked with code.
    pub unsafe fn load_variables(&self, object: &[u8]) -> Result<Arc<LoadedObject>, String> {
        Ok(Arc::new(self.jit.load(object, None, &[])?))
    }

    /// Loads a sealed binary, whose kernels may use the variables of another object.
    ///
    /// # Safety
    /// The binary must come from the compiler for this machine: it becomes code.
    pub unsafe fn load(
        &self,
        binary: &[u8],
        variables: Option<&Arc<LoadedObject>>,
    ) -> Result<Vec<LoadedFunction>, String> {
        let object = open_seal(binary)?;
        let notes = Notes::read(object, &self.machine)?;
        let symbols: Vec<&str> = notes.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
        let loaded = self.jit.load(object, variables, &symbols);
        let loaded = Arc::new(loaded.map_err(|e| format!("the binary cannot be loaded: {e}"))?);
        let kernels = notes.kernels.into_iter().enumerate();
        let functions = kernels.map(|(i, kernel)| LoadedFunction {
            facts: kernel.facts,
            address: loaded.address(i),
            object: loaded.clone(),
        });
        Ok(functions.collect())
    }
}
