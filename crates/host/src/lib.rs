//! The in-tree target: code generation for this CPU, the ELF binary and its notes, the loader.

pub mod abi;
mod loaded;

pub use loaded::{ArgFact, ArgKind, KernelFacts, LoadedKernel};
