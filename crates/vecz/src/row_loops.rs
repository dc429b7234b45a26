//! Row loops: loops in which each lane walks along a row of its own, `s += a[row * n + k]`.
//!
//! ```text
//! loop:                                        loop:
//!   load a[row * n + k]                          load a[row * n + k], … a[row * n + k + 3]
//!   k + 1                              →         k + 4
//! ```
//!
//! Each access would load one element for each lane, from as many cache lines. Unrolled by LLVM,
//! the accesses of several iterations are fields of records, which are loaded whole and transposed
//! by shuffles (`interleave_groups.rs`). The iterations left over have a loop of their own. Loops
//! that write memory are left: their loads may not move up.

use crate::Stopped;
use crate::access_plan::{AccessPlan, Pattern};
use crate::interleave_groups::MOST_BYTES;
use crate::scalar_baseline::Body;
use crate::shape::Shapes;
use crate::structure::Structure;
use llvm::{Block, Function, Module, Opcode, TargetMachine, Value};

/// The most instructions of an unrolled loop.
const MOST_INSTRUCTIONS: usize = 160;

/// Unrolls the loops that are marked, and takes the constants out of indices.
const UNROLL: &str = "loop-unroll<O2;no-partial;no-peeling;no-runtime;no-upperbound>,\
    early-cse,separate-const-offset-from-gep,early-cse,loop-simplify,lcssa,loop-mssa(licm)";

/// Unrolls the row loops of a kernel; whether there are any.
pub fn unroll_row_loops(
    module: &Module,
    kernel: Function,
    structure: &Structure,
    shapes: &Shapes,
    machine: Option<&TargetMachine>,
) -> Result<bool, Stopped> {
    let context = module.context();
    let mut any = false;
    for (&header, found) in &structure.loops {
        let (Some(count), Some(latch)) =
            (records_of(module, structure, shapes, header), found.latch.terminator())
        else {
            continue;
        };
        let count = context.metadata_value(context.i32().const_int(count));
        let text = context.metadata_string("llvm.loop.unroll.count");
        let node = context.metadata_self_node(&[context.metadata_node(&[text, count])]);
        latch.set_metadata(context.metadata_kind("llvm.loop"), node);
        any = true;
    }
    if any {
        kernel.run_passes(UNROLL, machine).map_err(Stopped::new)?;
    }
    Ok(any)
}

/// The number of iterations whose accesses are fields of one record, if the block is a row loop.
pub fn records_of(module: &Module, structure: &Structure, shapes: &Shapes, block: Block) -> Option<u64> {
    let latch = structure.loops.get(&block).filter(|found| found.latch == block)?.latch.terminator()?;
    if structure.blocks_of_loop(block).len() != 1 || shapes.is_varying_branch(latch) {
        return None;
    }
    let instructions = block.instructions();
    if instructions.iter().any(|i| may_write(*i)) {
        return None;
    }
    let body = Body::with_counters(module, block);
    let step = |i: &Value| {
        let plan = AccessPlan::of(module, shapes, *i)?;
        let walks = matches!(plan.pattern, Pattern::StridedBy(..))
            && !plan.ty.is_vector()
            && (1..MOST_BYTES).contains(&plan.size)
            && body.growth(plan.address) == Some(plan.size);
        walks.then_some(plan.size)
    };
    let size = instructions.iter().filter_map(step).max()?;
    let count = (MOST_BYTES / size) as usize;
    (count * instructions.len() <= MOST_INSTRUCTIONS).then_some(count as u64)
}

fn may_write(i: Value) -> bool {
    use Opcode::*;
    match i.opcode() {
        Some(LLVMLoad) => i.is_atomic() || i.is_volatile(),
        Some(LLVMCall) => i.called_function().is_none_or(|f| !f.is_memory_none()),
        Some(LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence) => true,
        _ => false,
    }
}
