//! Barriers: every work-item of a group reaches the same barriers, at the same place and in the
//! same round of each loop, or none does.
//!
//! ```text
//! call void @__mux_work_group_barrier(…)
//! ───►
//! call i32 @__mux_check(ptr @check.site, i64 %rounds, i64 %operands, …)   ; arrives
//! call void @__mux_work_group_barrier(…)
//! …
//! call i32 @__mux_check(ptr @check.site.1, …)                             ; leaves the kernel
//! ret void
//! ```
//!
//! Barriers that uniformity analysis finds all work-items to reach together need nothing. If a
//! kernel has another one, each work-item tells the runtime where it arrives and when it leaves.
//! The kernel stays scalar then (`ir::attributes::has_divergent_barriers`), and WorkItemLoops ends
//! a work-group whose work-items went apart. Collectives and asynchronous copies count as barriers;
//! operands that must be uniform are compared, too, unless they are known to be.

use super::sites::{Sites, What};
use crate::PassContext;
use analysis::{Cfg, Loops, Uniformity};
use ir::attributes;
use ir::check::Event;
use ir::{Builtin, Dma, Group, GroupOp, GroupScope};
use llvm::{Builder, Function, Module, Opcode, Value};
use std::collections::HashSet;

/// Adds the checks to a kernel.
pub fn check(cx: &mut PassContext<'_>, kernel: Function, sites: &Sites<'_>, degenerate: bool) {
    let meets: Vec<Value> =
        kernel.instructions().into_iter().filter(|i| meets(*i) || degenerate && is_sub_group(*i)).collect();
    if meets.is_empty() {
        return;
    }
    cx.analyses.forget(kernel);
    let uniformity = cx.analysis::<Uniformity>(kernel);
    let cfg = cx.analysis::<Cfg>(kernel);
    let is_together = |i: &Value| {
        let block = i.block().and_then(|block| cfg.number(block));
        block.is_some_and(|number| uniformity.is_block_uniform(number))
            && uniform_operands(*i).into_iter().all(|v| uniformity.is_uniform(v))
    };
    if meets.iter().all(is_together) {
        return;
    }
    attributes::set_divergent_barriers(kernel);
    let module = cx.module;
    let rounds = Rounds::count(module, kernel, &cx.analysis::<Loops>(kernel));
    for call in meets {
        let note = match Builtin::called_by(call) {
            Some(Builtin::WorkGroupBarrier) => "barrier",
            Some(Builtin::Dma(_)) => "asynchronous copy",
            _ if is_sub_group(call) => "sub-group function",
            _ => "work-group function",
        };
        let b = Builder::before(module.context(), call);
        let site = sites.site(kernel, call, What::event(Event::Arrive, note));
        let mut hash = b.i64(0);
        for operand in uniform_operands(call) {
            hash = b.add(b.mul(hash, b.i64(0x9e37_79b9), ""), as_word(&b, operand), "");
        }
        sites.call(&b, site, [rounds.at(&b, call), hash, b.i64(0)]);
    }
    for ret in kernel.instructions().into_iter().filter(|i| i.is_return()) {
        let b = Builder::before(module.context(), ret);
        let site = sites.site(kernel, ret, What::event(Event::Leave, ""));
        sites.call(&b, site, [b.i64(0); 3]);
    }
    cx.analyses.forget(kernel);
}

/// Whether all work-items of a group must execute an instruction together.
fn meets(i: Value) -> bool {
    match Builtin::called_by(i) {
        Some(Builtin::Dma(dma)) => dma != Dma::Wait,
        Some(builtin) => builtin.is_work_group_barrier(),
        None => false,
    }
}

/// Whether an instruction is an operation of a sub-group.
fn is_sub_group(i: Value) -> bool {
    match Builtin::called_by(i) {
        Some(Builtin::SubGroupBarrier) => true,
        Some(Builtin::Group(group)) => group.scope == GroupScope::Sub,
        _ => false,
    }
}

/// The operands that must be the same for all work-items of the group.
fn uniform_operands(call: Value) -> Vec<Value> {
    let args = call.call_args();
    match Builtin::called_by(call) {
        Some(Builtin::Group(Group { op: GroupOp::Broadcast, scope: GroupScope::Sub })) => args[1..].to_vec(),
        // The barrier's ID, the value, and the local ID.
        Some(Builtin::Group(Group { op: GroupOp::Broadcast, .. })) => args[2..].to_vec(),
        // All but the event.
        Some(Builtin::Dma(_)) => args[..args.len() - 1].to_vec(),
        _ => Vec::new(),
    }
}

fn as_word(b: &Builder, value: Value) -> Value {
    let word = b.context().i64();
    match value.ty() {
        ty if ty.is_ptr() => b.cast(Opcode::LLVMPtrToInt, value, word, ""),
        ty if ty.is_int() => b.int_cast(value, word, ""),
        _ => word.zero(),
    }
}

/// Counters of the rounds of loops.
struct Rounds {
    /// The blocks of a loop, and the variable with its number of rounds.
    counters: Vec<(HashSet<llvm::Block>, Value)>,
}

impl Rounds {
    fn count(module: &Module, kernel: Function, loops: &Loops) -> Rounds {
        let context = module.context();
        let word = context.i64();
        let mut counters = Vec::new();
        // Two ways back to one header are one loop.
        let mut headers: Vec<(llvm::Block, HashSet<llvm::Block>)> = Vec::new();
        for each in loops.iter() {
            match headers.iter_mut().find(|(header, _)| *header == each.header) {
                Some((_, blocks)) => blocks.extend(&each.blocks),
                None => headers.push((each.header, each.blocks.clone())),
            }
        }
        for (header, blocks) in headers {
            let first = kernel.entry().first().expect("a block has a terminator");
            let counter = Builder::before(context, first).alloca(word, 8, "check.rounds");
            for before in header.predecessors().into_iter().filter(|p| !blocks.contains(p)) {
                let end = before.terminator().expect("a block has a terminator");
                Builder::before(context, end).store(word.zero(), counter);
            }
            let b = Builder::before(context, header.first_non_phi().expect("a block has a terminator"));
            b.store(b.add(b.load(word, counter, ""), b.i64(1), ""), counter);
            counters.push((blocks, counter));
        }
        Rounds { counters }
    }

    /// A number for the rounds of all loops around an instruction.
    fn at(&self, b: &Builder, instruction: Value) -> Value {
        let block = instruction.block().expect("an instruction is in a block");
        let mut sum = b.i64(0);
        for (_, counter) in self.counters.iter().filter(|(blocks, _)| blocks.contains(&block)) {
            let round = b.load(b.context().i64(), *counter, "");
            sum = b.add(b.mul(sum, b.i64(0x1_0001), ""), round, "");
        }
        sum
    }
}
