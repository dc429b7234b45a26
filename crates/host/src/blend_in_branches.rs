//! BlendInBranches: blends the results of a region that may be skipped at the region's end.
//!
//! ```text
//! open: br i1 %any, %then, %join         open: br i1 %any, %then, %join
//! then: %a = …                           then: %a = …
//!                                   ───►       %s = select %mask, %a, %b
//! join: %p = phi [ %a, %then ],          join: %r = phi [ %s, %then ], [ %b, %open ]
//!                [ poison, %open ]
//!       %r = select %mask, %p, %b
//! ```
//!
//! Where the region is skipped, the poison would be whatever its register holds: a result of the
//! iteration before, for which this one would have to wait. Runs after LLVM's simplifications,
//! which speculate small regions as long as nothing is done in them. Preserves the control flow.

use analysis::Preserved;
use llvm::{Block, Builder, Opcode, Value};
use passes::{Pass, PassContext, PassError};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default)]
pub struct BlendInBranches;

impl Pass for BlendInBranches {
    fn name(&self) -> &'static str {
        "blend-in-branches"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let b = Builder::new(cx.module.context());
        for function in cx.module.functions() {
            for block in function.blocks() {
                for phi in block.phis() {
                    blend_early(&b, phi, block);
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// Replaces the selects of a PHI, if it is used by nothing else, by PHIs of selects.
fn blend_early(b: &Builder, phi: Value, join: Block) {
    let is_skipped = phi.incoming().iter().any(|(value, _)| value.is_undef_or_poison());
    let selects = phi.users();
    if !is_skipped || !phi.ty().is_vector() || selects.is_empty() {
        return;
    }
    let Some(blends) = selects.iter().map(|s| Blend::of(*s, phi, join)).collect::<Option<Vec<_>>>() else {
        return;
    };
    for blend in blends {
        b.position_before(phi);
        let new = b.phi(phi.ty(), "");
        let mut done: HashMap<Block, Value> = HashMap::new();
        for (value, from) in phi.incoming() {
            let blended = *done.entry(from).or_insert_with(|| match value.is_undef_or_poison() {
                true => blend.other,
                false => {
                    b.position_before(from.terminator().expect("the block is complete"));
                    blend.with(b, value)
                }
            });
            new.add_incoming(blended, from);
        }
        let name = blend.select.name();
        blend.select.replace_all_uses_with(new);
        blend.select.erase();
        new.set_name(&name);
    }
    phi.erase();
}

/// A select between a PHI and a value that is known before the PHI's block.
struct Blend {
    select: Value,
    mask: Value,
    other: Value,
    /// The PHI is taken where the mask is set.
    if_set: bool,
}

impl Blend {
    fn of(select: Value, phi: Value, join: Block) -> Option<Blend> {
        if select.opcode() != Some(Opcode::LLVMSelect) || select.block() != Some(join) {
            return None;
        }
        let [mask, yes, no] = [0, 1, 2].map(|n| select.operand(n));
        let other = if yes == phi { no } else { yes };
        // What dominates the join and is not computed in it dominates the blocks before it.
        let is_before = |v: Value| !v.is_instruction() || v.block() != Some(join);
        (mask != phi && other != phi && is_before(mask) && is_before(other)).then_some(Blend {
            select,
            mask,
            other,
            if_set: yes == phi,
        })
    }

    fn with(&self, b: &Builder, value: Value) -> Value {
        let (yes, no) = if self.if_set { (value, self.other) } else { (self.other, value) };
        b.select(self.mask, yes, no, "")
    }
}
