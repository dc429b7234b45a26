//! What is done lane by lane: atomics, calls of functions, anything that has no wide form.
//!
//! ```text
//! loop:  lane = phi 0, lane + 1
//!        if the lane takes part: result[lane] = the instruction with the lane's operands
//!        if lane + 1 < width goto loop
//! ```

use crate::Stopped;
use crate::memory::Mask;
use crate::packet::Packets;
use crate::shape::Shape;
use llvm::{Builder, IntPredicate, Opcode, Value};

/// The results of an instruction in all lanes: one vector, or one for each field of a struct.
pub type Results = Vec<Value>;

pub fn instantiate(
    packets: &mut Packets<'_>,
    b: &Builder,
    instruction: Value,
    mask: Mask,
) -> Result<Results, Stopped> {
    let context = b.context().clone();
    let width = packets.width;
    let ty = instruction.ty();
    let fields = match () {
        () if ty.is_void() => Vec::new(),
        () if ty.is_struct() => ty.struct_fields(),
        () => vec![ty],
    };
    let fits = |t: &llvm::Type| t.is_int() || t.is_float() || t.is_ptr();
    if !fields.iter().all(fits) {
        return Err(Stopped::at(instruction, "the result of this instruction cannot be a vector"));
    }
    // Vectors of all operands that vary, before the loop.
    let mut operands = Vec::new();
    for operand in instruction.operands() {
        let uniform =
            operand.is_constant() || operand.is_block() || packets.shapes.get(operand) == Shape::Uniform;
        operands.push(if uniform {
            (packets.scalar(operand)?, false)
        } else {
            (packets.vector(operand)?, true)
        });
    }

    let function = packets.function;
    let before = b.block().expect("the builder is in a block");
    let [head, work, next, done] =
        ["lane", "lane.work", "lane.next", "lane.done"].map(|n| function.append_block(n));
    b.br(head);

    b.position_at_end(head);
    let lane = b.phi(context.i32(), "lane");
    lane.add_incoming(b.i32(0), before);
    let so_far: Vec<Value> = fields
        .iter()
        .map(|t| {
            let phi = b.phi(t.vector(width), "");
            phi.add_incoming(t.vector(width).poison(), before);
            phi
        })
        .collect();
    match mask {
        Some(mask) => {
            let takes_part = b.extract_element(mask, lane, "");
            b.cond_br(takes_part, work, next)
        }
        None => b.br(work),
    };

    b.position_at_end(work);
    let copy = instruction.clone_instruction();
    for (i, (operand, is_vector)) in operands.into_iter().enumerate() {
        let own = if is_vector { b.extract_element(operand, lane, "") } else { operand };
        copy.set_operand(i as u32, own);
    }
    b.insert(copy, "");
    let with_this: Vec<Value> = so_far
        .iter()
        .enumerate()
        .map(|(i, &vector)| {
            let own = if ty.is_struct() { b.extract_value(copy, i as u32, "") } else { copy };
            b.insert_element(vector, own, lane, "")
        })
        .collect();
    b.br(next);

    b.position_at_end(next);
    let results: Vec<Value> = so_far
        .iter()
        .zip(with_this)
        .map(|(&old, new)| {
            let phi = b.phi(old.ty(), "");
            if mask.is_some() {
                phi.add_incoming(old, head);
            }
            phi.add_incoming(new, work);
            old.add_incoming(phi, next);
            phi
        })
        .collect();
    let following = b.add_nowrap(lane, b.i32(1), "");
    lane.add_incoming(following, next);
    let more = b.icmp(IntPredicate::LLVMIntULT, following, b.i32(width), "");
    b.cond_br(more, head, done);
    b.position_at_end(done);
    debug_assert!(instruction.opcode() != Some(Opcode::LLVMPHI));
    Ok(results)
}
