//! ShortenChains: takes the multiplications out of sums that loops wait for.
//!
//! ```text
//! loop: %s = phi float [ 0.0, … ], [ %t, %loop ]
//!       %t = call float @llvm.fmuladd(%a, %b, %s)   →   %p = fmul float %a, %b
//!                                                       %t = fadd float %p, %s
//! ```
//!
//! A sum of products in a short loop is bound by the latency of the operation that carries it.
//! Zen's additions take two or three cycles, its fused operations four, and both have units of
//! their own, so that the second instruction is free. Only `fmuladd` is taken apart, which leaves
//! open whether it is fused, and only where LLVM may not reorder the sum. Runs on canonical
//! kernels, from which all versions of a kernel are made: these must do the same arithmetic.
//! Preserves the control flow.

use analysis::{Loop, Loops, Preserved};
use llvm::{Builder, Opcode, Value, fast_math};
use passes::{Pass, PassContext, PassError, entry_points};

/// The instructions of a loop for each fused operation of a chain, up to which the loop waits for
/// the chain: what is begun in the latency of the operation.
const WAITING: usize = 24;

/// How many operations of a chain are followed.
const MOST_LINKS: u32 = 8;

#[derive(Clone, Copy, Debug, Default)]
pub struct ShortenChains;

impl Pass for ShortenChains {
    fn name(&self) -> &'static str {
        "shorten-chains"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let b = Builder::new(cx.module.context());
        for kernel in entry_points(cx.module) {
            let loops = cx.analysis::<Loops>(kernel);
            for found in loops.iter().filter(|l| l.is_natural && is_innermost(l, &loops)) {
                let size: usize = found.blocks.iter().map(|block| block.instructions().len()).sum();
                for chain in found.header.phis().into_iter().filter_map(|phi| chain(phi, found)) {
                    if size <= WAITING * chain.len() {
                        chain.into_iter().for_each(|link| take_apart(&b, link));
                    }
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}

fn is_innermost(of: &Loop, loops: &Loops) -> bool {
    !loops.iter().any(|l| l.header != of.header && of.contains(l.header))
}

/// The fused operations from one iteration's value of a sum to the next one's, if there are any and
/// nothing else lies between but additions.
fn chain(phi: Value, of: &Loop) -> Option<Vec<Value>> {
    let (next, _) = phi.incoming().into_iter().find(|(_, from)| *from == of.latch)?;
    let found = links(next, phi, of, MOST_LINKS)?;
    (!found.is_empty()).then_some(found)
}

fn links(value: Value, phi: Value, of: &Loop, depth: u32) -> Option<Vec<Value>> {
    if value == phi {
        return Some(Vec::new());
    }
    let inside = value.block().is_some_and(|block| of.contains(block));
    if depth == 0 || !inside || value.fast_math() & fast_math::ALLOW_REASSOC != 0 {
        return None;
    }
    match value.opcode()? {
        Opcode::LLVMCall if value.called_function()?.name().starts_with("llvm.fmuladd.") => {
            let mut found = links(value.operand(2), phi, of, depth - 1)?;
            found.push(value);
            Some(found)
        }
        Opcode::LLVMFAdd | Opcode::LLVMFSub => {
            value.operands().find_map(|operand| links(operand, phi, of, depth - 1))
        }
        _ => None,
    }
}

fn take_apart(b: &Builder, fused: Value) {
    b.position_before(fused);
    let product = b.binary(Opcode::LLVMFMul, fused.operand(0), fused.operand(1), "");
    let sum = b.binary(Opcode::LLVMFAdd, product, fused.operand(2), "");
    for new in [product, sum] {
        // Code generation would fuse them again.
        new.set_fast_math(fused.fast_math() & !fast_math::ALLOW_CONTRACT);
    }
    let name = fused.name();
    fused.replace_all_uses_with(sum);
    fused.erase();
    sum.set_name(&name);
}
