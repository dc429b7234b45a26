//! Asynchronous copies and the events that a group waits for.
//!
//! ```text
//! events[0] = async_work_group_copy(a, …);   class 0
//! events[1] = async_work_group_copy(b, …);   class 1
//! wait_group_events(1, events);              waits for class 0
//! ```
//!
//! Events of our copies carry no information: which copies a wait ends is found where their events
//! are stored. A wait for others than the variables of the kernel ends all copies.

use super::{accesses, provenance, uninitialized};
use ir::{Builtin, Dma};
use llvm::{Function, Module, Opcode, Value};
use std::collections::HashMap;

/// So many classes of copies are told apart.
pub const CLASSES: u64 = 4;

/// The class of each copy, and those that a wait ends.
pub struct Copies {
    classes: HashMap<Value, u64>,
    waits: HashMap<Value, Vec<u64>>,
}

impl Copies {
    pub fn of(module: &Module, kernel: Function) -> Copies {
        let all = kernel.instructions();
        let copies = all.iter().filter(|i| accesses::is_copy(**i));
        let classes: HashMap<Value, u64> = copies.zip(0..).map(|(copy, n)| (*copy, n % CLASSES)).collect();
        let mut waits = HashMap::new();
        // A copy that is given an event has that one.
        let has_event = |copy: &Value| copy.call_args().last().is_some_and(|event| !event.is_constant());
        if !classes.keys().any(has_event) {
            let is_wait = |i: &Value| Builtin::called_by(*i) == Some(Builtin::Dma(Dma::Wait));
            for wait in all.iter().copied().filter(is_wait) {
                waits.extend(waited_for(module, wait, &classes).map(|classes| (wait, classes)));
            }
        }
        Copies { classes, waits }
    }

    pub fn class(&self, copy: Value) -> u64 {
        self.classes.get(&copy).copied().unwrap_or(0)
    }

    /// The classes of the copies that a wait ends.
    pub fn ended_by(&self, wait: Value) -> Vec<u64> {
        self.waits.get(&wait).cloned().unwrap_or_else(|| (0..CLASSES).collect())
    }
}

/// The classes of the copies whose events are stored where a wait looks for them; `None` if that is
/// not known.
fn waited_for(module: &Module, wait: Value, classes: &HashMap<Value, u64>) -> Option<Vec<u64>> {
    let [count, events] = wait.call_args()[..] else { return None };
    let size = module.size_of(module.context().ptr(0)) as i64;
    let (variable, first) = place(module, events)?;
    let end = first + size * count.as_const_signed()?;
    let mut found = Vec::new();
    let mut work = vec![(variable, 0)];
    while let Some((pointer, at)) = work.pop() {
        for user in pointer.users() {
            match user.opcode() {
                Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast) => {
                    let (_, at) = place(module, user)?;
                    work.push((user, at));
                }
                Some(Opcode::LLVMStore) if user.operand(1) == pointer => {
                    let event = user.operand(0);
                    // What a variable holds before its first event.
                    let is_none = event.is_constant() || uninitialized::is_marker(event);
                    if (first..end).contains(&at) && !is_none {
                        found.push(*classes.get(&event)?);
                    }
                }
                Some(Opcode::LLVMLoad) => {}
                Some(Opcode::LLVMCall) if Builtin::called_by(user) == Some(Builtin::Dma(Dma::Wait)) => {}
                Some(Opcode::LLVMCall) => {
                    let name = user.called_function()?.name();
                    if !["llvm.lifetime.", "llvm.memset."].iter().any(|start| name.starts_with(start)) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
    }
    Some(found)
}

/// The variable that a pointer points into, and how far.
fn place(module: &Module, pointer: Value) -> Option<(Value, i64)> {
    match pointer.opcode()? {
        Opcode::LLVMAlloca => Some((pointer, 0)),
        Opcode::LLVMAddrSpaceCast => place(module, pointer.operand(0)),
        Opcode::LLVMGetElementPtr => {
            let (variable, at) = place(module, pointer.operand(0))?;
            Some((variable, at + provenance::constant_gep_offset(module, pointer)?))
        }
        _ => None,
    }
}
