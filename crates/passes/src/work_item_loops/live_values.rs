//! Values that are live across barriers: computed in one region and used in another; and private
//! arrays.
//!
//! A *crossing use* is a use that its definition does not dominate in the region: because the
//! region does not contain the definition (an external use), or because a loop reaches the use
//! first (an internal one). A value with crossing uses is stored to the live memory right after its
//! definition. A use that no definition in the region reaches loads the value at the start of the
//! region, others load it just before the use, where memory holds the newest value.
//!
//! A uniform value has one slot for the whole work-group. If a region both loads and stores it, as
//! the induction variable of a loop with a barrier, one work-item's store would overwrite the value
//! that the next work-item loads: such a value has a second slot, *next*, which the region stores
//! to. The wrapper copies it to the first slot after all work-items have run. So one work-item is
//! enough to compute the uniform values that a region leaves.
//!
//! A value of a region that one work-item runs for all ([`BarrierSchedule::Once`]) is uniform.
//!
//! A value that is cheap to compute from others is rematerialized instead of stored
//! ([`Rematerialization`]). It is the same value: if `v` is computed from `s`, no path leads from a
//! new definition of `s` to a use of `v` except through the definition of `v`, since `s` dominates
//! `v` and `v` its uses.

use super::debug_records::keep_debug_records;
use super::live_memory::{Area, LiveMemory, Renewed, Slot, stored_type};
use super::materializer::Materializer;
use super::regions::{Region, Regions};
use super::rematerialization::Rematerialization;
use crate::PassError;
use crate::private_memory::{self, array_len};
use analysis::{Cfg, Dominators, Uniformity};
#[cfg(doc)]
use ir::attributes::BarrierSchedule;
use llvm::{Block, Module, Opcode, Type, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A crossing use: an operand in a region's function whose definition does not dominate it.
pub(super) struct Crossing {
    pub user: Value,
    pub operand: u32,
    /// The definition in the kernel.
    pub value: Value,
}

/// Finds the crossing uses, lays out the live memory and rewrites the regions to use it. Without
/// `uniformity`, every value has one slot per work-item. With `next`, each work-item keeps the
/// number of its next region, too.
pub fn connect(
    module: &Module,
    regions: &mut Regions,
    uniformity: Option<&Uniformity>,
    next: bool,
    debug: bool,
) -> Result<LiveMemory, PassError> {
    let crossings: Vec<Vec<Crossing>> = regions.functions.iter().map(find_crossings).collect();
    let crossing_arrays = crossing_allocas(regions, debug)?;
    // Work-items run a region one after the other: an array that only region 0 accesses and that is
    // too large for the stack has one slot for the work-group.
    let shared_arrays = &private_memory::beyond_stack(module, regions.kernel) - &crossing_arrays;
    let arrays = &crossing_arrays | &shared_arrays;

    let in_order = regions.kernel.instructions();
    let wanted: HashSet<Value> = crossings.iter().flatten().map(|c| c.value).collect();
    let mut rematerialization = Rematerialization { module, kept: HashSet::new(), arrays: &arrays };
    for &value in in_order.iter().filter(|v| wanted.contains(v) && !arrays.contains(v)) {
        rematerialization.keep_or_rematerialize(value);
    }
    let kept = rematerialization.kept;
    let rewritten = rewritten_values(regions, &crossings, &kept);

    let stored = StoredValues { arrays, shared_arrays, kept, rewritten };
    let mut live = lay_out(module, regions, uniformity, &stored)?;
    // Before any offset is written: the scalable part begins where the fixed one ends.
    live.next = next.then(|| live.item.add(4, 4));
    for (r, (region, crossings)) in regions.functions.iter().zip(crossings).enumerate() {
        let group_memory = live.group.size + live.scalable_group.size > 0;
        weaken_param_flags(region, r, stored.may_hold_pointers(), group_memory);
        let mut materializer = Materializer::new(module, region, &live, &stored.rewritten[r], &stored.arrays);
        materializer.drop_lifetime_markers(&in_order);
        materializer.replace_arrays(&in_order, debug);
        materializer.store_definitions(&in_order);
        for crossing in crossings {
            materializer.mend(&crossing);
        }
        materializer.dead.into_iter().for_each(Value::erase);
        if debug && r > 0 {
            keep_debug_records(module, region);
        }
        region.function.remove_unreachable_blocks();
    }
    Ok(live)
}

/// The values and private arrays that have slots in the live memory.
struct StoredValues {
    arrays: HashSet<Value>,
    /// The arrays with one slot for the work-group.
    shared_arrays: HashSet<Value>,
    /// The values that are stored, not rematerialized.
    kept: HashSet<Value>,
    /// For each region, the values of `kept` that it both computes and loads.
    rewritten: Vec<HashSet<Value>>,
}

impl StoredValues {
    fn may_hold_pointers(&self) -> bool {
        !self.arrays.is_empty() || self.kept.iter().any(|v| holds_pointer(v.ty()))
    }
}

/// Gives every stored value and array its slot, in the order of the kernel's instructions.
fn lay_out(
    module: &Module,
    regions: &Regions,
    uniformity: Option<&Uniformity>,
    stored: &StoredValues,
) -> Result<LiveMemory, PassError> {
    let StoredValues { arrays, shared_arrays, kept, rewritten } = stored;
    let mut live = LiveMemory {
        slots: HashMap::new(),
        item: Area::default(),
        scalable: Area::default(),
        group: Area::default(),
        scalable_group: Area::default(),
        next: None,
        renewed: rewritten.iter().map(|_| Vec::new()).collect(),
    };
    for value in regions.kernel.instructions().into_iter().filter(|v| arrays.contains(v) || kept.contains(v))
    {
        let is_array = arrays.contains(&value);
        let ty = if is_array { value.allocated_type() } else { value.ty() };
        if !ty.is_sized() {
            return Err(PassError::at(value, "a value of this type cannot live across a barrier"));
        }
        if value.called_function().is_some_and(|f| f.name().starts_with("llvm.stacksave")) {
            return Err(PassError::at(value, "the stack pointer cannot live across a barrier"));
        }
        let ty = if is_array { ty } else { stored_type(ty) };
        let align = module.align_of(ty).max(if is_array { value.alignment() } else { 1 });
        let count = if is_array { array_len(value).unwrap_or(1) } else { 1 };
        let uniform = match is_array {
            true => shared_arrays.contains(&value),
            false => uniformity.is_some_and(|u| u.is_uniform(value) || regions.run_once(value)),
        };
        let scalable = ty.is_scalable_vector();
        let area = match (uniform, scalable) {
            (false, false) => &mut live.item,
            (false, true) => &mut live.scalable,
            (true, false) => &mut live.group,
            (true, true) => &mut live.scalable_group,
        };
        let mut place = || area.add(module.min_size_of(ty) * count, u64::from(align));
        let offset = place();
        let next = (uniform && !is_array && rewritten.iter().any(|r| r.contains(&value))).then(place);
        live.slots.insert(value, Slot { offset, scalable, uniform, next });
        if let Some(next) = next {
            for (renewed, _) in live.renewed.iter_mut().zip(rewritten).filter(|(_, r)| r.contains(&value)) {
                renewed.push(Renewed { ty, now: offset, next });
            }
        }
    }
    Ok(live)
}

/// Drops the flags of a region's pointer parameters that the live memory makes untrue, and marks
/// the last parameter, the group's live memory if there is one.
fn weaken_param_flags(region: &Region, number: usize, may_hold_pointers: bool, group_memory: bool) {
    let function = region.function;
    let params = function.params().len() as u32;
    for i in (0..params).filter(|_| may_hold_pointers) {
        function.remove_param_flag(i, "nocapture");
        // A pointer loaded from the live memory may alias a parameter. Region 0 only stores
        // pointers there.
        if number > 0 {
            function.remove_param_flag(i, "noalias");
        }
    }
    if group_memory {
        // No pointer of the kernel aliases the live memory.
        function.set_param_flag(params - 1, "noalias");
    }
}

/// For each region, the stored values that it both computes and loads, directly or to rematerialize
/// others.
fn rewritten_values(
    regions: &Regions,
    crossings: &[Vec<Crossing>],
    kept: &HashSet<Value>,
) -> Vec<HashSet<Value>> {
    let of_region = |(region, crossings): (&Region, &Vec<Crossing>)| {
        let mut found = HashSet::new();
        let mut work: Vec<Value> = crossings.iter().map(|c| c.value).collect();
        let mut seen = HashSet::new();
        while let Some(value) = work.pop() {
            if !value.is_instruction() || !seen.insert(value) {
                continue;
            }
            if !kept.contains(&value) {
                work.extend(value.operands());
            } else if region.computes(value) {
                found.insert(value);
            }
        }
        found
    };
    regions.functions.iter().zip(crossings).map(of_region).collect()
}

fn holds_pointer(ty: Type) -> bool {
    if ty.is_struct() {
        ty.struct_fields().into_iter().any(holds_pointer)
    } else if ty.is_array() || ty.is_vector() || ty.is_scalable_vector() {
        holds_pointer(ty.element())
    } else {
        ty.is_ptr()
    }
}

fn find_crossings(region: &Region) -> Vec<Crossing> {
    let original: HashMap<Value, Value> = region.map.iter().map(|(old, new)| (*new, *old)).collect();
    let dominators = Dominators::of(Rc::new(Cfg::of(region.function)));
    let cfg = dominators.cfg();
    let mut found = Vec::new();
    for block in &cfg.blocks {
        for user in block.instructions() {
            for operand in 0..user.num_operands() {
                let def = user.operand(operand);
                if !def.is_instruction() || is_lifetime_marker(user) {
                    continue;
                }
                if user.is_phi() {
                    let (_, from) = user.incoming()[operand as usize];
                    // The edge comes from an unreachable block.
                    if cfg.number(from).is_none() {
                        continue;
                    }
                }
                if !dominators.dominates_use(def, user, operand)
                    && let Some(&value) = original.get(&def)
                {
                    found.push(Crossing { user, operand, value });
                }
            }
        }
    }
    found
}

/// The private arrays that are live across a barrier: all except those that only region 0 accesses.
fn crossing_allocas(regions: &Regions, debug: bool) -> Result<HashSet<Value>, PassError> {
    let first = regions.blocks(0);
    let later: HashSet<Block> = (1..regions.len()).flat_map(|r| regions.blocks(r)).collect();
    let mut found = HashSet::new();
    if later.is_empty() {
        return Ok(found);
    }
    for alloca in regions.kernel.instructions().into_iter().filter(|i| i.is_alloca()) {
        if array_len(alloca).is_none() {
            return Err(PassError::at(
                alloca,
                "a private array of variable size cannot be in a kernel with barriers",
            ));
        }
        let only_in_first = |block: Block| first.contains(&block) && !later.contains(&block);
        if (debug && alloca.has_debug_declare()) || !stays_within(alloca, &only_in_first) {
            found.insert(alloca);
        }
    }
    Ok(found)
}

/// Whether an address does not escape, and all its uses, and those of addresses computed from it,
/// are in blocks that `inside` allows.
fn stays_within(address: Value, inside: &impl Fn(Block) -> bool) -> bool {
    address.users().into_iter().all(|user| {
        let Some(block) = user.block() else { return false };
        if !inside(block) {
            return is_lifetime_marker(user);
        }
        match user.opcode() {
            Some(Opcode::LLVMLoad) => true,
            Some(Opcode::LLVMStore) => user.operand(0) != address,
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast) => {
                stays_within(user, inside)
            }
            Some(Opcode::LLVMICmp) => true,
            Some(Opcode::LLVMCall) => user.called_function().is_some_and(|f| {
                let name = f.name();
                name.starts_with("llvm.lifetime.") || name.starts_with("llvm.mem")
            }),
            _ => false,
        }
    })
}

pub(super) fn is_lifetime_marker(instruction: Value) -> bool {
    instruction.called_function().is_some_and(|f| f.name().starts_with("llvm.lifetime."))
}
