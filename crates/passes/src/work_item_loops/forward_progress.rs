//! Independent forward progress: sub-groups take turns in loops where one may wait for another.
//!
//! ```text
//! while (atomic_load(flag) == 0) {}
//! barrier();
//! ───►
//! region.0:  for each sub-group: next = region.0(…)
//! turns:     for each sub-group whose next region follows a turn: next = that region(…)
//!            if there is still one: go to turns
//!            all are at one barrier: go to the region after it, or to the end
//! region.1:  for each sub-group: next = region.1(…)
//!            go to turns
//! ```
//!
//! At the latch of a waiting loop (`waiting_loops.rs`) a sub-group yields: a region ends there, as
//! at a barrier, but the sub-group does not wait for the others. So sub-groups may be in different
//! regions, and each keeps the number of its next region in its live memory; no live value is
//! shared by the work-group. At barriers all sub-groups meet, and go on in order. A collective has
//! another barrier before it, since it combines its values in that order.
//!
//! A sub-group is one call of a version of the kernel; in a scalar kernel, one work-item.

use super::loops::{self, LocalSizes, Strip, Work};
use super::regions::{FIRST_TURN, RETURN};
use super::{Version, Wrapper, live_memory, sizes_of};
use crate::{PassContext, Remark, RemarkKind, SourceLine, waiting_loops};
use ir::attributes::{self, BarrierSchedule};
use ir::{Builtin, MemScope, MemSemantics};
use llvm::{Block, Builder, Function, IntPredicate, Value};

/// Whether the sub-groups of a kernel have to take turns. Not in a kernel with a region that runs
/// once for the whole work-group (`BarrierSchedule::Once`): there, sub-groups must be in the same
/// region.
pub fn is_wanted(kernel: Function) -> bool {
    let once = |i: Value| i.is_call() && attributes::barrier_schedule(i) == BarrierSchedule::Once;
    attributes::has_independent_subgroups(kernel) && !kernel.instructions().into_iter().any(once)
}

/// Puts a barrier that only ends the region at the latch of each waiting loop.
pub fn take_turns(cx: &mut PassContext<'_>, kernel: Function) {
    let (module, remarks) = (cx.module, cx.remarks);
    for (id, block) in (FIRST_TURN..).zip(waiting_loops::latches(cx, kernel)) {
        let end = block.terminator().expect("the block is complete");
        if remarks.wanted() {
            let text = "sub-groups take turns in this loop, in which one may wait for another".to_owned();
            let place = block.instructions().into_iter().rev().find_map(SourceLine::of);
            let place = place.or_else(|| SourceLine::of_function(kernel));
            let kernel = attributes::orig_fn_name(kernel);
            remarks.add(Remark { kernel, place, kind: RemarkKind::Loop, text });
        }
        let b = Builder::before(module.context(), end);
        let [scope, semantics] = [MemScope::SubGroup as u32, MemSemantics::RELAXED].map(|v| b.i32(v));
        b.call(Builtin::WorkGroupBarrier.declare(module), &[b.i32(id as u32), scope, semantics], "");
    }
}

/// The wrapper's state for one work-group.
struct TurnState {
    sizes: LocalSizes,
    memory: Vec<live_memory::Memory>,
    collectives: Option<Value>,
    /// Points to an `i1`: some sub-group needs another turn.
    more: Value,
    /// Points to the number of the region after the barrier at which sub-groups wait, or
    /// [`RETURN`].
    together: Value,
}

impl Wrapper<'_> {
    /// The body of the wrapper of a kernel whose sub-groups take turns.
    pub(super) fn emit_turns(&self) {
        let (module, function) = (self.module, self.wrapper.function);
        let context = module.context();
        let b = Builder::at_end(context, function.append_block("entry"));
        crate::checks::begin_group(module, &b, self.entry, &self.wrapper.params());
        let sizes = sizes_of(module, &b, self.entry);
        let inner = self.shape.order.0[0];
        let memory = self
            .versions
            .iter()
            .map(|v| v.live.allocate(module, &b, || v.strip.calls(module, &b, &sizes, inner)));
        let memory = memory.collect();
        let collectives = self.collectives().allocate(module, &b);
        let [more, together] = [context.i1(), context.i32()].map(|ty| b.alloca(ty, 0, ""));
        more.set_name("more");
        together.set_name("together");
        let state = TurnState { sizes, memory, collectives, more, together };

        let starts: Vec<Block> =
            (0..=self.regions().ids().len()).map(|r| function.append_block(&format!("region.{r}"))).collect();
        b.br(starts[0]);
        let turns = function.append_block("turns");
        for (region, start) in starts.iter().enumerate() {
            b.position_at_end(*start);
            self.fence(&b, region);
            self.finish_collective(&b, region, state.collectives);
            self.start_collectives(&b, region, state.collectives);
            self.run_together(&b, region, &state);
            b.br(turns);
        }
        b.position_at_end(turns);
        self.run_turns(&b, &state);
        let meet = function.append_block("meet");
        b.cond_br(b.load(context.i1(), state.more, ""), turns, meet);
        b.position_at_end(meet);
        let exit = function.append_block("exit");
        if attributes::has_divergent_barriers(self.entry) {
            self.end_if_apart(&b, exit);
        }
        let cases: Vec<_> = starts.iter().zip(0..).skip(1).map(|(start, r)| (b.i32(r), *start)).collect();
        b.switch(b.load(context.i32(), state.together, ""), exit, &cases);
        b.position_at_end(exit);
        b.ret_void();
        function.fill_debug_locations();
    }

    /// The loops over all work-items, without clipping.
    fn all(&self) -> Work {
        Work {
            strips: self.versions.iter().map(|v| (v.strip, None)).collect::<Vec<(Strip, _)>>(),
            outer: [None; 3],
        }
    }

    /// Runs a region of one sub-group, and stores the number of its next region.
    fn run_own(&self, b: &Builder, state: &TurnState, region: usize, version: usize, item: Value) {
        let Version { regions, live, .. } = &self.versions[version];
        let mut args = self.wrapper.params();
        args.extend(state.collectives);
        args.extend(live.arguments(self.module, b, state.memory[version], item));
        let next = b.call(regions.functions[region].function, &args, "next");
        b.store(next, self.next_of(b, state.memory[version], version, item));
    }

    /// The region after a barrier, for all sub-groups that are there.
    fn run_together(&self, b: &Builder, region: usize, state: &TurnState) {
        let suffix = format!(".{region}");
        let shape = self.shape_of(region);
        loops::nest(self.module, b, &state.sizes, shape, &suffix, &self.all(), |b, version, item| {
            if region == 0 {
                return self.run_own(b, state, region, version, item);
            }
            let function = self.wrapper.function;
            let next =
                b.load(b.context().i32(), self.next_of(b, state.memory[version], version, item), "next");
            let [run, after] = ["run", "ran"].map(|n| function.append_block(&format!("{n}{suffix}")));
            b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, next, b.i32(region as u32), "here"), run, after);
            b.position_at_end(run);
            self.run_own(b, state, region, version, item);
            b.br(after);
            b.position_at_end(after);
        });
    }

    /// A turn for each sub-group that is not at a barrier or at the end.
    fn run_turns(&self, b: &Builder, state: &TurnState) {
        let (i1, i32) = (b.context().i1(), b.context().i32());
        b.store(i1.zero(), state.more);
        b.store(b.i32(RETURN), state.together);
        // The IDs of turns come after those of all barriers.
        let first_turn = self.regions().ids().len() + 1;
        loops::nest(self.module, b, &state.sizes, self.shape, ".turn", &self.all(), |b, version, item| {
            let function = self.wrapper.function;
            let place = self.next_of(b, state.memory[version], version, item);
            let next = b.load(i32, place, "next");
            let after = function.append_block("turned");
            let turns: Vec<(usize, Block)> = (first_turn..self.versions[version].regions.len())
                .map(|region| (region, function.append_block(&format!("turn.{region}"))))
                .collect();
            let cases: Vec<_> = turns.iter().map(|(region, block)| (b.i32(*region as u32), *block)).collect();
            b.switch(next, after, &cases);
            for (region, block) in turns {
                b.position_at_end(block);
                self.run_own(b, state, region, version, item);
                b.br(after);
            }
            b.position_at_end(after);
            let next = b.load(i32, place, "next");
            let again = b.icmp(IntPredicate::LLVMIntUGE, next, b.i32(first_turn as u32), "again");
            let more = b.select(again, again, b.load(i1, state.more, ""), "");
            b.store(more, state.more);
            let together = b.load(i32, state.together, "");
            let is_there = b.icmp(IntPredicate::LLVMIntNE, next, b.i32(RETURN), "");
            b.store(b.select(is_there, next, together, ""), state.together);
        });
    }
}
