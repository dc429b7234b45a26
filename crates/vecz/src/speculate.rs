//! Speculation: what one side of a triangle gives a PHI whose other side is undefined is computed
//! before the triangle.
//!
//! ```text
//! open:  br %c, then, join                         open:  %next = add %k, 1
//! then:  %next = add %k, 1                  →             br %c, then, join
//! join:  phi [ %next, then ], [ undef, open ]      join:  %next in place of the PHI
//! ```
//!
//! A loop that is left in its middle (`while (i < n && a[i] == b[i])`) has such a PHI for its
//! counter. At the join of a divergent branch a PHI varies, and with the counter all addresses that
//! it is in: the loop would gather. The counter itself is the same for all lanes that go on. Only
//! cheap operations on integers and addresses are speculated, none that reads memory or traps.

use analysis::{Analyses, Cfg, Dominators};
use llvm::{Block, Function, Module, Opcode, Value};

/// How far an operand's operands are followed.
const DEPTH: u32 = 3;

/// Replaces the PHIs of a function that have one value, and are undefined otherwise.
pub fn speculate(module: &Module, function: Function) {
    let mut analyses = Analyses::default();
    let cfg = analyses.get::<Cfg>(module, function);
    let dominators = analyses.get::<Dominators>(module, function);
    for &block in &cfg.blocks {
        let Some(opener) = dominators.immediate(block) else { continue };
        let Some(end) = opener.terminator() else { continue };
        for phi in block.phis() {
            let incoming = phi.incoming();
            let known: Vec<Value> = incoming
                .iter()
                .map(|(value, _)| *value)
                .filter(|value| !value.is_undef_or_poison())
                .collect();
            // A PHI of one edge keeps LCSSA form.
            if let [value] = known[..]
                && incoming.len() == 2
                && value != phi
                && is_available(&dominators, value, opener, DEPTH)
            {
                move_before(&dominators, value, end);
                phi.replace_all_uses_with(value);
                phi.erase();
            }
        }
    }
}

/// Whether a value is defined at the end of a block, or can be computed there.
fn is_available(dominators: &Dominators, value: Value, at: Block, depth: u32) -> bool {
    is_defined(dominators, value, at)
        || depth > 0
            && is_cheap(value)
            && value.operands().all(|operand| is_available(dominators, operand, at, depth - 1))
}

fn is_defined(dominators: &Dominators, value: Value, at: Block) -> bool {
    value.block().is_none_or(|block| !value.is_instruction() || dominators.block_dominates(block, at))
}

fn is_cheap(value: Value) -> bool {
    use Opcode::*;
    let cheap = matches!(
        value.opcode(),
        Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMAnd | LLVMOr | LLVMXor)
            | Some(LLVMGetElementPtr | LLVMTrunc | LLVMSExt | LLVMZExt | LLVMICmp)
    );
    cheap && !value.ty().is_vector()
}

/// Moves what is not defined at the end of a block to before its terminator, without the flags that
/// would make it poison where it was not computed.
fn move_before(dominators: &Dominators, value: Value, end: Value) {
    let at = end.block().expect("a terminator is in a block");
    if !is_defined(dominators, value, at) {
        value.operands().for_each(|operand| move_before(dominators, operand, end));
        value.drop_poison_flags();
        value.move_before(end);
    }
}
