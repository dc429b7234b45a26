//! TidyUp: leaves only the symbols that a linker shall see: the sub-handlers and their scratch
//! sizes.
//!
//! ```text
//! define spir_func i32 @f(…)    →   define internal i32 @f(…)
//! declare i64 @unused(…)        →   (nothing)
//! ```
//!
//! All functions get C's calling convention; unused functions and the compiler's own attributes are
//! removed. Runs last, before LLVM's own passes.

use analysis::Preserved;
use ir::attributes;
use llvm::{CallConv, Linkage, Opcode};
use passes::{Pass, PassContext, PassError, Registry};

#[derive(Clone, Copy, Debug, Default)]
pub struct TidyUp;

pub(crate) fn register(registry: &mut Registry) {
    registry.register("tidy-up", "leave only what programs call, for the Native CPU ABI", |_| Ok(TidyUp));
}

impl Pass for TidyUp {
    fn name(&self) -> &'static str {
        "tidy-up"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let functions: Vec<_> = cx.module.functions().into_iter().filter(|f| !f.is_intrinsic()).collect();
        for f in &functions {
            f.set_call_conv(CallConv::C);
            let called = attributes::is_kernel_entry_point(*f) || f.name().ends_with("_scratch_bytes");
            if !f.is_declaration() {
                let linkage =
                    if called { Linkage::LLVMExternalLinkage } else { Linkage::LLVMInternalLinkage };
                f.set_linkage(linkage);
            }
        }
        for f in &functions {
            for call in f.instructions().into_iter().filter(|i| i.opcode() == Some(Opcode::LLVMCall)) {
                if !call.called_function().is_some_and(|callee| callee.is_intrinsic()) {
                    call.set_call_conv(CallConv::C);
                }
            }
        }
        for f in functions.into_iter().filter(|f| !f.is_used()) {
            if f.is_declaration() || f.linkage() == Linkage::LLVMInternalLinkage {
                f.erase();
            }
        }
        Ok(Preserved::None)
    }
}
