//! RefuseRecursion: refuses programs in which a function calls itself, directly or through others.
//!
//! OpenCL C and SPIR-V do not have recursion. Nothing bounds the stack that it takes, so that a
//! program with it could end the process. A function that is called with other types than it has
//! is refused, too, as a kernel that is named like a mangled function of the library: to LLVM what
//! follows the call is unreachable. Runs before functions are inlined, and changes nothing.

use crate::callgraph::find_recursion;
use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::Value;

#[derive(Clone, Copy, Debug, Default)]
pub struct RefuseRecursion;

impl Pass for RefuseRecursion {
    fn name(&self) -> &'static str {
        "refuse-recursion"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for call in cx.module.functions().into_iter().flat_map(|f| f.instructions()).filter(|i| i.is_call()) {
            let callee = call.operands().last().and_then(Value::as_function);
            if let Some(f) = callee.filter(|f| !f.is_declaration() && call.called_function().is_none()) {
                let message = format!("'{}' is called with other types than it is defined with", f.name());
                return Err(PassError::at(call, message));
            }
        }
        let Some(cycle) = find_recursion(cx.module, |_| true) else { return Ok(Preserved::All) };
        let names: Vec<String> = cycle.iter().filter_map(|c| c.called_function()).map(|f| f.name()).collect();
        let name = names.last().cloned().unwrap_or_default();
        let way = match names.len() {
            1 => "itself".to_owned(),
            _ => names.iter().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", which calls "),
        };
        Err(PassError::at(cycle[0], format!("recursion is not supported: '{name}' calls {way}")))
    }
}
