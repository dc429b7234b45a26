//! PrepareBarriers: brings every barrier into the kernel itself and gives it a unique ID.
//!
//! ```text
//! define void @f() { call @__mux_work_group_barrier(i32 0, …) … }
//! define spir_kernel void @k() {
//!   call void @f()
//!   call void @f()
//! }
//! ───►
//! define spir_kernel void @k() {
//!   call @__mux_work_group_barrier(i32 0, …)
//!   …
//!   call @__mux_work_group_barrier(i32 1, …)
//! }
//! ```
//!
//! An operation over the work-group (`__mux_work_group_reduce_add_i32` …) counts as a barrier.
//!
//! Functions with more private arrays than fit the stack are inlined too, since WorkItemLoops moves
//! the arrays of kernels.
//!
//! Functions with barriers are inlined into the kernels that call them and removed; IDs count from
//! 0 in each kernel. The vectorizer keeps the IDs, so that WorkItemLoops can match the barriers of
//! several versions of a kernel. Needs the kernels marked; preserves functions without barriers.
//! Recursion through a barrier is refused.

use crate::callgraph::find_recursion;
use crate::{Pass, PassContext, PassError, private_memory, wrap};
use analysis::Preserved;
use ir::{Builtin, attributes};
use llvm::{Function, Module};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, Default)]
pub struct PrepareBarriers;

/// Whether all work-items of a work-group meet at calls of this function: a barrier, or an
/// operation over the work-group.
pub(crate) fn is_work_group_barrier(f: Function) -> bool {
    Builtin::of(f).is_some_and(Builtin::is_work_group_barrier)
}

/// The functions with a body that contain a call for which `is_target` holds, directly or through
/// other functions.
pub(crate) fn callers_of(module: &Module, is_target: impl Fn(Function) -> bool) -> HashSet<Function> {
    let mut callers: HashMap<Function, Vec<Function>> = HashMap::new();
    let mut work = Vec::new();
    for f in module.functions() {
        for call in f.uses().calls {
            if let Some(caller) = call.block().map(|b| b.function()) {
                callers.entry(f).or_default().push(caller);
            }
        }
        if is_target(f) {
            work.push(f);
        }
    }
    let mut found = HashSet::new();
    while let Some(f) = work.pop() {
        for caller in callers.get(&f).into_iter().flatten() {
            if found.insert(*caller) {
                work.push(*caller);
            }
        }
    }
    found
}

/// Inlines into `kernel` all calls to functions of `wanted`, until none is left.
pub(crate) fn inline_calls(kernel: Function, wanted: &HashSet<Function>) -> Result<bool, PassError> {
    let mut changed = false;
    loop {
        let is_wanted = |f: Function| wanted.contains(&f) && !f.is_declaration();
        let call = kernel.instructions().into_iter().find(|i| i.called_function().is_some_and(is_wanted));
        let Some(call) = call else { return Ok(changed) };
        Function::inline(call)
            .map_err(|why| PassError::at(call, format!("the call cannot be inlined: {why}")))?;
        changed = true;
    }
}

/// Refuses recursion through functions of `set`.
pub(crate) fn refuse_recursion(
    module: &Module,
    set: &HashSet<Function>,
    what: &str,
) -> Result<(), PassError> {
    let Some(cycle) = find_recursion(module, |f| set.contains(&f)) else { return Ok(()) };
    let last = cycle[cycle.len() - 1];
    let name = last.called_function().map(|f| f.name()).unwrap_or_default();
    Err(PassError::at(last, format!("'{name}' calls itself and has {what}")))
}

impl Pass for PrepareBarriers {
    fn name(&self) -> &'static str {
        "prepare-barriers"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let with_barriers = callers_of(cx.module, is_work_group_barrier);
        let kernels = wrap::entry_points(cx.module);
        if kernels.is_empty() {
            return Ok(Preserved::All);
        }
        refuse_recursion(cx.module, &with_barriers, "a barrier")?;
        let wanted = &with_barriers | &with_large_arrays(cx.module)?;
        let mut changed = !with_barriers.is_empty();
        for kernel in kernels {
            changed |= inline_calls(kernel, &wanted)?;
            private_memory::check_size(cx.module, kernel)?;
            let mut id = 0;
            for instruction in kernel.instructions() {
                if instruction.called_function().is_some_and(is_work_group_barrier) {
                    instruction.set_operand(0, cx.module.context().i32().const_int(id));
                    id += 1;
                }
            }
        }
        // The inlined functions go: their barriers would never be lowered.
        for f in cx.module.functions() {
            if with_barriers.contains(&f) && !attributes::is_kernel_entry_point(f) {
                if f.uses().others {
                    let message = format!("the address of '{}', which has a barrier, is taken", f.name());
                    return Err(PassError::address_taken(f, &message));
                }
                f.erase_body_and_uses();
            }
        }
        Ok(if changed { Preserved::None } else { Preserved::All })
    }
}

/// The functions with private arrays that are too large for the stack, and their callers.
fn with_large_arrays(module: &Module) -> Result<HashSet<Function>, PassError> {
    let has_large = |f: Function| !private_memory::beyond_stack(module, f).is_empty();
    let large: HashSet<Function> = module.functions().into_iter().filter(|f| has_large(*f)).collect();
    let wanted = &callers_of(module, |f| large.contains(&f)) | &large;
    refuse_recursion(module, &wanted, "private arrays that are too large for the stack")?;
    Ok(wanted)
}
