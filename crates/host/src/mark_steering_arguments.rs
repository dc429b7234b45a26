//! MarkSteeringArguments: finds the arguments whose values, if known, would make loops faster.
//!
//! ```text
//! define spir_kernel void @gemm(i32 %n, ptr %a) {      define spir_kernel void @gemm(i32 %n, ptr %a) #0 {
//!   loop: … icmp slt i32 %k, %n … mul i32 %k, %n   →     …
//! }                                                    #0 = { "mux-steering-args"="0" … }
//! ```
//!
//! A steering argument is an integer that a loop's exit condition, a multiplication or an address
//! in a loop depends on. Code specialized for its value can unroll the loop, and has constant
//! strides. Specialized code must give the same results: kernels with fast-math flags are left out,
//! and kernels that use sub-groups, whose size may depend on the code. Runs on canonical kernels;
//! changes no code.

use analysis::{Loops, Preserved};
use ir::attributes;
use llvm::{Block, Function, Opcode, Value};
use passes::{Options, Pass, PassContext, PassError, Registry, entry_points, may_be_made_anew};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug, Default)]
pub struct MarkSteeringArguments {
    /// The only kernel to analyse; all of them if `None`.
    pub kernel: Option<String>,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "find the arguments whose values loops would gain from: kernel=NAME";
    registry.register("mark-steering-arguments", summary, |options| {
        Ok(MarkSteeringArguments { kernel: options.value("kernel")? })
    });
}

impl Pass for MarkSteeringArguments {
    fn name(&self) -> &'static str {
        "mark-steering-arguments"
    }

    fn options(&self) -> Options {
        Options::default().with_value("kernel", self.kernel.as_ref())
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let is_wanted = |f: &Function| self.kernel.as_ref().is_none_or(|name| f.name() == *name);
        for kernel in entry_points(cx.module).into_iter().filter(is_wanted) {
            let steering = steering(kernel, &cx.analysis::<Loops>(kernel));
            if !steering.is_empty() && may_be_made_anew(kernel) {
                attributes::set_steering_args(kernel, &steering);
            }
        }
        Ok(Preserved::All)
    }
}

/// The indices of the arguments that steer loops.
fn steering(kernel: Function, loops: &Loops) -> Vec<u32> {
    let in_loops = blocks_in_loops(loops);
    if in_loops.is_empty() {
        return Vec::new();
    }
    let numbers = Numbers::of(kernel);
    let mut found = HashSet::new();
    for (block, exits) in in_loops {
        let Some(terminator) = block.terminator() else { continue };
        if exits && let Some(condition) = terminator.condition() {
            numbers.compared_in(condition, CONDITION_DEPTH, &mut found);
        }
        for i in block.instructions() {
            match i.opcode() {
                Some(Opcode::LLVMMul | Opcode::LLVMShl) | Some(Opcode::LLVMGetElementPtr) => {
                    i.operands().for_each(|op| found.extend(numbers.behind(op)));
                }
                _ => {}
            }
        }
    }
    let mut found: Vec<u32> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The depth to which the operands of an exit condition are followed.
const CONDITION_DEPTH: u32 = 4;

/// The blocks of all natural loops, and whether they are exiting blocks.
fn blocks_in_loops(loops: &Loops) -> HashMap<Block, bool> {
    let mut found: HashMap<Block, bool> = HashMap::new();
    for natural in loops.iter().filter(|l| l.is_natural) {
        for &block in &natural.blocks {
            *found.entry(block).or_default() |= natural.is_exiting(block);
        }
    }
    found
}

/// The integers computed from integer arguments and constants alone, each with the indices of those
/// arguments.
struct Numbers(HashMap<Value, HashSet<u32>>);

impl Numbers {
    fn of(kernel: Function) -> Numbers {
        let mut numbers = Numbers(HashMap::new());
        for (i, param) in kernel.params().into_iter().enumerate().filter(|(_, p)| p.ty().is_int()) {
            numbers.0.insert(param, HashSet::from([i as u32]));
        }
        // In this order definitions come before uses, except for PHIs, which are not followed.
        for block in kernel.blocks() {
            for i in block.instructions().into_iter().filter(|i| i.ty().is_int() && computes(*i)) {
                let operands: Vec<Value> = i.operands().filter(|op| op.as_function().is_none()).collect();
                let known = |op: &Value| op.is_constant() || numbers.0.contains_key(op);
                if operands.iter().all(known) {
                    let behind = operands.iter().flat_map(|op| numbers.behind(*op)).collect();
                    numbers.0.insert(i, behind);
                }
            }
        }
        numbers
    }

    /// The arguments that a value is computed from; none if other values take part.
    fn behind(&self, value: Value) -> impl Iterator<Item = u32> + '_ {
        self.0.get(&value).into_iter().flatten().copied()
    }

    /// Adds the arguments that the comparisons of a condition depend on.
    fn compared_in(&self, condition: Value, depth: u32, found: &mut HashSet<u32>) {
        match condition.opcode() {
            Some(Opcode::LLVMICmp) => condition.operands().for_each(|op| found.extend(self.behind(op))),
            Some(Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor | Opcode::LLVMSelect) if depth > 0 => {
                condition.operands().for_each(|op| self.compared_in(op, depth - 1, found));
            }
            _ => {}
        }
    }
}

/// Whether an instruction's result depends on its operands only.
fn computes(i: Value) -> bool {
    use Opcode::*;
    match i.opcode() {
        Some(
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMUDiv | LLVMSDiv | LLVMURem
            | LLVMSRem | LLVMAnd | LLVMOr | LLVMXor | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMSelect | LLVMICmp
            | LLVMFreeze,
        ) => true,
        Some(LLVMCall) => i.called_function().is_some_and(|f| f.is_intrinsic() && f.is_memory_none()),
        _ => false,
    }
}
