//! Writes the wide function.

use crate::Stopped;
use crate::access::Groups;
use crate::copies::{Brought, Copies};
use crate::cost::Estimate;
use crate::groups::Site;
use crate::lanes;
use crate::memory::{self, Mask, MemoryOps};
use crate::options::{Choice, Mode, VeczPassOptions};
use crate::packet::{Ends, Packets};
use crate::prepare::prepare;
use crate::private;
use crate::remarks::{Access, KernelRemarks};
use crate::shape::{Shape, Shapes, lane_stride};
use crate::structure::{Branch, Role, Structure};
use crate::vector_unit::VectorUnit;
use crate::whole;
use crate::widen;
use ir::Builtin;
use ir::metadata::Vectorization;
use llvm::{Block, Builder, Function, Module, Opcode, TargetMachine, Value};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Makes a version of the kernel that runs several work-items at once, beginning with the one of the local ID that is set. The
/// kernel stays as it is.
pub fn vectorize(
    module: &Module,
    kernel: Function,
    way: &VeczPassOptions,
    unit: &VectorUnit,
    machine: Option<&TargetMachine>,
    remarks: KernelRemarks<'_>,
) -> Result<(Function, Vectorization), Stopped> {
    let mut how = way.how();
    let linear = how.dimension == Vectorization::LINEAR;
    let ty = kernel.function_type();
    let scalar = module.add_function(&format!("{}.scalar", kernel.name()), ty);
    kernel.clone_into(scalar, &scalar.params());
    scalar.set_internal();
    let wide = module.add_function(&format!("{}.wide", kernel.name()), ty);
    // In linear order, the local ID along x is that in the whole work-group.
    let dimension = if linear { 0 } else { how.dimension };
    let partial = way.choices.is_enabled(Choice::PartialScalarization);
    let result = prepare(module, scalar, linear, partial, machine).and_then(|whole| {
        let structure = Structure::of(scalar)?;
        let shapes = Shapes::of(module, &structure, dimension, HashSet::new());
        if let (Mode::Auto, Some(machine)) = (way.mode, machine) {
            let estimate = Estimate::of(module, whole, &structure, &shapes, how.width, unit, machine);
            pays(estimate, if partial { 0.6 } else { 0.85 })?;
        }
        if way.most_registers > 1 {
            let factor = widen::factor(module, unit, &structure, &shapes, how.width).min(way.most_registers);
            how.width *= factor;
            how.predicated |= factor > 1 && way.predicated_if_large;
        }
        how.predicated |= way.predicated_if_large && scalar.instructions().len() > LARGE;
        let shared = private::interleave(module, scalar, how.width);
        let shapes = match shared.is_empty() {
            true => shapes,
            false => Shapes::of(module, &structure, dimension, shared),
        };
        check(scalar, &shapes, partial.then_some(how.width))?;
        let copies = match way.choices.is_enabled(Choice::LinearizeBoscc) {
            true => Copies::of(module, &structure, &shapes, how.width),
            false => Copies::default(),
        };
        Packetizer::new(module, how, wide, &structure, &shapes, copies, unit.memory, remarks).run()
    });
    scalar.erase_body_and_uses();
    match result {
        Ok(()) => {
            let predicated = if how.predicated { "_vp" } else { "" };
            wide.set_name(&format!("__vecz_v{}{predicated}_{}", how.width, kernel.name()));
            wide.copy_attributes_from(kernel);
            wide.copy_metadata_from(kernel);
            wide.set_call_conv(kernel.call_conv());
            for i in 0..ty.params().len() as u32 {
                wide.copy_param_attributes_from(i, kernel, i);
                wide.param(i).set_name(&kernel.param(i).name());
            }
            Ok((wide, how))
        }
        Err(stopped) => {
            wide.erase_body_and_uses();
            Err(stopped)
        }
    }
}

/// From how many instructions on a kernel is large.
const LARGE: usize = 200;

/// Refuses what would be slower than one work-item at a time.
fn pays(estimate: Estimate, part: f64) -> Result<(), Stopped> {
    let Estimate { alone, as_lane } = estimate;
    // Estimates are rough, and LLVM makes something of single work-items too.
    if as_lane <= part * alone {
        return Ok(());
    }
    Err(Stopped::new(format!(
        "one work-item at a time is estimated to be faster: {alone:.0} cycles, against {as_lane:.0} in a lane"
    )))
}

/// Finds what cannot be made wide before anything is written.
fn check(kernel: Function, shapes: &Shapes, whole_vectors: Option<u32>) -> Result<(), Stopped> {
    for i in kernel.instructions() {
        if i.is_alloca() && i.operand(0).as_const_int() != Some(1) {
            return Err(Stopped::at(i, "a private array of variable size"));
        }
        let wide = |v: Value| v.ty().is_vector() || v.ty().is_array() || v.ty().is_scalable_vector();
        if shapes.get(i) != Shape::Uniform
            && (wide(i) || i.operands().any(|op| wide(op) && (!op.is_constant() || whole_vectors.is_some())))
        {
            if let Some(width) = whole_vectors {
                whole::check(i, width)?;
                continue;
            }
            return Err(Stopped::at(i, "a vector that differs from lane to lane"));
        }
    }
    Ok(())
}

/// A value of a PHI that is not written yet when the PHI is.
pub(crate) struct Pending {
    phi: Value,
    value: Value,
    from: Block,
    vector: bool,
}

pub(crate) struct Packetizer<'a> {
    pub(crate) module: &'a Module,
    how: Vectorization,
    /// The dimension whose IDs differ from lane to lane.
    dimension: u32,
    pub(crate) width: u32,
    pub(crate) structure: &'a Structure,
    pub(crate) shapes: &'a Shapes,
    pub(crate) packets: Packets<'a>,
    pub(crate) b: Builder,
    pub(crate) blocks: HashMap<Block, Block>,
    pub(crate) ends: Ends,
    pub(crate) masks: HashMap<Block, Mask>,
    /// The lanes that run a triangle, by the block that opens it.
    then_masks: HashMap<Block, Value>,
    /// Fields of structs, as vectors.
    pub(crate) fields: HashMap<Value, lanes::Results>,
    pub(crate) pending: Vec<Pending>,
    /// The regions that are written twice.
    pub(crate) copies: Copies,
    /// The first block of a triangle whose version without masks is about to be written.
    pub(crate) unmasked: Option<Block>,
    /// The masked version of a region is being written.
    pub(crate) lanes_are_missing: bool,
    /// What versions without masks bring to the PHIs of a block.
    pub(crate) brought: HashMap<Block, Brought>,
    /// Values of a loop's body that are written before its two versions.
    pub(crate) early: HashSet<Value>,
    pub(crate) remarks: KernelRemarks<'a>,
    /// How lanes reach memory.
    pub(crate) memory: &'a dyn MemoryOps,
    /// The accesses of the block at hand that are done together.
    pub(crate) groups: Groups,
}

impl<'a> Packetizer<'a> {
    #[allow(clippy::too_many_arguments)]
    fn new(
        module: &'a Module,
        how: Vectorization,
        wide: Function,
        structure: &'a Structure,
        shapes: &'a Shapes,
        copies: Copies,
        memory: &'a dyn MemoryOps,
        remarks: KernelRemarks<'a>,
    ) -> Self {
        let width = how.width;
        let old = structure.order[0].function();
        Packetizer {
            module,
            how,
            dimension: shapes.dimension(),
            width,
            structure,
            shapes,
            packets: Packets::new(module.context(), shapes, width, old, wide),
            b: Builder::new(module.context()),
            blocks: HashMap::new(),
            ends: HashMap::new(),
            masks: HashMap::new(),
            then_masks: HashMap::new(),
            fields: HashMap::new(),
            pending: Vec::new(),
            copies,
            unmasked: None,
            lanes_are_missing: false,
            brought: HashMap::new(),
            early: HashSet::new(),
            remarks,
            memory,
            groups: Groups::default(),
        }
    }

    fn run(mut self) -> Result<(), Stopped> {
        for &block in &self.structure.order {
            let new = self.packets.function.append_block(&block.name());
            self.blocks.insert(block, new);
        }
        self.write(0..self.structure.order.len())?;
        self.fill_phis()
    }

    /// Writes a part of the blocks, in their order.
    pub(crate) fn write(&mut self, part: Range<usize>) -> Result<(), Stopped> {
        let structure = self.structure;
        let mut n = part.start;
        while n < part.end {
            let block = structure.order[n];
            let mask = self.start(block)?;
            n = match (mask, self.copied_loop(block)) {
                (Some(mask), Some(region)) => {
                    self.body_twice(block, mask, region.clone())?;
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
        self.b.position_at_end(self.blocks[&block]);
        let mask = self.mask_of(block);
        self.masks.insert(block, mask);
        self.phis(block)?;
        Ok(mask)
    }

    /// What a block does, but for its PHIs and its end.
    pub(crate) fn instructions(&mut self, block: Block, mask: Mask) -> Result<(), Stopped> {
        self.groups = Groups::of(self.module, self.shapes, self.width, block);
        for instruction in block.instructions() {
            if !instruction.is_phi() && !instruction.is_terminator() && !self.early.contains(&instruction) {
                self.instruction(instruction, mask)?;
            }
        }
        Ok(())
    }

    /// Ends the block that is the `n`th, and writes the triangle that it opens if there are two versions of it. The result is
    /// the block to go on with.
    pub(crate) fn finish(&mut self, block: Block, mask: Mask, n: usize) -> Result<usize, Stopped> {
        let twice = self.copied_triangle(block);
        self.terminator(block, mask)?;
        let end = self.b.block().expect("the builder is in a block");
        self.ends.insert(block, end);
        let Some(region) = twice else { return Ok(n + 1) };
        self.lanes_are_missing = true;
        self.write(region.clone())?;
        self.lanes_are_missing = false;
        Ok(region.end)
    }

    /// Gives PHIs what was not written yet when they were.
    pub(crate) fn fill_phis(&mut self) -> Result<(), Stopped> {
        for p in std::mem::take(&mut self.pending) {
            let value =
                if p.vector { self.packets.vector(p.value)? } else { self.packets.scalar(p.value)? };
            p.phi.add_incoming(value, self.ends[&p.from]);
        }
        Ok(())
    }

    // ---- Control flow ------------------------------------------------------------------------------------------

    pub(crate) fn is_varying(&self, block: Block) -> bool {
        block.terminator().is_some_and(|t| self.shapes.is_varying_branch(t))
    }

    /// The lanes that take part in a block. A loop's mask is a PHI if lanes leave it at different times.
    fn mask_of(&mut self, block: Block) -> Mask {
        match self.structure.roles[&block] {
            Role::Entry => self.how.predicated.then(|| self.lanes_within()),
            Role::Follows(dominator) => self.masks[&dominator],
            Role::Then(_) if self.unmasked.take_if(|then| *then == block).is_some() => None,
            Role::Then(opener) => self.then_masks.get(&opener).copied().or(self.masks[&opener]),
            Role::Exit(header) => self.masks[&self.structure.loops[&header].preheader],
            Role::Header => {
                let found = self.structure.loops[&block];
                let before = self.masks[&found.preheader];
                if !self.is_varying(found.latch) {
                    return before;
                }
                let ty = self.module.context().i1().vector(self.width);
                let phi = self.b.phi(ty, "mask");
                let first = memory::mask_vector(&self.b, before, self.width);
                phi.add_incoming(first, self.ends[&found.preheader]);
                Some(phi)
            }
        }
    }

    /// The lanes that are not beyond the end of the work-group.
    fn lanes_within(&self) -> Value {
        let query =
            |builtin: Builtin, d: u32| self.b.call(builtin.declare(self.module), &[self.b.i32(d)], "");
        let size = if self.how.dimension == Vectorization::LINEAR {
            let [x, y, z] = [0, 1, 2].map(|d| query(Builtin::GetLocalSize, d));
            self.b.mul(self.b.mul(x, y, ""), z, "")
        } else {
            query(Builtin::GetLocalSize, self.dimension)
        };
        let left = self.b.sub(size, query(Builtin::GetLocalId, self.dimension), "left");
        let left = self.b.cast(Opcode::LLVMTrunc, left, self.module.context().i32(), "");
        let lanes = self.packets.steps(self.module.context().i32(), 1);
        let left = self.b.splat(left, self.width, "");
        self.b.icmp(llvm::IntPredicate::LLVMIntULT, lanes, left, "within")
    }

    /// The PHIs of a block. Where lanes come from different paths they become selects.
    fn phis(&mut self, block: Block) -> Result<(), Stopped> {
        let phis = block.phis();
        if phis.is_empty() {
            return Ok(());
        }
        match self.structure.roles[&block] {
            Role::Exit(header) if self.is_varying(self.structure.loops[&header].latch) => {
                // The terminator of the latch has kept what each lane left with.
                return Ok(());
            }
            Role::Follows(opener) => {
                if let Some(Branch::Triangle { join, .. }) = self.structure.branches.get(&opener)
                    && *join == block
                    && self.is_varying(opener)
                {
                    return self.blend(&phis, opener, block);
                }
            }
            _ => {}
        }
        for phi in phis {
            let vector = self.shapes.get(phi) == Shape::Varying;
            let ty = if vector { self.wide_type(phi)? } else { phi.ty() };
            let new = self.b.phi(ty, &phi.name());
            if vector {
                self.packets.set_vector(phi, new)
            } else {
                self.packets.set_scalar(phi, new)
            }
            for (value, from) in phi.incoming() {
                self.pending.push(Pending { phi: new, value, from, vector });
            }
        }
        Ok(())
    }

    /// The PHIs where a triangle that only some lanes ran ends.
    fn blend(&mut self, phis: &[Value], opener: Block, join: Block) -> Result<(), Stopped> {
        let ran = self.then_masks[&opener];
        let unmasked = self.brought.remove(&join);
        let mut through = Vec::new();
        for &phi in phis {
            let ty = self.wide_type(phi)?;
            let mut from_then = None;
            let mut from_opener = None;
            for (value, from) in phi.incoming() {
                if from == opener { from_opener = Some(value) } else { from_then = Some((value, from)) }
            }
            let (Some((then, from)), Some(skipped)) = (from_then, from_opener) else {
                return Err(Stopped::at(phi, "a PHI that does not join a triangle"));
            };
            // The triangle may have been skipped by all.
            let brought = self.b.phi(ty, "");
            let then = self.packets.vector(then)?;
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
                let skipped = self.packets.vector(skipped)?;
                self.b.select(self.mask_for(ran, phi.ty()), brought, skipped, &phi.name())
            };
            self.packets.set_vector(phi, value);
        }
        Ok(())
    }

    /// The lanes of `mask` for which the condition is `when`. A lane that does not take part may hold poison, which a plain `and`
    /// would let through.
    fn narrowed(&mut self, mask: Mask, condition: Value, when: bool) -> Result<Value, Stopped> {
        let condition = self.packets.vector(condition)?;
        let zero = condition.ty().zero();
        let ones = memory::mask_vector(&self.b, None, self.width);
        let holds = if when { condition } else { self.b.binary(Opcode::LLVMXor, condition, ones, "") };
        Ok(match mask {
            None => holds,
            Some(mask) => self.b.select(mask, holds, zero, "mask"),
        })
    }

    /// Whether a lane takes part.
    pub(crate) fn any(&self, mask: Value) -> Value {
        let f = self.module.intrinsic("llvm.vector.reduce.or", &[mask.ty()]);
        self.b.call(f, &[mask], "any")
    }

    fn terminator(&mut self, block: Block, mask: Mask) -> Result<(), Stopped> {
        let end = block.terminator().expect("the block is complete");
        let Some(condition) = end.condition() else {
            match end.opcode() {
                Some(Opcode::LLVMBr) => self.b.br(self.blocks[&end.successors()[0]]),
                Some(Opcode::LLVMRet) => self.b.ret_void(),
                Some(Opcode::LLVMUnreachable) => self.b.unreachable(),
                _ => return Err(Stopped::at(end, "this end of a block")),
            };
            return Ok(());
        };
        let branch = self.structure.branches[&block];
        if !self.is_varying(block) {
            let condition = self.packets.scalar(condition)?;
            let [yes, no] = [0, 1].map(|i| self.blocks[&end.successors()[i]]);
            self.b.cond_br(condition, yes, no);
            return Ok(());
        }
        match branch {
            Branch::Triangle { then, join, when } => {
                self.remarks.divergent_branch(end);
                let taken = self.narrowed(mask, condition, when)?;
                self.then_masks.insert(block, taken);
                if let Some(region) = self.copied_triangle(block) {
                    return self.open_twice(block, taken, region);
                }
                let any = self.any(taken);
                self.b.cond_br(any, self.blocks[&then], self.blocks[&join]);
            }
            Branch::Latch { header, exit, when } => {
                self.remarks.divergent_loop(end);
                self.keep_results(header, exit, mask)?;
                let staying = self.narrowed(mask, condition, when)?;
                let phi = self.masks[&header].expect("the mask of such a loop is a PHI");
                let end = self.b.block().expect("the builder is in a block");
                phi.add_incoming(staying, end);
                let any = self.any(staying);
                self.b.cond_br(any, self.blocks[&header], self.blocks[&exit]);
            }
        }
        Ok(())
    }

    /// For each value that comes out of a loop: lanes that ran this iteration take theirs, the others keep what they left with.
    fn keep_results(&mut self, header: Block, exit: Block, mask: Mask) -> Result<(), Stopped> {
        let preheader = self.ends[&self.structure.loops[&header].preheader];
        for phi in exit.phis() {
            let (value, _) = phi.incoming()[0];
            let vector = self.packets.vector(value)?;
            let end = self.b.block().expect("the builder is in a block");
            let at_header = Builder::new(self.module.context());
            match self.blocks[&header].first() {
                Some(first) => at_header.position_before(first),
                None => at_header.position_at_end(self.blocks[&header]),
            }
            let kept = at_header.phi(vector.ty(), "kept");
            kept.add_incoming(vector.ty().poison(), preheader);
            let mask = memory::mask_vector(&self.b, mask, self.width);
            let now = self.b.select(self.mask_for(mask, phi.ty()), vector, kept, &phi.name());
            kept.add_incoming(now, end);
            self.packets.set_vector(phi, now);
        }
        Ok(())
    }

    /// The type of a value in all lanes.
    fn wide_type(&self, value: Value) -> Result<llvm::Type, Stopped> {
        match value.ty().is_vector() {
            true => Ok(whole::wide(value.ty(), self.width)),
            false => Ok(self.lane_type(value)?.vector(self.width)),
        }
    }

    pub(crate) fn lane_type(&self, value: Value) -> Result<llvm::Type, Stopped> {
        let ty = value.ty();
        if ty.is_int() || ty.is_float() || ty.is_ptr() {
            Ok(ty)
        } else {
            Err(Stopped::at(value, "a value of this type cannot be a lane of a vector"))
        }
    }

    // ---- Instructions ------------------------------------------------------------------------------------------

    fn instruction(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        use Opcode::*;
        let opcode = i.opcode().expect("it is an instruction");
        match opcode {
            LLVMAlloca => return self.alloca(i),
            LLVMStore if i.operand(0).ty().is_vector() && !self.is_uniform_store(i) => {
                return self.store_whole(i, mask);
            }
            LLVMStore => return self.store(i, mask),
            LLVMCall => return self.call(i, mask),
            _ => {}
        }
        if self.shapes.get(i) != Shape::Varying {
            if opcode == LLVMLoad {
                self.remarks.memory(i, Access::Uniform);
            }
            return self.copy_scalar(i);
        }
        let name = i.name();
        if let Some(new) = self.moves_elements(i)? {
            self.packets.set_vector(i, new);
            return Ok(());
        }
        let new = match opcode {
            LLVMLoad if i.ty().is_vector() => return self.load_whole(i, mask),
            LLVMLoad => return self.load(i, mask),
            LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => {
                let a = self.packets.vector(i.operand(0))?;
                let mut divisor = self.packets.vector(i.operand(1))?;
                if let Some(mask) = mask {
                    // A lane that does not take part must not divide by zero.
                    let n = whole::len(i.ty());
                    let one = self.b.splat(i.ty().scalar().const_int(1), self.width * n, "");
                    divisor = self.b.select(whole::repeat(&self.b, mask, n), divisor, one, "");
                }
                self.b.binary(opcode, a, divisor, &name)
            }
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor
            | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => {
                let (a, b) = (self.packets.vector(i.operand(0))?, self.packets.vector(i.operand(1))?);
                self.b.binary(opcode, a, b, &name)
            }
            LLVMFNeg => {
                let a = self.packets.vector(i.operand(0))?;
                self.b.fneg(a, &name)
            }
            LLVMFreeze => {
                let a = self.packets.vector(i.operand(0))?;
                self.b.freeze(a, &name)
            }
            LLVMICmp => {
                let (a, b) = (self.packets.vector(i.operand(0))?, self.packets.vector(i.operand(1))?);
                self.b.icmp(i.int_predicate(), a, b, &name)
            }
            LLVMFCmp => {
                let (a, b) = (self.packets.vector(i.operand(0))?, self.packets.vector(i.operand(1))?);
                self.b.fcmp(i.real_predicate(), a, b, &name)
            }
            LLVMSelect => {
                let uniform = self.shapes.get(i.operand(0)) == Shape::Uniform;
                let c = i.operand(0);
                let c = match uniform {
                    // A vector of conditions is as long as what is chosen from.
                    true if !c.ty().is_vector() => self.packets.scalar(c)?,
                    _ if c.ty().is_vector() => self.packets.vector(c)?,
                    _ => {
                        let c = self.packets.vector(c)?;
                        self.mask_for(c, i.ty())
                    }
                };
                let (a, b) = (self.packets.vector(i.operand(1))?, self.packets.vector(i.operand(2))?);
                self.b.select(c, a, b, &name)
            }
            LLVMGetElementPtr => self.gep(i)?,
            LLVMExtractValue => {
                let fields = self.fields.get(&i.operand(0));
                let field = i.aggregate_index().and_then(|n| fields?.get(n as usize).copied());
                field.ok_or_else(|| Stopped::at(i, "a field of a struct that varies"))?
            }
            LLVMAtomicRMW | LLVMAtomicCmpXchg => return self.instantiate(i, mask),
            _ if i.is_cast() => {
                let a = self.packets.vector(i.operand(0))?;
                let ty = self.wide_type(i)?;
                self.b.cast(opcode, a, ty, &name)
            }
            _ => return Err(Stopped::at(i, "there is no wide form of this instruction")),
        };
        new.copy_flags_from(i);
        new.copy_place_from(i);
        self.packets.set_vector(i, new);
        Ok(())
    }

    fn is_uniform_store(&self, i: Value) -> bool {
        i.operands().all(|op| self.shapes.get(op) == Shape::Uniform)
    }

    /// Once for all lanes, or for lane 0 of strided ones. Lane 0 need not take part, so what is known of those that do, which the
    /// flags say, may not hold for it.
    pub(crate) fn copy_scalar(&mut self, i: Value) -> Result<(), Stopped> {
        let name = if i.ty().is_void() { String::new() } else { i.name() };
        let strided = matches!(self.shapes.get(i), Shape::Strided(_) | Shape::StridedBy(..));
        if strided && i.is_disjoint_or() {
            let (a, b) = (self.packets.scalar(i.operand(0))?, self.packets.scalar(i.operand(1))?);
            let sum = self.b.add(a, b, &name);
            self.packets.set_scalar(i, sum);
            return Ok(());
        }
        let copy = i.clone_instruction();
        for n in 0..i.num_operands() {
            copy.set_operand(n, self.packets.scalar(i.operand(n))?);
        }
        self.b.insert(copy, &name);
        if strided {
            copy.drop_poison_flags();
        }
        self.packets.set_scalar(i, copy);
        Ok(())
    }

    fn gep(&mut self, i: Value) -> Result<Value, Stopped> {
        let mut operands = Vec::new();
        for operand in i.operands() {
            let uniform = self.shapes.get(operand) == Shape::Uniform;
            operands.push(if uniform {
                self.packets.scalar(operand)?
            } else {
                self.packets.vector(operand)?
            });
        }
        let name = i.name();
        Ok(if i.is_in_bounds() {
            self.b.gep(i.gep_source_type(), operands[0], &operands[1..], &name)
        } else {
            self.b.gep_anywhere(i.gep_source_type(), operands[0], &operands[1..], &name)
        })
    }

    /// One copy of a private array for each lane.
    fn alloca(&mut self, i: Value) -> Result<(), Stopped> {
        if self.shapes.get(i) == Shape::Uniform {
            return self.copy_scalar(i);
        }
        let bytes = lane_stride(self.module, i) * u64::from(self.width);
        let align = i.alignment().max(self.module.align_of(i.allocated_type()));
        let new = self.b.alloca(self.module.context().i8().array(bytes), align, &i.name());
        self.packets.set_scalar(i, new);
        Ok(())
    }

    fn call(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let function = i.called_function();
        if let Some(f) = function {
            let name = f.name();
            let hint = ["llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.dbg."];
            if hint.iter().any(|h| name.starts_with(h)) {
                return Ok(());
            }
            if name == private::LANE {
                self.packets.set_scalar(i, i.ty().zero());
                return Ok(());
            }
            match Builtin::of(f) {
                Some(Builtin::Group(group)) => return self.site(mask).write(i, group),
                Some(builtin) if builtin.is_sub_group_query() => {
                    let answer = self.site(mask).query(builtin);
                    self.packets.set_scalar(i, answer);
                    return Ok(());
                }
                Some(Builtin::GetGlobalId | Builtin::GetLocalId) if self.shapes.get(i) == Shape::Varying => {
                    return self.dynamic_id(i, mask);
                }
                Some(builtin) if builtin.is_barrier() || builtin == Builtin::MemBarrier => {
                    return self.copy_scalar(i);
                }
                _ => {}
            }
        }
        if self.shapes.get(i) != Shape::Varying {
            return self.copy_scalar(i);
        }
        if let Some(Builtin::Math(math)) = function.and_then(Builtin::of) {
            let wide = math.declare(self.module, self.lane_type(i)?.vector(self.width));
            let args = i.call_args().into_iter().map(|arg| self.packets.vector(arg));
            let new = self.b.call(wide, &args.collect::<Result<Vec<_>, _>>()?, &i.name());
            self.packets.set_vector(i, new);
            return Ok(());
        }
        if let Some((wide, stays)) = i.widened_intrinsic(self.width) {
            let mut args = Vec::new();
            for (arg, stays) in i.call_args().into_iter().zip(stays) {
                if stays && self.shapes.get(arg) != Shape::Uniform {
                    return self.instantiate(i, mask);
                }
                args.push(if stays { self.packets.scalar(arg)? } else { self.packets.vector(arg)? });
            }
            let new = self.b.call(wide, &args, &i.name());
            new.copy_flags_from(i);
            self.packets.set_vector(i, new);
            return Ok(());
        }
        self.instantiate(i, mask)
    }

    /// Where an operation over a group is written.
    fn site(&mut self, mask: Mask) -> Site<'_, 'a> {
        let (module, b, dimension) = (self.module, &self.b, self.dimension);
        Site { module, packets: &mut self.packets, b, mask, dimension, memory: self.memory }
    }

    /// The ID in a dimension that is not known: only in one dimension do lanes differ.
    fn dynamic_id(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        if self.shapes.get(i.operand(0)) != Shape::Uniform {
            return self.instantiate_id(i, mask);
        }
        self.copy_scalar(i)?;
        let id = self.packets.scalar(i)?;
        let dimension = self.packets.scalar(i.operand(0))?;
        let own = self.b.i32(self.dimension);
        let is_x = self.b.icmp(llvm::IntPredicate::LLVMIntEQ, dimension, own, "");
        let steps = self.packets.steps(i.ty(), 1);
        let none = steps.ty().zero();
        let steps = self.b.select(is_x, steps, none, "");
        let splat = self.b.splat(id, self.width, "");
        let ids = self.b.add(splat, steps, &i.name());
        self.packets.set_vector(i, ids);
        Ok(())
    }

    /// The ID in a dimension that differs from lane to lane: that of lane 0 for each, plus the lane if it is that of the lanes.
    fn instantiate_id(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let results = lanes::instantiate(self.module, &mut self.packets, &self.b, i, mask)?;
        let dimension = self.packets.vector(i.operand(0))?;
        let own = self.b.splat(self.b.i32(self.dimension), self.width, "");
        let is_x = self.b.icmp(llvm::IntPredicate::LLVMIntEQ, dimension, own, "");
        let steps = self.packets.steps(i.ty(), 1);
        let steps = self.b.select(is_x, steps, steps.ty().zero(), "");
        let ids = self.b.add(results[0], steps, &i.name());
        self.packets.set_vector(i, ids);
        Ok(())
    }

    pub(crate) fn instantiate(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let differs = |op: Value| op.ty().is_vector() && self.shapes.get(op) != Shape::Uniform;
        if i.ty().is_vector() || i.operands().any(differs) {
            return Err(Stopped::at(i, "vectors that one lane after the other would need"));
        }
        if let Some(f) = i.called_function()
            && passes::asks_for_work_item(f)
        {
            return Err(Stopped::at(i, "a function that asks for its work-item was not inlined"));
        }
        match i.opcode() {
            Some(Opcode::LLVMCall) => self.remarks.call_per_lane(i),
            _ => self.remarks.memory(i, Access::PerLane),
        }
        let results = lanes::instantiate(self.module, &mut self.packets, &self.b, i, mask)?;
        if i.ty().is_struct() {
            self.fields.insert(i, results);
        } else if let Some(&vector) = results.first() {
            self.packets.set_vector(i, vector);
        }
        Ok(())
    }
}
