//! InlineShared: inlines the functions of the library that were kept apart until now.
//!
//! ```text
//! %a = call <4 x float> @__lanewise_shared_angle(float %x)   →   the body, once for the sine and the cosine of %x
//! ```
//!
//! What several functions of the library begin with, and which has branches, LLVM does not find to be the same once it is inlined:
//! as calls that only compute, those with the same arguments became one. Runs after LLVM's simplification. Changes no other call.

use crate::{Pass, PassContext, PassError, Registry};
use analysis::Preserved;
use llvm::Function;

#[derive(Clone, Copy, Debug, Default)]
pub struct InlineShared;

pub(crate) fn register(registry: &mut Registry) {
    let summary = "inline what functions of the library share";
    registry.register("inline-shared", summary, |_| Ok(InlineShared));
}

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
