//! The part of LowerToMuxBuiltins that is about groups: OpenCL's collective functions become group
//! builtins.
//!
//! ```text
//! call i32 @_Z21work_group_reduce_addi(i32 %x)
//! call i32 @_Z13sub_group_anyi(i32 %x)
//! ───►
//! call i32 @__mux_work_group_reduce_add_i32(i32 0, i32 %x)
//! call i1 @__mux_sub_group_any_i1(i1 (%x != 0)), extended
//! ```
//!
//! Vectors are scalarized: the builtins of a sub-group or a work-group take scalars.

use crate::PassError;
use crate::callgraph::calls_of;
use ir::{Arithmetic, Group, GroupOp, GroupScope};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};

/// The group builtin that a collective function of OpenCL C is lowered to.
pub(crate) struct GroupLowering {
    group: Group,
    /// The function takes and returns an `int` as a truth value; the builtin takes and returns
    /// `i1`.
    truth: bool,
}

impl GroupLowering {
    /// The lowering of a function, by its name and its mangled parameters. `None` also for the
    /// collectives that the library implements with others.
    pub(crate) fn of(name: &str, params: &str) -> Option<Self> {
        let scoped = |scope, op, truth| Some(GroupLowering { group: Group { scope, op }, truth });
        let (scope, rest) = if let Some(rest) = name.strip_prefix("work_group_") {
            (GroupScope::Work, rest)
        } else if let Some(rest) = name.strip_prefix("intel_sub_group_").filter(|r| r.starts_with("shuffle"))
        {
            (GroupScope::Sub, rest)
        } else {
            let rest = name.strip_prefix("sub_group_")?;
            // Uniform and non-uniform collectives have one implementation: inactive lanes
            // contribute the identity.
            (GroupScope::Sub, rest.strip_prefix("non_uniform_").unwrap_or(rest))
        };
        let simple = match rest {
            "all" => Some((GroupOp::All, true)),
            "any" => Some((GroupOp::Any, true)),
            "broadcast" => Some((GroupOp::Broadcast, false)),
            "shuffle" => Some((GroupOp::Shuffle, false)),
            "shuffle_xor" => Some((GroupOp::ShuffleXor, false)),
            "shuffle_up" => Some((GroupOp::ShuffleUp, false)),
            "shuffle_down" => Some((GroupOp::ShuffleDown, false)),
            _ => None,
        };
        if let Some((op, truth)) = simple {
            let has = scope == GroupScope::Sub || !op.is_shuffle();
            return if has { scoped(scope, op, truth) } else { None };
        }
        let (make, what): (fn(Arithmetic) -> GroupOp, _) = if let Some(what) = rest.strip_prefix("reduce_") {
            (GroupOp::Reduce, what)
        } else if let Some(what) = rest.strip_prefix("scan_inclusive_") {
            (GroupOp::ScanInclusive, what)
        } else {
            (GroupOp::ScanExclusive, rest.strip_prefix("scan_exclusive_")?)
        };
        let (arithmetic, truth) = arithmetic(what, params)?;
        scoped(scope, make(arithmetic), truth)
    }

    /// The lowering of a function with the same operands as the builtin.
    pub(crate) fn plain(group: Group) -> Self {
        GroupLowering { group, truth: false }
    }

    pub(crate) fn replace_calls(&self, module: &Module, function: Function) -> Result<(), PassError> {
        for call in calls_of(function)? {
            let wrong = || {
                PassError::at(call, format!("'{}' is not declared as OpenCL C declares it", function.name()))
            };
            let args = call.call_args();
            let (value, rest) = args.split_first().ok_or_else(wrong)?;
            let b = Builder::before(module.context(), call);
            let new = self.call(module, &b, *value, rest);
            let new = new.filter(|new| new.ty() == call.ty()).ok_or_else(wrong)?;
            let name = call.name();
            call.replace_all_uses_with(new);
            call.erase();
            if new.is_instruction() {
                new.set_name(&name);
            }
        }
        function.erase();
        Ok(())
    }

    /// The calls for a scalar or for each element of a vector; `None` if the operands have the
    /// wrong types.
    pub(crate) fn call(&self, module: &Module, b: &Builder, value: Value, rest: &[Value]) -> Option<Value> {
        if !value.ty().is_vector() {
            return self.scalar(module, b, value, rest);
        }
        (0..value.ty().len() as u32).try_fold(value.ty().poison(), |all, lane| {
            let part =
                |v: &Value| if v.ty().is_vector() { b.extract_element(*v, b.i32(lane), "") } else { *v };
            let rest: Vec<Value> = rest.iter().map(part).collect();
            let own = self.scalar(module, b, part(&value), &rest)?;
            Some(b.insert_element(all, own, b.i32(lane), ""))
        })
    }

    /// The call for one scalar operand; `None` if the operands have the wrong types.
    fn scalar(&self, module: &Module, b: &Builder, value: Value, rest: &[Value]) -> Option<Value> {
        let ty = value.ty();
        let (i32, size) = (module.context().i32(), module.size_type());
        if !(ty.is_int() || ty.is_float()) {
            return None;
        }
        let operand = if self.truth { b.icmp(IntPredicate::LLVMIntNE, value, ty.zero(), "") } else { value };
        let mut args = Vec::new();
        if self.group.scope == GroupScope::Work {
            args.push(b.i32(0));
        }
        let all_of = |of: llvm::Type| rest.iter().all(|v| v.ty() == of);
        args.push(operand);
        match (self.group.op, self.group.scope, rest.len()) {
            (GroupOp::Broadcast, GroupScope::Work, 1..=3) if all_of(size) => {
                args.extend(rest);
                args.resize(5, size.zero());
            }
            (GroupOp::Broadcast | GroupOp::Shuffle | GroupOp::ShuffleXor, GroupScope::Sub, 1)
                if all_of(i32) =>
            {
                args.extend(rest);
            }
            // With one value, lanes that read from outside of the sub-group get an undefined value.
            (GroupOp::ShuffleUp | GroupOp::ShuffleDown, _, 1) if all_of(i32) => args.extend([value, rest[0]]),
            (GroupOp::ShuffleUp | GroupOp::ShuffleDown, _, 2)
                if rest[0].ty() == ty && rest[1].ty() == i32 =>
            {
                args.extend(rest);
            }
            (op, _, 0) if op.arithmetic().is_some() => {}
            _ => return None,
        }
        let result = b.call(self.group.declare(module, operand.ty()), &args, "");
        Some(if self.truth { b.cast(Opcode::LLVMZExt, result, ty, "") } else { result })
    }
}

/// The operation by its name in OpenCL and the type of its operand, and whether that is a truth
/// value.
fn arithmetic(name: &str, params: &str) -> Option<(Arithmetic, bool)> {
    use Arithmetic::*;
    let element = params.rsplit('_').next().unwrap_or(params);
    let float = ["f", "d", "Dh"].contains(&element);
    let signed = ["c", "s", "i", "l"].contains(&element);
    let one_of = |of_float, of_signed, of_unsigned| {
        if float {
            of_float
        } else if signed {
            of_signed
        } else {
            of_unsigned
        }
    };
    Some(match name {
        "add" => (one_of(FAdd, Add, Add), false),
        "mul" => (one_of(FMul, Mul, Mul), false),
        "min" => (one_of(FMin, SMin, UMin), false),
        "max" => (one_of(FMax, SMax, UMax), false),
        "and" => (And, false),
        "or" => (Or, false),
        "xor" => (Xor, false),
        "logical_and" => (LogicalAnd, true),
        "logical_or" => (LogicalOr, true),
        "logical_xor" => (LogicalXor, true),
        _ => return None,
    })
}
