//! Comparisons, logic and selection.

use super::arithmetic::lanes;
use super::{Res, Translator};
use crate::grammar::Op;
use crate::parse::Inst;
use llvm::{IntPredicate, Opcode, RealPredicate, Type, Value};

impl Translator<'_, '_> {
    pub(super) fn relational(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        if inst.op == Op::Select {
            return self.select(inst, ty);
        }
        if !is_bool(ty) {
            return Err("the result is not of booleans".to_owned());
        }
        if let Some(predicate) = int_predicate(inst.op) {
            let a = self.value(inst.args[0])?;
            let b = self.value_of(inst.args[1], a.ty())?;
            let fits = a.ty().scalar().is_int() || a.ty().is_ptr();
            if !fits || lanes(a.ty()) != lanes(ty) {
                return Err(self.unfit(inst.args[0], "as many integers as the result has booleans"));
            }
            return Ok(self.b.icmp(predicate, a, b, ""));
        }
        if let Some(predicate) = real_predicate(inst.op) {
            let a = self.float_value(inst.args[0])?;
            let b = self.value_of(inst.args[1], a.ty())?;
            if lanes(a.ty()) != lanes(ty) {
                return Err(self.unfit(inst.args[0], "as many numbers as the result has booleans"));
            }
            let result = self.b.fcmp(predicate, a, b, "");
            result.set_fast_math(self.fast_math(inst.id) & !32);
            return Ok(result);
        }
        match inst.op {
            Op::LogicalOr | Op::LogicalAnd | Op::LogicalNotEqual | Op::LogicalEqual => {
                let (a, b) = (self.value_of(inst.args[0], ty)?, self.value_of(inst.args[1], ty)?);
                Ok(match inst.op {
                    Op::LogicalOr => self.b.binary(Opcode::LLVMOr, a, b, ""),
                    Op::LogicalAnd => self.b.and(a, b, ""),
                    Op::LogicalNotEqual => self.b.icmp(IntPredicate::LLVMIntNE, a, b, ""),
                    _ => self.b.icmp(IntPredicate::LLVMIntEQ, a, b, ""),
                })
            }
            Op::LogicalNot => {
                let value = self.value_of(inst.args[0], ty)?;
                Ok(self.b.binary(Opcode::LLVMXor, value, self.int_splat(ty, 1), ""))
            }
            Op::Any | Op::All => {
                let mut value = self.int_value(inst.args[0])?;
                if value.ty().is_vector() && !is_bool(value.ty()) {
                    // LLVM 22's own code generator writes OpenCL's `any` of integers so: their most
                    // significant bits count.
                    let zero = self.int_splat(value.ty(), 0);
                    value = self.b.icmp(IntPredicate::LLVMIntSLT, value, zero, "");
                }
                if !is_bool(value.ty()) || !value.ty().is_vector() || ty.is_vector() {
                    return Err(self.unfit(inst.args[0], "a vector of booleans"));
                }
                let opcode = if inst.op == Op::Any { Opcode::LLVMOr } else { Opcode::LLVMAnd };
                let lane = |i: u64| self.b.extract_element(value, self.b.i64(i), "");
                Ok((1..value.ty().len()).fold(lane(0), |all, i| self.b.binary(opcode, all, lane(i), "")))
            }
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => self.classify(inst, ty),
            _ => Err("this instruction is not supported".to_owned()),
        }
    }

    fn classify(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let value = self.float_value(inst.args[0])?;
        let floats = value.ty();
        if lanes(floats) != lanes(ty) {
            return Err(self.unfit(inst.args[0], "as many numbers as the result has booleans"));
        }
        if inst.op == Op::IsNan {
            return Ok(self.b.fcmp(RealPredicate::LLVMRealUNO, value, value, ""));
        }
        if inst.op == Op::SignBitSet {
            let int = self.context.int(floats.scalar().float_bits().unwrap_or(32));
            let int = if floats.is_vector() { int.vector(floats.len() as u32) } else { int };
            let bits = self.b.cast(Opcode::LLVMBitCast, value, int, "");
            return Ok(self.b.icmp(IntPredicate::LLVMIntSLT, bits, int.zero(), ""));
        }
        let magnitude = self.b.call(self.out.intrinsic("llvm.fabs", &[floats]), &[value], "");
        let infinity = self.float_splat(floats, f64::INFINITY);
        Ok(match inst.op {
            Op::IsInf => self.b.fcmp(RealPredicate::LLVMRealOEQ, magnitude, infinity, ""),
            Op::IsFinite => self.b.fcmp(RealPredicate::LLVMRealOLT, magnitude, infinity, ""),
            _ => {
                let smallest = match floats.scalar().float_bits() {
                    Some(16) => 2f64.powi(-14),
                    Some(32) => f64::from(f32::MIN_POSITIVE),
                    _ => f64::MIN_POSITIVE,
                };
                let smallest = self.float_splat(floats, smallest);
                let not_small = self.b.fcmp(RealPredicate::LLVMRealOGE, magnitude, smallest, "");
                let finite = self.b.fcmp(RealPredicate::LLVMRealOLT, magnitude, infinity, "");
                self.b.and(not_small, finite, "")
            }
        })
    }

    fn select(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let condition = self.int_value(inst.args[0])?;
        let per_lane = condition.ty().is_vector();
        if !is_bool(condition.ty()) || per_lane && (!ty.is_vector() || ty.len() != condition.ty().len()) {
            return Err(self.unfit(inst.args[0], "one boolean, or one for each component"));
        }
        let (yes, no) = (self.value_of(inst.args[1], ty)?, self.value_of(inst.args[2], ty)?);
        let result = self.b.select(condition, yes, no, "");
        if ty.scalar().is_float() {
            result.set_fast_math(self.fast_math(inst.id) & !32);
        }
        Ok(result)
    }
}

pub(super) fn is_bool(ty: Type) -> bool {
    ty.scalar().is_int() && ty.scalar().int_bits() == 1
}

fn int_predicate(op: Op) -> Option<IntPredicate> {
    use IntPredicate::*;
    Some(match op {
        Op::IEqual | Op::PtrEqual => LLVMIntEQ,
        Op::INotEqual | Op::PtrNotEqual => LLVMIntNE,
        Op::UGreaterThan => LLVMIntUGT,
        Op::SGreaterThan => LLVMIntSGT,
        Op::UGreaterThanEqual => LLVMIntUGE,
        Op::SGreaterThanEqual => LLVMIntSGE,
        Op::ULessThan => LLVMIntULT,
        Op::SLessThan => LLVMIntSLT,
        Op::ULessThanEqual => LLVMIntULE,
        Op::SLessThanEqual => LLVMIntSLE,
        _ => return None,
    })
}

fn real_predicate(op: Op) -> Option<RealPredicate> {
    use RealPredicate::*;
    Some(match op {
        Op::FOrdEqual => LLVMRealOEQ,
        Op::FUnordEqual => LLVMRealUEQ,
        Op::FOrdNotEqual | Op::LessOrGreater => LLVMRealONE,
        Op::FUnordNotEqual => LLVMRealUNE,
        Op::FOrdLessThan => LLVMRealOLT,
        Op::FUnordLessThan => LLVMRealULT,
        Op::FOrdGreaterThan => LLVMRealOGT,
        Op::FUnordGreaterThan => LLVMRealUGT,
        Op::FOrdLessThanEqual => LLVMRealOLE,
        Op::FUnordLessThanEqual => LLVMRealULE,
        Op::FOrdGreaterThanEqual => LLVMRealOGE,
        Op::FUnordGreaterThanEqual => LLVMRealUGE,
        Op::Ordered => LLVMRealORD,
        Op::Unordered => LLVMRealUNO,
        _ => return None,
    })
}
