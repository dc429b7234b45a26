//! Finds spin loops: loops in which a sub-group may wait for another one of its work-group.
//!
//! ```text
//! while (atomic_load(flag) == 0) {}                        // waits
//! for (i = 0; i < n; i++) atomic_fetch_add(sum, a[i]);     // does not: it ends by itself
//! ```
//!
//! A loop may wait if it can observe other sub-groups (it has an atomic or volatile read, or a
//! fence) and its exit condition depends on memory. Three kinds of loops do not wait: one with a
//! work-group barrier on every path around it, where all sub-groups meet anyway; a compare-exchange
//! loop, such as an addition made of `atomic_cmpxchg`, which is lock-free: it fails only while
//! others succeed; and one that only counts, such as `while ((i = atomic_inc(next)) < n)`, which
//! ends by itself.

use crate::prepare_barriers::is_work_group_barrier;
use crate::{PassContext, reachable_functions};
use analysis::{Loop, Loops};
use ir::Builtin;
use llvm::{AtomicOp, Block, Function, Opcode, Value};
use std::collections::HashSet;

/// The latches of all waiting loops: a sub-group that passes one may go round once more.
pub(crate) fn latches(cx: &mut PassContext<'_>, function: Function) -> Vec<Block> {
    if !function.instructions().into_iter().any(sees_others) {
        return Vec::new();
    }
    let loops = cx.analysis::<Loops>(function);
    let mut found: Vec<Block> = loops.iter().filter(|l| Cycle(l).waits()).map(|l| l.latch).collect();
    found.dedup();
    found
}

/// Whether a loop is a waiting one.
pub(crate) fn waits(l: &Loop) -> bool {
    Cycle(l).waits()
}

/// A loop, which may be irreducible.
struct Cycle<'a>(&'a Loop);

impl Cycle<'_> {
    fn waits(&self) -> bool {
        let instructions = self.0.blocks.iter().flat_map(|b| b.instructions());
        let waits = match instructions.filter(|i| sees_others(*i)).collect::<Vec<_>>()[..] {
            [] => false,
            [only] => !counts(only),
            _ => true,
        };
        waits && self.may_pass_no_barrier() && self.end_depends_on_memory()
    }

    fn contains(&self, block: Block) -> bool {
        self.0.contains(block)
    }

    /// Whether there is a path from the header to the latch without a work-group barrier.
    fn may_pass_no_barrier(&self) -> bool {
        let is_barrier = |i: Value| i.called_function().is_some_and(is_work_group_barrier);
        let has_barrier = |block: Block| block.instructions().into_iter().any(is_barrier);
        let mut seen = HashSet::new();
        let mut stack = vec![self.0.header];
        while let Some(block) = stack.pop() {
            if self.contains(block) && !has_barrier(block) && seen.insert(block) {
                stack.extend(block.successors());
            }
        }
        seen.contains(&self.0.latch)
    }

    /// Whether a value is a compare-exchange whose expected value was read from the same address in
    /// this iteration or the last.
    fn exchanges_what_it_read(&self, value: Value) -> bool {
        if value.opcode() != Some(Opcode::LLVMAtomicCmpXchg) {
            return false;
        }
        let (place, expected) = (value.operand(0), value.operand(1));
        let inside = |v: Value| v.block().is_some_and(|b| self.contains(b));
        let is_read = |v: Value| inside(v) && read_from(v) == Some(place);
        let is_phi = expected.is_phi() && inside(expected);
        let mut rounds = expected.operands().filter(|_| is_phi).filter(|v| inside(*v)).peekable();
        is_read(expected) || (rounds.peek().is_some() && rounds.all(is_read))
    }

    fn end_depends_on_memory(&self) -> bool {
        let conditions = |exits: bool| {
            let blocks = self.0.blocks.iter();
            let wanted = blocks.filter(move |b| !exits || self.0.is_exiting(**b));
            wanted.filter_map(|b| b.terminator()?.condition())
        };
        let mut work: Vec<Value> = conditions(true).collect();
        let mut seen = HashSet::new();
        let mut all = false;
        while let Some(value) = work.pop() {
            let inside = value.block().is_some_and(|b| self.contains(b));
            if !inside || !seen.insert(value) {
                continue;
            }
            if self.exchanges_what_it_read(value) {
                continue;
            }
            if reads_memory(value) {
                return true;
            }
            // A PHI with several edges in the loop depends on the conditions that choose among
            // them.
            let several = value.is_phi()
                && value.incoming().iter().filter(|(_, from)| self.contains(*from)).count() > 1;
            if several && !std::mem::replace(&mut all, true) {
                work.extend(conditions(false));
            }
            work.extend(value.operands());
        }
        false
    }
}

/// Whether an instruction is an atomic addition or subtraction of a constant: a counter.
fn counts(instruction: Value) -> bool {
    instruction.opcode() == Some(Opcode::LLVMAtomicRMW)
        && matches!(
            instruction.atomic_op(),
            AtomicOp::LLVMAtomicRMWBinOpAdd | AtomicOp::LLVMAtomicRMWBinOpSub
        )
        && instruction.operand(1).as_const_int().is_some_and(|by| by != 0)
}

/// The address whose memory an instruction reads, if its result is the value found there.
fn read_from(value: Value) -> Option<Value> {
    match value.opcode()? {
        Opcode::LLVMLoad | Opcode::LLVMAtomicCmpXchg => Some(value.operand(0)),
        // The result of a compare-exchange, or a bitcast of it.
        Opcode::LLVMExtractValue | Opcode::LLVMBitCast => read_from(value.operand(0)),
        _ => None,
    }
}

/// Whether an instruction may observe writes of other sub-groups: an atomic or volatile read, or a
/// fence.
fn sees_others(instruction: Value) -> bool {
    fn directly(instruction: Value) -> bool {
        match instruction.opcode() {
            Some(Opcode::LLVMLoad) => instruction.is_atomic() || instruction.is_volatile(),
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence) => true,
            Some(Opcode::LLVMCall) => {
                matches!(
                    Builtin::called_by(instruction),
                    Some(Builtin::MemBarrier | Builtin::SubGroupBarrier)
                )
            }
            _ => false,
        }
    }
    let through = |f: Function| {
        let mut functions = reachable_functions(f).into_iter().filter(|f| !f.is_declaration());
        functions.any(|f| f.instructions().into_iter().any(directly))
    };
    directly(instruction) || instruction.called_function().is_some_and(through)
}

fn reads_memory(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
        Some(Opcode::LLVMCall) => {
            let is_query = Builtin::called_by(instruction).is_some_and(Builtin::is_rematerializable);
            !is_query && !instruction.called_function().is_some_and(Function::is_memory_none)
        }
        _ => false,
    }
}
