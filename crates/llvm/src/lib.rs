//! Safe handles over LLVM 19 and clang. No other crate calls them.
//!
//! [`Context`], [`Module`], [`Builder`], [`TargetMachine`] and [`Jit`] own something of LLVM's.
//! Everything else ([`Value`], [`Function`], [`Block`], [`Global`], [`Type`], [`Metadata`] …) is a
//! raw pointer into a module or a context with a safe interface: copyable, without a lifetime, as
//! in LLVM itself. The compiler of Rust does not check how handles are used. Their users uphold
//! these rules, and breaking one is undefined behaviour, without `unsafe` at the place that breaks
//! it:
//!
//! * A handle is used only while its module is alive, or its context for types, constants and
//!   metadata, and until what it names is erased.
//! * Handles of one context are not mixed with those of another.
//! * Operands have the types that the instruction asks for. LLVM is built without assertions, and
//!   does not look.
//! * A context, with all its modules and handles, is used by one thread at a time. Several
//!   threads compile at once by having a context each.
//! * A context in which LLVM crashed is dropped and not used ([`Context::has_crashed`],
//!   [`recover`]).
//!
//! The rules are kept by the crates of the compiler and by those who write passes or targets, who
//! see handles, too. A pass gets its handles from the module it runs on, and forgets them when it
//! ends. The alternative, a lifetime on each handle, was not chosen since a pass erases and
//! replaces values while it holds others, which lifetimes do not express.
//!
//! Handles are neither `Send` nor `Sync`, so that threads cannot share them by accident. A
//! [`Module`] is `Send`, to be handed on with its context, and not `Sync`. A [`Context`] is both,
//! since its owner guards it with a lock of its own (`compiler::Context`): that a second thread
//! does not use it meanwhile is the fourth rule, and not checked.

mod block;
mod builder;
mod clang;
mod context;
mod debug;
mod error;
pub mod fast_math;
mod ffi;
mod function;
mod global;
mod guard;
mod jit;
mod metadata;
mod module;
mod target;
mod text;
pub mod throughput;
mod types;
mod value;
mod width;

pub use block::Block;
pub use builder::{Builder, const_vector};
pub use clang::{ClangOutput, Found, Lookup, SourceFile, compile as clang_compile};
pub use context::Context;
pub use debug::{DebugBuilder, DiEncoding, DiFile, DiLocation, DiPlace, DiScope, DiType, DiVariable};
pub use error::Error;
pub use function::{Function, Uses};
pub use global::Global;
pub use guard::{OUT_OF_MEMORY, recover};
#[doc(hidden)]
pub use guard::{TestCrash, crash_for_test};
pub use jit::{Jit, LoadedObject, Symbol};
pub use metadata::Metadata;
pub use module::{LinkMode, Module};
pub use target::{OptLevel, TargetMachine, cpus, features, host_cpu, host_features, host_triple};
pub use types::{Type, TypeKind};
pub use value::{StackFrame, Value};
pub use width::Width;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Calling it is ambiguous for a type that is `Send`, which makes this a test of the
    /// compiler's.
    trait NotSend<A> {
        fn check() {}
    }
    impl<T> NotSend<()> for T {}
    impl<T: Send> NotSend<u8> for T {}

    #[test]
    fn handles_stay_on_their_thread() {
        <Value as NotSend<_>>::check();
        <Function as NotSend<_>>::check();
        <Block as NotSend<_>>::check();
        <Global as NotSend<_>>::check();
        <Type as NotSend<_>>::check();
        <Metadata as NotSend<_>>::check();
        <Builder as NotSend<_>>::check();
        <DebugBuilder as NotSend<_>>::check();
        <DiScope as NotSend<_>>::check();
        <DiType as NotSend<_>>::check();
        fn is_send<T: Send>() {}
        is_send::<Module>();
        is_send::<Context>();
        is_send::<TargetMachine>();
    }
}
