//! CompareHalves: compares vectors of halves as floats.
//!
//! ```text
//! %c = fcmp olt <8 x half> %a, %b   →   %x = fpext <8 x half> %a to <8 x float>
//!                                       %y = fpext <8 x half> %b to <8 x float>
//!                                       %c = fcmp olt <8 x float> %x, %y
//! ```
//!
//! For AVX512-FP16, whose masked comparison (`vcmpph` under a mask register) LLVM 19 takes for
//! commutative: where register allocation folds a spilled first operand into the instruction, it
//! exchanges the operands and leaves the predicate as it was, so that `a < b` becomes `b < a`.
//! Comparisons that are the same both ways stay. Every half is a float, so that the result is
//! exact. Runs last: LLVM's simplifications would make comparisons of halves of these again. Does
//! nothing on a machine without the instruction. Preserves the control flow.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::{Builder, Opcode, RealPredicate};

#[derive(Clone, Copy, Debug, Default)]
pub struct CompareHalves;

impl Pass for CompareHalves {
    fn name(&self) -> &'static str {
        "compare-halves"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        if cx.machine.is_some_and(|machine| !machine.has("avx512fp16")) {
            return Ok(Preserved::All);
        }
        let b = Builder::new(cx.module.context());
        for i in cx.module.functions().into_iter().flat_map(|f| f.instructions()) {
            if i.opcode() != Some(Opcode::LLVMFCmp) || is_symmetric(i.real_predicate()) {
                continue;
            }
            let ty = i.operand(0).ty();
            if ty.is_vector() && ty.element() == cx.module.context().half() {
                b.position_before(i);
                let float = cx.module.context().float().vector(ty.len() as u32);
                let [x, y] = [0, 1].map(|n| b.cast(Opcode::LLVMFPExt, i.operand(n), float, ""));
                let new = b.fcmp(i.real_predicate(), x, y, "");
                i.replace_all_uses_with(new);
                i.erase();
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// Whether a comparison is the same with its operands exchanged.
fn is_symmetric(predicate: RealPredicate) -> bool {
    use RealPredicate::*;
    matches!(predicate, LLVMRealOEQ | LLVMRealONE | LLVMRealUEQ | LLVMRealUNE | LLVMRealORD | LLVMRealUNO)
}
