//! RefuseRecursion: refuses programs in which a function calls itself, directly or through others.
//!
//! OpenCL C and SPIR-V do not have recursion. Nothing bounds the stack that it takes, so that a
//! program with it could end the process. Runs before functions are inlined, and changes nothing.

use crate::callgraph::find_recursion;
use crate::{Pass, PassContext, PassError};
use analysis::Preserved;

#[derive(Clone, Copy, Debug, Default)]
pub struct RefuseRecursion;

impl Pass for RefuseRecursion {
    fn name(&self) -> &'static str {
        "refuse-recursion"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
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
