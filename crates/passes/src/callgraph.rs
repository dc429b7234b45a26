//! Queries on the call graph, and on the uses of constants.

use crate::PassError;
use ir::Builtin;
use ir::address_space::LOCAL;
use llvm::{Function, Module, Value};
use std::collections::HashSet;

/// The functions that are reachable from a function in the call graph, with itself.
pub fn reachable_functions(root: Function) -> HashSet<Function> {
    let mut found = HashSet::from([root]);
    let mut work = vec![root];
    while let Some(f) = work.pop() {
        for instruction in f.instructions() {
            for callee in instruction.operands().filter_map(Value::as_function) {
                if found.insert(callee) {
                    work.push(callee);
                }
            }
        }
    }
    found
}

/// The calls of a function of OpenCL C, whose address must not be taken.
pub(crate) fn calls_of(function: Function) -> Result<Vec<Value>, PassError> {
    let uses = function.uses();
    if uses.others {
        let message = format!("the address of '{}' is taken, which OpenCL C does not allow", function.name());
        return Err(PassError::address_taken(function, &message));
    }
    Ok(uses.calls)
}

/// The calls of a cycle in the call graph among functions of `set`, if there is one.
pub(crate) fn find_recursion(module: &Module, set: impl Fn(Function) -> bool) -> Option<Vec<Value>> {
    let callee = |call: &Value| call.called_function().filter(|f| !f.is_declaration() && set(*f));
    let calls = |f: Function| -> Vec<Value> {
        f.instructions().into_iter().filter(|i| callee(i).is_some()).collect()
    };
    let mut seen = HashSet::new();
    for root in module.functions().into_iter().filter(|f| set(*f)) {
        if !seen.insert(root) {
            continue;
        }
        // Depth-first search: each function on the path, the call that led to it, and its calls
        // that are left to follow.
        let mut way: Vec<(Function, Option<Value>, Vec<Value>)> = vec![(root, None, calls(root))];
        while let Some((_, _, left)) = way.last_mut() {
            let Some(call) = left.pop() else {
                way.pop();
                continue;
            };
            let Some(next) = callee(&call) else { continue };
            if let Some(first) = way.iter().position(|(f, _, _)| *f == next) {
                let between = way[first + 1..].iter().filter_map(|(_, call, _)| *call);
                return Some(between.chain([call]).collect());
            }
            if seen.insert(next) {
                way.push((next, Some(call), calls(next)));
            }
        }
    }
    None
}

/// Whether a function, or one that it calls, calls a mux builtin.
pub fn asks_for_work_item(f: Function) -> bool {
    reachable_functions(f).into_iter().any(|g| ir::Builtin::of(g).is_some())
}

/// Whether a kernel in canonical form can tell how its range is cut into work-groups: it has a
/// barrier or local memory, or asks about more than the range.
pub fn sees_groups(module: &Module, kernel: Function) -> bool {
    let is_local = |ty: llvm::Type| ty.is_ptr() && ty.address_space() == LOCAL;
    if kernel.params().iter().any(|p| is_local(p.ty())) {
        return true;
    }
    let reached = reachable_functions(kernel);
    if reached.iter().any(|f| Builtin::of(*f).is_some_and(Builtin::sees_groups)) {
        return true;
    }
    let locals = module.globals().into_iter().filter(|g| g.address_space() == LOCAL);
    locals.flat_map(|g| using_functions(*g)).any(|f| reached.contains(&f))
}

/// The functions whose instructions use a constant, directly or inside of constant expressions.
pub fn using_functions(constant: Value) -> HashSet<Function> {
    let mut found = HashSet::new();
    let mut seen = HashSet::from([constant]);
    let mut work = vec![constant];
    while let Some(value) = work.pop() {
        for user in value.users() {
            if let Some(block) = user.block() {
                found.insert(block.function());
            } else if seen.insert(user) {
                work.push(user);
            }
        }
    }
    found
}

/// Whether other code for the same kernel surely gives the same results: it might contract or
/// reassociate otherwise, or have other sub-groups.
pub fn may_be_made_anew(kernel: Function) -> bool {
    let reached = reachable_functions(kernel);
    let uses_sub_groups = |f: &Function| Builtin::of(*f).is_some_and(Builtin::uses_sub_groups);
    let is_relaxed = |f: &Function| f.instructions().into_iter().any(|i| i.fast_math() != 0);
    !reached.iter().any(|f| uses_sub_groups(f) || is_relaxed(f)) && !is_relaxed(&kernel)
}
