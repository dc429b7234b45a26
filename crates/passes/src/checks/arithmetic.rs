//! CheckArithmetic: operations whose result the language does not define, or that is no number.
//!
//! ```text
//! %q = sdiv i32 %a, %b
//! ───►
//!   %bad = icmp eq i32 %b, 0
//!   br i1 %bad, label %check.bad, label %check.next
//! check.bad:
//!   call i32 @__mux_check(ptr @check.site, …)
//!   br label %check.next
//! check.next:
//!   %q = sdiv i32 %a, %b
//! ```
//!
//! Divisions by zero, shifts by the width or more (which OpenCL C reduces modulo the width), signed
//! overflow, conversions of floating-point numbers that the integer type cannot hold, and NaNs that
//! are made of numbers. The operations still have the result that they always have. Looks at the
//! program's own code, before DefineDivision and before the library is linked. Conditions are
//! computed in each function as it was written, and marked by a call that knows nothing of them:
//! when LLVM inlines a function, it drops operations whose operands turn out to be wrong. The marks
//! in kernels become the reports.

use super::inline_all;
use super::sites::{Sites, What};
use crate::{Pass, PassContext, PassError, Registry, wrap};
use analysis::Preserved;
use ir::check::Event;
use ir::metadata;
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, RealPredicate, Type, Value};
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, Default)]
pub struct CheckArithmetic;

pub(crate) fn register(registry: &mut Registry) {
    let summary = "make kernels look for overflow, division by zero and the like";
    registry.register("check-arithmetic", summary, |_| Ok(CheckArithmetic));
}

impl Pass for CheckArithmetic {
    fn name(&self) -> &'static str {
        "check-arithmetic"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let sites = Sites::new(module);
        let signed = metadata::signed_vectors(module);
        let marker = marker(module);
        let mut notes = Vec::new();
        for f in module.functions().into_iter().filter(|f| !f.is_declaration()) {
            for instruction in f.instructions() {
                if let Some((bad, note)) = test(module, &signed, instruction) {
                    mark(module, marker, &mut notes, instruction, bad, note);
                }
            }
        }
        for kernel in wrap::entry_points(module) {
            inline_all(module, kernel)?;
            for call in kernel.instructions().into_iter().filter(|i| i.called_function() == Some(marker)) {
                let note = call.operand(1).as_const_int().and_then(|n| notes.get(n as usize));
                report(module, kernel, &sites, call, call.operand(0), note.expect("it was marked"));
            }
        }
        marker.uses().calls.into_iter().for_each(Value::erase);
        marker.erase();
        Ok(Preserved::None)
    }
}

/// The condition that an operation is wrong, written before it or, if it is about the result, after
/// it, and what is wrong then.
fn test(module: &Module, signed: &HashSet<String>, i: Value) -> Option<(Value, &'static str)> {
    let before = || Builder::before(module.context(), i);
    let ty = i.ty();
    match i.opcode()? {
        op @ (Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem) => {
            let b = before();
            let divisor = i.operand(1);
            let known = divisor.as_const_signed();
            if known.is_some_and(|n| n != 0 && n != -1) {
                return None;
            }
            let equal = |v: Value, n: Value| b.icmp(IntPredicate::LLVMIntEQ, v, n, "");
            let zero = equal(divisor, ty.zero());
            if !matches!(op, Opcode::LLVMSDiv | Opcode::LLVMSRem) {
                return Some((any(module, &b, zero), "integer division by zero"));
            }
            let least = splat(&b, ty, 1 << (ty.scalar().int_bits().min(64) - 1));
            let minus = splat(&b, ty, u64::MAX);
            let over = b.and(equal(divisor, minus), equal(i.operand(0), least), "");
            let bad = b.binary(Opcode::LLVMOr, zero, over, "");
            Some((any(module, &b, bad), "integer division by zero or signed overflow"))
        }
        Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
            // Clang masks the amount: the value before that counts.
            let amount = i.operand(1);
            if amount.opcode() != Some(Opcode::LLVMAnd) {
                return None;
            }
            let given = amount.operand(0);
            let b = before();
            let width = splat(&b, ty, u64::from(ty.scalar().int_bits()));
            let large = b.icmp(IntPredicate::LLVMIntUGE, given, width, "");
            Some((any(module, &b, large), "shift by the width of the type or more"))
        }
        op @ (Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul)
            if i.has_no_signed_wrap() || is_signed_vector(signed, i) =>
        {
            let b = before();
            let name = match op {
                Opcode::LLVMAdd => "llvm.sadd.with.overflow",
                Opcode::LLVMSub => "llvm.ssub.with.overflow",
                _ => "llvm.smul.with.overflow",
            };
            let both = b.call(module.intrinsic(name, &[ty]), &[i.operand(0), i.operand(1)], "");
            let over = b.extract_value(both, 1, "");
            // The sum goes on as it is: overflow would be poison.
            i.set_no_wrap(false, false);
            Some((any(module, &b, over), "signed integer overflow"))
        }
        op @ (Opcode::LLVMFPToSI | Opcode::LLVMFPToUI) => {
            let b = before();
            let from = i.operand(0);
            Some((any(module, &b, beyond(&b, from, ty, op == Opcode::LLVMFPToSI)), OUT_OF_RANGE))
        }
        Opcode::LLVMFAdd | Opcode::LLVMFSub | Opcode::LLVMFMul | Opcode::LLVMFDiv | Opcode::LLVMFRem => {
            makes_nan(module, i, &[i.operand(0), i.operand(1)])
        }
        Opcode::LLVMCall => of_call(module, i),
        _ => None,
    }
}

/// Whether an operation is one of the places where vectors of signed integers are computed with.
fn is_signed_vector(signed: &HashSet<String>, i: Value) -> bool {
    let place = || i.debug_stack().first().map(|frame| format!("{}:{}", frame.line, frame.column));
    i.ty().is_vector() && place().is_some_and(|place| signed.contains(&place))
}

const OUT_OF_RANGE: &str = "conversion of a number that the integer type cannot hold";

fn of_call(module: &Module, call: Value) -> Option<(Value, &'static str)> {
    let f = call.called_function()?;
    let (name, args) = (f.name(), call.call_args());
    let plain = match ir::mangling::demangle(&name) {
        Some((plain, _)) => plain,
        // `a * b + c` is `llvm.fmuladd`.
        None if f.is_intrinsic() => "",
        None => return None,
    };
    if let [x] = args.as_slice()
        && let Some(to) = plain.strip_prefix("convert_")
        && !to.contains("_sat")
        && x.ty().scalar().is_float()
        && call.ty().scalar().is_int()
    {
        let b = Builder::before(module.context(), call);
        return Some((any(module, &b, beyond(&b, *x, call.ty(), !to.starts_with('u'))), OUT_OF_RANGE));
    }
    let is_math = call.ty().scalar().is_float()
        && !args.is_empty()
        && args.iter().all(|arg| arg.ty() == call.ty())
        && plain != "nan";
    if is_math { makes_nan(module, call, &args) } else { None }
}

/// Whether a floating-point number is not in the range of an integer type.
fn beyond(b: &Builder, from: Value, ty: Type, signed: bool) -> Value {
    let bits = ty.scalar().int_bits();
    let float = from.ty();
    let whole = |x: f64| {
        let constant = float.scalar().const_float(x);
        if float.is_vector() { b.splat(constant, float.len() as u32, "") } else { constant }
    };
    // Numbers above the least minus one, and below the end, are truncated into the range. Types
    // with fewer digits than the integer have no number between the least one and that minus one.
    let end = (if signed { bits - 1 } else { bits }) as i32;
    let digits = match float.scalar().float_bits() {
        Some(64) => 53,
        Some(32) => 24,
        _ => 11,
    };
    let high = b.fcmp(RealPredicate::LLVMRealUGE, from, whole(2f64.powi(end)), "");
    let low = match signed {
        false => b.fcmp(RealPredicate::LLVMRealULE, from, whole(-1.0), ""),
        true if bits < digits => b.fcmp(RealPredicate::LLVMRealULE, from, whole(-(2f64.powi(end)) - 1.0), ""),
        true => b.fcmp(RealPredicate::LLVMRealULT, from, whole(-(2f64.powi(end))), ""),
    };
    b.binary(Opcode::LLVMOr, high, low, "")
}

/// Whether a result is NaN and no operand is.
fn makes_nan(module: &Module, i: Value, operands: &[Value]) -> Option<(Value, &'static str)> {
    let b = Builder::before(module.context(), i.next()?);
    let nan = |v: Value, predicate| b.fcmp(predicate, v, v, "");
    let mut bad = nan(i, RealPredicate::LLVMRealUNO);
    for operand in operands.iter().filter(|v| !v.is_constant()) {
        bad = b.and(bad, nan(*operand, RealPredicate::LLVMRealORD), "");
    }
    // Without NaNs the flags would make the comparison always false.
    i.set_fast_math(i.fast_math() & !llvm::fast_math::NO_NANS);
    Some((any(module, &b, bad), "NaN made of numbers"))
}

/// Whether a condition holds in any element of a vector.
fn any(module: &Module, b: &Builder, condition: Value) -> Value {
    let ty = condition.ty();
    if !ty.is_vector() {
        return condition;
    }
    b.call(module.intrinsic("llvm.vector.reduce.or", &[ty]), &[condition], "")
}

fn splat(b: &Builder, ty: Type, value: u64) -> Value {
    let constant = ty.scalar().const_int(value);
    if ty.is_vector() { b.splat(constant, ty.len() as u32, "") } else { constant }
}

/// The function that marks conditions until they are in the kernels.
fn marker(module: &Module) -> Function {
    let context = module.context();
    let f = module.add_function("check.arithmetic", context.void().function(&[context.i1(), context.i32()]));
    f.set_flag("nounwind");
    f
}

/// Marks the condition that an operation is wrong.
fn mark(
    module: &Module,
    marker: Function,
    notes: &mut Vec<&'static str>,
    at: Value,
    bad: Value,
    note: &'static str,
) {
    if bad.as_const_int() == Some(0) {
        return;
    }
    let number = notes.iter().position(|known| *known == note).unwrap_or_else(|| {
        notes.push(note);
        notes.len() - 1
    });
    let place = match bad.is_instruction() {
        true => bad.next().expect("a condition is no terminator"),
        false => at,
    };
    let b = Builder::before(module.context(), place);
    b.set_place_of(at);
    b.call(marker, &[bad, b.i32(number as u32)], "");
}

/// Tells the runtime if a marked condition holds.
fn report(module: &Module, kernel: Function, sites: &Sites<'_>, mark: Value, bad: Value, note: &str) {
    if bad.as_const_int() == Some(0) {
        return;
    }
    let context = module.context();
    let site = sites.site(kernel, mark, What::event(Event::Arithmetic, note));
    let before = mark.block().expect("an instruction is in a block");
    let next = Block::split_before(mark, "check.next");
    let tell = kernel.append_block("check.bad");
    tell.move_before(next);
    before.terminator().expect("the block was split").erase();
    let b = Builder::at_end(context, before);
    b.set_place_of(mark);
    b.cond_br(bad, tell, next);
    let b = Builder::at_end(context, tell);
    b.set_place_of(mark);
    sites.call(&b, site, [b.i64(0); 3]);
    b.br(next);
}
