//! Uniformity (divergence) analysis: which values are the same for all work-items of a work-group.
//!
//! A value is uniform if it is computed in the same way from uniform values by all work-items that
//! compute it. It is *varying* (divergent) if it comes from a work-item's ID, from private memory,
//! from an atomic operation or an unknown call, if an operand is varying, or by control dependence:
//! a PHI at the join of a varying branch (sync dependence), or a value of a divergent loop that is
//! used outside of it (temporal divergence).
//!
//! Loads: in a program without data races, memory that one work-item reads and another one writes
//! has a barrier in between. So a plain load from a uniform address, executed by all work-items of
//! the group between the same two barriers, reads the same value in all of them, unless the address
//! is of private memory ([`is_shared_load`]).

use crate::{Analyses, Cfg, FunctionAnalysis, PostDominators};
use ir::Builtin;
use ir::address_space::{CONSTANT, GLOBAL, LOCAL};
use llvm::{Function, Module, Opcode, Value};
use std::collections::HashSet;

pub struct Uniformity {
    varying: HashSet<Value>,
    /// The numbers of divergent blocks, which not all work-items of a group reach together.
    divergent_blocks: HashSet<usize>,
}

impl Uniformity {
    /// Whether the value is the same for all work-items of the group.
    pub fn is_uniform(&self, value: Value) -> bool {
        !self.varying.contains(&value)
    }

    /// Whether all work-items of the group run the block together and equally often. By the block's
    /// number in [`Cfg`].
    pub fn is_block_uniform(&self, number: usize) -> bool {
        !self.divergent_blocks.contains(&number)
    }
}

impl FunctionAnalysis for Uniformity {
    fn compute(module: &Module, function: Function, analyses: &mut Analyses) -> Self {
        let cfg = analyses.get::<Cfg>(module, function);
        let post_dominators = analyses.get::<PostDominators>(module, function);
        let mut state = State {
            cfg: &cfg,
            post: &post_dominators,
            varying: HashSet::new(),
            divergent: HashSet::new(),
            work: Vec::new(),
        };
        for &block in &cfg.blocks {
            for instruction in block.instructions() {
                if is_source(instruction) {
                    state.mark(instruction);
                }
            }
        }
        state.propagate();
        Uniformity { varying: state.varying, divergent_blocks: state.divergent }
    }
}

/// Whether an instruction is a source of divergence: its result varies whatever its operands are.
fn is_source(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(Opcode::LLVMAlloca | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMVAArg) => {
            true
        }
        Some(Opcode::LLVMLoad) => !is_shared_load(instruction),
        Some(Opcode::LLVMCall) => match instruction.called_function() {
            Some(f) => match Builtin::of(f) {
                Some(builtin) => !builtin.is_work_group_uniform() && !builtin.makes_uniform(),
                // Intrinsics without memory effects depend on their operands only.
                None => !(f.is_intrinsic() && f.is_memory_none()),
            },
            None => true,
        },
        // Each work-item's freeze of an undefined value may choose another one.
        Some(Opcode::LLVMFreeze) => true,
        _ => false,
    }
}

/// Whether all work-items of a group read the same value if they load from the same address: plain
/// loads of what is not private memory, or of an argument by value, which nobody writes.
pub fn is_shared_load(load: Value) -> bool {
    if load.is_atomic() || load.is_volatile() {
        return false;
    }
    let mut base = load.operand(0);
    if [GLOBAL, CONSTANT, LOCAL].contains(&base.ty().address_space()) {
        return true;
    }
    while base.opcode() == Some(Opcode::LLVMGetElementPtr) {
        base = base.operand(0);
    }
    let Some(function) = load.block().map(|block| block.function()) else { return false };
    let number = function.params().into_iter().position(|param| param == base);
    number.is_some_and(|number| function.param_byref_type(number as u32).is_some())
}

struct State<'a> {
    cfg: &'a Cfg,
    post: &'a PostDominators,
    varying: HashSet<Value>,
    divergent: HashSet<usize>,
    work: Vec<Value>,
}

impl State<'_> {
    fn mark(&mut self, value: Value) {
        if self.varying.insert(value) {
            self.work.push(value);
        }
    }

    fn propagate(&mut self) {
        while let Some(value) = self.work.pop() {
            for user in value.users() {
                if !user.is_instruction() {
                    continue;
                }
                if user.is_terminator() {
                    self.diverge(user);
                } else if !Builtin::called_by(user).is_some_and(Builtin::makes_uniform) {
                    self.mark(user);
                }
            }
        }
    }

    /// Propagates the divergence of a branch to its region: the blocks from it to its immediate
    /// post-dominator.
    fn diverge(&mut self, branch: Value) {
        let Some(start) = branch.block().and_then(|b| self.cfg.number(b)) else { return };
        if self.cfg.succs[start].len() < 2 {
            return;
        }
        let meet = self.post.immediate(start);
        let mut region = HashSet::new();
        let mut stack = self.cfg.succs[start].clone();
        while let Some(block) = stack.pop() {
            if Some(block) != meet && region.insert(block) {
                stack.extend(self.cfg.succs[block].iter().copied());
            }
        }
        // PHIs at joins vary (sync dependence). Values of the region that are used after it vary,
        // too: other work-items computed them in another iteration (temporal divergence), or not at
        // all.
        for &number in region.iter().chain(meet.as_ref()) {
            for phi in self.cfg.blocks[number].phis() {
                self.mark(phi);
            }
        }
        for &number in &region {
            self.divergent.insert(number);
            for instruction in self.cfg.blocks[number].instructions() {
                let outside = |user: &Value| {
                    user.block().and_then(|b| self.cfg.number(b)).is_some_and(|n| !region.contains(&n))
                };
                if instruction.users().iter().any(outside) {
                    self.mark(instruction);
                }
                // A load that only some work-items execute at a time may read what one of them has
                // written in between.
                if instruction.is_load() {
                    self.mark(instruction);
                }
            }
        }
    }
}
