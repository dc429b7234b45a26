//! InlineShared: inlines the library functions that were kept as calls for common subexpression
//! elimination.
//!
//! ```text
//! %a = call <4 x float> @__lanewise_shared_angle(float %x)
//! ───►
//! the body, once for the sine and the cosine of %x
//! ```
//!
//! Several library functions begin with the same code, such as the argument reduction of sine and
//! cosine. It has branches, so that LLVM could not merge two inlined copies; but calls of a
//! `memory(none)` function with the same arguments it merges. Runs after LLVM's simplification.
//! Changes no other call.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::Function;

#[derive(Clone, Copy, Debug, Default)]
pub struct InlineShared;

impl Pass for InlineShared {
    fn name(&self) -> &'static str {
        "inline-shared"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let is_shared = |f: &Function| f.name().starts_with(ir::SHARED) && !f.is_declaration();
        for function in cx.module.functions().into_iter().filter(is_shared) {
            for call in function.uses().calls {
                Function::inline(call).map_err(PassError::new)?;
            }
            if !function.is_used() {
                function.erase();
            }
        }
        Ok(Preserved::None)
    }
}
