//! The limit of private memory on the stack. The stack is that of the thread that launches a
//! kernel, and may be small.

use crate::PassError;
use llvm::{Function, Module, Value};
use std::collections::HashSet;

/// The most bytes of private arrays that a function keeps on the stack. Arrays that LLVM may still
/// promote to registers, when it unrolls loops at the very end, are far smaller, even for all
/// lanes.
const STACK_BUDGET: u64 = 16 << 10;

/// The most private memory of a work-item: with it, the size of a work-group's memory, over all
/// work-items, still fits 64 bits.
const MOST_BYTES: u64 = 1 << 44;

/// How many elements an alloca has, if that is a constant.
pub(crate) fn array_len(alloca: Value) -> Option<u64> {
    alloca.operand(0).as_const_int()
}

/// The bytes of an alloca, if their number is a constant.
fn bytes(module: &Module, alloca: Value) -> Option<u64> {
    let ty = alloca.allocated_type();
    /// The largest `vscale` that the stack has room for: vectors of 2048 bits.
    const MOST_VSCALE: u64 = 16;
    let bytes = match () {
        () if !ty.is_sized() => return None,
        () if ty.is_scalable_vector() => MOST_VSCALE * module.min_size_of(ty),
        () => module.size_of(ty),
    };
    Some(bytes.saturating_mul(array_len(alloca)?))
}

/// The allocas of a function beyond the stack's budget: the largest ones.
pub(crate) fn beyond_stack(module: &Module, function: Function) -> HashSet<Value> {
    let allocas = function.instructions().into_iter().filter(|i| i.is_alloca());
    let mut sizes: Vec<(u64, Value)> = allocas.filter_map(|a| Some((bytes(module, a)?, a))).collect();
    sizes.sort_by_key(|(bytes, _)| *bytes);
    let mut total = 0u64;
    sizes.retain(|(bytes, _)| {
        total = total.saturating_add(*bytes);
        total > STACK_BUDGET
    });
    sizes.into_iter().map(|(_, alloca)| alloca).collect()
}

/// Refuses a kernel whose work-items need more private memory than [`MOST_BYTES`].
pub(crate) fn check_size(module: &Module, kernel: Function) -> Result<(), PassError> {
    let allocas = kernel.instructions().into_iter().filter(|i| i.is_alloca());
    let total = allocas.filter_map(|a| bytes(module, a)).fold(0, u64::saturating_add);
    if total <= MOST_BYTES {
        return Ok(());
    }
    let name = kernel.name();
    let message =
        format!("kernel '{name}' has {total} bytes of private variables; at most {MOST_BYTES} work");
    Err(PassError::in_function(kernel, message))
}
