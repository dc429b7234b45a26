//! Collective operations over a work-group: reductions, scans, broadcasts.
//!
//! ```text
//! %r = call @__mux_work_group_reduce_add_i32(i32 7, i32 %x)
//! ───►
//! call @__mux_work_group_reduce_add_i32(i32 7, i32 %x)
//! call @__mux_work_group_barrier(i32 7, …)
//! %r = call @__mux_work_group_result_i32(i32 7)
//! ```
//!
//! Each collective has two fields in a struct of the wrapper, an accumulator and a result. The
//! wrapper sets the accumulator to the operation's identity before it loops over a region that may
//! end at the collective; each work-item combines its value with it; and after the loop the
//! accumulator is copied to the result. With two fields, a region in a loop may read the last
//! result while it accumulates the next one.
//!
//! A scan needs no result: the loop visits the work-items in linear order, so that each one finds
//! its prefix in the accumulator. The barriers before a scan have that schedule
//! (`"mux-barrier-schedule"="linear"`).

use super::regions::FIRST_GATHERING;
use crate::PassError;
use analysis::Cfg;
use ir::attributes::{self, BarrierSchedule};
use ir::{Builtin, Group, GroupOp, GroupScope, MemScope, MemSemantics};
use llvm::{Block, Builder, Function, IntPredicate, Module, Type, Value};
use std::collections::HashSet;

/// A collective operation, with the ID of its barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Collective {
    id: u64,
    /// Inclusive scans are stored as exclusive ones: one version of a kernel may have the former
    /// where another has the latter.
    op: GroupOp,
    ty: Type,
}

/// The collectives of one version of a kernel, sorted by barrier ID.
#[derive(Clone, Debug, PartialEq)]
pub struct Collectives(Vec<Collective>);

fn called_group(call: Value) -> Option<Group> {
    match Builtin::called_by(call)? {
        Builtin::Group(group) if group.scope == GroupScope::Work => Some(group),
        _ => None,
    }
}

/// Gives the barriers from which a scan is reached without another barrier the linear schedule.
/// Returns whether a scan is reached from the kernel's entry, which is no barrier.
fn order_scans(kernel: Function) -> bool {
    let is_scan = |i: Value| called_group(i).is_some_and(|group| group.op.is_scan());
    let is_barrier = |i: &Value| Builtin::called_by(*i) == Some(Builtin::WorkGroupBarrier);
    let cfg = Cfg::of(kernel);
    let mut seen: HashSet<Block> = HashSet::new();
    let mut work: Vec<(Block, Vec<Value>)> = Vec::new();
    for block in kernel.blocks() {
        let instructions = block.instructions();
        for at in (0..instructions.len()).filter(|at| is_scan(instructions[*at])) {
            work.push((block, instructions[..at].to_vec()));
        }
    }
    let mut from_entry = false;
    while let Some((block, before)) = work.pop() {
        if let Some(barrier) = before.into_iter().rev().find(is_barrier) {
            if attributes::barrier_schedule(barrier) == BarrierSchedule::Unordered {
                attributes::set_barrier_schedule(barrier, BarrierSchedule::Linear);
            }
            continue;
        }
        from_entry |= block == kernel.entry();
        let before = cfg.number(block).map_or(&[][..], |n| &cfg.preds[n]);
        let fresh = before.iter().map(|n| cfg.blocks[*n]).filter(|p| seen.insert(*p));
        work.extend(fresh.map(|p| (p, p.instructions())));
    }
    from_entry
}

impl Collectives {
    /// Puts a barrier after each collective. With `gather`, also one before it: then the work-items
    /// reach the collective in order, in whatever order they reached that barrier. The second
    /// result says whether the region at the kernel's entry has to run in linear order.
    pub fn expand(module: &Module, kernel: Function, gather: bool) -> Result<(Self, bool), PassError> {
        let mut found = Vec::new();
        for call in kernel.instructions() {
            let Some(group) = called_group(call) else { continue };
            let Some(id) = call.operand(0).as_const_int() else {
                let message = "barriers need unique constant IDs; run prepare-barriers first";
                return Err(PassError::at(call, message));
            };
            let op = match group.op {
                GroupOp::ScanInclusive(a) => GroupOp::ScanExclusive(a),
                op => op,
            };
            found.push(Collective { id, op, ty: call.ty() });
            let next = call.next().expect("a call is not the last instruction of its block");
            let barrier = |b: &Builder, number: Value| {
                let how = [b.i32(MemScope::WorkGroup as u32), b.i32(MemSemantics::RELAXED)];
                b.call(Builtin::WorkGroupBarrier.declare(module), &[number, how[0], how[1]], "");
            };
            let number = call.operand(0);
            if gather {
                let b = Builder::before(module.context(), call);
                barrier(&b, number.ty().const_int(FIRST_GATHERING + id));
            }
            let b = Builder::before(module.context(), next);
            barrier(&b, number);
            if !group.op.is_scan() {
                let result = Group::work(GroupOp::Result).declare(module, call.ty());
                let result = b.call(result, &[number], &call.name());
                call.replace_all_uses_with(result);
            }
        }
        found.sort_by_key(|c| c.id);
        Ok((Collectives(found), order_scans(kernel)))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&self, id: u64) -> Option<(u32, Collective)> {
        let at = self.0.iter().position(|c| c.id == id)?;
        Some((at as u32, self.0[at]))
    }

    /// The struct of the accumulator and the result of each collective.
    fn memory_type(&self, module: &Module) -> Type {
        let fields: Vec<Type> = self.0.iter().flat_map(|c| [c.ty, c.ty]).collect();
        module.context().struct_type(&fields, false)
    }

    /// Allocates the struct in the wrapper; `None` if there are no collectives.
    pub fn allocate(&self, module: &Module, b: &Builder) -> Option<Value> {
        (!self.is_empty()).then(|| b.alloca(self.memory_type(module), 0, "collectives"))
    }

    fn so_far(&self, module: &Module, b: &Builder, memory: Value, at: u32) -> Value {
        b.struct_gep(self.memory_type(module), memory, 2 * at, "so_far.at")
    }

    fn result(&self, module: &Module, b: &Builder, memory: Value, at: u32) -> Value {
        b.struct_gep(self.memory_type(module), memory, 2 * at + 1, "result.at")
    }

    /// Sets the accumulator to the identity, if the barrier is that of a collective.
    pub fn start(&self, module: &Module, b: &Builder, memory: Value, id: u64) {
        if let Some((at, c)) = self.find(id) {
            let identity = c.op.arithmetic().map_or_else(|| c.ty.zero(), |a| a.identity(c.ty));
            b.store(identity, self.so_far(module, b, memory, at));
        }
    }

    /// Copies the accumulator to the result.
    pub fn finish(&self, module: &Module, b: &Builder, memory: Value, id: u64) {
        if let Some((at, c)) = self.find(id).filter(|(_, c)| !c.op.is_scan()) {
            let all = b.load(c.ty, self.so_far(module, b, memory, at), "all");
            b.store(all, self.result(module, b, memory, at));
        }
    }

    /// Lowers the calls in a region's function, whose parameter number `memory` is the struct of
    /// [`Collectives::allocate`].
    pub fn lower(&self, module: &Module, region: Function, memory: u32) {
        for call in region.instructions() {
            let Some(group) = called_group(call) else { continue };
            let id = call.operand(0).as_const_int().expect("checked when it was expanded");
            let (at, c) = self.find(id).expect("each was found when it was expanded");
            let b = Builder::before(module.context(), call);
            let memory = region.param(memory);
            if group.op == GroupOp::Result {
                let result = b.load(c.ty, self.result(module, &b, memory, at), &call.name());
                call.replace_all_uses_with(result);
                call.erase();
                continue;
            }
            let place = self.so_far(module, &b, memory, at);
            let before = b.load(c.ty, place, "so_far");
            let value = call.operand(1);
            let with_this = match group.op.arithmetic() {
                Some(a) => a.combine(module, &b, before, value),
                None => {
                    // A broadcast: only the chosen work-item stores its value.
                    let get = Builtin::GetLocalId.declare(module);
                    let is_own = [0, 1, 2].map(|d| {
                        let id = b.call(get, &[b.i32(d)], "");
                        b.icmp(IntPredicate::LLVMIntEQ, id, call.operand(2 + d), "")
                    });
                    let chosen = b.and(b.and(is_own[0], is_own[1], ""), is_own[2], "chosen");
                    b.select(chosen, value, before, "")
                }
            };
            b.store(with_this, place);
            if group.op.is_scan() {
                let inclusive = matches!(group.op, GroupOp::ScanInclusive(_));
                call.replace_all_uses_with(if inclusive { with_this } else { before });
            }
            call.erase();
        }
    }
}
