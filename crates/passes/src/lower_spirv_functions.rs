//! The part of LowerToMuxBuiltins that is about SPIR-V's functions in LLVM IR, as compilers of SYCL
//! and translators of SPIR-V write them.
//!
//! ```text
//! call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
//! call i64 @_Z28__spirv_GlobalInvocationId_xv()
//! call i32 @_Z17__spirv_GroupIAddjji(i32 3, i32 0, i32 %x)
//! call float @_Z15__spirv_ocl_sinf(float %y)
//! ───►
//! call void @__mux_work_group_barrier(i32 0, i32 2, i32 272)
//! call i64 @__mux_get_global_id(i32 0)
//! call i32 @__mux_sub_group_reduce_add_i32(i32 %x)
//! call float @_Z3sinf(float %y)
//! ```
//!
//! Atomic functions become LLVM's instructions.
//!
//! Scopes and kinds of operations must be constants. An unknown function is an error that names it.

use crate::PassError;
use crate::link_builtins::rename;
use crate::lower_groups::GroupLowering;
use ir::address_space::{GENERIC, GLOBAL, LOCAL, PRIVATE};
use ir::{Arithmetic, Builtin, Group, GroupOp, GroupScope, MemScope, MemSemantics, Ordering};
use llvm::{AtomicOp, AtomicOrdering, Builder, Function, Module, Type, Value};

const PREFIX: &str = "__spirv_";

/// Whether a function is one of SPIR-V, by its unmangled name.
pub(crate) fn is_one(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Replaces the calls of a function of SPIR-V.
pub(crate) fn replace_calls(
    module: &Module,
    function: Function,
    name: &str,
    params: &str,
) -> Result<(), PassError> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let uses = function.uses();
    if uses.others {
        let message = format!("the address of the SPIR-V function '{}' is taken", function.name());
        return Err(PassError::address_taken(function, &message));
    }
    if let Some(plain) = name.strip_prefix("ocl_") {
        return call_library(module, function, plain, params);
    }
    for call in uses.calls {
        let b = Builder::before(module.context(), call);
        let new = Site { module, b: &b, name, args: call.call_args(), result: call.ty() }
            .lower()
            .map_err(|why| PassError::at(call, format!("the SPIR-V function '{}' {why}", function.name())))?;
        if let Some(new) = new {
            if new.ty() != call.ty() {
                let message = format!("the SPIR-V function '{}' returns another type", function.name());
                return Err(PassError::at(call, message));
            }
            call.replace_all_uses_with(new);
        } else if call.is_used() {
            let message = format!("the SPIR-V function '{}' returns nothing", function.name());
            return Err(PassError::at(call, message));
        }
        call.erase();
    }
    function.erase();
    Ok(())
}

/// Functions of the extended instruction set have the names of OpenCL C, with a prefix for the sign
/// (`s_`, `u_`), which OpenCL C has in the mangled types.
fn call_library(module: &Module, function: Function, name: &str, params: &str) -> Result<(), PassError> {
    let plain = match name {
        "fclamp" => "clamp",
        "fmax_common" => "max",
        "fmin_common" => "min",
        _ => name.strip_prefix("s_").or(name.strip_prefix("u_")).unwrap_or(name),
    };
    rename(module, function, &format!("_Z{}{plain}{params}", plain.len()))
}

/// The builtin of a builtin variable that is a function: `GlobalInvocationId_x`, or
/// `BuiltInGlobalInvocationId` with the dimension as an operand.
fn query(name: &str) -> Option<(Builtin, Option<u32>)> {
    let name = name.strip_prefix("BuiltIn").unwrap_or(name);
    if let Some(builtin) = Builtin::of_spirv_variable(name) {
        return Some((builtin, None));
    }
    let (name, axis) = name.rsplit_once('_')?;
    let dimension = ["x", "y", "z"].iter().position(|a| *a == axis)? as u32;
    Builtin::of_spirv_variable(name).filter(|b| b.takes_dimension()).map(|b| (b, Some(dimension)))
}

/// A call of a SPIR-V function that is lowered.
struct Site<'a> {
    module: &'a Module,
    b: &'a Builder,
    /// The function's name, without the prefix.
    name: &'a str,
    args: Vec<Value>,
    /// The type of the result.
    result: Type,
}

/// The error of a call: a wrong operand, or an unknown function.
type Why = String;

impl Site<'_> {
    /// The call's result, if it has one.
    fn lower(&self) -> Result<Option<Value>, Why> {
        if let Some((builtin, dimension)) = query(self.name) {
            return self.query(builtin, dimension).map(Some);
        }
        match (self.name, self.args.as_slice()) {
            ("ControlBarrier", &[execution, memory, semantics]) => {
                let builtin = match self.constant(execution)? {
                    scope if scope == MemScope::SubGroup as u64 => Builtin::SubGroupBarrier,
                    _ => Builtin::WorkGroupBarrier,
                };
                let (scope, semantics) = self.ordering(memory, semantics)?;
                self.b.call(builtin.declare(self.module), &[self.b.i32(0), scope, semantics], "");
                Ok(None)
            }
            ("MemoryBarrier", &[memory, semantics]) => {
                let (scope, semantics) = self.ordering(memory, semantics)?;
                self.b.call(Builtin::MemBarrier.declare(self.module), &[scope, semantics], "");
                Ok(None)
            }
            ("GenericCastToPtrExplicit_ToGlobal", &[pointer, ..]) => self.cast("global", GLOBAL, pointer),
            ("GenericCastToPtrExplicit_ToLocal", &[pointer, ..]) => self.cast("local", LOCAL, pointer),
            ("GenericCastToPtrExplicit_ToPrivate", &[pointer, ..]) => self.cast("private", PRIVATE, pointer),
            (name, _) if name.starts_with("Atomic") => self.atomic(),
            _ => self.group().map(Some),
        }
    }

    /// An atomic operation: an instruction, with the ordering that its semantics ask for. Scopes
    /// are dropped, as the specification requires.
    fn atomic(&self) -> Result<Option<Value>, Why> {
        use AtomicOrdering::*;
        let wrong = || "is called with other operands than SPIR-V has".to_owned();
        let b = self.b;
        let &[pointer, _, semantics, ref rest @ ..] = self.args.as_slice() else { return Err(wrong()) };
        let is_number = |ty: Type| match ty.is_int() {
            true => matches!(ty.int_bits(), 8 | 16 | 32 | 64),
            false => ty.float_bits().is_some_and(|bits| bits <= 64),
        };
        if !pointer.ty().is_ptr() {
            return Err(wrong());
        }
        let ordering = ordering_of(semantics);
        let rmw = |op: AtomicOp, value: Value| {
            (value.ty() == self.result && is_number(value.ty()))
                .then(|| Some(b.atomic_rmw(op, pointer, value, ordering)))
                .ok_or_else(wrong)
        };
        match (self.name, rest) {
            ("AtomicLoad", []) if is_number(self.result) => {
                let load = b.load(self.result, pointer, "");
                load.set_alignment(self.module.size_of(self.result) as u32);
                load.set_ordering(match ordering {
                    LLVMAtomicOrderingAcquireRelease => LLVMAtomicOrderingAcquire,
                    LLVMAtomicOrderingRelease => LLVMAtomicOrderingMonotonic,
                    other => other,
                });
                Ok(Some(load))
            }
            ("AtomicStore", &[value]) if is_number(value.ty()) => {
                let store = b.store(value, pointer);
                store.set_alignment(self.module.size_of(value.ty()) as u32);
                store.set_ordering(match ordering {
                    LLVMAtomicOrderingAcquireRelease => LLVMAtomicOrderingRelease,
                    LLVMAtomicOrderingAcquire => LLVMAtomicOrderingMonotonic,
                    other => other,
                });
                Ok(None)
            }
            ("AtomicCompareExchange", &[unequal, value, comparator])
                if value.ty().is_int() && is_number(value.ty()) && comparator.ty() == value.ty() =>
            {
                let failure = match ordering_of(unequal) {
                    LLVMAtomicOrderingAcquireRelease => LLVMAtomicOrderingAcquire,
                    LLVMAtomicOrderingRelease => LLVMAtomicOrderingMonotonic,
                    other => other,
                };
                let both = b.atomic_cmpxchg(pointer, comparator, value, (ordering, failure));
                Ok(Some(b.extract_value(both, 0, "")))
            }
            ("AtomicIIncrement" | "AtomicIDecrement", []) if self.result.is_int() => {
                let one = self.result.const_int(1);
                let up = self.name == "AtomicIIncrement";
                rmw(if up { AtomicOp::LLVMAtomicRMWBinOpAdd } else { AtomicOp::LLVMAtomicRMWBinOpSub }, one)
            }
            (name, &[value]) => {
                let op = atomic_op(name).ok_or_else(|| "is not supported".to_owned())?;
                let of_floats = name.ends_with("EXT");
                if name != "AtomicExchange" && value.ty().is_float() != of_floats {
                    return Err(wrong());
                }
                rmw(op, value)
            }
            _ => Err(if atomic_op(self.name).is_some() { wrong() } else { "is not supported".to_owned() }),
        }
    }

    fn constant(&self, value: Value) -> Result<u64, Why> {
        value.as_const_int().ok_or_else(|| "has a scope or an operation that is not constant".to_owned())
    }

    fn query(&self, builtin: Builtin, known: Option<u32>) -> Result<Value, Why> {
        let operands = match (builtin.takes_dimension(), known, self.args.as_slice()) {
            (true, Some(dimension), []) => vec![self.b.i32(dimension)],
            (true, None, [dimension]) if dimension.ty().is_int() => {
                vec![self.b.int_cast(*dimension, self.b.context().i32(), "")]
            }
            (false, None, []) => vec![],
            _ => return Err("is called with other operands than SPIR-V has".to_owned()),
        };
        let value = self.b.call(builtin.declare(self.module), &operands, "");
        // Front ends choose the width of the result.
        Ok(if self.result.is_int() { self.b.int_cast(value, self.result, "") } else { value })
    }

    /// SPIR-V's scope and semantics, whose numbers are those of the mux builtins. Kinds of memory
    /// that a kernel does not have are left out.
    fn ordering(&self, scope: Value, semantics: Value) -> Result<(Value, Value), Why> {
        let i32 = self.b.context().i32();
        if scope.ty() != i32 || semantics.ty() != i32 {
            return Err("takes scopes and semantics of 32 bits".to_owned());
        }
        let known = MemSemantics::ORDERING_MASK
            | MemSemantics::SUB_GROUP_MEMORY
            | MemSemantics::WORK_GROUP_MEMORY
            | MemSemantics::CROSS_WORK_GROUP_MEMORY;
        Ok((scope, self.b.and(semantics, self.b.i32(known), "")))
    }

    fn cast(&self, name: &str, space: u32, pointer: Value) -> Result<Option<Value>, Why> {
        if !pointer.ty().is_ptr() || pointer.ty().address_space() != GENERIC {
            return Err("takes a generic pointer".to_owned());
        }
        let name = format!("__to_{name}");
        let f = self.module.function(&name).unwrap_or_else(|| {
            let ty = self.b.context().ptr(space).function(&[self.b.context().ptr(GENERIC)]);
            self.module.add_function(&name, ty)
        });
        Ok(Some(self.b.call(f, &[pointer], "")))
    }

    fn group(&self) -> Result<Value, Why> {
        let wrong = || "is called with other operands than SPIR-V has".to_owned();
        let shuffle = match self.name {
            "SubgroupShuffleINTEL" => Some(GroupOp::Shuffle),
            "SubgroupShuffleXorINTEL" => Some(GroupOp::ShuffleXor),
            "SubgroupShuffleUpINTEL" => Some(GroupOp::ShuffleUp),
            "SubgroupShuffleDownINTEL" => Some(GroupOp::ShuffleDown),
            _ => None,
        };
        if let (Some(op), [value, rest @ ..]) = (shuffle, self.args.as_slice()) {
            let group = Group { scope: GroupScope::Sub, op };
            return GroupLowering::plain(group).call(self.module, self.b, *value, rest).ok_or_else(wrong);
        }
        let unknown = || "is not supported".to_owned();
        let name = self.name.strip_prefix("Group").ok_or_else(unknown)?;
        let (name, uniform) = match name.strip_prefix("NonUniform") {
            Some(name) => (name, false),
            None => (name.strip_suffix("KHR").unwrap_or(name), true),
        };
        let [scope, operands @ ..] = self.args.as_slice() else { return Err(wrong()) };
        let simple = match name {
            "All" => Some(GroupOp::All),
            "Any" => Some(GroupOp::Any),
            "Broadcast" => Some(GroupOp::Broadcast),
            "Shuffle" if !uniform => Some(GroupOp::Shuffle),
            "ShuffleXor" if !uniform => Some(GroupOp::ShuffleXor),
            "ShuffleUp" if !uniform => Some(GroupOp::ShuffleUp),
            "ShuffleDown" if !uniform => Some(GroupOp::ShuffleDown),
            _ => None,
        };
        let arithmetic = arithmetic(name);
        if simple.is_none() && arithmetic.is_none() {
            return Err(unknown());
        }
        let scope = match self.constant(*scope)? {
            s if s == MemScope::SubGroup as u64 => GroupScope::Sub,
            s if s == MemScope::WorkGroup as u64 && uniform => GroupScope::Work,
            _ => return Err("has a scope that is no work-group and no sub-group".to_owned()),
        };
        let (op, value, rest) = match (simple, arithmetic, operands) {
            (Some(op), _, [value, rest @ ..]) => (op, *value, self.indices(scope, op, rest)),
            (None, Some(a), [kind, value]) => {
                let op = match self.constant(*kind)? {
                    0 => GroupOp::Reduce(a),
                    1 => GroupOp::ScanInclusive(a),
                    2 => GroupOp::ScanExclusive(a),
                    _ => return Err("has a group operation that is not supported".to_owned()),
                };
                (op, *value, vec![])
            }
            _ => return Err(wrong()),
        };
        GroupLowering::plain(Group { scope, op }).call(self.module, self.b, value, &rest).ok_or_else(wrong)
    }

    /// The indices of a broadcast or a shuffle: up to three of `size_t` for a work-group, which may
    /// be a vector, and one of 32 bits for a sub-group.
    fn indices(&self, scope: GroupScope, op: GroupOp, rest: &[Value]) -> Vec<Value> {
        let wanted = match scope {
            GroupScope::Work => self.module.size_type(),
            _ => self.b.context().i32(),
        };
        let resized = |v: Value| if v.ty().is_int() { self.b.int_cast(v, wanted, "") } else { v };
        match rest {
            [all] if op == GroupOp::Broadcast && all.ty().is_vector() => (0..all.ty().len() as u32)
                .map(|n| resized(self.b.extract_element(*all, self.b.i32(n), "")))
                .collect(),
            _ => rest.iter().map(|v| resized(*v)).collect(),
        }
    }
}

/// LLVM's ordering for SPIR-V's semantics; the strongest one if they are not constant.
fn ordering_of(semantics: Value) -> AtomicOrdering {
    let bits = semantics.as_const_int().map(|bits| MemSemantics(bits as u32).ordering());
    match bits {
        Some(Some(Ordering::Relaxed)) => AtomicOrdering::LLVMAtomicOrderingMonotonic,
        Some(Some(Ordering::Acquire)) => AtomicOrdering::LLVMAtomicOrderingAcquire,
        Some(Some(Ordering::Release)) => AtomicOrdering::LLVMAtomicOrderingRelease,
        Some(Some(Ordering::AcquireRelease)) => AtomicOrdering::LLVMAtomicOrderingAcquireRelease,
        _ => AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent,
    }
}

/// The operation of an atomic function with one operand.
fn atomic_op(name: &str) -> Option<AtomicOp> {
    use AtomicOp::*;
    Some(match name {
        "AtomicExchange" => LLVMAtomicRMWBinOpXchg,
        "AtomicIAdd" => LLVMAtomicRMWBinOpAdd,
        "AtomicISub" => LLVMAtomicRMWBinOpSub,
        "AtomicSMin" => LLVMAtomicRMWBinOpMin,
        "AtomicUMin" => LLVMAtomicRMWBinOpUMin,
        "AtomicSMax" => LLVMAtomicRMWBinOpMax,
        "AtomicUMax" => LLVMAtomicRMWBinOpUMax,
        "AtomicAnd" => LLVMAtomicRMWBinOpAnd,
        "AtomicOr" => LLVMAtomicRMWBinOpOr,
        "AtomicXor" => LLVMAtomicRMWBinOpXor,
        "AtomicFAddEXT" => LLVMAtomicRMWBinOpFAdd,
        "AtomicFMinEXT" => LLVMAtomicRMWBinOpFMin,
        "AtomicFMaxEXT" => LLVMAtomicRMWBinOpFMax,
        _ => return None,
    })
}

/// The arithmetic of a group operation: `IAdd`, `FMax`, `BitwiseAnd`.
fn arithmetic(name: &str) -> Option<Arithmetic> {
    use Arithmetic::*;
    Some(match name {
        "IAdd" => Add,
        "FAdd" => FAdd,
        "IMul" => Mul,
        "FMul" => FMul,
        "SMin" => SMin,
        "UMin" => UMin,
        "FMin" => FMin,
        "SMax" => SMax,
        "UMax" => UMax,
        "FMax" => FMax,
        "BitwiseAnd" => And,
        "BitwiseOr" => Or,
        "BitwiseXor" => Xor,
        "LogicalAnd" => LogicalAnd,
        "LogicalOr" => LogicalOr,
        "LogicalXor" => LogicalXor,
        _ => return None,
    })
}
