//! Regions with two versions: one without masks for when all lanes take part, and the masked one.
//!
//! ```text
//! open:   %taken = …                            open:   %all = every lane of %taken
//!         br %any, then, join              →            br %all, then.all, some
//! then:   masked                                some:   br %any, then, join
//!         br join                               then:   masked, br join        then.all: unmasked, br join
//! ```
//!
//! A triangle is one such region, the body of a loop that lanes leave at different times another: each iteration takes the version
//! for the lanes that are left. It pays where the masks are dear: a gather or scatter under a mask takes the instruction, which may be
//! slow, a strided access becomes a gather, and what has no wide form loops over the lanes. In the masked version lanes are
//! known to be missing, so that nothing in it is asked again.

use crate::Stopped;
use crate::memory::Mask;
use crate::packetize::Packetizer;
use crate::shape::{Shape, Shapes};
use crate::structure::{Branch, Role, Structure, blocks_of_loop};
use ir::Builtin;
use llvm::{Block, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The cycles that a version without masks must save, by the estimate of [`gain`].
const LEAST_GAIN: f64 = 8.0;

/// How often a loop inside of a region is taken to run.
const ITERATIONS: f64 = 8.0;

/// The largest region that is written twice, and how much all of them may add, in instructions: they take time to compile.
const MOST_INSTRUCTIONS: usize = 150;
const MOST_ADDED: usize = 150;

/// The regions of a kernel that are written twice, by the block that opens the triangle or is the loop's header.
#[derive(Default)]
pub struct Copies {
    triangles: HashMap<Block, Range<usize>>,
    loops: HashMap<Block, Range<usize>>,
}

impl Copies {
    pub fn of(module: &Module, structure: &Structure, shapes: &Shapes, width: u32) -> Copies {
        let mut found = Copies::default();
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
                && can_be_copied(structure, entrance, blocks);
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

/// How a region is entered: by the branch of this block, or into the loop with this header.
#[derive(Clone, Copy)]
enum Entrance {
    Triangle(Block),
    Loop(Block),
}

/// Whether what the blocks compute leaves them by PHIs only, of which there is one for each version, and nothing in them must
/// stay alone.
fn can_be_copied(structure: &Structure, entrance: Entrance, blocks: &[Block]) -> bool {
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
    // One way in, one way out.
    let entered_once = blocks[1..].iter().all(|b| b.predecessors().iter().all(|p| inside.contains(p)));
    let left_once = blocks.iter().all(|b| {
        let mut next = b.successors().into_iter();
        Some(*b) == latch || next.all(|s| inside.contains(&s) || s == after && latch.is_none())
    });
    let simple = |i: Value| !stays_alone(i) && leaves_well(i) && !(i.ty().is_struct() && leaves(i));
    entered_once && left_once && blocks.iter().flat_map(|b| b.instructions()).all(simple)
}

/// What the version without masks saves each time, in cycles. What a triangle or loop inside of the region masks is not counted.
fn gain(module: &Module, structure: &Structure, shapes: &Shapes, width: u32, blocks: &[Block]) -> f64 {
    let varying = |block: Block| block.terminator().is_some_and(|t| shapes.is_varying_branch(t));
    // How often a block runs under the region's mask: 0 under a narrower one.
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

/// What an instruction saves if it needs no mask.
fn saved(module: &Module, shapes: &Shapes, width: u32, i: Value) -> f64 {
    let lanes = f64::from(width);
    let (address, ty) = match i.opcode() {
        Some(Opcode::LLVMLoad) => (i.operand(0), i.ty()),
        Some(Opcode::LLVMStore) => (i.operand(1), i.operand(0).ty()),
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => return lanes,
        Some(Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem) => {
            return if shapes.get(i) == Shape::Varying { 1.0 } else { 0.0 };
        }
        Some(Opcode::LLVMCall) => {
            let plain = i.called_function().is_some_and(|f| f.is_intrinsic() || Builtin::of(f).is_some());
            return if plain || shapes.get(i) != Shape::Varying { 0.0 } else { lanes };
        }
        _ => return 0.0,
    };
    let size = module.size_of(ty) as i64;
    match shapes.get(address) {
        Shape::Uniform if i.is_load() => 0.0,
        Shape::Strided(stride) if stride.abs() == size => 0.5,
        _ => lanes / 2.0,
    }
}

/// How much code an instruction is without a mask: what is done lane by lane is much.
fn written(module: &Module, shapes: &Shapes, width: u32, i: Value) -> usize {
    let by_lane = saved(module, shapes, width, i) >= f64::from(width) / 2.0;
    if by_lane { 2 * width as usize } else { 1 }
}

// ---- Writing them ----------------------------------------------------------------------------------------------

/// What the version without masks brings to where the two meet.
pub struct Brought {
    values: HashMap<Value, Value>,
    end: Block,
}

impl Brought {
    pub fn get(&self, value: Value) -> Option<(Value, Block)> {
        self.values.get(&value).map(|v| (*v, self.end))
    }
}

impl Packetizer<'_> {
    /// The blocks of the triangle that is opened here, if it is written twice. Where lanes are known to be missing, none is.
    pub(crate) fn copied_triangle(&self, opener: Block) -> Option<Range<usize>> {
        self.copies.triangles.get(&opener).filter(|_| !self.lanes_are_missing).cloned()
    }

    pub(crate) fn copied_loop(&self, header: Block) -> Option<Range<usize>> {
        self.copies.loops.get(&header).filter(|_| !self.lanes_are_missing).cloned()
    }

    /// Whether every lane takes part.
    pub(crate) fn all(&self, mask: Value) -> Value {
        let f = self.module.intrinsic("llvm.vector.reduce.and", &[mask.ty()]);
        self.b.call(f, &[mask], "all")
    }

    /// New blocks for a region; the result are those that stood for it.
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

    /// Ends the block that opens a triangle with two versions, and writes the one without masks.
    pub(crate) fn open_twice(
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
        self.brought.insert(join, Brought { values, end: self.ends[&last] });
        for &block in &structure.order[region] {
            self.forget(block, true);
        }
        self.blocks.extend(masked);
        self.b.position_at_end(some);
        let any = self.any(taken);
        self.b.cond_br(any, self.blocks[&then], self.blocks[&join]);
        Ok(())
    }

    /// Writes a part whose PHIs take only from it and from before it.
    fn in_version(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Stopped>) -> Result<(), Stopped> {
        let outer = std::mem::take(&mut self.pending);
        write(self)?;
        self.fill_phis()?;
        self.pending = outer;
        Ok(())
    }

    /// Writes the body of a loop twice. The header's PHIs are there; afterwards the builder is where the two versions meet, and only
    /// the branch back is missing.
    pub(crate) fn body_twice(
        &mut self,
        header: Block,
        mask: Value,
        region: Range<usize>,
    ) -> Result<(), Stopped> {
        let structure = self.structure;
        let latch = structure.loops[&header].latch;
        let blocks = blocks_of_loop(header, latch);
        let all_needed = needed(structure, header);
        let needed = self.write_early(&all_needed, header)?;
        let all = self.all(mask);
        let [full, some, both] =
            ["body.all", "body.some", "both"].map(|n| self.packets.function.append_block(n));
        self.b.cond_br(all, full, some);
        // The header is still where its PHIs are.
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
        self.lanes_are_missing = true;
        let second = self.body(header, Some(mask), &region, &needed, both)?;
        self.lanes_are_missing = false;
        self.b.position_at_end(both);
        for (n, &value) in needed.iter().enumerate() {
            let (a, b) = (first.0[n], second.0[n]);
            let phi = self.b.phi(a.ty(), &value.name());
            phi.add_incoming(a, first.1);
            phi.add_incoming(b, second.1);
            self.packets.forget(value);
            match self.leaves_as_vector(value, &blocks) {
                true => self.packets.set_vector(value, phi),
                false => self.packets.set_scalar(value, phi),
            }
        }
        self.early.retain(|value| !all_needed.contains(value));
        self.masks.insert(header, Some(mask));
        self.masks.insert(latch, Some(mask));
        Ok(())
    }

    /// Writes what follows from the header's PHIs alone, as the next value of a counter, before the two versions: as the PHI of
    /// two sums, nobody would know it for a counter. The result is the rest.
    fn write_early(&mut self, needed: &[Value], header: Block) -> Result<Vec<Value>, Stopped> {
        let blocks = blocks_of_loop(header, self.structure.loops[&header].latch);
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

    /// What a value is by which another is strided is not known after the body, if it is computed in it.
    fn leaves_as_vector(&self, value: Value, body: &HashSet<Block>) -> bool {
        match self.shapes.get(value) {
            Shape::Varying => true,
            Shape::StridedBy(by, _) => by.block().is_some_and(|b| body.contains(&b)),
            Shape::Uniform | Shape::Strided(_) => false,
        }
    }

    /// One version of a loop's body, what of it is needed later, and where it ends.
    fn body(
        &mut self,
        header: Block,
        mask: Mask,
        region: &Range<usize>,
        needed: &[Value],
        next: Block,
    ) -> Result<(Vec<Value>, Block), Stopped> {
        let latch = self.structure.loops[&header].latch;
        let blocks = blocks_of_loop(header, latch);
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
            values.push(match self.leaves_as_vector(*v, &blocks) {
                true => self.packets.vector(*v)?,
                false => self.packets.scalar(*v)?,
            });
        }
        Ok((values, end))
    }
}

/// What the branch of the latch, the PHIs of the header and those after the loop take from its body.
fn needed(structure: &Structure, header: Block) -> Vec<Value> {
    let latch = structure.loops[&header].latch;
    let blocks = blocks_of_loop(header, latch);
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
