//! BOSCC (branch on superword condition code): a region whose masks are expensive gets a second
//! version without masks, which runs when all lanes are active.
//!
//! ```text
//! open:   %taken = …                            open:   %all = every lane of %taken
//!         br %any, then, join              →            br %all, then.all, some
//! then:   masked                                some:   br %any, then, join
//!         br join                               then:   masked, br join        then.all: unmasked, br join
//! ```
//!
//! A region is a triangle, or the body of a divergent loop, of which each iteration tests its mask.
//! Masks are expensive where a gather or scatter needs the masked instruction, which may be slow,
//! where a strided access becomes a gather, and where an instruction is instantiated in a loop over
//! the active lanes. In the masked version at least one lane is inactive, so that no region inside
//! of it gets a second version. This file chooses the regions; `boscc_versions` writes them.

use crate::access_plan::{AccessPlan, Pattern};
use crate::shape::{Shape, Shapes};
use crate::structure::{Branch, Role, Structure};
use ir::Builtin;
use llvm::{Block, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The cycles that a version without masks must save per execution, as estimated by [`gain`].
const LEAST_GAIN: f64 = 8.0;

/// The assumed trip count of a loop inside of a region.
const ITERATIONS: f64 = 8.0;

/// The most instructions of one region, and of all together: duplicated code takes time to compile.
const MOST_INSTRUCTIONS: usize = 150;
const MOST_ADDED: usize = 150;

/// The regions that get two versions: ranges of [`Structure::order`], by the block that opens the
/// triangle or by the loop's header.
#[derive(Default)]
pub struct BosccRegions {
    pub triangles: HashMap<Block, Range<usize>>,
    pub loops: HashMap<Block, Range<usize>>,
}

impl BosccRegions {
    pub fn of(module: &Module, structure: &Structure, shapes: &Shapes, width: u32) -> BosccRegions {
        let mut found = BosccRegions::default();
        let place: HashMap<Block, usize> = structure.order.iter().enumerate().map(|(n, b)| (*b, n)).collect();
        let varying = |block: Block| block.terminator().is_some_and(|t| shapes.is_varying_branch(t));
        let mut added: usize = 0;
        let mut pays = |region: &Range<usize>, entrance: Entrance| {
            let blocks = &structure.order[region.clone()];
            let size: usize =
                blocks.iter().flat_map(|b| b.instructions()).map(|i| written(module, shapes, width, i)).sum();
            let pays = size <= MOST_INSTRUCTIONS
                && added + size <= MOST_ADDED
                && gain(module, structure, shapes, width, blocks) >= LEAST_GAIN
                && can_be_duplicated(structure, entrance, blocks);
            added += if pays { size } else { 0 };
            pays
        };
        for &block in &structure.order {
            if let Some(own) = structure.loops.get(&block).filter(|l| varying(l.latch)) {
                let region = place[&block]..place[&own.latch] + 1;
                if pays(&region, Entrance::Loop(block)) {
                    found.loops.insert(block, region);
                }
            }
            if let Some(Branch::Triangle { then, join, .. }) = structure.branches.get(&block)
                && varying(block)
            {
                let region = place[then]..place[join];
                if pays(&region, Entrance::Triangle(block)) {
                    found.triangles.insert(block, region);
                }
            }
        }
        found
    }
}

/// The kind of a region: the triangle that this block's branch opens, or the loop with this header.
#[derive(Clone, Copy)]
enum Entrance {
    Triangle(Block),
    Loop(Block),
}

/// Whether a region can be duplicated: it has a single entry and exit, its values are used outside
/// only by PHIs of the block after it, and it holds no barrier and no alloca.
fn can_be_duplicated(structure: &Structure, entrance: Entrance, blocks: &[Block]) -> bool {
    let inside: HashSet<Block> = blocks.iter().copied().collect();
    let (after, latch) = match entrance {
        Entrance::Loop(header) => {
            let latch = structure.loops[&header].latch;
            match structure.branches[&latch] {
                Branch::Latch { exit, .. } => (exit, Some(latch)),
                Branch::Triangle { .. } => return false,
            }
        }
        Entrance::Triangle(opener) => match structure.branches[&opener] {
            Branch::Triangle { join, .. } => (join, None),
            Branch::Latch { .. } => return false,
        },
    };
    if latch.is_some_and(|latch| blocks.last() != Some(&latch)) {
        return false;
    }
    let leaves = |i: Value| i.users().iter().any(|user| user.block().is_none_or(|b| !inside.contains(&b)));
    let leaves_well = |i: Value| {
        let outside = i.users().into_iter().filter(|user| user.block().is_none_or(|b| !inside.contains(&b)));
        outside.into_iter().all(|user| user.is_phi() && user.block() == Some(after))
    };
    let stays_alone = |i: Value| {
        let builtin = Builtin::called_by(i);
        i.is_alloca()
            || builtin.is_some_and(|b| b.is_barrier() || b.is_work_group_barrier() || b.uses_sub_groups())
    };
    // Single entry, single exit.
    let entered_once = blocks[1..].iter().all(|b| b.predecessors().iter().all(|p| inside.contains(p)));
    let left_once = blocks.iter().all(|b| {
        let mut next = b.successors().into_iter();
        Some(*b) == latch || next.all(|s| inside.contains(&s) || s == after && latch.is_none())
    });
    let simple = |i: Value| !stays_alone(i) && leaves_well(i) && !(i.ty().is_struct() && leaves(i));
    entered_once && left_once && blocks.iter().flat_map(|b| b.instructions()).all(simple)
}

/// The cycles that the version without masks saves per execution. Instructions under a narrower
/// mask, of a divergent triangle or loop inside of the region, keep that mask and are not counted.
fn gain(module: &Module, structure: &Structure, shapes: &Shapes, width: u32, blocks: &[Block]) -> f64 {
    let varying = |block: Block| block.terminator().is_some_and(|t| shapes.is_varying_branch(t));
    // How often each block runs under the region's own mask; 0 if it has a narrower one.
    let mut times: HashMap<Block, f64> = HashMap::new();
    let mut total = 0.0;
    for &block in blocks {
        let own = match structure.roles[&block] {
            _ if block == blocks[0] => 1.0,
            Role::Then(before) if varying(before) => 0.0,
            Role::Header if varying(structure.loops[&block].latch) => 0.0,
            Role::Header => {
                times.get(&structure.loops[&block].preheader).copied().unwrap_or(0.0) * ITERATIONS
            }
            Role::Exit(of) => times.get(&structure.loops[&of].preheader).copied().unwrap_or(0.0),
            Role::Then(before) | Role::Follows(before) => times.get(&before).copied().unwrap_or(0.0),
            Role::Entry => 1.0,
        };
        times.insert(block, own);
        if own > 0.0 {
            total +=
                own * block.instructions().into_iter().map(|i| saved(module, shapes, width, i)).sum::<f64>();
        }
    }
    total
}

/// The cycles that an instruction saves without a mask.
fn saved(module: &Module, shapes: &Shapes, width: u32, i: Value) -> f64 {
    let lanes = f64::from(width);
    if let Some(plan) = AccessPlan::of(module, shapes, i) {
        return match plan.pattern {
            Pattern::Uniform if i.is_load() => 0.0,
            Pattern::Contiguous | Pattern::Reversed => 0.5,
            _ => lanes / 2.0,
        };
    }
    match i.opcode() {
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => lanes,
        _ if shapes.get(i) != Shape::Varying => 0.0,
        Some(Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem) => 1.0,
        Some(Opcode::LLVMCall) => {
            let plain = i.called_function().is_some_and(|f| f.is_intrinsic() || Builtin::of(f).is_some());
            if plain { 0.0 } else { lanes }
        }
        _ => 0.0,
    }
}

/// The size of an instruction's code in the version without masks: an access or call that is done
/// lane by lane is long.
fn written(module: &Module, shapes: &Shapes, width: u32, i: Value) -> usize {
    let by_lane = saved(module, shapes, width, i) >= f64::from(width) / 2.0;
    if by_lane { 2 * width as usize } else { 1 }
}
