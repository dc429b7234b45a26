//! Queries on the call graph, and on the uses of constants.

use llvm::{Function, Value};
use std::collections::HashSet;

/// The functions that a function calls directly or through others, and itself.
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

/// Whether a function, or one that it calls, calls a mux builtin.
pub fn asks_for_work_item(f: Function) -> bool {
    reachable_functions(f).into_iter().any(|g| ir::Builtin::of(g).is_some())
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
