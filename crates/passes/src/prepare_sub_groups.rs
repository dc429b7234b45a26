//! PrepareSubGroups: marks kernels that use no sub-groups and kernels in which one sub-group may
//! wait for another, and lowers degenerate sub-groups, of which the work-group is the only one.
//!
//! ```text
//! define spir_kernel void @k() "mux-degenerate-subgroups"
//!   call i32 @__mux_get_sub_group_local_id()
//!   call i32 @__mux_sub_group_reduce_add_i32(i32 %x)
//! ───►
//!   call i64 @__mux_get_local_linear_id(), as i32
//!   call i32 @__mux_work_group_reduce_add_i32(i32 0, i32 %x)
//!
//! define spir_kernel void @j()   →   define spir_kernel void @j() "mux-no-subgroups"
//!
//! define spir_kernel void @i() { while (atomic_load(p)); }
//! ───►
//! define spir_kernel void @i() "mux-independent-subgroups" { while (atomic_load(p)); }
//! ```
//!
//! A shuffle of a degenerate sub-group goes through local memory, with one slot per work-item: as
//! many as a work-group can have, where the local size is not known. Functions that use sub-groups
//! are inlined into the marked kernels, and those that wait (`waiting_loops.rs`) into all others.
//! Needs the kernels marked; runs before PrepareBarriers, since it makes barriers.

use crate::prepare_barriers::{callers_of, inline_calls, refuse_recursion};
use crate::{Options, Pass, PassContext, PassError, Registry, reachable_functions, waiting_loops, wrap};
use analysis::Preserved;
use ir::{Builtin, Group, GroupOp, GroupScope, MemScope, MemSemantics, address_space, attributes, metadata};
use llvm::{Builder, Function, Global, IntPredicate, Linkage, Module, Opcode, Type, Value};
use std::cell::OnceCell;
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, Default)]
pub struct PrepareSubGroups {
    /// Gives all kernels that use sub-groups degenerate ones.
    pub degenerate: bool,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "find kernels without sub-groups; make the work-group the sub-group: degenerate";
    registry.register("prepare-sub-groups", summary, |options| {
        Ok(PrepareSubGroups { degenerate: options.flag("degenerate")? })
    });
}

fn uses_sub_groups(f: Function) -> bool {
    Builtin::of(f).is_some_and(Builtin::uses_sub_groups)
}

impl Pass for PrepareSubGroups {
    fn name(&self) -> &'static str {
        "prepare-sub-groups"
    }

    fn options(&self) -> Options {
        Options::default().with_flag("degenerate", self.degenerate)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let mut changed = false;
        for kernel in wrap::entry_points(cx.module) {
            let uses = reachable_functions(kernel).into_iter().any(uses_sub_groups);
            if uses && self.degenerate && metadata::reqd_sub_group_size(cx.module, kernel).is_none() {
                attributes::set_degenerate_subgroups(kernel);
            }
            let degenerate = attributes::has_degenerate_subgroups(kernel);
            // Sub-groups make independent progress also in kernels without sub-group builtins: with
            // the sub-group size, which is a property of the compiled kernel (`mux-work-width`), a
            // work-item computes which one is its own.
            let waits = !degenerate && wait_in_kernel(cx, kernel)?;
            if !uses && !waits {
                attributes::set_no_subgroups(kernel);
                continue;
            }
            attributes::drop_no_subgroups(kernel);
            if degenerate {
                let using = callers_of(cx.module, uses_sub_groups);
                refuse_recursion(cx.module, &using, "sub-groups")?;
                inline_calls(kernel, &using)?;
                Degenerate { module: cx.module, kernel, exchange: OnceCell::new() }.rewrite();
                cx.analyses.forget(kernel);
                changed = true;
            } else if waits {
                attributes::set_independent_subgroups(kernel);
                // Which sub-group waits for which depends on the work-groups that the program asked
                // for.
                attributes::drop_group_agnostic(kernel);
                changed = true;
            }
        }
        Ok(if changed { Preserved::None } else { Preserved::All })
    }
}

/// Inlines the functions with loops in which a sub-group may wait for another one; returns whether
/// there are such loops.
fn wait_in_kernel(cx: &mut PassContext<'_>, kernel: Function) -> Result<bool, PassError> {
    let module = cx.module;
    let mut waiting: HashSet<Function> = reachable_functions(kernel);
    waiting.retain(|f| !waiting_loops::latches(cx, *f).is_empty());
    if waiting.is_empty() {
        return Ok(false);
    }
    let callers = callers_of(module, |f| waiting.contains(&f));
    waiting.extend(callers);
    refuse_recursion(module, &waiting, "a loop that waits")?;
    inline_calls(kernel, &waiting)?;
    cx.analyses.forget(kernel);
    Ok(true)
}

/// Lowers the sub-group builtins of a kernel whose work-group is its only sub-group.
struct Degenerate<'a> {
    module: &'a Module,
    kernel: Function,
    /// The local memory that all shuffles go through, one after the other.
    exchange: OnceCell<Global>,
}

impl Degenerate<'_> {
    fn rewrite(&self) {
        for call in self.kernel.instructions() {
            let Some(builtin) = Builtin::called_by(call).filter(|b| b.uses_sub_groups()) else { continue };
            let b = Builder::before(self.module.context(), call);
            let new = match builtin {
                Builtin::GetSubGroupId => Some(b.i32(0)),
                Builtin::GetNumSubGroups => Some(b.i32(1)),
                Builtin::GetMaxSubGroupSize => Some(self.items(&b, Builtin::GetEnqueuedLocalSize)),
                Builtin::GetSubGroupSize => Some(self.items(&b, Builtin::GetLocalSize)),
                Builtin::GetSubGroupLocalId => Some(self.place(&b)),
                Builtin::SubGroupBarrier => {
                    b.call(Builtin::WorkGroupBarrier.declare(self.module), &call.call_args(), "");
                    None
                }
                Builtin::Group(group) if group.op.is_shuffle() => Some(self.shuffle(&b, call, group.op)),
                Builtin::Group(group) => Some(self.operation(&b, call, group.op)),
                _ => unreachable!("no other builtin is about sub-groups"),
            };
            if let Some(new) = new {
                call.replace_all_uses_with(new);
            }
            call.erase();
        }
    }

    fn query(&self, b: &Builder, builtin: Builtin, dimension: u32) -> Value {
        b.call(builtin.declare(self.module), &[b.i32(dimension)], "")
    }

    /// The number of work-items, by their number in each dimension.
    fn items(&self, b: &Builder, size: Builtin) -> Value {
        let [x, y, z] = [0, 1, 2].map(|d| self.query(b, size, d));
        b.int_cast(b.mul(b.mul(x, y, ""), z, ""), b.context().i32(), "items")
    }

    fn place(&self, b: &Builder) -> Value {
        let place = b.call(Builtin::GetLocalLinearId.declare(self.module), &[], "");
        b.int_cast(place, b.context().i32(), "place")
    }

    fn operation(&self, b: &Builder, call: Value, op: GroupOp) -> Value {
        let value = call.operand(0);
        let mut args = vec![b.i32(0), value];
        if op == GroupOp::Broadcast {
            let place = b.int_cast(call.operand(1), self.module.size_type(), "");
            let [sx, sy] = [0, 1].map(|d| self.query(b, Builtin::GetLocalSize, d));
            let row = b.binary(Opcode::LLVMUDiv, place, sx, "");
            args.push(b.binary(Opcode::LLVMURem, place, sx, ""));
            args.push(b.binary(Opcode::LLVMURem, row, sy, ""));
            args.push(b.binary(Opcode::LLVMUDiv, row, sy, ""));
        }
        let group = Group { scope: GroupScope::Work, op };
        b.call(group.declare(self.module, value.ty()), &args, &call.name())
    }

    fn shuffle(&self, b: &Builder, call: Value, op: GroupOp) -> Value {
        let place = self.place(b);
        let most = self.items(b, Builtin::GetEnqueuedLocalSize);
        let operand = |n| call.operand(n);
        let exchange = |value: Value, from: Value| self.exchange(b, value, place, from);
        match op {
            GroupOp::ShuffleXor => exchange(operand(0), b.binary(Opcode::LLVMXor, place, operand(1), "")),
            GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                let up = op == GroupOp::ShuffleUp;
                let (towards, back) =
                    if up { (Opcode::LLVMSub, Opcode::LLVMAdd) } else { (Opcode::LLVMAdd, Opcode::LLVMSub) };
                let (current, beyond) = if up { (operand(1), operand(0)) } else { (operand(0), operand(1)) };
                let from = b.binary(towards, place, operand(2), "");
                let inside = b.icmp(IntPredicate::LLVMIntULT, from, most, "");
                let current = exchange(current, from);
                let beyond = exchange(beyond, b.binary(back, from, most, ""));
                b.select(inside, current, beyond, "")
            }
            _ => exchange(operand(0), operand(1)),
        }
    }

    /// The most work-items that a work-group of the kernel can have.
    fn slots(&self) -> u64 {
        let known = metadata::reqd_work_group_size(self.module, self.kernel);
        known.map_or(ir::MAX_WORK_GROUP_SIZE as u64, |size| size.iter().product())
    }

    /// Memory with a slot per work-item, each large enough for all shuffles of the kernel.
    fn exchange_memory(&self) -> Global {
        *self.exchange.get_or_init(|| {
            let is_shuffle = |i: &Value| {
                matches!(Builtin::called_by(*i), Some(Builtin::Group(group)) if group.op.is_shuffle())
            };
            let shuffles = self.kernel.instructions().into_iter().filter(is_shuffle);
            let bytes = shuffles.map(|call| self.module.size_of(call.ty())).max().unwrap_or(1);
            let ty = self.module.context().i8().array(bytes * self.slots());
            let memory = self.module.add_global_in("exchange", ty, address_space::LOCAL);
            memory.set_initializer(ty.undef());
            memory.set_linkage(Linkage::LLVMInternalLinkage);
            memory.set_alignment(bytes.next_power_of_two() as u32);
            memory
        })
    }

    /// Exchanges values through local memory: each work-item stores its own and loads that of
    /// work-item `from`, or its own if `from` is outside of the work-group.
    fn exchange(&self, b: &Builder, value: Value, place: Value, from: Value) -> Value {
        let ty: Type = value.ty();
        let memory = self.exchange_memory();
        let at = |place: Value| b.gep(ty, *memory, &[place], "");
        let barrier = || {
            let semantics = MemSemantics::ACQUIRE_RELEASE | MemSemantics::WORK_GROUP_MEMORY;
            let args = [b.i32(0), b.i32(MemScope::WorkGroup as u32), b.i32(semantics)];
            b.call(Builtin::WorkGroupBarrier.declare(self.module), &args, "");
        };
        b.store(value, at(place));
        barrier();
        let inside = b.icmp(IntPredicate::LLVMIntULT, from, self.items(b, Builtin::GetLocalSize), "");
        let taken = b.load(ty, at(b.select(inside, from, place, "")), "");
        // In a loop, the next exchange must not overwrite the memory before all have read it.
        barrier();
        taken
    }
}
