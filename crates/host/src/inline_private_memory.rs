//! InlinePrivateMemory: marks functions that are given private memory of their callers for
//! inlining.
//!
//! ```text
//! %w = alloca [16 x <16 x i32>]
//! call fastcc void @round(ptr %w)      define internal fastcc void @round(ptr %w) alwaysinline
//! ```
//!
//! Only in one function can such memory become registers. LLVM's inliner goes by the size of the
//! function, and leaves a round of a cipher or of a hash as a call that passes dozens of vectors
//! through memory. A function that hands its caller's memory on to another one is the same case,
//! however many are between. Needs internal functions (FixCallingConventions); runs before LLVM's
//! inliner, and changes nothing but the attribute. Functions that are `noinline` stay calls.

use analysis::Preserved;
use llvm::{Function, Opcode, Value};
use passes::{Pass, PassContext, PassError};
use std::collections::{HashMap, HashSet};

/// The most instructions that may be added to a module.
const MOST_INSTRUCTIONS: usize = 12_000;

/// How far the callers of callers are followed.
const DEPTH: u32 = 8;

#[derive(Clone, Copy, Debug, Default)]
pub struct InlinePrivateMemory;

impl Pass for InlinePrivateMemory {
    fn name(&self) -> &'static str {
        "inline-private-memory"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let functions = cx.module.functions();
        let given = given_private_memory(&functions);
        let mut candidates: Vec<(usize, Function)> = functions
            .into_iter()
            .filter(|f| given.contains(f) && may_be_inlined(*f))
            .map(|f| (f.instructions().len(), f))
            .collect();
        candidates.sort_by_key(|(size, _)| *size);
        let mut chosen = HashMap::new();
        for (size, f) in candidates {
            chosen.insert(f, size);
            let added: usize = chosen.iter().map(|(f, size)| size * copies(*f, &chosen, DEPTH)).sum();
            if added > MOST_INSTRUCTIONS {
                chosen.remove(&f);
            }
        }
        chosen.keys().for_each(|f| f.set_flag("alwaysinline"));
        Ok(Preserved::control_flow())
    }
}

/// Whether a function may be inlined everywhere.
fn may_be_inlined(f: Function) -> bool {
    !f.is_declaration()
        && f.is_internal()
        && !f.uses().others
        && !["noinline", "optnone", "alwaysinline"].into_iter().any(|flag| f.has_flag(flag))
        && !f.instructions().iter().any(|i| i.called_function() == Some(f))
}

/// The functions with a parameter that is the address of a caller's variable, or that is such a
/// parameter of the caller.
fn given_private_memory(functions: &[Function]) -> HashSet<Function> {
    let mut parameters: HashSet<Value> = HashSet::new();
    let calls: Vec<(Function, Value)> =
        functions.iter().flat_map(|f| f.uses().calls.into_iter().map(|call| (*f, call))).collect();
    loop {
        let found = calls.iter().flat_map(|(f, call)| f.params().into_iter().zip(call.call_args()));
        let next: HashSet<Value> = found
            .filter(|(_, argument)| is_private_memory(*argument, &parameters))
            .map(|(parameter, _)| parameter)
            .collect();
        if next.len() == parameters.len() {
            break;
        }
        parameters = next;
    }
    let is_given = |f: &Function| f.params().iter().any(|p| parameters.contains(p));
    functions.iter().copied().filter(is_given).collect()
}

/// Whether a value is the address of a variable of the function that it is in, or of one of these
/// parameters.
fn is_private_memory(mut value: Value, parameters: &HashSet<Value>) -> bool {
    while matches!(value.opcode(), Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast)) {
        value = value.operand(0);
    }
    value.is_alloca() || parameters.contains(&value)
}

/// The number of copies of a function after the chosen functions are inlined.
fn copies(f: Function, chosen: &HashMap<Function, usize>, depth: u32) -> usize {
    if depth == 0 {
        // Callers in a circle, which LLVM refuses to inline.
        return MOST_INSTRUCTIONS;
    }
    let of_caller = |call: Value| match call.block().map(|block| block.function()) {
        Some(caller) if chosen.contains_key(&caller) => copies(caller, chosen, depth - 1),
        _ => 1,
    };
    f.uses().calls.into_iter().map(of_caller).fold(0usize, usize::saturating_add)
}
