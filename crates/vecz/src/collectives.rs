//! Collective operations over sub-groups and work-groups, in a kernel whose vectors hold several
//! work-items.
//!
//! A sub-group is one vector, so that a sub-group operation is one over the active lanes
//! (`__mux_vec_group_*`); inactive lanes contribute the operation's identity. A work-group
//! operation first combines the lanes, and the work-item loop combines one value per vector:
//!
//! ```text
//! %r = call @__mux_work_group_reduce_add_i32(i32 7, i32 %x)
//! ───►
//! %s = call @__mux_vec_group_reduce_add_v8i32(<8 x i32> %x)
//! %r = call @__mux_work_group_reduce_add_i32(i32 7, i32 %s)
//! ```

use crate::Stopped;
use crate::memory::{self, Mask, MemoryOps};
use crate::packet::Packets;
use crate::shape::Shape;
use ir::{Arithmetic, Builtin, Group, GroupOp, GroupScope};
use llvm::{Builder, IntPredicate, Module, Opcode, Value};

/// The shape of a collective's result: scans and shuffles vary, all others are uniform.
pub fn shape(group: Group) -> Shape {
    if group.op.is_scan() || group.op.is_shuffle() { Shape::Varying } else { Shape::Uniform }
}

/// The context in which a collective operation is written.
pub struct Site<'a, 'p> {
    pub module: &'a Module,
    pub packets: &'a mut Packets<'p>,
    pub b: &'a Builder,
    /// The active lanes.
    pub mask: Mask,
    /// The dimension in which lanes are consecutive.
    pub dimension: u32,
    pub memory: &'a dyn MemoryOps,
}

impl Site<'_, '_> {
    /// Writes the collective operation of `call`. Its result is a scalar or a vector, as [`shape`]
    /// says.
    pub fn write(&mut self, call: Value, group: Group) -> Result<(), Stopped> {
        let new = match group.scope {
            GroupScope::Work => self.of_work_group(call, group.op)?,
            GroupScope::Sub => self.of_sub_group(call, group.op)?,
            GroupScope::Vec => return Err(Stopped::at(call, "a vector group inside of another")),
        };
        match shape(group) {
            Shape::Varying => self.packets.set_vector(call, new),
            _ => self.packets.set_scalar(call, new),
        }
        Ok(())
    }

    /// The operand's lanes, with the operation's identity in inactive ones.
    fn operand(&mut self, value: Value, arithmetic: Option<Arithmetic>) -> Result<Value, Stopped> {
        let vector = self.packets.vector(value)?;
        Ok(match (self.mask, arithmetic) {
            (Some(mask), Some(a)) => {
                let identity = self.b.splat(a.identity(value.ty()), self.packets.width, "");
                self.b.select(mask, vector, identity, "")
            }
            _ => vector,
        })
    }

    /// An operand that the specification requires to be uniform; if that is not known here, the
    /// value of the first active lane.
    fn common(&mut self, value: Value) -> Result<Value, Stopped> {
        if self.packets.shapes.get(value) == Shape::Uniform {
            return self.packets.scalar(value);
        }
        let vector = self.packets.vector(value)?;
        let first = match self.mask {
            None => self.b.i32(0),
            Some(mask) => {
                let (b, width) = (self.b, self.packets.width);
                let lanes = self.lanes();
                let beyond = b.splat(self.last(), width, "");
                self.over_lanes(GroupOp::Reduce(Arithmetic::UMin), b.select(mask, lanes, beyond, ""))
            }
        };
        Ok(self.lane_of(vector, first))
    }

    /// The operation over the lanes.
    fn over_lanes(&self, op: GroupOp, vector: Value) -> Value {
        self.b.call(Group::vec(op).declare(self.module, vector.ty()), &[vector], "")
    }

    fn lane_of(&self, vector: Value, lane: Value) -> Value {
        self.b.call(Group::vec(GroupOp::Broadcast).declare(self.module, vector.ty()), &[vector, lane], "")
    }

    fn of_work_group(&mut self, call: Value, op: GroupOp) -> Result<Value, Stopped> {
        let (id, value) = (call.operand(0), call.operand(1));
        let (b, name) = (self.b, call.name());
        let vector = self.operand(value, op.arithmetic())?;
        let over_group = |op: GroupOp, args: &[Value]| {
            let all: Vec<Value> = [id].iter().chain(args).copied().collect();
            let new = b.call(Group::work(op).declare(self.module, value.ty()), &all, &name);
            new.copy_flags_from(call);
            new
        };
        Ok(match op {
            GroupOp::ScanInclusive(a) | GroupOp::ScanExclusive(a) => {
                let all = self.over_lanes(GroupOp::Reduce(a), vector);
                let before = over_group(GroupOp::ScanExclusive(a), &[all]);
                let scan = self.over_lanes(op, vector);
                a.combine(self.module, b, b.splat(before, self.packets.width, ""), scan)
            }
            GroupOp::Broadcast => {
                let mut ids = Vec::new();
                for n in 2..5 {
                    ids.push(self.common(call.operand(n))?);
                }
                // If the wanted work-item is a lane of this vector, broadcast that lane as the
                // value of lane 0, which is the work-item that the loop knows.
                let wanted = &mut ids[self.dimension as usize];
                let first = b.call(Builtin::GetLocalId.declare(self.module), &[b.i32(self.dimension)], "");
                let lane = b.sub(*wanted, first, "");
                let width = self.packets.count(b, lane.ty());
                let here = b.icmp(IntPredicate::LLVMIntULT, lane, width, "here");
                let lane = b.select(here, lane, lane.ty().zero(), "");
                let lane = b.int_cast(lane, b.context().i32(), "");
                *wanted = b.select(here, first, *wanted, "");
                over_group(op, &[self.lane_of(vector, lane), ids[0], ids[1], ids[2]])
            }
            GroupOp::Result => return Err(Stopped::at(call, "a result before its barrier")),
            _ => over_group(op, &[self.over_lanes(op, vector)]),
        })
    }

    fn of_sub_group(&mut self, call: Value, op: GroupOp) -> Result<Value, Stopped> {
        let vector = self.operand(call.operand(0), op.arithmetic())?;
        Ok(match op {
            GroupOp::Broadcast => {
                let lane = self.common(call.operand(1))?;
                self.lane_of(vector, self.wrapped(lane))
            }
            GroupOp::Shuffle => {
                let lanes = self.packets.vector(call.operand(1))?;
                self.permuted(vector, lanes)
            }
            GroupOp::ShuffleXor => {
                let with = self.packets.vector(call.operand(1))?;
                let lanes = self.b.binary(Opcode::LLVMXor, self.lanes(), with, "");
                self.permuted(vector, lanes)
            }
            GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                let other = self.packets.vector(call.operand(1))?;
                let by = self.packets.vector(call.operand(2))?;
                let (up, b) = (op == GroupOp::ShuffleUp, self.b);
                let most = b.splat(self.query(Builtin::GetMaxSubGroupSize), self.packets.width, "");
                let (towards, back) = match up {
                    true => (Opcode::LLVMSub, Opcode::LLVMAdd),
                    false => (Opcode::LLVMAdd, Opcode::LLVMSub),
                };
                let lanes = b.binary(towards, self.lanes(), by, "");
                let inside = b.icmp(IntPredicate::LLVMIntULT, lanes, most, "");
                let (current, beyond) = if up { (other, vector) } else { (vector, other) };
                let current = self.permuted(current, lanes);
                let beyond = self.permuted(beyond, b.binary(back, lanes, most, ""));
                b.select(inside, current, beyond, "")
            }
            op => self.over_lanes(op, vector),
        })
    }

    /// The vector 0, 1, 2 …
    fn lanes(&self) -> Value {
        self.packets.steps(self.b, self.b.context().i32(), 1)
    }

    /// The number of the last lane.
    fn last(&self) -> Value {
        self.b.sub(self.packets.count(self.b, self.b.context().i32()), self.b.i32(1), "")
    }

    /// A lane index, or a vector of them, modulo the width if that is a power of two.
    fn wrapped(&self, lane: Value) -> Value {
        let width = self.packets.width;
        if !width.lanes.is_power_of_two() {
            return lane;
        }
        // `vscale` is a power of two as well.
        let is_vector = lane.ty().is_vector() || lane.ty().is_scalable_vector();
        let last = if is_vector { self.b.splat(self.last(), width, "") } else { self.last() };
        self.b.and(lane, last, "")
    }

    /// Permutes a vector: lane `i` of the result is lane `lanes[i]`. With constant indices it is
    /// one shuffle, otherwise it goes through memory. (LLVM 19 knows a pattern of `extractelement`
    /// for it, but fails on it where it can be narrowed.)
    fn permuted(&self, vector: Value, lanes: Value) -> Value {
        let (b, width) = (self.b, self.packets.width);
        let lanes = self.wrapped(lanes);
        let number = |i: u32| b.extract_element(lanes, b.i64(i.into()), "");
        if lanes.is_constant()
            && let Some(width) = width.known()
            && let Some(known) = (0..width).map(|i| number(i).as_const_int()).collect::<Option<Vec<u64>>>()
        {
            let known: Vec<u32> = known.into_iter().map(|lane| lane as u32).collect();
            return b.shuffle(vector, vector.ty().poison(), &known, "");
        }
        let element = vector.ty().element();
        if element.is_int() && element.int_bits() == 1 {
            let bytes = b.context().i8().vector(width);
            let permuted = self.permuted(b.cast(Opcode::LLVMZExt, vector, bytes, ""), lanes);
            return b.cast(Opcode::LLVMTrunc, permuted, vector.ty(), "");
        }
        let start = self.packets.function.entry().first();
        let place = match start {
            Some(first) => Builder::before(b.context(), first),
            None => Builder::at_end(b.context(), self.packets.function.entry()),
        };
        let memory = place.alloca(vector.ty(), 0, "exchange");
        let align = self.module.align_of(element);
        let store = b.store(vector, memory);
        if width.scalable {
            store.set_alignment(align);
        }
        let addresses = b.gep(element, memory, &[lanes], "");
        self.memory.gather(memory::Place { module: self.module, b, width }, element, addresses, align, None)
    }

    /// Writes a query about the sub-group, which is this vector: consecutive work-items in linear
    /// order. The last vector of a work-group may have fewer work-items. The result is uniform and
    /// of the query's type.
    pub fn query(&self, builtin: Builtin) -> Value {
        let (b, module) = (self.b, self.module);
        let (i32, size) = (module.context().i32(), module.size_type());
        let call = |builtin: Builtin, args: &[Value]| b.call(builtin.declare(module), args, "");
        let product = |size: Builtin| {
            let [x, y, z] = [0, 1, 2].map(|d| call(size, &[b.i32(d)]));
            b.mul(b.mul(x, y, ""), z, "items")
        };
        let items = || product(Builtin::GetLocalSize);
        let at_most_width = |count: Value, name: &str| {
            let (count, most) = (b.int_cast(count, i32, ""), self.packets.count(b, i32));
            let fewer = b.icmp(IntPredicate::LLVMIntULT, count, most, "");
            b.select(fewer, count, most, name)
        };
        let first = || call(Builtin::GetLocalLinearId, &[]);
        let by_width = |value: Value| b.binary(Opcode::LLVMUDiv, value, self.packets.count(b, size), "");
        match builtin {
            Builtin::GetMaxSubGroupSize => at_most_width(product(Builtin::GetEnqueuedLocalSize), "most"),
            Builtin::GetSubGroupLocalId => b.i32(0),
            Builtin::GetSubGroupId => b.int_cast(by_width(first()), i32, "sub_group"),
            Builtin::GetNumSubGroups => {
                let last = b.sub(self.packets.count(b, size), size.const_int(1), "");
                let up = b.add(items(), last, "");
                b.int_cast(by_width(up), i32, "sub_groups")
            }
            Builtin::GetSubGroupSize => at_most_width(b.sub(items(), first(), ""), "sub_group_size"),
            _ => unreachable!("no other builtin asks about the sub-group"),
        }
    }
}
