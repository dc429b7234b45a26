//! Barriers: every work-item of a group reaches the same barriers, at the same place and in the
//! same round of each loop, or none does.
//!
//! ```text
//! call void @__mux_work_group_barrier(…)
//! ───►
//!   br i1 %first, label %check.first, label %check.next       ; of its group, at its nth barrier
//! check.first:
//!   store …, ptr %slot                                         ; which barrier, in which round
//!   br label %check.next
//! check.next:
//!   br i1 %differs, label %check.bad, label %check.on
//! check.bad:
//!   call i32 @__mux_check(ptr @check.site, i64 %rounds, i64 %operands, i64 %n)
//! …
//!   call void @__mux_work_group_barrier(…)
//! ```
//!
//! Barriers that uniformity analysis finds all work-items to reach together need nothing. If a
//! kernel has another one, each work-item compares what it comes to as its nth barrier with what
//! the first one of its group has found there, and leaving the kernel is one more. The runtime is
//! told of those that differ, and from then on of all. A group runs from barrier to barrier, so
//! that a few slots are enough; not for asynchronous copies, at which nobody waits: where there
//! are any, the runtime is told of all. The kernel stays scalar, but for sub-groups, and
//! WorkItemLoops ends a work-group whose work-items went apart
//! (`ir::attributes::has_divergent_barriers`). Collectives and asynchronous copies count as
//! barriers; operands that must be uniform are compared, too, unless they are known to be.

use super::sites::{Sites, What};
use super::under;
use crate::PassContext;
use analysis::{Cfg, Loops, Uniformity};
use ir::attributes;
use ir::check::{ARGUMENT_WORDS, Event, LaunchField, MEETING_WORDS, MEETINGS, MeetingField};
use ir::{Arithmetic, Builtin, Dma, Group, GroupOp, GroupScope};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};
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
    let meetings = Meetings::new(module, kernel, sites, &meets, degenerate);
    for call in meets {
        let note = match Builtin::called_by(call) {
            Some(Builtin::WorkGroupBarrier) => "barrier",
            Some(Builtin::Dma(_)) => "asynchronous copy",
            _ if is_sub_group(call) => "sub-group function",
            _ => "work-group function",
        };
        let b = Builder::before(module.context(), call);
        let operands = uniform_operands(call).into_iter().fold(None, |hash: Option<Value>, operand| {
            let word = as_word(&b, operand);
            Some(hash.map_or(word, |hash| b.add(b.mul(hash, b.i64(0x9e37_79b9), ""), word, "")))
        });
        let rounds = rounds.at(&b, call);
        meetings.meet(call, What::event(Event::Arrive, note), rounds, operands);
    }
    for ret in kernel.instructions().into_iter().filter(|i| i.is_return()) {
        meetings.meet(ret, What::event(Event::Leave, ""), None, None);
    }
    cx.analyses.forget(kernel);
}

/// Makes the record ready for a work-group that begins.
pub fn begin_group(module: &Module, b: &Builder, kernel: Function) {
    let record = b.call(Builtin::CheckRecord.declare(module), &[], "check.record");
    let [group, apart] = [LaunchField::Group, LaunchField::Apart].map(|f| launch_word(b, kernel, record, f));
    let before = b.load(b.context().i64(), group, "");
    b.store(b.add(before, b.i64(1), ""), group);
    b.store(b.i64(0), apart);
}

/// Whether the work-items of the group that runs have gone apart.
pub fn is_apart(module: &Module, b: &Builder, kernel: Function) -> Value {
    let record = b.call(Builtin::CheckRecord.declare(module), &[], "check.record");
    let word = b.load(b.context().i64(), launch_word(b, kernel, record, LaunchField::Apart), "");
    b.icmp(IntPredicate::LLVMIntNE, word, b.i64(0), "check.apart")
}

/// The address of a word that the launch has in the record.
fn launch_word(b: &Builder, kernel: Function, record: Value, field: LaunchField) -> Value {
    let index = kernel.params().len() as u32 * ARGUMENT_WORDS + field as u32;
    b.gep(b.context().i64(), record, &[b.i32(index)], "")
}

/// What writes the code of meetings.
struct Meetings<'a> {
    module: &'a Module,
    kernel: Function,
    sites: &'a Sites<'a>,
    record: Value,
    group: Value,
    /// 0, which LLVM does not know: several lanes of a vector come at once.
    zero: Value,
    /// The variable that counts the barriers of a work-item.
    count: Value,
    /// The runtime is told of all.
    told: bool,
    /// The lanes of a vector may be a sub-group.
    lanes: bool,
}

impl<'a> Meetings<'a> {
    fn new(
        module: &'a Module,
        kernel: Function,
        sites: &'a Sites<'a>,
        meets: &[Value],
        degenerate: bool,
    ) -> Self {
        let first = kernel.entry().first().expect("a block has a terminator");
        let b = Builder::before(module.context(), first);
        let word = b.context().i64();
        let count = b.alloca(word, 8, "check.met");
        b.store(word.zero(), count);
        let record = b.call(Builtin::CheckRecord.declare(module), &[], "check.record");
        let load = |field| b.load(word, launch_word(&b, kernel, record, field), "check.launch");
        let [zero, group] = [load(LaunchField::Zero), load(LaunchField::Group)];
        zero.set_invariant();
        let group = b.binary(Opcode::LLVMShl, group, b.i64(32), "check.group");
        let is_copy = |i: &Value| matches!(Builtin::called_by(*i), Some(Builtin::Dma(_)));
        let uses = |i: &Value| Builtin::called_by(*i).is_some_and(Builtin::uses_sub_groups);
        let lanes = !degenerate && kernel.instructions().iter().any(uses);
        Meetings { module, kernel, sites, record, group, zero, count, told: meets.iter().any(is_copy), lanes }
    }

    /// Writes that a work-item comes to an instruction.
    fn meet(&self, at: Value, what: What, rounds: Option<Value>, operands: Option<Value>) {
        let context = self.module.context();
        let word = context.i64();
        let leaves = what.event == Event::Leave;
        let site = self.sites.site(self.kernel, at, what);
        let b = Builder::before(context, at);
        let n = b.load(word, self.count, "check.n");
        let numbers = [rounds.unwrap_or(b.i64(0)), operands.unwrap_or(b.i64(0)), n];
        match self.told {
            true => drop(self.sites.call(&b, site, numbers)),
            false => self.compare(at, site, leaves, numbers, rounds.is_some(), operands.is_some()),
        }
        let b = Builder::before(context, at);
        if !leaves {
            b.store(b.add(n, b.i64(1), ""), self.count);
        }
    }

    /// Compares a meeting with the first one of its group.
    fn compare(
        &self,
        at: Value,
        site: Value,
        leaves: bool,
        numbers: [Value; 3],
        has_rounds: bool,
        has_operands: bool,
    ) {
        let [rounds, operands, n] = numbers;
        let b = Builder::before(self.module.context(), at);
        let word = b.context().i64();
        let slot = b.mul(b.and(n, b.i64(u64::from(MEETINGS) - 1), ""), b.i64(MEETING_WORDS.into()), "");
        let slot = b.add(slot, self.zero, "");
        let slots = launch_word(&b, self.kernel, self.record, LaunchField::Meetings);
        let slot = b.gep(word, slots, &[slot], "check.slot");
        let field = |b: &Builder, field: MeetingField| b.gep(word, slot, &[b.i32(field as u32)], "");
        let tag = b.add(b.add(self.group, n, ""), b.i64(1), "check.tag");
        let old = b.load(word, field(&b, MeetingField::Tag), "");
        let is_first = b.icmp(IntPredicate::LLVMIntULT, old, tag, "check.is_first");
        let what = if leaves { b.i64(0) } else { b.cast(Opcode::LLVMPtrToInt, site, word, "") };
        let first = under(self.module, at, at, is_first, "check.first");
        let item = first.call(Builtin::GetLocalLinearId.declare(self.module), &[], "");
        let mut item = first.int_cast(item, word, "");
        if self.lanes {
            let least = Group { scope: GroupScope::Sub, op: GroupOp::Reduce(Arithmetic::UMin) };
            item = first.call(least.declare(self.module, word), &[item], "");
        }
        for (name, value) in [
            (MeetingField::Tag, tag),
            (MeetingField::Site, what),
            (MeetingField::Rounds, rounds),
            (MeetingField::Operands, operands),
            (MeetingField::Item, item),
        ] {
            first.store(value, field(&first, name));
        }
        let b = Builder::before(self.module.context(), at);
        let again = b.gep(word, slot, &[self.zero], "");
        let load = |field: MeetingField| b.load(word, b.gep(word, again, &[b.i32(field as u32)], ""), "");
        let differs = |field, value| b.icmp(IntPredicate::LLVMIntNE, load(field), value, "");
        let either = |x: Value, y: Value| b.binary(Opcode::LLVMOr, x, y, "");
        let mut bad = differs(MeetingField::Site, what);
        if has_rounds {
            bad = either(bad, differs(MeetingField::Rounds, rounds));
        }
        if has_operands {
            bad = either(bad, differs(MeetingField::Operands, operands));
        }
        // A slot may be one of a later barrier already: then nothing is known.
        let same = b.icmp(IntPredicate::LLVMIntEQ, load(MeetingField::Tag), tag, "");
        let apart = b.load(word, launch_word(&b, self.kernel, self.record, LaunchField::Apart), "");
        let apart = b.icmp(IntPredicate::LLVMIntNE, apart, b.i64(0), "");
        let bad = either(b.and(bad, same, ""), apart);
        let tell = under(self.module, at, at, bad, "check.bad");
        self.sites.call(&tell, site, numbers);
    }
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

    /// A number for the rounds of all loops around an instruction; `None` if it is in none.
    fn at(&self, b: &Builder, instruction: Value) -> Option<Value> {
        let block = instruction.block().expect("an instruction is in a block");
        let mut sum = None;
        for (_, counter) in self.counters.iter().filter(|(blocks, _)| blocks.contains(&block)) {
            let round = b.load(b.context().i64(), *counter, "");
            sum = Some(sum.map_or(round, |sum| b.add(b.mul(sum, b.i64(0x1_0001), ""), round, "")));
        }
        sum
    }
}
