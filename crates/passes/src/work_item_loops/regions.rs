//! Barrier regions: the kernel is split at its barriers, and each region becomes a function.

use crate::PassError;
use crate::wrap;
use analysis::Cfg;
use ir::attributes::{self, BarrierSchedule};
use ir::{Builtin, MemScope, MemSemantics, metadata};
use llvm::{Block, Builder, CallConv, Function, Module, Value};
use std::collections::{HashMap, HashSet};

/// Whether a region ends at this call. Collectives have a barrier after them by now.
fn is_barrier(call: Value) -> bool {
    Builtin::called_by(call) == Some(Builtin::WorkGroupBarrier)
}

/// The first ID of the barriers that are put before collectives where sub-groups take turns
/// ([`super::forward_progress`]): this plus the collective's own ID.
pub const FIRST_GATHERING: u64 = 1 << 30;

/// The first ID of the barriers at which a sub-group yields, without waiting for the others.
pub const FIRST_TURN: u64 = 1 << 31;

/// The number that a region returns when the kernel ends.
pub const RETURN: u32 = 0;

/// A barrier, in a block of its own. The region after barrier `i` is number `i + 1`; region 0
/// begins at the entry.
pub struct Barrier {
    pub id: u64,
    pub block: Block,
    pub after: Block,
    pub scope: Value,
    pub semantics: Value,
    pub schedule: BarrierSchedule,
}

/// One region: a copy of the kernel that begins at the region's start and returns at barriers.
pub struct Region {
    /// The kernel's parameters, the memory of collectives if there are any, then the live memory of
    /// the work-item and of the work-group.
    pub function: Function,
    /// The region's copies of the kernel's instructions.
    pub map: HashMap<Value, Value>,
    /// The reachable blocks of the function.
    pub reached: HashSet<Block>,
    /// The regions that may follow, or [`RETURN`].
    pub nexts: Vec<u32>,
}

impl Region {
    /// Whether the region computes an instruction of the kernel.
    pub fn computes(&self, value: Value) -> bool {
        self.map[&value].block().is_some_and(|b| self.reached.contains(&b))
    }
}

pub struct Regions {
    pub kernel: Function,
    pub barriers: Vec<Barrier>,
    pub functions: Vec<Region>,
}

/// A copy of a kernel, to be split: the kernel itself stays as it is.
pub fn copy(module: &Module, kernel: Function) -> Function {
    let copy = module.add_function(&format!("{}.split", kernel.name()), kernel.function_type());
    kernel.clone_into(copy, &copy.params());
    for (from, to) in kernel.params().iter().zip(copy.params()) {
        to.set_name(&from.name());
    }
    attributes::set_base_fn_name(copy, &attributes::base_fn_name(kernel));
    attributes::set_orig_fn_name(copy, &attributes::orig_fn_name(kernel));
    attributes::drop_is_kernel(copy);
    copy.set_call_conv(kernel.call_conv());
    copy
}

impl Regions {
    /// Puts every barrier of the kernel into a block of its own.
    pub fn split(kernel: Function) -> Result<Self, PassError> {
        // Unreachable code belongs to no region.
        kernel.remove_unreachable_blocks();
        let mut barriers = Vec::new();
        let mut ids = HashSet::new();
        for call in kernel.instructions() {
            if !is_barrier(call) {
                continue;
            }
            let args = call.call_args();
            if !args[0].as_const_int().is_some_and(|id| ids.insert(id)) {
                let message = "barriers need unique constant IDs; run prepare-barriers first";
                return Err(PassError::at(call, message));
            }
            // The wrapper has no access to the kernel's values: an operand that is not a constant
            // counts as the strongest ordering.
            let constant_or = |operand: Value, strongest: u32| match operand.is_constant() {
                true => operand,
                false => operand.ty().const_int(u64::from(strongest)),
            };
            let scope = constant_or(args[1], MemScope::CrossDevice as u32);
            let semantics = constant_or(args[2], MemSemantics::STRONGEST);
            let id = args[0].as_const_int().expect("checked above");
            let n = barriers.len();
            let block = Block::split_before(call, &format!("barrier.{n}"));
            let next = call.next().expect("a call is not the last instruction of its block");
            let after = Block::split_before(next, &format!("after.{n}"));
            attributes::check_barrier_schedule(call).map_err(|why| PassError::at(call, why))?;
            let schedule = attributes::barrier_schedule(call);
            barriers.push(Barrier { id, block, after, scope, semantics, schedule });
        }
        // Versions of a kernel may have their blocks in another order; the regions are numbered by
        // the barriers' IDs.
        barriers.sort_by_key(|b| b.id);
        Ok(Regions { kernel, barriers, functions: Vec::new() })
    }

    /// The IDs of the barriers at which all work-items meet, in the order of the regions after
    /// them. Turns come after those.
    pub fn ids(&self) -> Vec<u64> {
        self.barriers.iter().map(|b| b.id).filter(|id| *id < FIRST_TURN).collect()
    }

    pub fn len(&self) -> usize {
        self.barriers.len() + 1
    }

    /// Whether an instruction of the kernel is computed in regions that run once, and no others.
    pub fn run_once(&self, value: Value) -> bool {
        let is_once = |region: usize| {
            region.checked_sub(1).is_some_and(|i| self.barriers[i].schedule == BarrierSchedule::Once)
        };
        self.functions.iter().enumerate().all(|(r, region)| is_once(r) || !region.computes(value))
    }

    /// The block of the kernel where a region begins.
    pub fn start(&self, region: usize) -> Block {
        region.checked_sub(1).map_or(self.kernel.entry(), |i| self.barriers[i].after)
    }

    /// The blocks of the kernel that a region runs.
    pub fn blocks(&self, region: usize) -> HashSet<Block> {
        let is_barrier: HashSet<Block> = self.barriers.iter().map(|b| b.block).collect();
        let mut found = HashSet::new();
        let mut stack = vec![self.start(region)];
        while let Some(block) = stack.pop() {
            if found.insert(block) && !is_barrier.contains(&block) {
                stack.extend(block.successors());
            }
        }
        found
    }

    /// Clones the kernel for each region. Uses of values that a region does not compute are left
    /// dangling until `live_values::connect` rewrites them.
    pub fn clone_bodies(&mut self, module: &Module, with_collectives: bool) {
        let context = module.context();
        let base = attributes::base_fn_name(self.kernel);
        let mut params = self.kernel.function_type().params();
        let own = params.len();
        let more = ["collectives", "live_item", "live_group"];
        let more = if with_collectives { &more[..] } else { &more[1..] };
        params.extend(more.iter().map(|_| context.ptr(0)));
        let ty = context.i32().function(&params);
        for r in 0..self.len() {
            let function = module.add_function(&format!("{base}.mux-barrier-region.{r}"), ty);
            let map = self.kernel.clone_into(function, &function.params()[..own]);
            for (from, to) in self.kernel.params().iter().zip(function.params()) {
                to.set_name(&from.name());
            }
            for (param, name) in function.params()[own..].iter().zip(more) {
                param.set_name(name);
            }
            metadata::forget_vectorization(module, function);
            function.set_call_conv(match self.kernel.call_conv() {
                CallConv::SpirKernel => CallConv::SpirFunc,
                other => other,
            });
            wrap::demote(function);

            let copy = |block: Block| map[&block.as_value()].as_block().expect("blocks are mapped to blocks");
            if r > 0 {
                let old_entry = function.entry();
                let entry = function.append_block("region");
                entry.move_before(old_entry);
                Builder::at_end(context, entry).br(copy(self.start(r)));
            }
            for (i, barrier) in self.barriers.iter().enumerate() {
                return_from(context, copy(barrier.block), i as u32 + 1);
            }
            for block in self.kernel.blocks() {
                if block.terminator().is_some_and(|t| t.is_return()) {
                    return_from(context, copy(block), RETURN);
                }
            }
            let reached: HashSet<Block> = Cfg::of(function).blocks.into_iter().collect();
            let returns = reached.iter().filter_map(|b| b.terminator()).filter(|t| t.is_return());
            let mut nexts: Vec<u32> =
                returns.filter_map(|t| t.operand(0).as_const_int()).map(|id| id as u32).collect();
            nexts.sort_unstable();
            nexts.dedup();
            self.functions.push(Region { function, map, reached, nexts });
        }
    }
}

/// Makes a block return a region's number, and erases its barrier.
fn return_from(context: &llvm::Context, block: Block, id: u32) {
    let old = block.terminator().expect("the block is complete");
    for successor in old.successors() {
        successor.remove_predecessor(block);
    }
    let b = Builder::before(context, old);
    if let Some(call) = block.first().filter(|i| is_barrier(*i)) {
        // The line of the barrier, not of what follows it.
        b.set_place_of(call);
        call.erase();
    }
    b.ret(b.i32(id));
    old.erase();
}
