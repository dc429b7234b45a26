//! Tiers: a large kernel first gets code that is quick to make, and the best code later.
//!
//! The first version is scalar code that LLVM neither optimises nor schedules, made in a small part
//! of the time. It does the same arithmetic, so that a launch may go on with the best code where
//! the first version stopped. It is for kernels whose work-items take no longer than their size
//! allows, so without loops unless they are huge, and for which neither the order of work-items nor
//! how many run at once can be observed.

use crate::backend::checks;
use crate::{Backend, Options};
use ir::{Builtin, address_space};
use llvm::{Block, Function, Module, Value};
use std::collections::HashMap;

/// How hard the compiler tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Code that is quick to make.
    First,
    #[default]
    Best,
}

/// A kernel of fewer instructions has its best code about as soon.
const LEAST_INSTRUCTIONS: usize = 400;
/// The most bytes of values in a first version: each has a place on the stack.
const MOST_BYTES: u64 = 1 << 20;
/// A kernel of more instructions may have loops: its best code takes seconds, and is scalar code.
const HUGE: usize = 20_000;

/// Whether a kernel in canonical form should have a first version.
pub(crate) fn first_version_pays(
    backend: &dyn Backend,
    module: &Module,
    kernel: Function,
    options: &Options,
) -> bool {
    if !backend.has_first_versions() || options.opt_disable || !checks(options).is_none() {
        return false;
    }
    // Remarks and debug information are of the best code.
    if options.remarks || options.debug || options.wfv.is_some() {
        return false;
    }
    if ir::metadata::reqd_sub_group_size(module, kernel).is_some() {
        return false;
    }
    let reached = passes::reachable_functions(kernel);
    let defined = || reached.iter().copied().filter(|f| !f.is_declaration());
    let instructions: Vec<Value> = defined().flat_map(Function::instructions).collect();
    let sizes = instructions.iter().filter(|i| i.ty().is_sized()).map(|i| module.min_size_of(i.ty()));
    let bytes = sizes.fold(0, u64::saturating_add);
    instructions.len() >= LEAST_INSTRUCTIONS
        && bytes <= MOST_BYTES
        && (instructions.len() > HUGE || defined().all(is_loop_free))
        && instructions.into_iter().all(is_plain)
}

/// Whether an instruction does the same in code of any tier: no other work-item of its work-group
/// can notice when it runs, and the code generator must not change its result.
fn is_plain(i: Value) -> bool {
    let is_local = |v: Value| v.ty().is_ptr() && v.ty().address_space() == address_space::LOCAL;
    let is_known = match Builtin::called_by(i) {
        Some(Builtin::Math(_)) | None => true,
        Some(builtin) => builtin.is_work_item_query() && !builtin.is_sub_group_query(),
    };
    is_known && i.fast_math() == 0 && !is_local(i) && !i.operands().any(is_local)
}

/// Whether the blocks have a topological order.
fn is_loop_free(f: Function) -> bool {
    let blocks = f.blocks();
    let mut waiting: HashMap<Block, usize> = blocks.iter().map(|b| (*b, 0)).collect();
    blocks.iter().flat_map(|b| b.successors()).for_each(|to| *waiting.entry(to).or_default() += 1);
    let mut ready: Vec<Block> = blocks.iter().copied().filter(|b| waiting[b] == 0).collect();
    let mut done = 0;
    while let Some(block) = ready.pop() {
        done += 1;
        for to in block.successors() {
            if let Some(count) = waiting.get_mut(&to) {
                *count -= 1;
                if *count == 0 {
                    ready.push(to);
                }
            }
        }
    }
    done == blocks.len()
}
