//! Writes both versions of a BOSCC region: the one without masks first, then the masked one.
//!
//! Values of the region have a packet in each version. Where the versions meet, PHIs merge the two
//! packets: those of the join block at the end of a triangle, new ones at the end of a loop's body.

use crate::Stopped;
use crate::linearize::Linearizer;
use crate::memory::Mask;
use crate::shape::Shape;
use crate::structure::{Branch, Structure};
use llvm::{Block, Opcode, Value};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// State that the unmasked version of a region passes on to the masked one.
#[derive(Default)]
pub struct Versions {
    /// The first block of a triangle whose unmasked version is about to be written.
    unmasked: Option<Block>,
    /// The values that unmasked versions bring to the PHIs of a join block.
    results: HashMap<Block, UnmaskedResults>,
    /// Values of a loop's body that are hoisted before its two versions.
    hoisted: HashSet<Value>,
}

impl Versions {
    /// Whether this block begins the unmasked version of a triangle; true once.
    pub fn begins_unmasked(&mut self, block: Block) -> bool {
        self.unmasked.take_if(|then| *then == block).is_some()
    }

    pub fn results_at(&mut self, join: Block) -> Option<UnmaskedResults> {
        self.results.remove(&join)
    }

    pub fn hoisted(&self, instruction: Value) -> bool {
        self.hoisted.contains(&instruction)
    }
}

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

impl Linearizer<'_> {
    /// The region of the triangle that `opener` opens, if it gets two versions; none does inside of
    /// a masked version.
    pub(crate) fn boscc_triangle(&self, opener: Block) -> Option<Range<usize>> {
        self.plan.boscc.triangles.get(&opener).filter(|_| !self.code.in_masked_version).cloned()
    }

    pub(crate) fn boscc_loop(&self, header: Block) -> Option<Range<usize>> {
        self.plan.boscc.loops.get(&header).filter(|_| !self.code.in_masked_version).cloned()
    }

    /// Appends new blocks for a region and returns the ones they replace in the block map.
    fn new_blocks(&mut self, region: &Range<usize>) -> Vec<(Block, Block)> {
        let structure = self.plan.structure;
        let old = structure.order[region.clone()].iter();
        old.map(|&block| {
            let new = self.code.packets.function.append_block(&format!("{}.all", block.name()));
            (block, self.blocks.insert(block, new).expect("all blocks have one"))
        })
        .collect()
    }

    fn forget(&mut self, block: Block, phis: bool) {
        let own = |i: &Value| (phis || !i.is_phi()) && !self.versions.hoisted.contains(i);
        for i in block.instructions().into_iter().filter(own).collect::<Vec<_>>() {
            self.code.forget(i);
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
        let Branch::Triangle { then, join, .. } = self.plan.structure.branches[&opener] else {
            unreachable!("only triangles are opened")
        };
        let structure = self.plan.structure;
        let all = self.code.all(taken);
        let end = self.code.block();
        let some = self.code.packets.function.append_block("some");
        let masked = self.new_blocks(&region);
        self.code.b.cond_br(all, self.blocks[&then], some);
        self.ends.insert(opener, end);
        self.versions.unmasked = Some(then);
        let told = std::mem::replace(&mut self.code.remarks.told, true);
        self.in_version(|p| p.write(region.clone()))?;
        self.code.remarks.told = told;
        let last = join.predecessors().into_iter().find(|p| *p != opener).expect("a triangle has two sides");
        let mut values = HashMap::new();
        for phi in join.phis() {
            for (value, from) in phi.incoming() {
                if from == last {
                    values.insert(phi, self.code.packets.vector(value)?);
                }
            }
        }
        self.versions.results.insert(join, UnmaskedResults { values, end: self.ends[&last] });
        for &block in &structure.order[region] {
            self.forget(block, true);
        }
        self.blocks.extend(masked);
        self.code.b.position_at_end(some);
        let any = self.code.any(taken);
        self.code.b.cond_br(any, self.blocks[&then], self.blocks[&join]);
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
        let structure = self.plan.structure;
        let latch = structure.loops[&header].latch;
        let blocks = structure.blocks_of_loop(header);
        let all_needed = needed(structure, header);
        let needed = self.write_early(&all_needed, header)?;
        let all = self.code.all(mask);
        let [full, some, both] =
            ["body.all", "body.some", "both"].map(|n| self.code.packets.function.append_block(n));
        self.code.b.cond_br(all, full, some);
        // The header keeps its block, which holds its PHIs.
        let masked = self.new_blocks(&(region.start + 1..region.end));
        self.code.b.position_at_end(full);
        let told = std::mem::replace(&mut self.code.remarks.told, true);
        let first = self.body(header, None, &region, &needed, both)?;
        self.code.remarks.told = told;
        self.blocks.extend(masked);
        for &block in &structure.order[region.clone()] {
            self.forget(block, block != header);
        }
        self.code.b.position_at_end(some);
        self.code.in_masked_version = true;
        let second = self.body(header, Some(mask), &region, &needed, both)?;
        self.code.in_masked_version = false;
        self.code.b.position_at_end(both);
        for (n, &value) in needed.iter().enumerate() {
            let (a, b) = (first.0[n], second.0[n]);
            let phi = self.code.b.phi(a.ty(), &value.name());
            phi.add_incoming(a, first.1);
            phi.add_incoming(b, second.1);
            self.code.packets.forget(value);
            match self.leaves_as_vector(value, blocks) {
                true => self.code.packets.set_vector(value, phi),
                false => self.code.packets.set_scalar(value, phi),
            }
        }
        self.versions.hoisted.retain(|value| !all_needed.contains(value));
        self.masks.insert(header, Some(mask));
        self.masks.insert(latch, Some(mask));
        Ok(())
    }

    /// Hoists values that depend on the header's PHIs alone, such as the next value of an induction
    /// variable, before the two versions: LLVM would not recognize the PHI of two additions as an
    /// induction variable. Returns the values that were not hoisted.
    fn write_early(&mut self, needed: &[Value], header: Block) -> Result<Vec<Value>, Stopped> {
        let structure = self.plan.structure;
        let blocks = structure.blocks_of_loop(header);
        let mut rest = Vec::new();
        for &value in needed {
            let ready = |v: Value| {
                let inside = v.block().is_some_and(|b| blocks.contains(&b));
                !inside || v.is_phi() && v.block() == Some(header)
            };
            let plain =
                matches!(value.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMGetElementPtr));
            if plain && self.plan.shapes.get(value) != Shape::Varying && value.operands().all(ready) {
                self.code.copy_scalar(value)?;
                self.versions.hoisted.insert(value);
            } else {
                rest.push(value);
            }
        }
        Ok(rest)
    }

    /// Whether a value must leave the loop's body as a vector: if it is strided by a value of the
    /// body itself, its stride has no single definition after the two versions.
    fn leaves_as_vector(&self, value: Value, body: &HashSet<Block>) -> bool {
        match self.plan.shapes.get(value) {
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
        let structure = self.plan.structure;
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
        let end = self.code.leave_to(next);
        let mut values = Vec::new();
        for v in needed {
            values.push(match self.leaves_as_vector(*v, blocks) {
                true => self.code.packets.vector(*v)?,
                false => self.code.packets.scalar(*v)?,
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
