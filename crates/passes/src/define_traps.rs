//! DefineTraps: a trap ends its work-item, and no other.
//!
//! ```text
//! define void @check(i1 %bad) {
//! fail:
//!   call void @llvm.trap()
//!   unreachable
//! …
//! define spir_kernel void @k() {
//!   call void @check(i1 %bad)
//! ───►
//! define spir_kernel void @k() {
//!   br i1 %bad, label %trap, label %on
//! trap:
//!   ret void
//! ```
//!
//! A CPU's trap ends the process, with all that other work-items and the program have computed.
//! Functions with a trap are inlined into the kernels, since what ends is the work-item. Traps come
//! from `__builtin_trap`, and from SPIR-V's `OpUnreachable` behind a call that does not return (see
//! `spirv`). Runs before LLVM's simplification. Needs kernels without recursion (RefuseRecursion);
//! preserves functions without traps.

use crate::prepare_barriers::{callers_of, inline_calls};
use crate::{Pass, PassContext, PassError, wrap};
use analysis::Preserved;
use llvm::{Block, Builder, Context, Function, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct DefineTraps;

impl Pass for DefineTraps {
    fn name(&self) -> &'static str {
        "define-traps"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let with_traps = callers_of(cx.module, is_trap);
        if with_traps.is_empty() {
            return Ok(Preserved::All);
        }
        for kernel in wrap::entry_points(cx.module) {
            inline_calls(kernel, &with_traps)?;
            if kernel.return_type().is_void() {
                while let Some(trap) = first_trap(kernel) {
                    end_at(cx.module.context(), trap);
                }
            }
            kernel.remove_unreachable_blocks();
        }
        Ok(Preserved::None)
    }
}

fn is_trap(f: Function) -> bool {
    matches!(f.name().as_str(), "llvm.trap" | "llvm.ubsantrap")
}

fn first_trap(kernel: Function) -> Option<Value> {
    kernel.instructions().into_iter().find(|i| i.called_function().is_some_and(is_trap))
}

/// Returns in place of a trap and what follows it.
fn end_at(context: &Context, trap: Value) {
    let block = trap.block().expect("the call is in a block");
    Block::split_before(trap, "trapped");
    let branch = block.terminator().expect("the split leaves a branch");
    Builder::before(context, branch).ret_void();
    branch.erase();
    trap.erase();
}
