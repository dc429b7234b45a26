//! Brings binaries into memory.

use crate::abi::EntryHook;
use crate::notes::{NotedKernel, Notes};
use crate::{LoadedKernel, seal, support};
use llvm::{Jit, LoadedObject};
use std::sync::{Arc, OnceLock};

/// The loader of this process; an error is as lasting as it is unlikely.
fn jit() -> Result<&'static Jit, String> {
    static JIT: OnceLock<Result<Jit, String>> = OnceLock::new();
    JIT.get_or_init(|| Jit::new(&support::symbols())).as_ref().map_err(Clone::clone)
}

/// Loads a sealed binary without compiling anything, and makes its kernels callable. Binaries of another
/// version or for another CPU, and those that were damaged on their way, are refused.
///
/// # Safety
/// The bytes are trusted: this compiler made them ([`compiler::Module::create_binary`],
/// [`compiler::Kernel::create_specialized_kernel`]), and nobody changed them on purpose. The seal and the
/// notes are checked, but they tell damage, not malice. Whoever can write a binary can run any code in this
/// process.
pub unsafe fn load(binary: &[u8]) -> Result<Vec<Arc<LoadedKernel>>, String> {
    // SAFETY: the caller's promise is just what is asked for.
    unsafe { load_object(seal::open(binary)?, None) }
}

/// Loads an object without kernels.
pub(crate) fn load_data(binary: &[u8]) -> Result<Arc<LoadedObject>, String> {
    Ok(Arc::new(jit()?.load(binary, None, &[])?))
}

/// Loads an object that may use the variables of another one.
///
/// # Safety
/// This compiler made the object: the symbols that its notes name are entry hooks of this version's ABI,
/// and keep to the facts beside them.
pub(crate) unsafe fn load_object(
    binary: &[u8],
    variables: Option<&Arc<LoadedObject>>,
) -> Result<Vec<Arc<LoadedKernel>>, String> {
    let notes = Notes::read(binary)?;
    let symbols: Vec<&str> = notes.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
    let object = jit()?.load(binary, variables, &symbols);
    let object = Arc::new(object.map_err(|e| format!("the binary cannot be loaded: {e}"))?);
    let mut kernels = Vec::new();
    for (i, NotedKernel { facts, .. }) in notes.kernels.iter().enumerate() {
        // SAFETY: the caller promises that what the notes say is true, and they name an entry hook of this
        // ABI.
        let entry = unsafe { std::mem::transmute::<*const std::ffi::c_void, EntryHook>(object.address(i)) };
        // SAFETY: the hook keeps to the ABI and to the facts, which came with it; the object owns its code.
        let kernel = unsafe { LoadedKernel::new(entry, facts.clone(), Box::new(object.clone())) };
        kernels.push(Arc::new(kernel));
    }
    Ok(kernels)
}
