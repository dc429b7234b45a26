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
//! of it gets a second version.

use crate::Stopped;
use crate::access_plan::{AccessPlan, Pattern};
use crate::memory::Mask;
use crate::packetize::Packetizer;
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
    triangles: HashMap<Block, Range<usize>>,
    loops: HashMap<Block, Range<usize>>,
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

/// What a region is: the triangle that this block's branch opens, or the loop with this header.
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

// ---- Writing them ------------------------------------------------------------------------------

/// The values that the version without masks brings to the PHIs where the two versions meet.
pub struct UnmaskedResults {
    values: HashMap<Value, Value>,
    end: Block,
}

impl UnmaskedResults {
    pub fn get(&self, value: Value) -> Option<(Value, Block)> {
        self.values.get(&value).map(|v| (*v, self.end))
    }
}

impl Packetizer<'_> {
    /// The region of the triangle that `opener` opens, if it gets two versions; none does inside of
    /// a masked version.
    pub(crate) fn boscc_triangle(&self, opener: Block) -> Option<Range<usize>> {
        self.boscc.triangles.get(&opener).filter(|_| !self.in_masked_version).cloned()
    }

    pub(crate) fn boscc_loop(&self, header: Block) -> Option<Range<usize>> {
        self.boscc.loops.get(&header).filter(|_| !self.in_masked_version).cloned()
    }

    /// Whether all lanes are active.
    pub(crate) fn all(&self, mask: Value) -> Value {
        let f = self.module.intrinsic("llvm.vector.reduce.and", &[mask.ty()]);
        self.b.call(f, &[mask], "all")
    }

    /// Appends new blocks for a region and returns the ones they replace in the block map.
    fn new_blocks(&mut self, region: &Range<usize>) -> Vec<(Block, Block)> {
        let structure = self.structure;
        let old = structure.order[region.clone()].iter();
        old.map(|&block| {
            let new = self.packets.function.append_block(&format!("{}.all", block.name()));
            (block, self.blocks.insert(block, new).expect("all blocks have one"))
        })
        .collect()
    }

    fn forget(&mut self, block: Block, phis: bool) {
        let own = |i: &Value| (phis || !i.is_phi()) && !self.early.contains(i);
        for i in block.instructions().into_iter().filter(own).collect::<Vec<_>>() {
            self.packets.forget(i);
            self.fields.remove(&i);
        }
    }

    /// Ends the block that opens a BOSCC triangle with the branch between the versions, and writes
    /// the unmasked one.
    pub(crate) fn write_boscc_triangle(
        &mut self,
        opener: Block,
        taken: Value,
        region: Range<usize>,
    ) -> Result<(), Stopped> {
        let Branch::Triangle { then, join, .. } = self.structure.branches[&opener] else {
            unreachable!("only triangles are opened")
        };
        let structure = self.structure;
        let all = self.all(taken);
        let end = self.b.block().expect("the builder is in a block");
        let some = self.packets.function.append_block("some");
        let masked = self.new_blocks(&region);
        self.b.cond_br(all, self.blocks[&then], some);
        self.ends.insert(opener, end);
        self.unmasked = Some(then);
        let told = std::mem::replace(&mut self.remarks.told, true);
        self.in_version(|p| p.write(region.clone()))?;
        self.remarks.told = told;
        let last = join.predecessors().into_iter().find(|p| *p != opener).expect("a triangle has two sides");
        let mut values = HashMap::new();
        for phi in join.phis() {
            for (value, from) in phi.incoming() {
                if from == last {
                    values.insert(phi, self.packets.vector(value)?);
                }
            }
        }
        self.unmasked_results.insert(join, UnmaskedResults { values, end: self.ends[&last] });
        for &block in &structure.order[region] {
            self.forget(block, true);
        }
        self.blocks.extend(masked);
        self.b.position_at_end(some);
        let any = self.any(taken);
        self.b.cond_br(any, self.blocks[&then], self.blocks[&join]);
        Ok(())
    }

    /// Writes one version of a region, and fills its PHIs: their incoming values are from this
    /// version or from before it.
    fn in_version(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Stopped>) -> Result<(), Stopped> {
        let outer = std::mem::take(&mut self.pending);
        write(self)?;
        self.fill_phis()?;
        self.pending = outer;
        Ok(())
    }

    /// Writes both versions of a loop's body. The header's PHIs are written before; afterwards the
    /// builder is in the block where the versions meet, which still lacks the branch back to the
    /// header.
    pub(crate) fn write_boscc_loop_body(
        &mut self,
        header: Block,
        mask: Value,
        region: Range<usize>,
    ) -> Result<(), Stopped> {
        let structure = self.structure;
        let latch = structure.loops[&header].latch;
        let blocks = structure.blocks_of_loop(header);
        let all_needed = needed(structure, header);
        let needed = self.write_early(&all_needed, header)?;
        let all = self.all(mask);
        let [full, some, both] =
            ["body.all", "body.some", "both"].map(|n| self.packets.function.append_block(n));
        self.b.cond_br(all, full, some);
        // The header keeps its block, which holds its PHIs.
        let masked = self.new_blocks(&(region.start + 1..region.end));
        self.b.position_at_end(full);
        let told = std::mem::replace(&mut self.remarks.told, true);
        let first = self.body(header, None, &region, &needed, both)?;
        self.remarks.told = told;
        self.blocks.extend(masked);
        for &block in &structure.order[region.clone()] {
            self.forget(block, block != header);
        }
        self.b.position_at_end(some);
        self.in_masked_version = true;
        let second = self.body(header, Some(mask), &region, &needed, both)?;
        self.in_masked_version = false;
        self.b.position_at_end(both);
        for (n, &value) in needed.iter().enumerate() {
            let (a, b) = (first.0[n], second.0[n]);
            let phi = self.b.phi(a.ty(), &value.name());
            phi.add_incoming(a, first.1);
            phi.add_incoming(b, second.1);
            self.packets.forget(value);
            match self.leaves_as_vector(value, blocks) {
                true => self.packets.set_vector(value, phi),
                false => self.packets.set_scalar(value, phi),
            }
        }
        self.early.retain(|value| !all_needed.contains(value));
        self.masks.insert(header, Some(mask));
        self.masks.insert(latch, Some(mask));
        Ok(())
    }

    /// Hoists values that depend on the header's PHIs alone, such as the next value of an induction
    /// variable, before the two versions: LLVM would not recognize the PHI of two additions as an
    /// induction variable. Returns the values that were not hoisted.
    fn write_early(&mut self, needed: &[Value], header: Block) -> Result<Vec<Value>, Stopped> {
        let structure = self.structure;
        let blocks = structure.blocks_of_loop(header);
        let mut rest = Vec::new();
        for &value in needed {
            let ready = |v: Value| {
                let inside = v.block().is_some_and(|b| blocks.contains(&b));
                !inside || v.is_phi() && v.block() == Some(header)
            };
            let plain =
                matches!(value.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMGetElementPtr));
            if plain && self.shapes.get(value) != Shape::Varying && value.operands().all(ready) {
                self.copy_scalar(value)?;
                self.early.insert(value);
            } else {
                rest.push(value);
            }
        }
        Ok(rest)
    }

    /// Whether a value must leave the loop's body as a vector: if it is strided by a value of the
    /// body itself, its stride has no single definition after the two versions.
    fn leaves_as_vector(&self, value: Value, body: &HashSet<Block>) -> bool {
        match self.shapes.get(value) {
            Shape::Varying => true,
            Shape::StridedBy(by, _) => by.block().is_some_and(|b| body.contains(&b)),
            Shape::Uniform | Shape::Strided(_) => false,
        }
    }

    /// Writes one version of a loop's body. Returns the needed values and the block in which the
    /// version ends.
    fn body(
        &mut self,
        header: Block,
        mask: Mask,
        region: &Range<usize>,
        needed: &[Value],
        next: Block,
    ) -> Result<(Vec<Value>, Block), Stopped> {
        let structure = self.structure;
        let latch = structure.loops[&header].latch;
        let blocks = structure.blocks_of_loop(header);
        self.masks.insert(header, mask);
        self.in_version(|p| {
            p.instructions(header, mask)?;
            if header != latch {
                let end = region.end - 1;
                let inner = p.finish(header, mask, region.start)?;
                p.write(inner..end)?;
                p.start(latch)?;
                p.instructions(latch, mask)?;
            }
            Ok(())
        })?;
        let end = self.leave_to(next);
        let mut values = Vec::new();
        for v in needed {
            values.push(match self.leaves_as_vector(*v, blocks) {
                true => self.packets.vector(*v)?,
                false => self.packets.scalar(*v)?,
            });
        }
        Ok((values, end))
    }
}

/// The values of a loop's body that the latch's branch, the header's PHIs and the exit's PHIs use.
fn needed(structure: &Structure, header: Block) -> Vec<Value> {
    let latch = structure.loops[&header].latch;
    let blocks = structure.blocks_of_loop(header);
    let mut found = Vec::new();
    let phis = latch.successors().into_iter().flat_map(|s| s.phis());
    let taken = phis.flat_map(|phi| phi.incoming()).filter(|(_, from)| *from == latch).map(|(v, _)| v);
    for value in taken.chain(latch.terminator().and_then(|t| t.condition())) {
        let inside = value.block().is_some_and(|b| blocks.contains(&b));
        let own = inside && !(value.is_phi() && value.block() == Some(header));
        if own && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
