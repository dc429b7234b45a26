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

use crate::add_sub_handler::scratch_name;
use analysis::Preserved;
use ir::attributes;
use llvm::{CallConv, Opcode};
use passes::{Pass, PassContext, PassError, entry_points};
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, Default)]
pub struct TidyUp;

impl Pass for TidyUp {
    fn name(&self) -> &'static str {
        "tidy-up"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let functions: Vec<_> = cx.module.functions().into_iter().filter(|f| !f.is_intrinsic()).collect();
        let kernels = entry_points(cx.module).into_iter().map(attributes::orig_fn_name);
        let exported: HashSet<_> = kernels.flat_map(|name| [scratch_name(&name), name]).collect();
        for f in &functions {
            f.set_call_conv(CallConv::C);
            if !f.is_declaration() && !exported.contains(&f.name()) {
                f.set_internal();
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
            if f.is_declaration() || f.is_internal() {
                f.erase();
            }
        }
        Ok(Preserved::None)
    }
}
