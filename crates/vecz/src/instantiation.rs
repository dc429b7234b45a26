//! Instantiation: an instruction without a wide form, such as an atomic or a call, is executed once
//! per lane.
//!
//! Without a mask, the instruction is cloned for each lane. With one, the operands are stored to
//! the stack, and a loop runs over the active lanes:
//!
//! ```text
//! loop:  rest = phi mask, rest & (rest - 1)
//!        if rest == 0 goto done
//!        lane = cttz(rest)
//!        result[lane] = the instruction with operand[lane]
//!        goto loop
//! ```

use crate::Stopped;
use crate::memory::{self, Mask, Place};
use crate::packet::Packets;
use crate::shape::Shape;
use llvm::{Builder, IntPredicate, Module, Opcode, Type, Value, Width};

/// The results of an instruction in all lanes: one vector, or one for each field of a struct.
pub type Results = Vec<Value>;

pub fn instantiate(
    module: &Module,
    packets: &mut Packets<'_>,
    b: &Builder,
    instruction: Value,
    mask: Mask,
) -> Result<Results, Stopped> {
    let fields = field_types(instruction);
    let fits = |t: &Type| t.is_int() || t.is_float() || t.is_ptr();
    if !fields.iter().all(fits) {
        return Err(Stopped::at(instruction, "the result of this instruction cannot be a vector"));
    }
    let mut operands = Vec::new();
    for operand in instruction.operands() {
        let uniform =
            operand.is_constant() || operand.is_block() || packets.shapes.get(operand) == Shape::Uniform;
        operands.push(match (mask, packets.width.known()) {
            _ if uniform => Operand::Same(packets.scalar(operand)?),
            (None, Some(_)) if operand.ty().is_ptr() => {
                Operand::Each(addresses(module, packets, b, operand)?)
            }
            _ => Operand::Own(packets.vector(operand)?),
        });
    }
    Ok(match (mask, packets.width.known()) {
        (None, Some(width)) => one_by_one(width, b, instruction, &operands, &fields),
        (Some(mask), Some(width)) => {
            let bits = b.cast(Opcode::LLVMBitCast, mask, b.context().int(width), "");
            let bits = if width < 64 { b.cast(Opcode::LLVMZExt, bits, b.context().i64(), "") } else { bits };
            in_loop(module, packets, b, instruction, &operands, &fields, bits)
        }
        (mask, None) => in_counted_loop(packets, b, instruction, &operands, &fields, mask),
    })
}

enum Operand {
    Same(Value),
    /// A vector of each lane's value.
    Own(Value),
    /// The scalars of the lanes.
    Each(Vec<Value>),
}

/// The address of each lane; no vector of them is made where they are strided.
fn addresses(
    module: &Module,
    packets: &mut Packets<'_>,
    b: &Builder,
    address: Value,
) -> Result<Vec<Value>, Stopped> {
    let at = Place { module, b, width: packets.width };
    Ok(match packets.shapes.get(address) {
        Shape::Strided(stride) => {
            memory::strided(at, packets.scalar(address)?, b.context().i64().const_signed(stride))
        }
        _ => memory::lane_addresses(at, packets.vector(address)?),
    })
}

fn field_types(instruction: Value) -> Vec<Type> {
    let ty = instruction.ty();
    match () {
        () if ty.is_void() => Vec::new(),
        () if ty.is_struct() => ty.struct_fields(),
        () => vec![ty],
    }
}

/// Clones the instruction with other operands; returns its result, or the fields of a struct.
fn copy(b: &Builder, instruction: Value, operands: impl Iterator<Item = Value>) -> Vec<Value> {
    let copy = instruction.clone_instruction();
    for (i, operand) in operands.enumerate() {
        copy.set_operand(i as u32, operand);
    }
    b.insert(copy, "");
    let ty = instruction.ty();
    match () {
        () if ty.is_void() => vec![],
        () if ty.is_struct() => {
            (0..ty.struct_fields().len()).map(|i| b.extract_value(copy, i as u32, "")).collect()
        }
        () => vec![copy],
    }
}

fn one_by_one(
    width: u32,
    b: &Builder,
    instruction: Value,
    operands: &[Operand],
    fields: &[Type],
) -> Vec<Value> {
    let mut results: Vec<Value> = fields.iter().map(|t| t.vector(width).poison()).collect();
    for lane in 0..width {
        let own = operands.iter().map(|operand| match operand {
            Operand::Same(value) => *value,
            Operand::Own(vector) => b.extract_element(*vector, b.i32(lane), ""),
            Operand::Each(values) => values[lane as usize],
        });
        let own: Vec<Value> = own.collect();
        for (result, field) in results.iter_mut().zip(copy(b, instruction, own.into_iter())) {
            *result = b.insert_element(*result, field, b.i32(lane), "");
        }
    }
    results
}

/// A vector on the stack, with elements of whole bytes, that is indexed by lane.
struct Slot {
    memory: Value,
    element: Type,
    stored: Type,
}

impl Slot {
    fn new(packets: &Packets<'_>, b: &Builder, element: Type) -> Slot {
        let stored = match element.is_int() && !element.int_is_whole_bytes() {
            true => b.context().int(element.int_bits().next_power_of_two().max(8)),
            false => element,
        };
        let entry = packets.function.entry();
        let at_start = Builder::new(b.context());
        match entry.first_non_phi() {
            Some(first) => at_start.position_before(first),
            None => at_start.position_at_end(entry),
        }
        let memory = at_start.alloca(stored.vector(packets.width), 64, "lanes");
        Slot { memory, element, stored }
    }

    fn fill(&self, b: &Builder, vector: Value) {
        let wide = match self.stored == self.element {
            true => vector,
            false => b.cast(Opcode::LLVMZExt, vector, self.stored.vector(vector.ty().width()), ""),
        };
        let store = b.store(wide, self.memory);
        if wide.ty().is_scalable_vector() {
            store.set_alignment(8);
        }
    }

    fn get(&self, b: &Builder, lane: Value) -> Value {
        let value = b.load(self.stored, b.gep(self.stored, self.memory, &[lane], ""), "");
        if self.stored == self.element { value } else { b.cast(Opcode::LLVMTrunc, value, self.element, "") }
    }

    fn set(&self, b: &Builder, lane: Value, value: Value) {
        let value = match self.stored == self.element {
            true => value,
            false => b.cast(Opcode::LLVMZExt, value, self.stored, ""),
        };
        b.store(value, b.gep(self.stored, self.memory, &[lane], ""));
    }

    fn all(&self, b: &Builder, width: Width) -> Value {
        let vector = b.load(self.stored.vector(width), self.memory, "");
        if width.scalable {
            vector.set_alignment(8);
        }
        match self.stored == self.element {
            true => vector,
            false => b.cast(Opcode::LLVMTrunc, vector, self.element.vector(width), ""),
        }
    }
}

fn in_loop(
    module: &Module,
    packets: &Packets<'_>,
    b: &Builder,
    instruction: Value,
    operands: &[Operand],
    fields: &[Type],
    bits: Value,
) -> Vec<Value> {
    let context = b.context().clone();
    let slots = operand_slots(packets, b, operands);
    let results: Vec<Slot> = fields.iter().map(|t| Slot::new(packets, b, *t)).collect();

    let before = b.block().expect("the builder is in a block");
    let [head, work, done] = ["lane", "lane.work", "lane.done"].map(|n| packets.function.append_block(n));
    b.br(head);

    b.position_at_end(head);
    let rest = b.phi(context.i64(), "rest");
    rest.add_incoming(bits, before);
    let some = b.icmp(IntPredicate::LLVMIntNE, rest, b.i64(0), "");
    b.cond_br(some, work, done);

    b.position_at_end(work);
    let count_zeros = module.intrinsic("llvm.cttz", &[context.i64()]);
    let lane = b.call(count_zeros, &[rest, context.i1().const_int(1)], "lane");
    run_lane(b, instruction, &slots, &results, lane);
    let others = b.and(rest, b.sub(rest, b.i64(1), ""), "");
    rest.add_incoming(others, b.block().expect("the builder is in a block"));
    b.br(head);

    b.position_at_end(done);
    results.iter().map(|slot| slot.all(b, packets.width)).collect()
}

/// The operands on the stack, but for those that are the same in all lanes.
fn operand_slots(packets: &Packets<'_>, b: &Builder, operands: &[Operand]) -> Vec<Result<Slot, Value>> {
    let slot = |operand: &Operand| match *operand {
        Operand::Same(value) => Err(value),
        Operand::Own(vector) => {
            let slot = Slot::new(packets, b, vector.ty().element());
            slot.fill(b, vector);
            Ok(slot)
        }
        Operand::Each(_) => unreachable!("only code without a loop has a scalar for each lane"),
    };
    operands.iter().map(slot).collect()
}

/// Executes the instruction for one lane, with operands and results on the stack.
fn run_lane(
    b: &Builder,
    instruction: Value,
    operands: &[Result<Slot, Value>],
    results: &[Slot],
    lane: Value,
) {
    let own = operands.iter().map(|slot| match slot {
        Ok(slot) => slot.get(b, lane),
        Err(same) => *same,
    });
    let own: Vec<Value> = own.collect();
    for (slot, result) in results.iter().zip(copy(b, instruction, own.into_iter())) {
        slot.set(b, lane, result);
    }
}

/// The loop over the lanes of a scalable vector, whose number is known at run time: inactive lanes
/// are skipped.
fn in_counted_loop(
    packets: &Packets<'_>,
    b: &Builder,
    instruction: Value,
    operands: &[Operand],
    fields: &[Type],
    mask: Mask,
) -> Vec<Value> {
    let i64 = b.context().i64();
    let slots = operand_slots(packets, b, operands);
    let results: Vec<Slot> = fields.iter().map(|t| Slot::new(packets, b, *t)).collect();
    let active = mask.map(|mask| {
        let slot = Slot::new(packets, b, b.context().i1());
        slot.fill(b, mask);
        slot
    });
    let count = packets.count(b, i64);
    let before = b.block().expect("the builder is in a block");
    let [head, work, next, done] =
        ["lane", "lane.work", "lane.next", "lane.done"].map(|n| packets.function.append_block(n));
    b.br(head);

    b.position_at_end(head);
    let lane = b.phi(i64, "lane");
    lane.add_incoming(i64.zero(), before);
    match active {
        Some(active) => b.cond_br(active.get(b, lane), work, next),
        None => b.br(work),
    };

    b.position_at_end(work);
    run_lane(b, instruction, &slots, &results, lane);
    b.br(next);

    b.position_at_end(next);
    let following = b.add_nowrap(lane, i64.const_int(1), "");
    lane.add_incoming(following, next);
    let branch = b.cond_br(b.icmp(IntPredicate::LLVMIntULT, following, count, ""), head, done);
    // LLVM's unroller is quadratic in the number of a function's loops.
    branch.leave_loop(true);

    b.position_at_end(done);
    results.iter().map(|slot| slot.all(b, packets.width)).collect()
}
