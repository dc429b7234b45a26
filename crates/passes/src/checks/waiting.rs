//! Loops that wait: a work-item that waits for what never comes leaves its loop.
//!
//! ```text
//! while (atomic_load(flag) == 0) {}
//! ───►
//! while (atomic_load(flag) == 0 && !give_up) {
//!   if (++rounds % 4096 == 0) give_up = __mux_check(…);
//! }
//! ```
//!
//! These are the loops in which a sub-group may wait for another (`waiting_loops.rs`), and loops
//! that change nothing and are left by what they read. The runtime says when there is nobody left
//! to wait for. A loop with a work-group barrier on each way round is no such loop.

use super::sites::{Sites, What};
use crate::{PassContext, waiting_loops};
use analysis::{Loop, Loops};
use ir::Builtin;
use ir::address_space::PRIVATE;
use ir::check::Event;
use llvm::{Block, Builder, Function, IntPredicate, Opcode, Value};
use std::collections::HashSet;

/// After so many rounds the runtime is asked: a power of two.
const ROUNDS: u64 = 4096;

/// Adds the checks to a kernel.
pub fn check(cx: &mut PassContext<'_>, kernel: Function, sites: &Sites<'_>) {
    cx.analyses.forget(kernel);
    let loops = cx.analysis::<Loops>(kernel);
    // Two ways back to one header are one loop.
    let mut found: Vec<(Block, HashSet<Block>)> = Vec::new();
    for each in loops.iter().filter(|l| waiting_loops::waits(l) || never_changes(l)) {
        match found.iter_mut().find(|(header, _)| *header == each.header) {
            Some((_, blocks)) => blocks.extend(&each.blocks),
            None => found.push((each.header, each.blocks.clone())),
        }
    }
    for (header, blocks) in found {
        bound(cx, kernel, sites, header, &blocks);
    }
    cx.analyses.forget(kernel);
}

/// Whether a loop carries no value from round to round, writes nothing, and reads memory that
/// others can write.
fn never_changes(l: &Loop) -> bool {
    let instructions: Vec<Value> = l.blocks.iter().flat_map(|block| block.instructions()).collect();
    let is_pure = |i: &Value| match i.opcode() {
        Some(Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => false,
        Some(Opcode::LLVMCall) => {
            Builtin::called_by(*i).is_some_and(Builtin::is_rematerializable)
                || i.called_function().is_some_and(|f| f.is_memory_none() || f.is_intrinsic())
        }
        _ => true,
    };
    let reads = |i: &Value| i.is_load() && i.operand(0).ty().address_space() != PRIVATE;
    l.header.phis().is_empty() && instructions.iter().all(is_pure) && instructions.iter().any(reads)
}

/// Makes a loop end when the runtime says so.
fn bound(cx: &PassContext<'_>, kernel: Function, sites: &Sites<'_>, header: Block, blocks: &HashSet<Block>) {
    let context = cx.module.context();
    let word = context.i64();
    let leaves = |block: &&Block| block.successors().into_iter().any(|s| !blocks.contains(&s));
    let mut exits: Vec<Value> = blocks
        .iter()
        .filter(leaves)
        .filter_map(|block| block.terminator())
        .filter(|end| end.opcode() == Some(Opcode::LLVMBr) && end.condition().is_some())
        .collect();
    exits.sort_by_key(|end| end.debug_stack().first().map_or((0, 0), |frame| (frame.line, frame.column)));
    let Some(first_exit) = exits.first().copied() else { return };
    let first = kernel.entry().first().expect("a block has a terminator");
    let b = Builder::before(context, first);
    let rounds = b.alloca(word, 8, "check.rounds");
    let give_up = b.alloca(context.i32(), 4, "check.give_up");
    for before in header.predecessors().into_iter().filter(|p| !blocks.contains(p)) {
        let b = Builder::before(context, before.terminator().expect("a block has a terminator"));
        b.store(word.zero(), rounds);
        b.store(b.i32(0), give_up);
    }
    for exit in exits {
        let b = Builder::before(context, exit);
        let given_up = b.icmp(IntPredicate::LLVMIntNE, b.load(context.i32(), give_up, ""), b.i32(0), "");
        let condition = exit.condition().expect("it has one");
        let stays_if_true = blocks.contains(&exit.successors()[0]);
        let either = match stays_if_true {
            false => b.binary(Opcode::LLVMOr, condition, given_up, "check.exit"),
            true => {
                let goes_on = b.binary(Opcode::LLVMXor, given_up, context.i1().const_int(1), "");
                b.and(condition, goes_on, "check.stay")
            }
        };
        exit.set_operand(0, either);
    }
    let at = header.first_non_phi().expect("a block has a terminator");
    let site = sites.site(kernel, first_exit, What::event(Event::Wait, ""));
    let b = Builder::before(context, at);
    b.set_place_of(first_exit);
    let count = b.add(b.load(word, rounds, ""), b.i64(1), "");
    b.store(count, rounds);
    let low = b.and(count, b.i64(ROUNDS - 1), "");
    let many = b.icmp(IntPredicate::LLVMIntEQ, low, b.i64(0), "");
    let before = at.block().expect("an instruction is in a block");
    let next = Block::split_before(at, "check.on");
    let ask = kernel.append_block("check.ask");
    ask.move_before(next);
    before.terminator().expect("the block was split").erase();
    let b = Builder::at_end(context, before);
    b.set_place_of(first_exit);
    b.cond_br(many, ask, next);
    let b = Builder::at_end(context, ask);
    b.set_place_of(first_exit);
    b.store(sites.call(&b, site, [count, b.i64(0), b.i64(0)]), give_up);
    b.br(next);
}
