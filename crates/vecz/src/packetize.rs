//! Packetization: writes the wide form of each instruction, under the mask of its block.
//!
//! A uniform instruction is copied once, for all lanes; a varying one becomes an instruction on
//! vectors, or a copy for each lane if it has no wide form. Loads and stores are in `load_store`,
//! vectors of the kernel's own in `partial_scalarization`; both add methods to [`Packetizer`].
//! Blocks, PHIs and branches are the [`crate::linearize`] step's.

use crate::Stopped;
use crate::collectives::Site;
use crate::instantiation;
use crate::interleave_groups::InterleaveGroups;
use crate::memory::{self, Mask};
use crate::packet::Packets;
use crate::partial_scalarization;
use crate::private;
use crate::remarks::{Access, KernelRemarks};
use crate::shape::{Shape, lane_stride};
use crate::vectorize::Plan;
use ir::Builtin;
use ir::metadata::Vectorization;
use llvm::{Block, Builder, Function, Opcode, Value};
use std::collections::HashMap;

pub(crate) struct Packetizer<'a> {
    pub(crate) plan: &'a Plan<'a>,
    /// The values written so far.
    pub(crate) packets: Packets<'a>,
    /// Fields of structs, as vectors.
    fields: HashMap<Value, instantiation::Results>,
    /// The insertion point of the next instruction.
    pub(crate) b: Builder,
    /// The interleave groups of the block that is being written.
    pub(crate) groups: InterleaveGroups,
    /// The masked version of a BOSCC region is being written: at least one lane is inactive.
    pub(crate) in_masked_version: bool,
    pub(crate) remarks: KernelRemarks<'a>,
}

impl<'a> Packetizer<'a> {
    pub(crate) fn new(plan: &'a Plan<'a>, wide: Function, remarks: KernelRemarks<'a>) -> Self {
        let context = plan.module.context();
        let kernel = plan.structure.order[0].function();
        Packetizer {
            plan,
            packets: Packets::new(plan.module, plan.shapes, plan.width, kernel, wide),
            fields: HashMap::new(),
            b: Builder::new(context),
            groups: InterleaveGroups::default(),
            in_masked_version: false,
            remarks,
        }
    }

    /// Starts with the instructions of another block of the kernel.
    pub(crate) fn enter(&mut self, block: Block) {
        let Plan { module, shapes, width, memory, .. } = *self.plan;
        self.groups = InterleaveGroups::of(module, shapes, width, memory, block);
    }

    /// The block of the wide function that is being written.
    pub(crate) fn block(&self) -> Block {
        self.b.block().expect("the builder is in a block")
    }

    /// Forgets the packet of a value, before another version of its region is written.
    pub(crate) fn forget(&mut self, value: Value) {
        self.packets.forget(value);
        self.fields.remove(&value);
    }

    /// Writes the wide form of one instruction: a dispatch over opcodes, one arm each.
    pub(crate) fn instruction(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        use Opcode::*;
        let opcode = i.opcode().expect("it is an instruction");
        self.b.set_place_of(i);
        match opcode {
            LLVMAlloca => return self.alloca(i),
            LLVMStore if i.operand(0).ty().is_vector() && !self.is_uniform_store(i) => {
                return self.store_lane_vectors(i, mask);
            }
            LLVMStore => return self.store(i, mask),
            LLVMCall => return self.call(i, mask),
            _ => {}
        }
        if self.plan.shapes.get(i) != Shape::Varying {
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
                // An inactive lane must not divide by zero: that traps.
                if let Some(mask) = mask.filter(|_| i.operand(1).as_const_signed().is_none_or(|n| n <= 0)) {
                    let n = partial_scalarization::elements_per_lane(i.ty());
                    let width = self.plan.width.with_lanes(self.plan.width.lanes * n);
                    let one = self.b.splat(i.ty().scalar().const_int(1), width, "");
                    divisor = self.b.select(
                        partial_scalarization::repeat_per_element(&self.b, mask, n),
                        divisor,
                        one,
                        "",
                    );
                }
                self.b.binary(opcode, a, divisor, &name)
            }
            // LLVM makes it one lane after the other, and knows the lanes of fixed vectors only.
            LLVMFRem if self.plan.width.scalable => return self.instantiate(i, mask),
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
                let uniform = self.plan.shapes.get(i.operand(0)) == Shape::Uniform;
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
        i.operands().all(|op| self.plan.shapes.get(op) == Shape::Uniform)
    }

    /// Copies an instruction as a scalar: for all lanes, or for lane 0 if the value is strided.
    /// Lane 0 may be inactive, so that poison-generating flags (`nsw`, `inbounds` …), which hold
    /// for active lanes, are dropped.
    pub(crate) fn copy_scalar(&mut self, i: Value) -> Result<(), Stopped> {
        let name = if i.ty().is_void() { String::new() } else { i.name() };
        let strided = matches!(self.plan.shapes.get(i), Shape::Strided(_) | Shape::StridedBy(..));
        if strided && i.is_disjoint_or() {
            let (a, b) = (self.packets.scalar(i.operand(0))?, self.packets.scalar(i.operand(1))?);
            let sum = self.b.add(a, b, &name);
            self.packets.set_scalar(i, sum);
            return Ok(());
        }
        // All of them first: a copy that is not inserted would still use what the instruction uses.
        let operands =
            i.operands().map(|operand| self.packets.scalar(operand)).collect::<Result<Vec<_>, _>>()?;
        let copy = i.clone_instruction();
        for (n, operand) in operands.into_iter().enumerate() {
            copy.set_operand(n as u32, operand);
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
            let uniform = self.plan.shapes.get(operand) == Shape::Uniform;
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
        if self.plan.shapes.get(i) == Shape::Uniform {
            return self.copy_scalar(i);
        }
        let bytes = lane_stride(self.plan.module, i) * u64::from(self.plan.width.lanes);
        let align = i.alignment().max(self.plan.module.align_of(i.allocated_type()));
        let new = match self.plan.width.scalable {
            true => private::scalable_alloca(self.plan.module, &self.b, bytes, align, &i.name()).1,
            false => self.b.alloca(self.plan.module.context().i8().array(bytes), align, &i.name()),
        };
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
                Some(Builtin::GetGlobalId | Builtin::GetLocalId)
                    if self.plan.shapes.get(i) == Shape::Varying =>
                {
                    return self.dynamic_id(i, mask);
                }
                Some(builtin) if builtin.is_barrier() || builtin == Builtin::MemBarrier => {
                    return self.copy_scalar(i);
                }
                _ => {}
            }
        }
        if self.plan.shapes.get(i) != Shape::Varying {
            return self.copy_scalar(i);
        }
        if let Some(Builtin::Math(math)) = function.and_then(Builtin::of) {
            let wide = math.declare(self.plan.module, self.lane_type(i)?.vector(self.plan.width));
            let args = i.call_args().into_iter().map(|arg| self.packets.vector(arg));
            let new = self.b.call(wide, &args.collect::<Result<Vec<_>, _>>()?, &i.name());
            self.packets.set_vector(i, new);
            return Ok(());
        }
        if let Some((wide, stays)) = i.widened_intrinsic(self.plan.width) {
            let mut args = Vec::new();
            for (arg, stays) in i.call_args().into_iter().zip(stays) {
                if stays && self.plan.shapes.get(arg) != Shape::Uniform {
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
        let (module, b, dimension) = (self.plan.module, &self.b, self.plan.dimension);
        Site { module, packets: &mut self.packets, b, mask, dimension, memory: self.plan.memory }
    }

    /// The ID in a dimension that is not a constant: lanes differ only in the vectorized dimension.
    fn dynamic_id(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        if self.plan.shapes.get(i.operand(0)) != Shape::Uniform {
            return self.instantiate_id(i, mask);
        }
        self.copy_scalar(i)?;
        let id = self.packets.scalar(i)?;
        let dimension = self.packets.scalar(i.operand(0))?;
        let own = self.b.i32(self.plan.dimension);
        let is_x = self.b.icmp(llvm::IntPredicate::LLVMIntEQ, dimension, own, "");
        let steps = self.packets.steps(&self.b, i.ty(), 1);
        let none = steps.ty().zero();
        let steps = self.b.select(is_x, steps, none, "");
        let splat = self.b.splat(id, self.plan.width, "");
        let ids = self.b.add(splat, steps, &i.name());
        self.packets.set_vector(i, ids);
        Ok(())
    }

    /// The ID in a dimension that differs from lane to lane: the ID of lane 0 in each lane's
    /// dimension, plus the lane number where that is the vectorized dimension.
    fn instantiate_id(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let results = instantiation::instantiate(self.plan.module, &mut self.packets, &self.b, i, mask)?;
        let dimension = self.packets.vector(i.operand(0))?;
        let own = self.b.splat(self.b.i32(self.plan.dimension), self.plan.width, "");
        let is_x = self.b.icmp(llvm::IntPredicate::LLVMIntEQ, dimension, own, "");
        let steps = self.packets.steps(&self.b, i.ty(), 1);
        let steps = self.b.select(is_x, steps, steps.ty().zero(), "");
        let ids = self.b.add(results[0], steps, &i.name());
        self.packets.set_vector(i, ids);
        Ok(())
    }

    pub(crate) fn instantiate(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let differs = |op: Value| op.ty().is_vector() && self.plan.shapes.get(op) != Shape::Uniform;
        if i.ty().is_vector() || i.operands().any(differs) {
            return Err(Stopped::at(i, "vectors that one lane after the other would need"));
        }
        if let Some(f) = i.called_function()
            && Builtin::of(f) != Some(Builtin::Check)
            && passes::asks_for_work_item(f)
        {
            return Err(Stopped::at(i, "a function that asks for its work-item was not inlined"));
        }
        match i.opcode() {
            Some(Opcode::LLVMCall) => self.remarks.call_per_lane(i),
            Some(Opcode::LLVMFRem) => {}
            _ => self.remarks.memory(i, Access::PerLane),
        }
        let results = instantiation::instantiate(self.plan.module, &mut self.packets, &self.b, i, mask)?;
        if i.ty().is_struct() {
            self.fields.insert(i, results);
        } else if let Some(&vector) = results.first() {
            self.packets.set_vector(i, vector);
        }
        Ok(())
    }

    // ---- Masks and types -----------------------------------------------------------------------

    /// The entry mask of a predicated kernel: the lanes within the work-group.
    pub(crate) fn lanes_within(&self) -> Value {
        let query =
            |builtin: Builtin, d: u32| self.b.call(builtin.declare(self.plan.module), &[self.b.i32(d)], "");
        let size = if self.plan.how.dimension == Vectorization::LINEAR {
            let [x, y, z] = [0, 1, 2].map(|d| query(Builtin::GetLocalSize, d));
            self.b.mul(self.b.mul(x, y, ""), z, "")
        } else {
            query(Builtin::GetLocalSize, self.plan.dimension)
        };
        let first = query(Builtin::GetLocalId, self.plan.dimension);
        if self.plan.width.scalable {
            let mask = self.plan.module.context().i1().vector(self.plan.width);
            let f = self.plan.module.intrinsic("llvm.get.active.lane.mask", &[mask, size.ty()]);
            return self.b.call(f, &[first, size], "within");
        }
        let left = self.b.sub(size, first, "left");
        let left = self.b.cast(Opcode::LLVMTrunc, left, self.plan.module.context().i32(), "");
        let lanes = self.packets.steps(&self.b, self.plan.module.context().i32(), 1);
        let left = self.b.splat(left, self.plan.width, "");
        self.b.icmp(llvm::IntPredicate::LLVMIntULT, lanes, left, "within")
    }

    /// The lanes of `mask` for which the condition is `when`. An inactive lane may hold poison,
    /// which `and` would propagate: hence a select.
    pub(crate) fn narrowed(&mut self, mask: Mask, condition: Value, when: bool) -> Result<Value, Stopped> {
        let condition = self.packets.vector(condition)?;
        let zero = condition.ty().zero();
        let ones = memory::mask_vector(&self.b, None, self.plan.width);
        let holds = if when { condition } else { self.b.binary(Opcode::LLVMXor, condition, ones, "") };
        Ok(match mask {
            None => holds,
            Some(mask) => self.b.select(mask, holds, zero, "mask"),
        })
    }

    /// Whether any lane is active.
    pub(crate) fn any(&self, mask: Value) -> Value {
        let f = self.plan.module.intrinsic("llvm.vector.reduce.or", &[mask.ty()]);
        self.b.call(f, &[mask], "any")
    }

    /// Whether all lanes are active.
    pub(crate) fn all(&self, mask: Value) -> Value {
        let f = self.plan.module.intrinsic("llvm.vector.reduce.and", &[mask.ty()]);
        self.b.call(f, &[mask], "all")
    }

    /// The vector type that holds a value for all lanes.
    pub(crate) fn wide_type(&self, value: Value) -> Result<llvm::Type, Stopped> {
        match value.ty().is_vector() {
            true => Ok(partial_scalarization::wide_type(value.ty(), self.plan.width)),
            false => Ok(self.lane_type(value)?.vector(self.plan.width)),
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
}
