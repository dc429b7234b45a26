//! Loads ELF objects into this process (LLVM's ORC and JITLink).

use crate::Error;
use crate::ffi::*;
use crate::text::{c, take};
use llvm_sys::prelude::LLVMBool;
use std::ffi::c_void;
use std::sync::Arc;

/// A function of this program that loaded objects may call by name.
pub struct Symbol {
    pub name: &'static str,
    pub address: *const c_void,
}

/// A loader; its objects see the symbols it was made with, and those of the process. Any thread may
/// use it.
#[derive(Clone)]
pub struct Jit(Arc<Raw>);

struct Raw(*mut Jit_);
use crate::ffi::Jit as Jit_;

// SAFETY: an ORC execution session locks itself.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Drop for Raw {
    fn drop(&mut self) {
        ffi!(lw_jit_dispose(self.0));
    }
}

/// An object in memory; its code goes away with it.
pub struct LoadedObject {
    jit: Jit,
    dylib: *mut c_void,
    addresses: Vec<u64>,
    /// Dropped after this object.
    _other: Option<Arc<LoadedObject>>,
}

// SAFETY: only `drop` uses the pointer, and the session locks itself.
unsafe impl Send for LoadedObject {}
// SAFETY: as above.
unsafe impl Sync for LoadedObject {}

impl Drop for LoadedObject {
    fn drop(&mut self) {
        ffi!(lw_jit_unload(self.jit.0.0, self.dylib));
    }
}

impl Jit {
    /// `perf`: what is loaded is written where `perf inject --jit` finds it.
    pub fn new(symbols: &[Symbol], perf: bool) -> Result<Self, Error> {
        let names: Vec<_> = symbols.iter().map(|s| c(s.name)).collect();
        let names: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
        let addresses: Vec<_> = symbols.iter().map(|s| s.address).collect();
        let mut error = std::ptr::null_mut();
        let [perf, debugged] = [perf, is_debugged()].map(LLVMBool::from);
        let (names, count) = (names.as_ptr(), names.len());
        let raw = ffi!(lw_jit_create(names, addresses.as_ptr(), count, perf, debugged, &mut error));
        if raw.is_null() { Err(Error::new(take(error))) } else { Ok(Jit(Arc::new(Raw(raw)))) }
    }

    /// Loads an object and finds the symbols in it. The object must be trusted: it is code. It sees
    /// the symbols of `other`, which it keeps.
    pub fn load(
        &self,
        object: &[u8],
        other: Option<&Arc<LoadedObject>>,
        symbols: &[&str],
    ) -> Result<LoadedObject, Error> {
        let names: Vec<_> = symbols.iter().map(|s| c(s)).collect();
        let names: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
        let mut addresses = vec![0; symbols.len()];
        let mut error = std::ptr::null_mut();
        let dylib = ffi!(lw_jit_load(
            self.0.0,
            object.as_ptr().cast(),
            object.len(),
            other.map_or(std::ptr::null_mut(), |other| other.dylib),
            names.as_ptr(),
            addresses.as_mut_ptr(),
            names.len(),
            &mut error
        ));
        if dylib.is_null() {
            return Err(Error::new(take(error)));
        }
        Ok(LoadedObject { jit: self.clone(), dylib, addresses, _other: other.cloned() })
    }
}

impl LoadedObject {
    /// The address of the `i`th symbol that was asked for.
    pub fn address(&self, i: usize) -> *const c_void {
        self.addresses[i] as *const c_void
    }
}

/// Whether a debugger runs this process. It is told of every object then, so that kernels have
/// names; else only of those with debug information, since LLVM never takes back what it told: a
/// program that builds kernels all day would grow.
fn is_debugged() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}
