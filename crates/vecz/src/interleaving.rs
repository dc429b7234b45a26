//! The interleave count: how many vector registers a value takes. More lanes than one register has
//! hide the latency of loop-carried dependences, as LLVM's loop vectorizer does by interleaving
//! iterations.
//!
//! A loop with a loop-carried dependence, such as a sum, waits for the latency of the operation,
//! about four cycles for a floating-point one. With several registers per value there are as many
//! independent chains. That pays while all values of the loop fit the registers, and unless the
//! loop gathers, which costs the same for each lane, or has gathers enough to keep the CPU busy
//! where it is fast at them. Long straight-line arithmetic has the same problem, since the
//! operations of a work-item depend on each other; there, a count of 2 is enough.

use crate::access_plan::{AccessPlan, Pattern};
use crate::options::MOST_LANES;
use crate::shape::{Shape, Shapes};
use crate::structure::Structure;
use crate::tables::Table;
use crate::vector_unit::VectorUnit;
use analysis::{Liveness, live_before};
use ir::Builtin;
use llvm::{Block, Module, Opcode, Value};
use std::collections::HashSet;

/// The bytes of a mask's lane in a vector register: a mask is as wide as the values that it masks,
/// most often 32 bits.
const MASK_BYTES: u32 = 4;

/// With more gathers than this a loop does not wait for their latency, but for the next one's turn.
const MOST_GATHERS: usize = 6;

/// Kernels with more instructions take too long to compile with four times the lanes, and with
/// twice.
const MOST_FOR_FOUR: usize = 200;
const MOST_FOR_TWO: usize = 500;

/// The interleave count that pays: 1, 2 or 4 registers per value.
pub fn interleave_count(
    module: &Module,
    unit: &VectorUnit,
    structure: &Structure,
    shapes: &Shapes,
    width: u32,
) -> u32 {
    let size: usize = structure.order.iter().map(|b| b.instructions().len()).sum();
    if size > MOST_FOR_TWO {
        return 1;
    }
    let live = Liveness::of(&structure.cfg);
    if structure.loops.is_empty() {
        return if is_long_and_straight(module, unit, structure, shapes, width, &live) { 2 } else { 1 };
    }
    let mut best = 4;
    let mut waits = false;
    for (&header, found) in &structure.loops {
        let blocks = structure.blocks_of_loop(header);
        let innermost = !structure.loops.keys().any(|other| *other != header && blocks.contains(other));
        if !innermost {
            continue;
        }
        waits |= carries(header, shapes);
        // In a divergent loop lanes wait for the one that stays longest: the more lanes, the
        // longer.
        let divergent = found.latch.terminator().is_some_and(|t| shapes.is_varying_branch(t));
        let most = if divergent { 2 } else { 4 };
        let pressure =
            blocks.iter().map(|b| pressure(module, unit, shapes, width, *b, &live)).max().unwrap_or(0);
        let fits = (unit.registers / pressure.max(1)).min(most);
        let of_loop = || blocks.iter().flat_map(|b| b.instructions());
        let gathers = of_loop().filter(|i| is_fast_gather(module, unit, shapes, *i)).count();
        let scattered = of_loop().any(|i| is_per_lane(module, unit, shapes, i));
        best = if scattered || gathers > MOST_GATHERS { 1 } else { best.min(fits) };
    }
    match best.min(MOST_LANES / width) {
        4.. if waits && size <= MOST_FOR_FOUR => 4,
        2.. if waits => 2,
        _ => 1,
    }
}

/// Whether a kernel is mostly floating-point arithmetic that every work-item does, whose values fit
/// the registers twice.
fn is_long_and_straight(
    module: &Module,
    unit: &VectorUnit,
    structure: &Structure,
    shapes: &Shapes,
    width: u32,
    live: &Liveness,
) -> bool {
    let conditional = structure.conditional_blocks();
    let main: Vec<Block> = structure.order.iter().copied().filter(|b| !conditional.contains(b)).collect();
    let instructions: Vec<Value> = main.iter().flat_map(|b| b.instructions()).collect();
    let is_arithmetic = |i: &&Value| is_vector(shapes, **i) && i.ty().is_float() && !i.is_load();
    instructions.iter().filter(is_arithmetic).count() >= unit.pending_operations as usize
        && !instructions.iter().any(|i| is_per_lane(module, unit, shapes, *i))
        && main.iter().all(|b| 2 * pressure(module, unit, shapes, width, *b, live) <= unit.registers)
}

/// Whether a loop has a loop-carried varying value.
fn carries(header: Block, shapes: &Shapes) -> bool {
    header.phis().into_iter().any(|phi| shapes.get(phi) == Shape::Varying)
}

/// Whether an instruction costs the same for each lane, so that more lanes gain nothing.
fn is_per_lane(module: &Module, unit: &VectorUnit, shapes: &Shapes, i: Value) -> bool {
    if Table::of(module, i, unit.permutes).is_some() {
        return false;
    }
    if let Some(plan) = AccessPlan::of(module, shapes, i) {
        return match plan.pattern {
            Pattern::Uniform | Pattern::Contiguous | Pattern::Reversed | Pattern::FromIds => false,
            Pattern::Strided(stride) if stride.abs() <= 8 * plan.size => false,
            Pattern::Strided(_) | Pattern::Irregular => !is_fast_gather(module, unit, shapes, i),
            Pattern::StridedBy(..) => true,
        };
    }
    match i.opcode() {
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
        Some(Opcode::LLVMCall) => match i.called_function() {
            Some(f) => !f.is_intrinsic() && Builtin::of(f).is_none(),
            None => true,
        },
        _ => false,
    }
}

/// Whether an instruction gathers by one that is fast on this machine.
fn is_fast_gather(module: &Module, unit: &VectorUnit, shapes: &Shapes, i: Value) -> bool {
    i.is_load()
        && Table::of(module, i, unit.permutes).is_none()
        && AccessPlan::of(module, shapes, i).is_some_and(|plan| {
            let far = matches!(plan.pattern, Pattern::Strided(stride) if stride.abs() > 8 * plan.size);
            (far || plan.pattern == Pattern::Irregular) && unit.memory.gathers(plan.size as u64)
        })
}

/// Whether a value takes vector registers.
fn is_vector(shapes: &Shapes, value: Value) -> bool {
    value.is_instruction()
        && shapes.get(value) == Shape::Varying
        && !value.ty().is_void()
        && !value.ty().is_ptr()
}

/// The register pressure of a block: the most vector registers that are live at once.
fn pressure(
    module: &Module,
    unit: &VectorUnit,
    shapes: &Shapes,
    width: u32,
    block: Block,
    live: &Liveness,
) -> u32 {
    let registers = |v: &Value| {
        if !is_vector(shapes, *v) {
            return 0;
        }
        let is_mask = v.ty().is_int() && v.ty().int_bits() == 1;
        let bytes = match is_mask {
            true if unit.mask_registers => 0,
            true => MASK_BYTES,
            false => module.size_of(v.ty()) as u32,
        };
        (bytes * width).div_ceil(unit.register_bytes)
    };
    let mut now: HashSet<Value> = live.live_out(block).collect();
    let mut most: u32 = now.iter().map(registers).sum();
    for i in block.instructions().into_iter().rev() {
        live_before(i, &mut now);
        most = most.max(now.iter().map(registers).sum());
    }
    most
}
