//! Writes the loads and stores of the packetizer as their access plans say.

use crate::Stopped;
use crate::access_plan::{AccessCode, AccessPlan};
use crate::clamped_index::ClampedIndex;
use crate::interleave_groups::InterleaveGroup;
use crate::memory::{self, Intrinsics, Mask, MemoryOps, Place, Records};
use crate::packetize::Packetizer;
use crate::remarks::Access;
use crate::shape::{Shape, Shapes};
use crate::tables::Table;
use llvm::{Block, IntPredicate, Module, Opcode, Type, Value};

/// The largest stride of an index that may wrap.
const MOST_STRIDE: i64 = 1 << 16;

/// The most fields of records that are dense unless their index wraps.
const MOST_FIELDS: u32 = 8;

impl Packetizer<'_> {
    pub(crate) fn place(&self) -> Place<'_> {
        Place { module: self.plan.module, b: &self.b, width: self.plan.width }
    }

    // ---- Loads ---------------------------------------------------------------------------------

    /// The plan of a load or store, and its code under this mask.
    pub(crate) fn plan(&self, access: Value, mask: Mask) -> (AccessPlan, AccessCode) {
        let plan = AccessPlan::of(self.plan.module, self.plan.shapes, access).expect("it is a load or store");
        let code =
            plan.code(self.plan.module, self.plan.structure, self.plan.shapes, &self.groups, mask.is_some());
        (plan, code)
    }

    pub(crate) fn load(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let element = self.lane_type(i)?;
        let (plan, code) = self.plan(i, mask);
        if matches!(code, AccessCode::Gather | AccessCode::TestContiguous)
            && let Some(table) = Table::of(self.plan.module, i, self.plan.permutes)
        {
            self.remarks.memory(i, Access::Table);
            let indices = self.packets.vector(table.index)?;
            let new = table.look_up(self.place(), indices, element);
            self.packets.set_vector(i, new);
            return Ok(());
        }
        if !matches!(code, AccessCode::Interleaved(_) | AccessCode::PerLane) {
            self.remarks.memory(i, plan.remark(&code, self.plan.shapes));
        }
        let (address, align) = (plan.address, i.alignment());
        let ops = self.plan.memory;
        let new = match code {
            AccessCode::PerLane => return self.instantiate(i, mask),
            AccessCode::Interleaved(group) => {
                return if group.leader() == i { self.load_group(&group, mask) } else { Ok(()) };
            }
            AccessCode::Scalar | AccessCode::LastLane => return self.copy_scalar(i),
            AccessCode::Contiguous => {
                let address = self.packets.scalar(address)?;
                ops.load_contiguous(self.place(), element, address, align, mask)
            }
            AccessCode::Reversed => {
                let address = self.last_lane(address, -plan.size)?;
                let mask = mask.map(|mask| memory::reversed(self.place(), mask));
                let loaded = ops.load_contiguous(self.place(), element, address, align, mask);
                memory::reversed(self.place(), loaded)
            }
            AccessCode::Strided(stride) => {
                let first = self.packets.scalar(address)?;
                ops.load_strided(self.place(), element, first, self.bytes(stride), align)
            }
            AccessCode::StridedBy { by, times, test } => {
                let step = self.packets.step(&self.b, by, times, self.plan.module.context().i64())?;
                let first = self.packets.scalar(address)?;
                let apart = match mask {
                    None => first,
                    Some(_) => self.packets.vector(address)?,
                };
                let strided = |p: &Self| match mask {
                    None => ops.load_strided(p.place(), element, first, step, align),
                    Some(_) => ops.gather(p.place(), element, apart, align, mask),
                };
                if test {
                    let size = self.bytes(plan.size);
                    let is_size = self.b.icmp(IntPredicate::LLVMIntEQ, step, size, "contiguous");
                    let contiguous = |p: &Self| ops.load_contiguous(p.place(), element, first, align, mask);
                    self.either(is_size, |p| vec![contiguous(p)], |p| vec![strided(p)])[0]
                } else {
                    strided(self)
                }
            }
            AccessCode::TestContiguous => {
                let addresses = self.packets.vector(address)?;
                self.load_perhaps_contiguous(address, element, addresses, align, mask)?
            }
            AccessCode::Gather => {
                let addresses = self.packets.vector(address)?;
                ops.gather(self.place(), element, addresses, align, mask)
            }
        };
        self.packets.set_vector(i, new);
        Ok(())
    }

    /// A constant number of bytes.
    fn bytes(&self, number: i64) -> Value {
        self.plan.module.context().i64().const_signed(number)
    }

    /// The address of each lane's record, from the result of [`Self::group_address`].
    fn record_addresses(&self, group: &InterleaveGroup, first: Value, step: Option<Value>) -> Vec<Value> {
        match step {
            Some(step) => memory::strided(self.place(), first, step),
            None => {
                let lanes = memory::lane_addresses(self.place(), first);
                lanes.into_iter().map(|own| memory::offset(&self.b, own, group.first_offset())).collect()
            }
        }
    }

    /// [`Self::record_addresses`] as a vector.
    fn record_vector(&self, group: &InterleaveGroup, first: Value, step: Option<Value>) -> Value {
        match step {
            Some(step) => memory::strided_vector(self.place(), first, step),
            None => memory::offset(&self.b, first, group.first_offset()),
        }
    }

    /// The stride in bytes; `None` if there is none.
    fn step_of(&self, shape: Shape) -> Result<Option<Value>, Stopped> {
        match shape {
            Shape::StridedBy(by, times) => {
                self.packets.step(&self.b, by, times, self.plan.module.context().i64()).map(Some)
            }
            Shape::Strided(stride) => Ok(Some(self.bytes(stride))),
            Shape::Uniform | Shape::Varying => Ok(None),
        }
    }

    /// The address of the last lane of a strided access.
    fn last_lane(&mut self, address: Value, stride: i64) -> Result<Value, Stopped> {
        let first = self.packets.scalar(address)?;
        if let Some(width) = self.plan.width.known() {
            return Ok(memory::offset(&self.b, first, stride * i64::from(width - 1)));
        }
        let bytes = self.b.mul(self.last_number(self.bytes(0).ty()), self.bytes(stride), "");
        Ok(self.b.gep_anywhere(self.b.context().i8(), first, &[bytes], ""))
    }

    /// The number of the last lane.
    pub(crate) fn last_number(&self, ty: Type) -> Value {
        self.b.sub(self.packets.count(&self.b, ty), ty.const_int(1), "")
    }

    /// Of records at a clamped index, which are contiguous where nothing is clamped: the test for
    /// that, and the address of the first one.
    fn dense_unless_clamped(&self, group: &InterleaveGroup) -> Result<Option<(Value, Value)>, Stopped> {
        let bytes = group.last_offset() + group.size;
        if group.first_offset() != 0 {
            return Ok(None);
        }
        let clamped = ClampedIndex::of(self.plan.module, self.plan.shapes, group.root, bytes);
        clamped.map(|clamped| self.unclamped(&clamped)).transpose()
    }

    fn load_group(&mut self, group: &InterleaveGroup, mask: Mask) -> Result<(), Stopped> {
        let shape = self.plan.shapes.get(group.root);
        let fields: Vec<u32> = group.members.iter().map(|m| group.field(m.1)).collect();
        let last = group.field(group.last_offset());
        let records = self.records(group, shape);
        for &(member, _) in &group.members {
            self.remarks.memory(member, Access::Interleaved(records.fields));
        }
        let first = self.group_address(group, shape)?;
        if self.plan.width.scalable {
            let loaded = records.load_scalable(self.place(), self.plan.memory, first, &fields, mask);
            self.set_members(group, loaded);
            return Ok(());
        }
        if let Some((whole, start, length)) = self.dense_unless_wrapping(group, mask)? {
            let records = Records { fields: length, ..records };
            let addresses = self.packets.vector(group.root)?;
            let loaded = self.either(
                whole,
                |p| records.load(p.place(), start, &fields, last),
                |p| p.gather_members(group, addresses, mask),
            );
            self.set_members(group, loaded);
            return Ok(());
        }
        let step = self.step_of(shape)?;
        let dense = match group.dense {
            true => None,
            false => self.dense_unless_clamped(group)?,
        };
        let word = records.gathered_word(self.place(), self.plan.memory).filter(|_| !group.dense);
        if let (Some(word), Some(mask)) = (word, mask) {
            let addresses = memory::offset(&self.b, self.packets.vector(group.root)?, group.first_offset());
            let loaded = records.gather_words(self.place(), word, addresses, &fields, Some(mask));
            self.set_members(group, loaded);
            return Ok(());
        }
        let scattered = |p: &Self| match word {
            Some(word) => {
                let addresses = p.record_vector(group, first, step);
                records.gather_words(p.place(), word, addresses, &fields, None)
            }
            None => records.load_scattered(p.place(), &p.record_addresses(group, first, step), &fields, last),
        };
        let together = |p: &Self| match dense {
            _ if group.dense => records.load(p.place(), first, &fields, last),
            None => scattered(p),
            Some((whole, start)) => {
                p.either(whole, |p| records.load(p.place(), start, &fields, last), scattered)
            }
        };
        let loaded = match mask {
            None => together(self),
            Some(mask) => {
                let addresses = self.packets.vector(group.root)?;
                self.if_all(mask, together, |p| p.gather_members(group, addresses, Some(mask)))
            }
        };
        self.set_members(group, loaded);
        Ok(())
    }

    /// Loads the members of a group one by one.
    fn gather_members(&self, group: &InterleaveGroup, addresses: Value, mask: Mask) -> Vec<Value> {
        let gather = |&(member, offset): &(Value, i64)| {
            let own = memory::offset(&self.b, addresses, offset);
            Intrinsics.gather(self.place(), group.element, own, member.alignment(), mask)
        };
        group.members.iter().map(gather).collect()
    }

    /// Gives the loads of a group their values.
    fn set_members(&mut self, group: &InterleaveGroup, loaded: Vec<Value>) {
        for (&(member, _), value) in group.members.iter().zip(loaded) {
            let value = self.as_type(value, member.ty());
            self.packets.set_vector(member, value);
        }
    }

    fn records(&self, group: &InterleaveGroup, shape: Shape) -> Records {
        Records {
            element: group.element,
            fields: group.fields(shape),
            backwards: group.dense && matches!(shape, Shape::Strided(stride) if stride < 0),
            align: if self.plan.width.scalable { group.start_align() } else { group.align() },
        }
    }

    /// The address of the first record, or the vector of the addresses that all records are at an
    /// offset from.
    fn group_address(&mut self, group: &InterleaveGroup, shape: Shape) -> Result<Value, Stopped> {
        let base = match shape {
            Shape::Strided(stride) if stride < 0 && group.dense => self.last_lane(group.root, stride)?,
            Shape::Strided(_) | Shape::StridedBy(..) => self.packets.scalar(group.root)?,
            _ => return self.packets.vector(group.root),
        };
        Ok(memory::offset(&self.b, base, group.first_offset()))
    }

    /// Bitcasts a vector to another element type of the same size.
    fn as_type(&self, vector: Value, element: Type) -> Value {
        if vector.ty().element() == element {
            return vector;
        }
        self.b.cast(Opcode::LLVMBitCast, vector, element.vector(self.plan.width), "")
    }

    // ---- Stores --------------------------------------------------------------------------------

    pub(crate) fn store(&mut self, i: Value, mask: Mask) -> Result<(), Stopped> {
        let (value, align) = (i.operand(0), i.alignment());
        let (plan, code) = self.plan(i, mask);
        if let AccessCode::Scalar = code {
            // No mask: a block runs only if a lane is active in it.
            self.remarks.memory(i, plan.remark(&code, self.plan.shapes));
            return self.copy_scalar(i);
        }
        self.lane_type(value)?;
        match code {
            AccessCode::PerLane => return self.instantiate(i, mask),
            AccessCode::Interleaved(group) => {
                return if group.leader() == i { self.store_group(&group, mask) } else { Ok(()) };
            }
            _ => self.remarks.memory(i, plan.remark(&code, self.plan.shapes)),
        }
        let address = plan.address;
        let new = self.packets.vector(value)?;
        let ops = self.plan.memory;
        match code {
            AccessCode::PerLane | AccessCode::Interleaved(_) | AccessCode::Scalar => {
                unreachable!("done above")
            }
            AccessCode::Contiguous => {
                let address = self.packets.scalar(address)?;
                ops.store_contiguous(self.place(), new, address, align, mask);
            }
            AccessCode::Reversed => {
                let address = self.last_lane(address, -plan.size)?;
                let mask = mask.map(|mask| memory::reversed(self.place(), mask));
                let new = memory::reversed(self.place(), new);
                ops.store_contiguous(self.place(), new, address, align, mask);
            }
            AccessCode::Strided(stride) => {
                let first = self.packets.scalar(address)?;
                ops.store_strided(self.place(), new, first, self.bytes(stride), align);
            }
            AccessCode::StridedBy { by, times, test } => {
                let step = self.packets.step(&self.b, by, times, self.plan.module.context().i64())?;
                let first = self.packets.scalar(address)?;
                let apart = match mask {
                    None => first,
                    Some(_) => self.packets.vector(address)?,
                };
                let strided = |p: &Self| {
                    match mask {
                        None => ops.store_strided(p.place(), new, first, step, align),
                        Some(_) => ops.scatter(p.place(), new, apart, align, mask),
                    }
                    vec![]
                };
                if test {
                    let size = self.bytes(plan.size);
                    let is_size = self.b.icmp(IntPredicate::LLVMIntEQ, step, size, "contiguous");
                    let contiguous = |p: &Self| {
                        ops.store_contiguous(p.place(), new, first, align, mask);
                        vec![]
                    };
                    self.either(is_size, contiguous, strided);
                } else {
                    strided(self);
                }
            }
            AccessCode::LastLane => {
                // All lanes store to one address: the value of the last lane stays.
                let last = self.last_number(self.b.context().i32());
                let last = self.b.extract_element(new, last, "");
                self.b.store(last, self.packets.scalar(address)?).set_alignment(align);
            }
            AccessCode::TestContiguous => {
                let addresses = self.packets.vector(address)?;
                self.store_perhaps_contiguous(address, new, addresses, align, mask)?;
            }
            AccessCode::Gather => {
                let addresses = self.packets.vector(address)?;
                ops.scatter(self.place(), new, addresses, align, mask);
            }
        }
        Ok(())
    }

    fn store_group(&mut self, group: &InterleaveGroup, mask: Mask) -> Result<(), Stopped> {
        let shape = self.plan.shapes.get(group.root);
        let records = self.records(group, shape);
        let mut in_order: Vec<(Value, i64)> = group.members.clone();
        in_order.sort_by_key(|m| m.1);
        let mut fields = Vec::new();
        for &(member, _) in &in_order {
            self.remarks.memory(member, Access::Interleaved(records.fields));
            let value = member.operand(0);
            let value = match value.is_undef_or_poison() {
                true => value.ty().vector(self.plan.width).zero(),
                false => self.packets.vector(value)?,
            };
            fields.push(self.as_type(value, group.element));
        }
        let first = self.group_address(group, shape)?;
        if self.plan.width.scalable {
            records.store_scalable(self.place(), self.plan.memory, first, &fields, mask);
            return Ok(());
        }
        if let Some((whole, start, _)) = self.dense_unless_wrapping(group, mask)? {
            let addresses = self.packets.vector(group.root)?;
            self.either(
                whole,
                |p| {
                    records.store(p.place(), start, &fields);
                    vec![]
                },
                |p| {
                    p.scatter_members(&in_order, &fields, addresses, mask);
                    vec![]
                },
            );
            return Ok(());
        }
        let step = self.step_of(shape)?;
        if let Some(word) = records.gathered_word(self.place(), self.plan.memory).filter(|_| !group.dense) {
            let addresses = match mask {
                None => self.record_vector(group, first, step),
                Some(_) => memory::offset(&self.b, self.packets.vector(group.root)?, group.first_offset()),
            };
            records.scatter_words(self.place(), word, addresses, &fields, mask);
            return Ok(());
        }
        let together = |p: &Self| match group.dense {
            true => records.store(p.place(), first, &fields),
            false => records.store_scattered(p.place(), &p.record_addresses(group, first, step), &fields),
        };
        match mask {
            None => together(self),
            Some(mask) => {
                let addresses = self.packets.vector(group.root)?;
                self.if_all(
                    mask,
                    |p| {
                        together(p);
                        vec![]
                    },
                    |p| {
                        p.scatter_members(&in_order, &fields, addresses, Some(mask));
                        vec![]
                    },
                );
            }
        }
        Ok(())
    }

    /// Stores the members of a group one by one.
    fn scatter_members(&self, members: &[(Value, i64)], fields: &[Value], addresses: Value, mask: Mask) {
        for (&(member, offset), &field) in members.iter().zip(fields) {
            let own = memory::offset(&self.b, addresses, offset);
            Intrinsics.scatter(self.place(), field, own, member.alignment(), mask);
        }
    }

    // ---- Decisions at run time -----------------------------------------------------------------

    /// Writes two versions of an access, one for when all lanes of the mask are active, and returns
    /// the PHIs of their results.
    fn if_all(
        &self,
        mask: Value,
        all: impl FnOnce(&Self) -> Vec<Value>,
        some: impl FnOnce(&Self) -> Vec<Value>,
    ) -> Vec<Value> {
        if self.in_masked_version {
            return some(self);
        }
        let condition = self.all(mask);
        self.either(condition, all, some)
    }

    pub(crate) fn either(
        &self,
        condition: Value,
        yes: impl FnOnce(&Self) -> Vec<Value>,
        no: impl FnOnce(&Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let [then, other, join] = ["all", "some", "both"].map(|n| self.packets.function.append_block(n));
        self.b.cond_br(condition, then, other);
        self.b.position_at_end(then);
        let first = yes(self);
        let first_end = self.leave_to(join);
        self.b.position_at_end(other);
        let second = no(self);
        let second_end = self.leave_to(join);
        self.b.position_at_end(join);
        let merge = |(a, b): (Value, Value)| {
            let phi = self.b.phi(a.ty(), "");
            phi.add_incoming(a, first_end);
            phi.add_incoming(b, second_end);
            phi
        };
        first.into_iter().zip(second).map(merge).collect()
    }

    /// Branches to `next`, and returns the block that the branch ends.
    pub(crate) fn leave_to(&self, next: Block) -> Block {
        let end = self.block();
        self.b.br(next);
        end
    }

    /// The run-time test whether the addresses of the active lanes are contiguous, and the address
    /// of lane 0.
    pub(crate) fn consecutive(
        &mut self,
        address: Value,
        addresses: Value,
        size: i64,
        mask: Mask,
    ) -> Result<(Value, Value), Stopped> {
        let context = self.plan.module.context();
        if let Some(narrow) = NarrowIndex::of(self.plan.module, self.plan.shapes, address)
            && narrow.step == size
        {
            return self.unwrapped(&narrow);
        }
        if let Some(clamped) = ClampedIndex::of(self.plan.module, self.plan.shapes, address, size) {
            return self.unclamped(&clamped);
        }
        let addresses = self.b.freeze(addresses, "");
        let first = self.b.extract_element(addresses, self.b.i32(0), "");
        let ty = context.i64().vector(self.plan.width);
        let numbers = self.b.cast(Opcode::LLVMPtrToInt, addresses, ty, "");
        let start =
            self.b.splat(self.b.cast(Opcode::LLVMPtrToInt, first, context.i64(), ""), self.plan.width, "");
        let expected = self.b.add(start, self.packets.steps(&self.b, context.i64(), size), "");
        let differ = self.b.icmp(IntPredicate::LLVMIntNE, numbers, expected, "");
        let differ = match mask {
            None => differ,
            Some(mask) => self.b.select(mask, differ, mask.ty().zero(), ""),
        };
        let any = self.any(differ);
        Ok((self.b.icmp(IntPredicate::LLVMIntEQ, any, context.i1().zero(), "consecutive"), first))
    }

    /// The test that an index does not wrap between the first lane and the last, and the address of
    /// the first one.
    fn unwrapped(&self, narrow: &NarrowIndex) -> Result<(Value, Value), Stopped> {
        let context = self.plan.module.context();
        let start = self.packets.scalar(narrow.index)?;
        let signed = narrow.extension == Opcode::LLVMSExt;
        let distance = narrow.stride.unsigned_abs() as u32;
        let steps = self.b.mul(self.last_number(context.i32()), self.b.i32(distance), "");
        let (predicate, limit) = match (narrow.stride > 0, signed) {
            (true, true) => (IntPredicate::LLVMIntSLE, self.b.sub(self.b.i32(i32::MAX as u32), steps, "")),
            (true, false) => (IntPredicate::LLVMIntULE, self.b.sub(self.b.i32(u32::MAX), steps, "")),
            (false, true) => (IntPredicate::LLVMIntSGE, self.b.add(self.b.i32(i32::MIN as u32), steps, "")),
            (false, false) => (IntPredicate::LLVMIntUGE, steps),
        };
        let whole = self.b.icmp(predicate, start, limit, "consecutive");
        let start = self.b.cast(narrow.extension, start, context.i64(), "");
        let base = self.packets.scalar(narrow.base)?;
        Ok((whole, self.b.gep_anywhere(narrow.element, base, &[start], "")))
    }

    /// Of lanes that go backwards through memory unless their index wraps: the test for that, and
    /// the address of the last lane.
    fn backwards(&self, address: Value, size: i64) -> Result<Option<(Value, Value)>, Stopped> {
        let narrow = NarrowIndex::of(self.plan.module, self.plan.shapes, address);
        let Some(narrow) = narrow.filter(|narrow| narrow.step == -size) else { return Ok(None) };
        let (whole, first) = self.unwrapped(&narrow)?;
        let i64 = self.plan.module.context().i64();
        let steps = self.b.mul(self.last_number(i64), self.bytes(-size), "");
        let last = self.b.gep_anywhere(self.plan.module.context().i8(), first, &[steps], "");
        Ok(Some((whole, last)))
    }

    /// Of records that are dense unless their index wraps: the test for that and that all lanes are
    /// active, the address of the first field, and the length of a record.
    fn dense_unless_wrapping(
        &self,
        group: &InterleaveGroup,
        mask: Mask,
    ) -> Result<Option<(Value, Value, u32)>, Stopped> {
        let found = NarrowIndex::of_records(self.plan.module, self.plan.shapes, group);
        let Some((narrow, fields)) = found.filter(|_| !(self.in_masked_version && mask.is_some())) else {
            return Ok(None);
        };
        let (whole, start) = self.unwrapped(&narrow)?;
        let condition = match mask {
            None => whole,
            Some(mask) => self.b.and(whole, self.all(mask), ""),
        };
        Ok(Some((condition, memory::offset(&self.b, start, group.first_offset()), fields)))
    }

    fn load_perhaps_contiguous(
        &mut self,
        address: Value,
        element: Type,
        addresses: Value,
        align: u32,
        mask: Mask,
    ) -> Result<Value, Stopped> {
        let size = self.plan.module.size_of(element) as i64;
        if let Some((whole, last)) = self.backwards(address, size)? {
            let reversed = |p: &Self| {
                let mask = mask.map(|mask| memory::reversed(p.place(), mask));
                let loaded = p.plan.memory.load_contiguous(p.place(), element, last, align, mask);
                vec![memory::reversed(p.place(), loaded)]
            };
            let apart = |p: &Self| vec![Intrinsics.gather(p.place(), element, addresses, align, mask)];
            return Ok(self.either(whole, reversed, apart)[0]);
        }
        let (consecutive, first) = self.consecutive(address, addresses, size, mask)?;
        let loaded = self.either(
            consecutive,
            |p| vec![p.plan.memory.load_contiguous(p.place(), element, first, align, mask)],
            // The gather is rare: small code is better than fast code.
            |p| vec![Intrinsics.gather(p.place(), element, addresses, align, mask)],
        );
        Ok(loaded[0])
    }

    fn store_perhaps_contiguous(
        &mut self,
        address: Value,
        value: Value,
        addresses: Value,
        align: u32,
        mask: Mask,
    ) -> Result<(), Stopped> {
        let size = self.plan.module.size_of(value.ty().element()) as i64;
        if let Some((whole, last)) = self.backwards(address, size)? {
            let reversed = |p: &Self| {
                let mask = mask.map(|mask| memory::reversed(p.place(), mask));
                let value = memory::reversed(p.place(), value);
                p.plan.memory.store_contiguous(p.place(), value, last, align, mask);
                vec![]
            };
            let apart = |p: &Self| {
                Intrinsics.scatter(p.place(), value, addresses, align, mask);
                vec![]
            };
            self.either(whole, reversed, apart);
            return Ok(());
        }
        let (consecutive, first) = self.consecutive(address, addresses, size, mask)?;
        self.either(
            consecutive,
            |p| {
                p.plan.memory.store_contiguous(p.place(), value, first, align, mask);
                vec![]
            },
            |p| {
                Intrinsics.scatter(p.place(), value, addresses, align, mask);
                vec![]
            },
        );
        Ok(())
    }
}

/// An element of a uniform array by a strided 32-bit index that may wrap: LLVM drops `nsw` when it
/// reassociates sums, and `uint` has none.
pub(crate) struct NarrowIndex {
    element: Type,
    base: Value,
    index: Value,
    /// What the index grows by from lane to lane, and the address, in bytes.
    stride: i64,
    step: i64,
    /// To 64 bits: with the sign or with zeros.
    extension: Opcode,
}

impl NarrowIndex {
    fn of(module: &Module, shapes: &Shapes, address: Value) -> Option<NarrowIndex> {
        if address.opcode() != Some(Opcode::LLVMGetElementPtr) || address.num_operands() != 2 {
            return None;
        }
        let (base, extended) = (address.operand(0), address.operand(1));
        let extension = extended.opcode().filter(|op| matches!(op, Opcode::LLVMSExt | Opcode::LLVMZExt))?;
        if shapes.get(base) != Shape::Uniform {
            return None;
        }
        let index = extended.operand(0);
        let Shape::Strided(stride @ (-1 | 1..=MOST_STRIDE)) = shapes.get(index) else { return None };
        let element = address.gep_source_type();
        let step = module.size_of(element) as i64 * stride;
        (index.ty().int_bits() == 32).then_some(NarrowIndex { element, base, index, stride, step, extension })
    }

    /// The index of a group of records that are dense unless it wraps, and the length of a record.
    pub(crate) fn of_records(
        module: &Module,
        shapes: &Shapes,
        group: &InterleaveGroup,
    ) -> Option<(NarrowIndex, u32)> {
        if group.dense || shapes.get(group.root) != Shape::Varying {
            return None;
        }
        let narrow = NarrowIndex::of(module, shapes, group.root)?;
        let fields = u32::try_from(narrow.step / group.size).ok()?;
        let last = group.field(group.last_offset());
        let whole = narrow.step % group.size == 0 && (2..=MOST_FIELDS).contains(&fields);
        let fits = if group.is_store { last + 1 == fields } else { last < fields };
        (whole && fits).then_some((narrow, fields))
    }
}
