//! Control-flow linearization: writes the blocks of the wide function, with the mask of each.
//!
//! ```text
//! open:  br i1 %c, then, join        →   open:  %taken = %c in the active lanes     ; mask of `then`
//!                                               br (any of %taken), then, join
//! then:  %a = …                          then:  %a = … under %taken
//! join:  phi [ %a, then ], [ %b, open ]  join:  select %taken, %a, %b
//! ```
//!
//! A uniform branch stays a branch. A divergent loop runs until no lane is left, and its mask is a
//! PHI. Blocks are written in reverse post-order, so that only PHIs of loop headers wait for their
//! incoming values ([`Pending`]). The instructions inside of a block are the [`Packetizer`]'s.

use crate::Stopped;
use crate::boscc_versions::Versions;
use crate::memory::{self, Mask};
use crate::packetize::Packetizer;
use crate::remarks::KernelRemarks;
use crate::shape::Shape;
use crate::structure::{Branch, Role};
use crate::vectorize::Plan;
use llvm::{Block, Builder, Function, Opcode, Value};
use std::collections::HashMap;
use std::ops::Range;

/// Writes the body of `wide`.
pub(crate) fn linearize(plan: &Plan<'_>, wide: Function, remarks: KernelRemarks<'_>) -> Result<(), Stopped> {
    let order = &plan.structure.order;
    let mut writer = Linearizer {
        plan,
        code: Packetizer::new(plan, wide, remarks),
        blocks: order.iter().map(|&block| (block, wide.append_block(&block.name()))).collect(),
        ends: HashMap::new(),
        masks: HashMap::new(),
        then_masks: HashMap::new(),
        pending: Vec::new(),
        versions: Versions::default(),
    };
    writer.write(0..order.len())?;
    writer.fill_phis()
}

/// An incoming value of a PHI that is filled in later, because its definition is written after the
/// PHI.
pub(crate) struct Pending {
    phi: Value,
    value: Value,
    from: Block,
    vector: bool,
}

pub(crate) struct Linearizer<'a> {
    pub(crate) plan: &'a Plan<'a>,
    /// Writes the instructions.
    pub(crate) code: Packetizer<'a>,
    /// The first block that stands for each block of the kernel, and the last one: instructions may
    /// split a block.
    pub(crate) blocks: HashMap<Block, Block>,
    pub(crate) ends: HashMap<Block, Block>,
    /// The active lanes of each block.
    pub(crate) masks: HashMap<Block, Mask>,
    /// The lanes that run a divergent triangle, by the block that opens it.
    then_masks: HashMap<Block, Value>,
    pub(crate) pending: Vec<Pending>,
    pub(crate) versions: Versions,
}

impl Linearizer<'_> {
    /// Writes a range of the blocks, in reverse post-order.
    pub(crate) fn write(&mut self, part: Range<usize>) -> Result<(), Stopped> {
        let structure = self.plan.structure;
        let mut n = part.start;
        while n < part.end {
            let block = structure.order[n];
            let mask = self.start(block)?;
            n = match (mask, self.boscc_loop(block)) {
                (Some(mask), Some(region)) => {
                    self.write_boscc_loop_body(block, mask, region.clone())?;
                    self.finish(structure.loops[&block].latch, Some(mask), region.end - 1)?
                }
                _ => {
                    self.instructions(block, mask)?;
                    self.finish(block, mask, n)?
                }
            };
        }
        Ok(())
    }

    /// Begins a block: its mask and its PHIs.
    pub(crate) fn start(&mut self, block: Block) -> Result<Mask, Stopped> {
        self.code.b.position_at_end(self.blocks[&block]);
        let mask = self.mask_of(block);
        self.masks.insert(block, mask);
        self.phis(block)?;
        Ok(mask)
    }

    /// Writes the instructions of a block, without its PHIs and its terminator.
    pub(crate) fn instructions(&mut self, block: Block, mask: Mask) -> Result<(), Stopped> {
        self.code.enter(block);
        for instruction in block.instructions() {
            if !instruction.is_phi() && !instruction.is_terminator() && !self.versions.hoisted(instruction) {
                self.code.instruction(instruction, mask)?;
            }
        }
        Ok(())
    }

    /// Writes the terminator of the `n`th block, and both versions of the triangle that it opens if
    /// that is a BOSCC region. Returns the number of the block to go on with.
    pub(crate) fn finish(&mut self, block: Block, mask: Mask, n: usize) -> Result<usize, Stopped> {
        let twice = self.boscc_triangle(block);
        self.terminator(block, mask)?;
        let end = self.code.block();
        self.ends.insert(block, end);
        let Some(region) = twice else { return Ok(n + 1) };
        self.code.in_masked_version = true;
        self.write(region.clone())?;
        self.code.in_masked_version = false;
        Ok(region.end)
    }

    /// Adds the incoming values that were not written yet when their PHIs were.
    pub(crate) fn fill_phis(&mut self) -> Result<(), Stopped> {
        for p in std::mem::take(&mut self.pending) {
            let value = if p.vector {
                self.code.packets.vector(p.value)?
            } else {
                self.code.packets.scalar(p.value)?
            };
            p.phi.add_incoming(value, self.ends[&p.from]);
        }
        Ok(())
    }

    /// Whether the block ends in a branch whose condition differs from lane to lane.
    fn is_divergent(&self, block: Block) -> bool {
        block.terminator().is_some_and(|t| self.plan.shapes.is_varying_branch(t))
    }

    /// The mask of a block: its active lanes. The mask of a divergent loop is a PHI.
    fn mask_of(&mut self, block: Block) -> Mask {
        match self.plan.structure.roles[&block] {
            Role::Entry => self.plan.how.predicated.then(|| self.code.lanes_within()),
            Role::Follows(dominator) => self.masks[&dominator],
            Role::Then(_) if self.versions.begins_unmasked(block) => None,
            Role::Then(opener) => self.then_masks.get(&opener).copied().or(self.masks[&opener]),
            Role::Exit(header) => self.masks[&self.plan.structure.loops[&header].preheader],
            Role::Header => {
                let found = self.plan.structure.loops[&block];
                let before = self.masks[&found.preheader];
                if !self.is_divergent(found.latch) {
                    return before;
                }
                let ty = self.plan.module.context().i1().vector(self.plan.width);
                let phi = self.code.b.phi(ty, "mask");
                let first = memory::mask_vector(&self.code.b, before, self.plan.width);
                phi.add_incoming(first, self.ends[&found.preheader]);
                Some(phi)
            }
        }
    }

    /// Writes the PHIs of a block. At the join of a divergent branch they become selects.
    fn phis(&mut self, block: Block) -> Result<(), Stopped> {
        let phis = block.phis();
        if phis.is_empty() {
            return Ok(());
        }
        match self.plan.structure.roles[&block] {
            Role::Exit(header) if self.is_divergent(self.plan.structure.loops[&header].latch) => {
                // The latch's terminator has written these PHIs ([`Self::keep_results`]).
                return Ok(());
            }
            Role::Follows(opener) => {
                if let Some(Branch::Triangle { join, .. }) = self.plan.structure.branches.get(&opener)
                    && *join == block
                    && self.is_divergent(opener)
                {
                    return self.blend(&phis, opener, block);
                }
            }
            _ => {}
        }
        for phi in phis {
            let vector = self.plan.shapes.get(phi) == Shape::Varying;
            let ty = if vector { self.code.wide_type(phi)? } else { phi.ty() };
            let new = self.code.b.phi(ty, &phi.name());
            if vector {
                self.code.packets.set_vector(phi, new)
            } else {
                self.code.packets.set_scalar(phi, new)
            }
            for (value, from) in phi.incoming() {
                self.pending.push(Pending { phi: new, value, from, vector });
            }
        }
        Ok(())
    }

    /// Turns the PHIs at the join of a divergent triangle into selects (blends).
    fn blend(&mut self, phis: &[Value], opener: Block, join: Block) -> Result<(), Stopped> {
        let ran = self.then_masks[&opener];
        let unmasked = self.versions.results_at(join);
        let mut through = Vec::new();
        for &phi in phis {
            let ty = self.code.wide_type(phi)?;
            let mut from_then = None;
            let mut from_opener = None;
            for (value, from) in phi.incoming() {
                if from == opener { from_opener = Some(value) } else { from_then = Some((value, from)) }
            }
            let (Some((then, from)), Some(skipped)) = (from_then, from_opener) else {
                return Err(Stopped::at(phi, "a PHI that does not join a triangle"));
            };
            // If no lane was active, the triangle was skipped and the value is poison.
            let brought = self.code.b.phi(ty, "");
            let then = self.code.packets.vector(then)?;
            brought.add_incoming(then, self.ends[&from]);
            brought.add_incoming(ty.poison(), self.ends[&opener]);
            if let Some((value, end)) = unmasked.as_ref().and_then(|b| b.get(phi)) {
                brought.add_incoming(value, end);
            }
            through.push((phi, brought, skipped));
        }
        for (phi, brought, skipped) in through {
            let value = if skipped.is_undef_or_poison() {
                brought
            } else {
                let skipped = self.code.packets.vector(skipped)?;
                self.code.b.select(self.code.mask_for(ran, phi.ty()), brought, skipped, &phi.name())
            };
            self.code.packets.set_vector(phi, value);
        }
        Ok(())
    }

    fn terminator(&mut self, block: Block, mask: Mask) -> Result<(), Stopped> {
        let end = block.terminator().expect("the block is complete");
        let Some(condition) = end.condition() else {
            match end.opcode() {
                Some(Opcode::LLVMBr) => self.code.b.br(self.blocks[&end.successors()[0]]),
                Some(Opcode::LLVMRet) => self.code.b.ret_void(),
                Some(Opcode::LLVMUnreachable) => self.code.b.unreachable(),
                _ => return Err(Stopped::at(end, "this end of a block")),
            };
            return Ok(());
        };
        let branch = self.plan.structure.branches[&block];
        if !self.is_divergent(block) {
            let condition = self.code.packets.scalar(condition)?;
            let [yes, no] = [0, 1].map(|i| self.blocks[&end.successors()[i]]);
            self.code.b.cond_br(condition, yes, no);
            return Ok(());
        }
        match branch {
            Branch::Triangle { then, join, when } => {
                self.code.remarks.divergent_branch(end);
                let taken = self.code.narrowed(mask, condition, when)?;
                self.then_masks.insert(block, taken);
                if let Some(region) = self.boscc_triangle(block) {
                    return self.write_boscc_triangle(block, taken, region);
                }
                let any = self.code.any(taken);
                self.code.b.cond_br(any, self.blocks[&then], self.blocks[&join]);
            }
            Branch::Latch { header, exit, when } => {
                self.code.remarks.divergent_loop(end);
                self.keep_results(header, exit, mask)?;
                let staying = self.code.narrowed(mask, condition, when)?;
                let phi = self.masks[&header].expect("the mask of such a loop is a PHI");
                let end = self.code.block();
                phi.add_incoming(staying, end);
                let any = self.code.any(staying);
                self.code.b.cond_br(any, self.blocks[&header], self.blocks[&exit]);
            }
        }
        Ok(())
    }

    /// Writes the values live out of a divergent loop: a lane that ran this iteration takes its
    /// value from it, the others keep the one with which they left the loop.
    fn keep_results(&mut self, header: Block, exit: Block, mask: Mask) -> Result<(), Stopped> {
        let preheader = self.ends[&self.plan.structure.loops[&header].preheader];
        for phi in exit.phis() {
            let (value, _) = phi.incoming()[0];
            let vector = self.code.packets.vector(value)?;
            let end = self.code.block();
            let at_header = Builder::new(self.plan.module.context());
            match self.blocks[&header].first() {
                Some(first) => at_header.position_before(first),
                None => at_header.position_at_end(self.blocks[&header]),
            }
            let kept = at_header.phi(vector.ty(), "kept");
            kept.add_incoming(vector.ty().poison(), preheader);
            let mask = memory::mask_vector(&self.code.b, mask, self.plan.width);
            let now = self.code.b.select(self.code.mask_for(mask, phi.ty()), vector, kept, &phi.name());
            kept.add_incoming(now, end);
            self.code.packets.set_vector(phi, now);
        }
        Ok(())
    }
}
