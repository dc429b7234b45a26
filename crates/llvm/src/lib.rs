//! Safe handles over LLVM 19 and clang. No other crate calls them.
//!
//! [`Context`] and [`Module`] own; everything else ([`Value`], [`Function`], [`Block`], [`Type`], [`Metadata`]) is a
//! copyable handle that points into a module, as in LLVM itself. Two rules keep that sound, and every user of this
//! crate keeps them:
//!
//! * a handle is not used after its module is gone or after what it names was erased;
//! * a context, with all its modules, is used by one thread at a time. Handles are not `Send`; a [`Module`] is, so
//!   that it can be handed on. Several threads compile at once by having a context each.

mod block;
mod builder;
mod clang;
mod context;
mod debug;
mod ffi;
mod function;
mod global;
mod jit;
mod metadata;
mod module;
mod target;
mod text;
mod types;
mod value;

pub use block::Block;
pub use builder::{Builder, const_vector};
pub use clang::{ClangOutput, SourceFile, compile as clang_compile};
pub use context::Context;
pub use debug::{DebugBuilder, DiEncoding, DiFile, DiLocation, DiPlace, DiScope, DiType, DiVariable};
pub use function::{Function, Uses};
pub use global::Global;
pub use jit::{Jit, LoadedObject, Symbol};
pub use metadata::Metadata;
pub use module::{LinkMode, Module};
pub use target::{OptLevel, TargetMachine, host_cpu, host_features, host_triple};
pub use types::{Type, TypeKind};
pub use value::Value;

pub use llvm_sys::LLVMAtomicOrdering as AtomicOrdering;
pub use llvm_sys::LLVMAtomicRMWBinOp as AtomicOp;
pub use llvm_sys::LLVMIntPredicate as IntPredicate;
pub use llvm_sys::LLVMLinkage as Linkage;
pub use llvm_sys::LLVMOpcode as Opcode;
pub use llvm_sys::LLVMRealPredicate as RealPredicate;

/// The version of the LLVM this was built for.
pub const VERSION: &str = env!("LANEWISE_LLVM_VERSION");

/// Calling conventions the passes meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallConv {
    C,
    Fast,
    SpirFunc,
    SpirKernel,
    Other(u32),
}

impl CallConv {
    pub(crate) fn number(self) -> u32 {
        match self {
            CallConv::C => 0,
            CallConv::Fast => 8,
            CallConv::SpirFunc => 75,
            CallConv::SpirKernel => 76,
            CallConv::Other(n) => n,
        }
    }

    pub(crate) fn from_number(n: u32) -> Self {
        match n {
            0 => CallConv::C,
            8 => CallConv::Fast,
            75 => CallConv::SpirFunc,
            76 => CallConv::SpirKernel,
            n => CallConv::Other(n),
        }
    }
}
