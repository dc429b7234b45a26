//! DefineMuxBuiltins: gives the mux builtins that are used their bodies.
//!
//! ```text
//! declare i64 @__mux_get_local_id(i32, ptr, ptr)
//! ───►
//! define internal i64 @__mux_get_local_id(i32, ptr, ptr) { … }
//! ```
//!
//! The bodies are the target's (`BuiltinInfo::define`). One may call builtins that were not used
//! before: those are defined in turn. Needs AddSchedulingParameters before it; a builtin that lacks
//! its parameters is an error. Preserves every function that has a body.

use crate::{Pass, PassContext, PassError, reachable_functions};
use analysis::Preserved;
use ir::{Builtin, metadata};
use llvm::{Function, Value};
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, Default)]
pub struct DefineMuxBuiltins;

impl Pass for DefineMuxBuiltins {
    fn name(&self) -> &'static str {
        "define-mux-builtins"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        // Definitions add declarations to the end of the list, so this ends when a round finds
        // none. Kernels that were replaced, and are not called any more, need no builtins.
        loop {
            let is_root = |f: &Function| !f.is_declaration() && !f.is_internal();
            let roots = cx.module.functions().into_iter().filter(is_root);
            let needed: HashSet<Function> = roots.flat_map(reachable_functions).collect();
            let declared =
                |f: &Function| f.is_declaration() && Builtin::of(*f).is_some() && needed.contains(f);
            let functions: Vec<_> = cx.module.functions().into_iter().filter(declared).collect();
            if functions.is_empty() {
                return Ok(Preserved::These(Vec::new()));
            }
            for function in functions {
                let builtin = Builtin::of(function).expect("filtered above");
                ir::check_builtin(cx.module, function)
                    .map_err(|e| PassError::at_use(function, Value::is_call, &e.to_string()))?;
                if cx.builtins.needs_scheduling_params(builtin)
                    && metadata::scheduled_params(cx.module, function).is_none()
                {
                    let message =
                        "the builtin has no scheduling parameters; run add-scheduling-parameters first";
                    return Err(PassError::at_use(function, Value::is_call, message));
                }
                if !cx.builtins.define(cx.module, function, builtin) {
                    let message = format!("the target does not define '{}'", builtin.name());
                    return Err(PassError::at_use(function, Value::is_call, &message));
                }
            }
        }
    }
}
