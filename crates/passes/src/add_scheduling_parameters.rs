//! AddSchedulingParameters: passes the structs with work-item and work-group info down to the
//! functions that need them.
//!
//! ```text
//! define void @k() {
//!   call i64 @__mux_get_global_id(i32 0)
//! }
//! declare i64 @__mux_get_global_id(i32)
//! ───►
//! define void @k.mux-sched-wrapper(ptr %wi, ptr %wg) !mux_scheduled_fn !0 {
//!   call i64 @__mux_get_global_id(i32 0, ptr %wi, ptr %wg)
//! }
//! declare i64 @__mux_get_global_id(i32, ptr, ptr)
//! !mux-scheduling-params = !{!{!"MuxWorkItemInfo", !"MuxWorkGroupInfo"}}
//! ```
//!
//! The target's `BuiltinInfo` says which parameters there are and which builtins need them. Kernel
//! entry points always get them: they are part of the kernel's ABI. The functions keep their names,
//! kernels get a suffix. Preserves functions that call no such builtin.

use crate::prepare_barriers::callers_of;
use crate::{Pass, PassContext, PassError, wrap};
use analysis::Preserved;
use ir::{Builtin, SchedulingParam, attributes, metadata};
use llvm::{Builder, Function, Module};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default)]
pub struct AddSchedulingParameters;

impl Pass for AddSchedulingParameters {
    fn name(&self) -> &'static str {
        "add-scheduling-parameters"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let params = cx.builtins.scheduling_params(module);
        let names: Vec<_> = params.iter().map(|p| p.name).collect();
        metadata::set_scheduling_params(module, &names);

        let needs = |f: Function| Builtin::of(f).is_some_and(|b| cx.builtins.needs_scheduling_params(b));
        let callers = callers_of(module, needs);
        let old: Vec<Function> = module
            .functions()
            .into_iter()
            .filter(|f| needs(*f) || callers.contains(f) || wrap::entry_points(module).contains(f))
            .filter(|f| metadata::scheduled_params(module, *f).is_none())
            .collect();
        if let Some(f) = old.iter().find(|f| f.uses().others) {
            let message =
                format!("the address of '{}', which needs scheduling parameters, is taken", f.name());
            return Err(PassError::address_taken(*f, &message));
        }

        // First the new functions with the parameters, then the calls between them.
        let new: HashMap<Function, WithParams> =
            old.iter().map(|&f| (f, add_params(module, f, &params))).collect();
        pass_params(module, &new);
        for f in old {
            f.erase_body_and_uses();
        }
        Ok(Preserved::None)
    }
}

/// A function with scheduling parameters, and the index of the first of them.
type WithParams = (Function, u32);

/// Makes a copy of a function, or of its declaration, with the scheduling parameters at the end.
/// The copy takes the function's name, or that of a kernel with a suffix.
fn add_params(module: &Module, f: Function, params: &[SchedulingParam]) -> WithParams {
    let mut types = f.function_type().params();
    let first = types.len() as u32;
    types.extend(params.iter().map(|_| module.context().ptr(0)));
    let is_kernel = attributes::is_kernel_entry_point(f);
    let name = if is_kernel {
        format!("{}.mux-sched-wrapper", attributes::base_fn_name(f))
    } else {
        let name = f.name();
        f.set_name("");
        name
    };
    let g = module.add_function(&name, f.return_type().function(&types));
    g.set_call_conv(f.call_conv());
    g.set_linkage(f.linkage());
    if f.is_declaration() {
        g.copy_attributes_from(f);
    } else {
        f.clone_into(g, &g.params()[..first as usize]);
        for (from, to) in f.params().iter().zip(g.params()) {
            to.set_name(&from.name());
        }
        attributes::drop_is_kernel(f);
    }
    // Work-item queries read memory now: `memory(none)` no longer holds.
    g.remove_flag("memory");
    for (i, param) in params.iter().enumerate() {
        let index = first + i as u32;
        g.param(index).set_name(param.name);
        g.set_param_flag(index, "nonnull");
        if is_kernel {
            // No other pointer of the kernel leads to the scheduling structures.
            g.set_param_flag(index, "noalias");
        }
    }
    let indices: Vec<_> = (0..params.len() as u32).map(|i| Some(first + i)).collect();
    metadata::set_scheduled_params(module, g, &indices);
    (g, first)
}

/// Replaces the calls of the old functions in the new ones: each caller passes its own scheduling
/// parameters on.
fn pass_params(module: &Module, new: &HashMap<Function, WithParams>) {
    for &(g, first) in new.values() {
        let own: Vec<_> = g.params().into_iter().skip(first as usize).collect();
        for call in g.instructions() {
            let Some((callee, _)) = call.called_function().and_then(|f| new.get(&f)) else { continue };
            let b = Builder::before(module.context(), call);
            let mut args = call.call_args();
            args.extend(&own);
            let replacement = b.call(*callee, &args, "");
            let name = call.name();
            if !call.ty().is_void() {
                call.replace_all_uses_with(replacement);
            }
            call.erase();
            replacement.set_name(&name);
        }
    }
}
