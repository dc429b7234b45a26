//! FreezeDivisions: freezes what vectors of integers are divided by, and what is divided.
//!
//! ```text
//! %q = udiv <16 x i64> %a, %b   →   %x = freeze <16 x i64> %a
//!                                   %y = freeze <16 x i64> %b
//!                                   %q = udiv <16 x i64> %x, %y
//! ```
//!
//! For x86 code that is not optimized, where LLVM 19 may compile for ever: it divides a vector of
//! two or more registers lane by lane, one register after the other. Where an operand is one lane
//! of a loaded vector for all lanes, the lanes of each register make a load of that lane in place
//! of the vector's load, and the order of these two loads is written down by replacing each with
//! the other. A freeze is no load, so that the lane is taken from a register. Optimized code has
//! one node for both. Runs last. Preserves the control flow.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::{Builder, Opcode};

#[derive(Clone, Copy, Debug, Default)]
pub struct FreezeDivisions;

impl Pass for FreezeDivisions {
    fn name(&self) -> &'static str {
        "freeze-divisions"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        if cx.machine.is_some_and(|machine| !machine.has("avx")) {
            return Ok(Preserved::All);
        }
        let b = Builder::new(cx.module.context());
        for i in cx.module.functions().into_iter().flat_map(|f| f.instructions()) {
            use Opcode::*;
            let is_division = matches!(i.opcode(), Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem));
            if !is_division || !i.ty().is_vector() {
                continue;
            }
            b.position_before(i);
            for n in [0, 1] {
                let operand = i.operand(n);
                if !operand.is_constant() {
                    i.set_operand(n, b.freeze(operand, ""));
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}
