//! Packetization: writes the wide function, instruction by instruction and block by block.

use crate::Stopped;
use crate::boscc::{BosccRegions, UnmaskedResults};
use crate::collectives::Site;
use crate::cost::Estimate;
use crate::instantiation;
use crate::interleave_groups::InterleaveGroups;
use crate::interleaving;
use crate::memory::{self, Mask, MemoryOps};
use crate::options::{Mode, VectorizationChoice, VeczPassOptions};
use crate::packet::{Ends, Packets};
use crate::partial_scalarization;
use crate::prepare::prepare;
use crate::private;
use crate::remarks::{Access, KernelRemarks};
use crate::shape::{Shape, Shapes, lane_stride};
use crate::structure::{Branch, Role, Structure};
use crate::vector_unit::VectorUnit;
use ir::Builtin;
use ir::metadata::Vectorization;
use llvm::{Block, Builder, Function, Module, Opcode, TargetMachine, Value};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Makes a version of the kernel that runs several consecutive work-items at once; the local ID
/// that is set when it is called is that of lane 0. The kernel itself is not changed.
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
    let partial = way.choices.is_enabled(VectorizationChoice::PartialScalarization);
    let result = prepare(module, scalar, linear, partial, machine).and_then(|whole| {
        let structure = Structure::of(module, scalar)?;
        let shapes = Shapes::of(module, &structure, dimension, HashSet::new());
        if let (Mode::Auto, Some(machine)) = (way.mode, machine) {
            let estimate = Estimate::of(module, whole, &structure, &shapes, how.width, unit, machine);
            pays(estimate, if partial { 0.6 } else { 0.85 })?;
        }
        if way.most_registers > 1 {
            let factor = interleaving::interleave_count(module, unit, &structure, &shapes, how.width)
                .min(way.most_registers);
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
        let boscc = match way.choices.is_enabled(VectorizationChoice::LinearizeBoscc) {
            true => BosccRegions::of(module, &structure, &shapes, how.width),
            false => BosccRegions::default(),
        };
        Packetizer::new(module, how, wide, &structure, &shapes, boscc, unit.memory, remarks).run()
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

/// A kernel with more instructions than this is large ([`VeczPassOptions::predicated_if_large`]).
const LARGE: usize = 200;

/// Refuses a kernel whose vector version is estimated to be slower than scalar code.
fn pays(estimate: Estimate, part: f64) -> Result<(), Stopped> {
    let Estimate { alone, as_lane } = estimate;
    // The threshold is below 1: estimates are rough, and LLVM vectorizes scalar code, too.
    if as_lane <= part * alone {
        return Ok(());
    }
    Err(Stopped::new(format!(
        "one work-item at a time is estimated to be faster: {alone:.0} cycles, against {as_lane:.0} in a lane"
    )))
}

/// Refuses instructions that have no wide form, before anything is written.
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
                partial_scalarization::check(i, width)?;
                continue;
            }
            return Err(Stopped::at(i, "a vector that differs from lane to lane"));
        }
    }
    Ok(())
}

/// An incoming value of a PHI that is filled in later, because its definition is written after the
/// PHI.
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
    pub(crate) fields: HashMap<Value, instantiation::Results>,
    pub(crate) pending: Vec<Pending>,
    /// The regions that get a version without masks, beside the masked one.
    pub(crate) boscc: BosccRegions,
    /// The first block of a triangle whose unmasked BOSCC version is about to be written.
    pub(crate) unmasked: Option<Block>,
    /// The masked version of a BOSCC region is being written: at least one lane is inactive.
    pub(crate) in_masked_version: bool,
    /// The values that unmasked versions bring to the PHIs of a join block.
    pub(crate) unmasked_results: HashMap<Block, UnmaskedResults>,
    /// Values of a loop's body that are hoisted before its two versions.
    pub(crate) early: HashSet<Value>,
    pub(crate) remarks: KernelRemarks<'a>,
    /// The target's code for loads and stores of all lanes.
    pub(crate) memory: &'a dyn MemoryOps,
    /// The interleave groups of the block that is being written.
    pub(crate) groups: InterleaveGroups,
}

impl<'a> Packetizer<'a> {
    #[allow(clippy::too_many_arguments)]
    fn new(
        module: &'a Module,
        how: Vectorization,
        wide: Function,
        structure: &'a Structure,
        shapes: &'a Shapes,
        boscc: BosccRegions,
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
            boscc,
            unmasked: None,
            in_masked_version: false,
            unmasked_results: HashMap::new(),
            early: HashSet::new(),
            remarks,
            memory,
            groups: InterleaveGroups::default(),
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

    /// Writes a range of the blocks, in reverse post-order.
    pub(crate) fn write(&mut self, part: Range<usize>) -> Result<(), Stopped> {
        let structure = self.structure;
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
        self.b.position_at_end(self.blocks[&block]);
        let mask = self.mask_of(block);
        self.masks.insert(block, mask);
        self.phis(block)?;
        Ok(mask)
    }

    /// Writes the instructions of a block, without its PHIs and its terminator.
    pub(crate) fn instructions(&mut self, block: Block, mask: Mask) -> Result<(), Stopped> {
        self.groups = InterleaveGroups::of(self.module, self.shapes, self.width, block);
        for instruction in block.instructions() {
            if !instruction.is_phi() && !instruction.is_terminator() && !self.early.contains(&instruction) {
                self.instruction(instruction, mask)?;
            }
        }
        Ok(())
    }

    /// Writes the terminator of the `n`th block, and both versions of the triangle that it opens if
    /// that is a BOSCC region. Returns the number of the block to go on with.
    pub(crate) fn finish(&mut self, block: Block, mask: Mask, n: usize) -> Result<usize, Stopped> {
        let twice = self.boscc_triangle(block);
        self.terminator(block, mask)?;
        let end = self.b.block().expect("the builder is in a block");
        self.ends.insert(block, end);
        let Some(region) = twice else { return Ok(n + 1) };
        self.in_masked_version = true;
        self.write(region.clone())?;
        self.in_masked_version = false;
        Ok(region.end)
    }

    /// Adds the incoming values that were not written yet when their PHIs were.
    pub(crate) fn fill_phis(&mut self) -> Result<(), Stopped> {
        for p in std::mem::take(&mut self.pending) {
            let value =
                if p.vector { self.packets.vector(p.value)? } else { self.packets.scalar(p.value)? };
            p.phi.add_incoming(value, self.ends[&p.from]);
        }
        Ok(())
    }

    // ---- Control flow --------------------------------------------------------------------------

    pub(crate) fn is_varying(&self, block: Block) -> bool {
        block.terminator().is_some_and(|t| self.shapes.is_varying_branch(t))
    }

    /// The mask of a block: its active lanes. The mask of a divergent loop is a PHI.
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

    /// The entry mask of a predicated kernel: the lanes within the work-group.
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

    /// Writes the PHIs of a block. At the join of a divergent branch they become selects.
    fn phis(&mut self, block: Block) -> Result<(), Stopped> {
        let phis = block.phis();
        if phis.is_empty() {
            return Ok(());
        }
        match self.structure.roles[&block] {
            Role::Exit(header) if self.is_varying(self.structure.loops[&header].latch) => {
                // The latch's terminator has written these PHIs ([`Self::keep_results`]).
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

    /// Turns the PHIs at the join of a divergent triangle into selects (blends).
    fn blend(&mut self, phis: &[Value], opener: Block, join: Block) -> Result<(), Stopped> {
        let ran = self.then_masks[&opener];
        let unmasked = self.unmasked_results.remove(&join);
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
            // If no lane was active, the triangle was skipped and the value is poison.
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

    /// The lanes of `mask` for which the condition is `when`. An inactive lane may hold poison,
    /// which `and` would propagate: hence a select.
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

    /// Whether any lane is active.
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
                if let Some(region) = self.boscc_triangle(block) {
                    return self.write_boscc_triangle(block, taken, region);
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

    /// Writes the values live out of a divergent loop: a lane that ran this iteration takes its
    /// value from it, the others keep the one with which they left the loop.
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

    /// The vector type that holds a value for all lanes.
    fn wide_type(&self, value: Value) -> Result<llvm::Type, Stopped> {
        match value.ty().is_vector() {
            true => Ok(partial_scalarization::wide_type(value.ty(), self.width)),
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

    // ---- Instructions --------------------------------------------------------------------------

    fn instruction(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        use Opcode::*;
        let opcode = i.opcode().expect("it is an instruction");
        match opcode {
            LLVMAlloca => return self.alloca(i),
            LLVMStore if i.operand(0).ty().is_vector() && !self.is_uniform_store(i) => {
                return self.store_lane_vectors(i, mask);
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
            LLVMLoad if i.ty().is_vector() => return self.load_lane_vectors(i, mask),
            LLVMLoad => return self.load(i, mask),
            LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => {
                let a = self.packets.vector(i.operand(0))?;
                let mut divisor = self.packets.vector(i.operand(1))?;
                if let Some(mask) = mask {
                    // An inactive lane must not divide by zero: that traps.
                    let n = partial_scalarization::elements_per_lane(i.ty());
                    let one = self.b.splat(i.ty().scalar().const_int(1), self.width * n, "");
                    divisor = self.b.select(
                        partial_scalarization::repeat_per_element(&self.b, mask, n),
                        divisor,
                        one,
                        "",
                    );
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
                    // A uniform vector condition has one element per element, and is widened like
                    // the operands.
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

    /// Copies an instruction as a scalar: for all lanes, or for lane 0 if the value is strided.
    /// Lane 0 may be inactive, so that poison-generating flags (`nsw`, `inbounds` …), which hold
    /// for active lanes, are dropped.
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

    /// Allocates a private array: one copy per lane, one after the other.
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

    /// The context for writing a collective operation.
    fn site(&mut self, mask: Mask) -> Site<'_, 'a> {
        let (module, b, dimension) = (self.module, &self.b, self.dimension);
        Site { module, packets: &mut self.packets, b, mask, dimension, memory: self.memory }
    }

    /// The ID in a dimension that is not a constant: lanes differ only in the vectorized dimension.
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

    /// The ID in a dimension that differs from lane to lane: the ID of lane 0 in each lane's
    /// dimension, plus the lane number where that is the vectorized dimension.
    fn instantiate_id(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let results = instantiation::instantiate(self.module, &mut self.packets, &self.b, i, mask)?;
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
        let results = instantiation::instantiate(self.module, &mut self.packets, &self.b, i, mask)?;
        if i.ty().is_struct() {
            self.fields.insert(i, results);
        } else if let Some(&vector) = results.first() {
            self.packets.set_vector(i, vector);
        }
        Ok(())
    }
}
