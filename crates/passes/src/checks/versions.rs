//! Two versions of a kernel: one for launches that a condition says to be free of some mistakes, in
//! which the checks for these are left out, and one with all checks.
//!
//! ```text
//! entry:                        entry:
//!   …                             …
//!   %quiet = …            ───►    br i1 %quiet, label %check.all.quiet, label %check.all
//!   rest                        check.all:           check.all.quiet:
//!                                 rest                 rest
//! ```
//!
//! The condition is the same for the whole launch, so that barriers are met in one of the two.

use llvm::{Block, Builder, Function, Module, Value};
use std::collections::{HashMap, HashSet};

/// A kernel's second version, which runs if the condition holds.
pub struct Quiet {
    /// From the instructions of the version with all checks to their copies.
    pub copies: HashMap<Value, Value>,
    /// Where the two begin.
    pub checked: Block,
    pub start: Block,
}

/// Gives a kernel a second version of its own instructions, for when `condition` holds, a value of
/// its entry.
pub fn add(module: &Module, kernel: Function, own: &HashSet<Value>, condition: Value) -> Quiet {
    let entry = kernel.entry();
    let is_own = |i: &Value| own.contains(i) && !i.is_alloca();
    let next = entry.instructions().into_iter().find(is_own).expect("a block has a terminator");
    let checked = Block::split_before(next, "check.all");
    let blocks: Vec<Block> = kernel.blocks().into_iter().filter(|block| *block != entry).collect();
    let copies = kernel.clone_blocks(&blocks);
    let start = copies[&checked.as_value()].as_block().expect("the copy of a block is one");
    entry.terminator().expect("the block was split").erase();
    let b = Builder::at_end(module.context(), entry);
    b.set_place_of(next);
    b.cond_br(condition, start, checked);
    Quiet { copies, checked, start }
}

/// The conjunction of conditions that the kernel's entry computes, after all else that checks
/// compute there; `None` if there is none, or it is known. `own` are the instructions of the
/// program.
pub fn all(module: &Module, kernel: Function, own: &HashSet<Value>, conditions: &[Value]) -> Option<Value> {
    let is_own = |i: &Value| own.contains(i) && !i.is_alloca();
    let first = kernel.entry().instructions().into_iter().find(is_own)?;
    let b = Builder::before(module.context(), first);
    conditions.iter().copied().reduce(|x, y| b.and(x, y, "check.quiet")).filter(|all| all.is_instruction())
}
