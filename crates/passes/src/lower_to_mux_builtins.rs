//! LowerToMuxBuiltins: turns OpenCL's own work-item, barrier, fence and group functions into mux
//! builtins, and those of SPIR-V (`lower_spirv_functions.rs`).
//!
//! ```text
//! %x = call spir_func i64 @_Z13get_global_idj(i32 0)
//! call spir_func void @_Z7barrierj(i32 1)
//! ───►
//! %x = call spir_func i64 @__mux_get_global_id(i32 0)
//! call spir_func void @__mux_work_group_barrier(
//!     i32 0, i32 2 /*WorkGroup*/, i32 264 /*AcqRel, WorkGroup memory*/)
//! ```
//!
//! It also brings atomics into the form the specification allows: monotonic, without a
//! synchronisation scope, with fences around those that were stronger; and it gives every kernel
//! that takes a struct by value a private copy of it, so that a kernel's arguments are never
//! written. Needs nothing; preserves control flow.

use crate::callgraph::calls_of;
use crate::lower_groups::GroupLowering;
use crate::{Pass, PassContext, PassError, lower_spirv_functions};
use analysis::Preserved;
use ir::{Builtin, MemScope, MemSemantics, mangling};
use llvm::{AtomicOrdering, Builder, CallConv, Context, Function, IntPredicate, Module, Opcode, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerToMuxBuiltins;

/// How a function of OpenCL C is lowered.
enum Lowering {
    /// A query with the same operands.
    Query(Builtin),
    /// `barrier(flags)`, `work_group_barrier(flags[, scope])`.
    Barrier(Builtin, MemScope),
    /// `mem_fence(flags)` and its halves.
    MemFence(u32),
    /// `atomic_work_item_fence(flags, order, scope)`.
    Fence,
}

fn lowering(name: &str, params: &str) -> Option<Lowering> {
    use Builtin::*;
    let query = match (name, params) {
        ("get_work_dim", "v") => GetWorkDim,
        ("get_global_size", "j") => GetGlobalSize,
        ("get_global_id", "j") => GetGlobalId,
        ("get_global_offset", "j") => GetGlobalOffset,
        ("get_local_size", "j") => GetLocalSize,
        ("get_local_id", "j") => GetLocalId,
        ("get_num_groups", "j") => GetNumGroups,
        ("get_group_id", "j") => GetGroupId,
        ("get_enqueued_local_size", "j") => GetEnqueuedLocalSize,
        ("get_global_linear_id", "v") => GetGlobalLinearId,
        ("get_local_linear_id", "v") => GetLocalLinearId,
        ("get_sub_group_id", "v") => GetSubGroupId,
        ("get_num_sub_groups", "v") => GetNumSubGroups,
        ("get_sub_group_size", "v") => GetSubGroupSize,
        ("get_max_sub_group_size", "v") => GetMaxSubGroupSize,
        ("get_sub_group_local_id", "v") => GetSubGroupLocalId,
        ("barrier", "j") => return Some(Lowering::Barrier(WorkGroupBarrier, MemScope::WorkGroup)),
        ("work_group_barrier", _) => return Some(Lowering::Barrier(WorkGroupBarrier, MemScope::WorkGroup)),
        ("sub_group_barrier", _) => return Some(Lowering::Barrier(SubGroupBarrier, MemScope::SubGroup)),
        ("mem_fence", "j") => return Some(Lowering::MemFence(MemSemantics::ACQUIRE_RELEASE)),
        ("read_mem_fence", "j") => return Some(Lowering::MemFence(MemSemantics::ACQUIRE)),
        ("write_mem_fence", "j") => return Some(Lowering::MemFence(MemSemantics::RELEASE)),
        ("atomic_work_item_fence", _) => return Some(Lowering::Fence),
        _ => return None,
    };
    Some(Lowering::Query(query))
}

impl Pass for LowerToMuxBuiltins {
    fn name(&self) -> &'static str {
        "lower-to-mux-builtins"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let all = || cx.module.functions().into_iter();
        for function in all().filter(|f| f.is_declaration()) {
            let name = function.name();
            let Some((plain, params)) = mangling::demangle(&name) else { continue };
            if lower_spirv_functions::is_one(plain) {
                lower_spirv_functions::replace_calls(cx.module, function, plain, params)?;
            } else if let Some(lowering) = lowering(plain, params) {
                replace_calls(cx.module, function, &lowering)?;
            } else if let Some(lowering) = GroupLowering::of(plain, params) {
                lowering.replace_calls(cx.module, function)?;
            }
        }
        for function in all().filter(|f| !f.is_declaration()) {
            restrict_atomics(cx.module.context(), function);
            if function.call_conv() == CallConv::SpirKernel {
                copy_byval_params(cx.module, function);
            }
        }
        Ok(Preserved::control_flow())
    }
}

fn replace_calls(module: &Module, function: Function, lowering: &Lowering) -> Result<(), PassError> {
    for call in calls_of(function)? {
        let b = Builder::before(module.context(), call);
        let args = call.call_args();
        let counts = match lowering {
            Lowering::Query(_) => 0..=1,
            Lowering::Barrier(..) => 1..=2,
            Lowering::MemFence(_) => 1..=1,
            Lowering::Fence => 3..=3,
        };
        if !counts.contains(&args.len()) || args.iter().any(|a| a.ty() != module.context().i32()) {
            let message = format!("'{}' is not declared as OpenCL C declares it", function.name());
            return Err(PassError::at(call, message));
        }
        let zero = b.i32(0);
        let (builtin, args) = match lowering {
            Lowering::Query(builtin) => (*builtin, args),
            Lowering::Barrier(builtin, scope) => {
                let scope = args.get(1).map_or(b.i32(*scope as u32), |s| mem_scope(&b, *s));
                let semantics = semantics(&b, args[0], b.i32(MemSemantics::ACQUIRE_RELEASE));
                (*builtin, vec![zero, scope, semantics])
            }
            // `mem_fence` has no scope: take the device's, since a work-item may publish data to
            // another work-group with it.
            Lowering::MemFence(ordering) => {
                let scope = b.i32(MemScope::Device as u32);
                (Builtin::MemBarrier, vec![scope, semantics(&b, args[0], b.i32(*ordering))])
            }
            Lowering::Fence => {
                let ordering = mem_ordering(&b, args[1]);
                (Builtin::MemBarrier, vec![mem_scope(&b, args[2]), semantics(&b, args[0], ordering)])
            }
        };
        let callee = builtin.declare(module);
        let types: Vec<_> = args.iter().map(|a| a.ty()).collect();
        if callee.function_type().params() != types || callee.return_type() != call.ty() {
            let message = format!("the call does not fit '{}' in its type", builtin.name());
            return Err(PassError::at(call, message));
        }
        let new = b.call(callee, &args, "");
        let name = call.name();
        if !call.ty().is_void() {
            call.replace_all_uses_with(new);
        }
        call.erase();
        new.set_name(&name);
    }
    function.erase();
    Ok(())
}

/// The memory kinds of `cl_mem_fence_flags` (bit 0 local, bit 1 global) with an ordering.
fn semantics(b: &Builder, flags: Value, ordering: Value) -> Value {
    let memory = b.and(flags, b.i32(3), "");
    let memory = b.binary(Opcode::LLVMShl, memory, b.i32(8), "");
    b.binary(Opcode::LLVMOr, memory, ordering, "semantics")
}

/// Looks a value up in a table, when it is compiled if the value is a constant; `otherwise` for
/// values not in the table.
fn look_up(b: &Builder, value: Value, table: &[(u32, u32)], otherwise: u32, name: &str) -> Value {
    table.iter().rev().fold(b.i32(otherwise), |rest, &(key, entry)| {
        let is_key = b.icmp(IntPredicate::LLVMIntEQ, value, b.i32(key), "");
        b.select(is_key, b.i32(entry), rest, name)
    })
}

/// OpenCL's `memory_scope`.
fn mem_scope(b: &Builder, scope: Value) -> Value {
    let table = [
        (0, MemScope::WorkItem as u32),
        (1, MemScope::WorkGroup as u32),
        (2, MemScope::Device as u32),
        (4, MemScope::SubGroup as u32),
    ];
    look_up(b, scope, &table, MemScope::CrossDevice as u32, "scope")
}

/// OpenCL's `memory_order`.
fn mem_ordering(b: &Builder, order: Value) -> Value {
    let table = [
        (0, MemSemantics::RELAXED),
        (2, MemSemantics::ACQUIRE),
        (3, MemSemantics::RELEASE),
        (4, MemSemantics::ACQUIRE_RELEASE),
    ];
    look_up(b, order, &table, MemSemantics::SEQUENTIALLY_CONSISTENT, "ordering")
}

/// Makes atomics monotonic, with fences for the ordering they had.
fn restrict_atomics(context: &Context, function: Function) {
    use AtomicOrdering::*;
    for instruction in function.instructions().into_iter().filter(|i| i.is_atomic()) {
        instruction.set_system_scope();
        let ordering = match instruction.opcode() {
            Some(Opcode::LLVMFence) => continue,
            Some(Opcode::LLVMAtomicCmpXchg) => {
                let (success, failure) = instruction.cmpxchg_orderings();
                instruction.set_cmpxchg_orderings(LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic);
                stronger(success, failure)
            }
            _ => {
                let ordering = instruction.ordering();
                instruction.set_ordering(LLVMAtomicOrderingMonotonic);
                ordering
            }
        };
        let before = match ordering {
            LLVMAtomicOrderingRelease => Some(LLVMAtomicOrderingRelease),
            LLVMAtomicOrderingAcquireRelease => Some(LLVMAtomicOrderingRelease),
            LLVMAtomicOrderingSequentiallyConsistent => Some(LLVMAtomicOrderingSequentiallyConsistent),
            _ => None,
        };
        let after = match ordering {
            LLVMAtomicOrderingAcquire | LLVMAtomicOrderingAcquireRelease => Some(LLVMAtomicOrderingAcquire),
            LLVMAtomicOrderingSequentiallyConsistent => Some(LLVMAtomicOrderingSequentiallyConsistent),
            _ => None,
        };
        if let Some(before) = before {
            Builder::before(context, instruction).fence(before);
        }
        if let (Some(after), Some(next)) = (after, instruction.next()) {
            Builder::before(context, next).fence(after);
        }
    }
}

fn stronger(a: AtomicOrdering, b: AtomicOrdering) -> AtomicOrdering {
    use AtomicOrdering::*;
    match (a, b) {
        (LLVMAtomicOrderingSequentiallyConsistent, _) | (_, LLVMAtomicOrderingSequentiallyConsistent) => {
            LLVMAtomicOrderingSequentiallyConsistent
        }
        (LLVMAtomicOrderingRelease, LLVMAtomicOrderingAcquire) => LLVMAtomicOrderingAcquireRelease,
        (LLVMAtomicOrderingMonotonic, b) => b,
        (a, _) => a,
    }
}

/// Gives a kernel a private copy of each by-value struct, which it may write: the packed arguments
/// are shared by all work-items.
fn copy_byval_params(module: &Module, kernel: Function) {
    let entry = kernel.entry().instructions();
    let Some(&first) = entry.first() else { return };
    let variables = Builder::before(module.context(), first);
    let mut copies = Vec::new();
    for i in 0..kernel.params().len() as u32 {
        let Some(ty) = kernel.param_byval_type(i) else { continue };
        let param = kernel.param(i);
        let natural = module.align_of(ty);
        let align = (kernel.param_alignment(i) as u32).max(natural);
        let copy = variables.alloca(ty, align, &format!("{}.copy", param.name()));
        param.replace_all_uses_with(copy);
        copies.push((copy, align, param, natural, module.size_of(ty)));
        kernel.make_param_byref(i);
        // Among the packed arguments, the struct has the alignment of its type, not of its
        // declaration.
        kernel.remove_param_flag(i, "align");
        kernel.set_param_flag(i, "noalias");
        kernel.set_param_flag(i, "readonly");
    }
    // Behind all variables of the entry, which others take for one group at its beginning.
    let statement = entry.into_iter().find(|i| !i.is_alloca()).expect("a block has a terminator");
    let b = Builder::before(module.context(), statement);
    for (copy, align, param, natural, size) in copies {
        b.memcpy(copy, align, param, natural, size);
    }
}
