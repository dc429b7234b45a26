//! Finds the loops in which a sub-group may wait for another one of its work-group.
//!
//! ```text
//! while (atomic_load(flag) == 0) {}                        // waits
//! for (i = 0; i < n; i++) atomic_fetch_add(sum, a[i]);     // does not: it ends by itself
//! ```
//!
//! A loop waits if others can be seen in it (it reads atomically or from volatile memory, or has a fence) and whether it ends depends on
//! memory. Three kinds do not: one that cannot go round without a work-group barrier, where all meet anyway; one that tries to exchange
//! what it has just read, as an addition made of `atomic_cmpxchg`, which fails only while others succeed; and one that only counts, as
//! `while ((i = atomic_inc(next)) < n)`, which comes to an end alone.

use crate::prepare_barriers::is_work_group_barrier;
use crate::reachable_functions;
use analysis::Cfg;
use ir::Builtin;
use llvm::{AtomicOp, Block, Function, Opcode, Value};
use std::collections::HashSet;

/// For each way around a loop that waits, the block that ends it.
pub(crate) fn ends(function: Function) -> Vec<Block> {
    if !function.instructions().into_iter().any(sees_others) {
        return Vec::new();
    }
    let cfg = Cfg::of(function);
    let latches = (0..cfg.blocks.len()).filter(|&block| {
        // In reverse post-order every cycle has an edge that does not lead forward.
        let headers = cfg.succs[block].iter().filter(|&&header| header <= block);
        headers.into_iter().any(|&header| Loop::new(&cfg, block, header).waits())
    });
    latches.map(|block| cfg.blocks[block]).collect()
}

/// The blocks on ways from a header to the block that leads back to it.
struct Loop<'a> {
    cfg: &'a Cfg,
    latch: usize,
    header: usize,
    body: HashSet<usize>,
}

/// What can be reached from `start` by `next`, itself included.
fn reached(start: usize, next: impl Fn(usize) -> Vec<usize>) -> HashSet<usize> {
    let mut found = HashSet::from([start]);
    let mut work = vec![start];
    while let Some(block) = work.pop() {
        work.extend(next(block).into_iter().filter(|n| found.insert(*n)));
    }
    found
}

impl<'a> Loop<'a> {
    fn new(cfg: &'a Cfg, latch: usize, header: usize) -> Self {
        let up = |block: usize| if block == header { Vec::new() } else { cfg.preds[block].clone() };
        let down = reached(header, |block| cfg.succs[block].clone());
        let body = reached(latch, up).intersection(&down).copied().collect();
        Loop { cfg, latch, header, body }
    }

    fn waits(&self) -> bool {
        let instructions = self.body.iter().flat_map(|&b| self.cfg.blocks[b].instructions());
        let waits = match instructions.filter(|i| sees_others(*i)).collect::<Vec<_>>()[..] {
            [] => false,
            [only] => !counts(only),
            _ => true,
        };
        waits && self.may_pass_no_barrier() && self.end_depends_on_memory()
    }

    fn contains(&self, block: Block) -> bool {
        self.cfg.number(block).is_some_and(|n| self.body.contains(&n))
    }

    fn may_pass_no_barrier(&self) -> bool {
        let has_barrier = |block: usize| {
            let is_barrier = |i: Value| i.called_function().is_some_and(is_work_group_barrier);
            self.cfg.blocks[block].instructions().into_iter().any(is_barrier)
        };
        let without = |block: usize| self.body.contains(&block) && !has_barrier(block);
        let next = |block: usize| self.cfg.succs[block].iter().copied().filter(|n| without(*n)).collect();
        without(self.header) && reached(self.header, next).contains(&self.latch)
    }

    /// Whether a value is an exchange of what was read at its place in this round or the last.
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
            let blocks = self.body.iter().map(|&b| self.cfg.blocks[b]);
            let wanted = blocks.filter(move |b| !exits || b.successors().iter().any(|s| !self.contains(*s)));
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
            // Where control came from decides which of several values it is.
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

/// Whether an instruction changes what it finds, always in the same direction.
fn counts(instruction: Value) -> bool {
    instruction.opcode() == Some(Opcode::LLVMAtomicRMW)
        && matches!(
            instruction.atomic_op(),
            AtomicOp::LLVMAtomicRMWBinOpAdd | AtomicOp::LLVMAtomicRMWBinOpSub
        )
        && instruction.operand(1).as_const_int().is_some_and(|by| by != 0)
}

/// The memory that an instruction reads, and the value it finds there.
fn read_from(value: Value) -> Option<Value> {
    match value.opcode()? {
        Opcode::LLVMLoad | Opcode::LLVMAtomicCmpXchg => Some(value.operand(0)),
        // The value that was found by an exchange, or the bits of another type.
        Opcode::LLVMExtractValue | Opcode::LLVMBitCast => read_from(value.operand(0)),
        _ => None,
    }
}

/// Whether an instruction may bring news of other sub-groups.
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
