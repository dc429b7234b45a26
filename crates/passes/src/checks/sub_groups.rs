//! CheckSubGroups: operations of a sub-group that some of its work-items do not come to.
//!
//! ```text
//! %sum = call i32 @_Z20sub_group_reduce_addi(i32 %x)
//! ───►
//!   %lanes = call i64 @__mux_sub_group_reduce_or_i64(i64 1 << %lane)
//!   br i1 (popcount %lanes != %size), label %check.bad, label %check.next
//! check.bad:
//!   call i32 @__mux_check(ptr @check.site, i64 %missing, …)
//! ```
//!
//! Inactive lanes contribute nothing to a reduction, so that it says which lanes are there. All of
//! the sub-group must come to its barrier and its uniform collectives, with the same lane for a
//! broadcast; a shuffle must read from a lane that is there. Non-uniform collectives, ballots and
//! the like need nobody. A shuffle from beyond the sub-group is no mistake while nobody uses the
//! result. Runs before LowerToMuxBuiltins, which makes uniform and non-uniform collectives one.

use super::inline_all;
use super::sites::{Sites, What};
use crate::{Pass, PassContext, PassError, Registry, wrap};
use analysis::Preserved;
use ir::check::Event;
use ir::{Arithmetic, Builtin, Group, GroupOp, GroupScope, mangling, metadata};
use llvm::{Block, Builder, Context, Function, IntPredicate, Module, Opcode, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct CheckSubGroups;

pub(crate) fn register(registry: &mut Registry) {
    let summary = "make kernels look for sub-group operations that lanes are missing of";
    registry.register("check-sub-groups", summary, |_| Ok(CheckSubGroups));
}

/// What an operation asks of the sub-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// That all work-items come to it.
    All,
    /// That all come, with the same second operand.
    AllAndLane,
    /// That those that come have the same second operand, the lane of one of them.
    Lane,
    /// That the lane that each reads from is there.
    Source(GroupOp),
}

impl Needs {
    /// What a call needs: of a function of OpenCL C, or of a builtin as the SPIR-V reader writes
    /// it.
    fn of(context: &Context, call: Value) -> Option<Needs> {
        let uniform = || metadata::is_uniform_group(context, call);
        match Builtin::called_by(call) {
            Some(Builtin::SubGroupBarrier) => Some(Needs::All),
            Some(Builtin::Group(Group { scope: GroupScope::Sub, op })) => match op {
                GroupOp::Shuffle | GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                    Some(Needs::Source(op))
                }
                GroupOp::Broadcast => Some(if uniform() { Needs::AllAndLane } else { Needs::Lane }),
                _ => uniform().then_some(Needs::All),
            },
            Some(_) => None,
            None => Needs::of_function(mangling::demangle(&call.called_function()?.name())?.0),
        }
    }

    fn of_function(name: &str) -> Option<Needs> {
        let rest = name.strip_prefix("intel_sub_group_").or_else(|| name.strip_prefix("sub_group_"))?;
        Some(match rest {
            "barrier" | "all" | "any" => Needs::All,
            "broadcast" => Needs::AllAndLane,
            "non_uniform_broadcast" => Needs::Lane,
            "shuffle" => Needs::Source(GroupOp::Shuffle),
            "shuffle_xor" => Needs::Source(GroupOp::ShuffleXor),
            "shuffle_up" => Needs::Source(GroupOp::ShuffleUp),
            "shuffle_down" => Needs::Source(GroupOp::ShuffleDown),
            _ if ["reduce_", "scan_", "block_"].iter().any(|start| rest.starts_with(start)) => Needs::All,
            _ => return None,
        })
    }
}

impl Pass for CheckSubGroups {
    fn name(&self) -> &'static str {
        "check-sub-groups"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let context = cx.module.context();
        let needs = |i: Value| Needs::of(context, i);
        // Most programs have none: their kernels stay as they are.
        let functions = cx.module.functions();
        let calls = |f: &Function| f.instructions().into_iter().any(|i| needs(i).is_some());
        if !functions.iter().filter(|f| !f.is_declaration()).any(calls) {
            return Ok(Preserved::All);
        }
        let sites = Sites::new(cx.module);
        for kernel in wrap::entry_points(cx.module) {
            inline_all(cx.module, kernel)?;
            for call in kernel.instructions() {
                if let Some(needs) = needs(call) {
                    check(cx.module, kernel, &sites, call, needs);
                }
            }
        }
        Ok(Preserved::None)
    }
}

const ALL_AND_LANE: &str = "not all work-items of the sub-group reach this broadcast with the same lane";
const LANE: &str = "a broadcast of different lanes, or of one that does not reach it";

fn check(module: &Module, kernel: Function, sites: &Sites<'_>, call: Value, needs: Needs) {
    let context = module.context();
    let (word, i32) = (context.i64(), context.i32());
    let b = Builder::before(context, call);
    let reduce = |op: Arithmetic, value: Value| {
        let group = Group { scope: GroupScope::Sub, op: GroupOp::Reduce(op) };
        b.call(group.declare(module, value.ty()), &[value], "")
    };
    let query = |builtin: Builtin| b.int_cast(b.call(builtin.declare(module), &[], ""), word, "");
    let differ = |x: Value, y: Value| b.icmp(IntPredicate::LLVMIntNE, x, y, "");
    let [lane, size] = [Builtin::GetSubGroupLocalId, Builtin::GetSubGroupSize].map(query);
    let lanes = reduce(Arithmetic::Or, b.binary(Opcode::LLVMShl, b.i64(1), lane, ""));
    // Those that should be there, of at most 64.
    let shift = b.and(b.sub(b.i64(64), size, ""), b.i64(63), "");
    let present = b.binary(Opcode::LLVMLShr, b.i64(u64::MAX), shift, "");
    let large = b.icmp(IntPredicate::LLVMIntUGT, size, b.i64(64), "");
    let present = b.select(large, b.i64(0), present, "");
    let missing = b.and(present, b.binary(Opcode::LLVMXor, lanes, b.i64(u64::MAX), ""), "");
    let is_missing = differ(missing, b.i64(0));
    let is_away = |from: Value| {
        let place = b.and(from, b.i64(63), "");
        differ(b.and(b.binary(Opcode::LLVMLShr, missing, place, ""), b.i64(1), ""), b.i64(0))
    };
    let (bad, what) = match needs {
        Needs::All => (is_missing, "not all work-items of the sub-group reach this operation"),
        Needs::AllAndLane | Needs::Lane => {
            let from = b.int_cast(call.operand(1), i32, "");
            let least = reduce(Arithmetic::UMin, from);
            let differs = differ(least, reduce(Arithmetic::UMax, from));
            let beyond = b.icmp(IntPredicate::LLVMIntUGE, from, b.int_cast(size, i32, ""), "");
            let wrong = b.binary(Opcode::LLVMOr, differs, beyond, "");
            let (missing, what) = match needs {
                Needs::Lane => (is_away(b.cast(Opcode::LLVMZExt, from, word, "")), LANE),
                _ => (is_missing, ALL_AND_LANE),
            };
            (b.binary(Opcode::LLVMOr, missing, wrong, ""), what)
        }
        Needs::Source(op) => {
            let by = |n: u32| b.cast(Opcode::LLVMZExt, b.int_cast(call.operand(n), i32, ""), word, "");
            // The distance is the last operand: Intel's functions have one more value before it,
            // for what lies beyond.
            let by = by(call.call_args().len() as u32 - 1);
            let from = match op {
                GroupOp::ShuffleXor => b.binary(Opcode::LLVMXor, lane, by, ""),
                GroupOp::ShuffleUp => b.sub(lane, by, ""),
                GroupOp::ShuffleDown => b.add(lane, by, ""),
                _ => by,
            };
            let inside = b.icmp(IntPredicate::LLVMIntULT, from, size, "");
            (b.and(inside, is_away(from), ""), "a shuffle reads from a work-item that does not reach it")
        }
    };
    let first = b.call(module.intrinsic("llvm.cttz", &[word]), &[missing, context.i1().zero()], "");
    let [most, group] = [Builtin::GetMaxSubGroupSize, Builtin::GetSubGroupId].map(query);
    let item = b.add(b.mul(group, most, ""), first, "");
    let item = b.select(is_missing, item, b.i64(u64::MAX), "");
    let site = sites.site(kernel, call, What::event(Event::Lanes, what));
    let before = call.block().expect("an instruction is in a block");
    let next = Block::split_before(call, "check.next");
    let tell = kernel.append_block("check.bad");
    tell.move_before(next);
    before.terminator().expect("the block was split").erase();
    let b = Builder::at_end(context, before);
    b.set_place_of(call);
    b.cond_br(bad, tell, next);
    let b = Builder::at_end(context, tell);
    b.set_place_of(call);
    sites.call(&b, site, [item, b.i64(0), b.i64(0)]);
    b.br(next);
}
