//! Arithmetic on integers and floating-point numbers, scalars and vectors alike.

use super::{Res, Translator};
use crate::grammar::Op;
use crate::grammar::decoration;
use crate::parse::Inst;
use llvm::{IntPredicate, Opcode, RealPredicate, Type, Value};

impl Translator<'_, '_> {
    /// Two operands of the result's type, which is an integer or a vector of integers.
    fn int_operands(&self, inst: &Inst<'_>) -> Res<(Value, Value)> {
        let ty = self.result_type(inst)?;
        if !ty.scalar().is_int() {
            return Err("the result is not of integers".to_owned());
        }
        Ok((self.value_of(inst.args[0], ty)?, self.value_of(inst.args[1], ty)?))
    }

    pub(super) fn integer(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let opcode = match inst.op {
            Op::IAdd => Opcode::LLVMAdd,
            Op::ISub => Opcode::LLVMSub,
            Op::IMul => Opcode::LLVMMul,
            Op::UDiv => Opcode::LLVMUDiv,
            Op::SDiv => Opcode::LLVMSDiv,
            Op::UMod => Opcode::LLVMURem,
            Op::SRem => Opcode::LLVMSRem,
            Op::BitwiseOr => Opcode::LLVMOr,
            Op::BitwiseXor => Opcode::LLVMXor,
            Op::BitwiseAnd => Opcode::LLVMAnd,
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                return self.shift(inst);
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                return self.extended(inst);
            }
            Op::SMod => {
                let (a, b) = self.int_operands(inst)?;
                return Ok(self.floored_remainder(a, b));
            }
            _ => return self.integer_unary(inst),
        };
        let (a, b) = self.int_operands(inst)?;
        let result = self.b.binary(opcode, a, b, "");
        if matches!(inst.op, Op::IAdd | Op::ISub | Op::IMul) {
            self.set_wrap(inst, result);
        }
        Ok(result)
    }

    fn set_wrap(&self, inst: &Inst<'_>, result: Value) {
        let no = |kind| self.has(inst.id, kind);
        result.set_no_wrap(no(decoration::NO_SIGNED_WRAP), no(decoration::NO_UNSIGNED_WRAP));
    }

    /// The shift amount may have another width than the base.
    fn shift(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        let base = self.value_of(inst.args[0], ty)?;
        let shift = self.int_value(inst.args[1])?;
        if !ty.scalar().is_int() || lanes(shift.ty()) != lanes(ty) {
            return Err(self.unfit(inst.args[1], "as many integers as the result"));
        }
        let shift = self.resize(shift, ty, false);
        let opcode = match inst.op {
            Op::ShiftLeftLogical => Opcode::LLVMShl,
            Op::ShiftRightLogical => Opcode::LLVMLShr,
            _ => Opcode::LLVMAShr,
        };
        let result = self.b.binary(opcode, base, shift, "");
        if inst.op == Op::ShiftLeftLogical {
            self.set_wrap(inst, result);
        }
        Ok(result)
    }

    /// Extends or truncates integers to another width.
    pub(super) fn resize(&self, value: Value, to: Type, signed: bool) -> Value {
        let (from, bits) = (value.ty().scalar().int_bits(), to.scalar().int_bits());
        let opcode = match from.cmp(&bits) {
            std::cmp::Ordering::Equal => return value,
            std::cmp::Ordering::Greater => Opcode::LLVMTrunc,
            std::cmp::Ordering::Less if signed => Opcode::LLVMSExt,
            std::cmp::Ordering::Less => Opcode::LLVMZExt,
        };
        self.b.cast(opcode, value, to, "")
    }

    /// A constant in every lane of a type of integers.
    pub(super) fn int_splat(&self, ty: Type, value: u64) -> Value {
        let scalar = ty.scalar().const_int(value);
        if ty.is_vector() { self.b.splat(scalar, ty.len() as u32, "") } else { scalar }
    }

    pub(super) fn float_splat(&self, ty: Type, value: f64) -> Value {
        let scalar = ty.scalar().const_float(value);
        if ty.is_vector() { self.b.splat(scalar, ty.len() as u32, "") } else { scalar }
    }

    /// The remainder with the sign of the divisor.
    fn floored_remainder(&self, a: Value, b: Value) -> Value {
        let zero = a.ty().zero();
        let remainder = self.b.binary(Opcode::LLVMSRem, a, b, "");
        let differ = self.b.binary(Opcode::LLVMXor, remainder, b, "");
        let differ = self.b.icmp(IntPredicate::LLVMIntSLT, differ, zero, "");
        let exists = self.b.icmp(IntPredicate::LLVMIntNE, remainder, zero, "");
        let wrong = self.b.and(differ, exists, "");
        self.b.select(wrong, self.b.add(remainder, b, ""), remainder, "")
    }

    fn integer_unary(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        if !ty.scalar().is_int() {
            return Err("the result is not of integers".to_owned());
        }
        match inst.op {
            Op::SNegate => {
                let result = self.b.sub(ty.zero(), self.value_of(inst.args[0], ty)?, "");
                result.set_no_wrap(self.has(inst.id, decoration::NO_SIGNED_WRAP), false);
                Ok(result)
            }
            Op::Not => {
                let ones = self.int_ones(ty);
                Ok(self.b.binary(Opcode::LLVMXor, self.value_of(inst.args[0], ty)?, ones, ""))
            }
            Op::BitReverse => {
                let value = self.value_of(inst.args[0], ty)?;
                Ok(self.b.call(self.out.intrinsic("llvm.bitreverse", &[ty]), &[value], ""))
            }
            Op::BitCount => {
                // The result may be of another width.
                let value = self.int_value(inst.args[0])?;
                if lanes(value.ty()) != lanes(ty) {
                    return Err(self.unfit(inst.args[0], "as many integers as the result"));
                }
                let count = self.b.call(self.out.intrinsic("llvm.ctpop", &[value.ty()]), &[value], "");
                Ok(self.resize(count, ty, false))
            }
            Op::BitFieldInsert => {
                let base = self.value_of(inst.args[0], ty)?;
                let insert = self.value_of(inst.args[1], ty)?;
                let (offset, mask) = self.bit_field(inst.args[2], inst.args[3], ty)?;
                let mask = self.b.binary(Opcode::LLVMShl, mask, offset, "");
                let insert = self.b.and(self.b.binary(Opcode::LLVMShl, insert, offset, ""), mask, "");
                let keep = self.b.binary(Opcode::LLVMXor, mask, self.int_ones(ty), "");
                Ok(self.b.binary(Opcode::LLVMOr, self.b.and(base, keep, ""), insert, ""))
            }
            Op::BitFieldUExtract => {
                let base = self.value_of(inst.args[0], ty)?;
                let (offset, mask) = self.bit_field(inst.args[1], inst.args[2], ty)?;
                Ok(self.b.and(self.b.binary(Opcode::LLVMLShr, base, offset, ""), mask, ""))
            }
            Op::BitFieldSExtract => {
                let base = self.value_of(inst.args[0], ty)?;
                let (offset, mask) = self.bit_field(inst.args[1], inst.args[2], ty)?;
                let field = self.b.and(self.b.binary(Opcode::LLVMLShr, base, offset, ""), mask, "");
                // Sign extension: copies the highest bit of the field to the bits above the mask.
                let half = self.b.binary(Opcode::LLVMLShr, mask, self.int_splat(ty, 1), "");
                let sign = self.b.binary(Opcode::LLVMXor, mask, half, "");
                Ok(self.b.sub(self.b.binary(Opcode::LLVMXor, field, sign, ""), sign, ""))
            }
            _ => Err("this instruction is not supported".to_owned()),
        }
    }

    fn int_ones(&self, ty: Type) -> Value {
        let scalar = ty.scalar().const_signed(-1);
        if ty.is_vector() { self.b.splat(scalar, ty.len() as u32, "") } else { scalar }
    }

    /// The offset of a bit field, and a mask of as many low bits as the field has; both in the type
    /// of the base.
    fn bit_field(&self, offset: u32, count: u32, ty: Type) -> Res<(Value, Value)> {
        let spread = |value: Value| {
            let value = self.resize(value, ty.scalar(), false);
            if ty.is_vector() { self.b.splat(value, ty.len() as u32, "") } else { value }
        };
        let offset = spread(self.scalar_int(offset)?);
        let count = spread(self.scalar_int(count)?);
        // All ones shifted right so that `count` are left. A count of 0 would shift by the full
        // width, which is poison: it is selected away.
        let bits = u64::from(ty.scalar().int_bits());
        let down = self.b.sub(self.int_splat(ty, bits), count, "");
        let none = self.b.icmp(IntPredicate::LLVMIntEQ, count, ty.zero(), "");
        let down = self.b.select(none, ty.zero(), down, "");
        let mask = self.b.binary(Opcode::LLVMLShr, self.int_ones(ty), down, "");
        Ok((offset, self.b.select(none, ty.zero(), mask, "")))
    }

    /// Operations with a result of two halves.
    fn extended(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let pair = self.result_type(inst)?;
        let fields = if pair.is_struct() { pair.struct_fields() } else { Vec::new() };
        let &[ty, second] = fields.as_slice() else {
            return Err("the result is not a struct of two members".to_owned());
        };
        if ty != second || !ty.scalar().is_int() {
            return Err("the members of the result are not of one type of integers".to_owned());
        }
        let (a, b) = (self.value_of(inst.args[0], ty)?, self.value_of(inst.args[1], ty)?);
        let (low, high) = match inst.op {
            Op::IAddCarry => {
                let sum = self.b.add(a, b, "");
                (sum, self.b.icmp(IntPredicate::LLVMIntULT, sum, a, ""))
            }
            Op::ISubBorrow => (self.b.sub(a, b, ""), self.b.icmp(IntPredicate::LLVMIntULT, a, b, "")),
            _ => {
                let signed = inst.op == Op::SMulExtended;
                let bits = ty.scalar().int_bits();
                let wide = self.context.int(2 * bits);
                let wide = if ty.is_vector() { wide.vector(ty.len() as u32) } else { wide };
                let product = self.b.mul(self.resize(a, wide, signed), self.resize(b, wide, signed), "");
                let high = self.b.binary(Opcode::LLVMLShr, product, self.int_splat(wide, bits.into()), "");
                (self.resize(product, ty, false), self.resize(high, ty, false))
            }
        };
        let high = self.resize(high, ty, false);
        let result = self.b.insert_value(pair.poison(), low, 0, "");
        Ok(self.b.insert_value(result, high, 1, ""))
    }

    pub(super) fn float(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        if !ty.scalar().is_float() {
            return Err("the result is not of floating-point numbers".to_owned());
        }
        let flags = self.fast_math(inst.id);
        let opcode = match inst.op {
            Op::FAdd => Opcode::LLVMFAdd,
            Op::FSub => Opcode::LLVMFSub,
            Op::FMul => Opcode::LLVMFMul,
            Op::FDiv => Opcode::LLVMFDiv,
            Op::FNegate => {
                let result = self.b.fneg(self.value_of(inst.args[0], ty)?, "");
                result.set_fast_math(flags);
                return Ok(result);
            }
            Op::FRem | Op::FMod => {
                let (a, b) = (self.value_of(inst.args[0], ty)?, self.value_of(inst.args[1], ty)?);
                let remainder = self.library_floats("fmod", &[a, b], ty)?;
                return Ok(if inst.op == Op::FRem { remainder } else { self.floored(remainder, b) });
            }
            Op::VectorTimesScalar => {
                let vector = self.value_of(inst.args[0], ty)?;
                let scalar = self.value_of(inst.args[1], ty.scalar())?;
                if !ty.is_vector() {
                    return Err("the result is not a vector".to_owned());
                }
                let factor = self.b.splat(scalar, ty.len() as u32, "");
                let result = self.b.binary(Opcode::LLVMFMul, vector, factor, "");
                result.set_fast_math(flags);
                return Ok(result);
            }
            _ => return self.float_dot(inst, ty, flags),
        };
        let (a, b) = (self.value_of(inst.args[0], ty)?, self.value_of(inst.args[1], ty)?);
        let result = self.b.binary(opcode, a, b, "");
        result.set_fast_math(flags);
        Ok(result)
    }

    /// From the remainder with the sign of the dividend to that with the sign of the divisor.
    fn floored(&self, remainder: Value, b: Value) -> Value {
        let zero = b.ty().zero();
        let negative = |v: Value| self.b.fcmp(RealPredicate::LLVMRealOLT, v, zero, "");
        let differ = self.b.binary(Opcode::LLVMXor, negative(remainder), negative(b), "");
        let exists = self.b.fcmp(RealPredicate::LLVMRealUNE, remainder, zero, "");
        let moved = self.b.binary(Opcode::LLVMFAdd, remainder, b, "");
        self.b.select(self.b.and(differ, exists, ""), moved, remainder, "")
    }

    fn float_dot(&mut self, inst: &Inst<'_>, ty: Type, flags: u32) -> Res<Value> {
        let a = self.float_value(inst.args[0])?;
        let vector = a.ty();
        let b = self.value_of(inst.args[1], vector)?;
        if !vector.is_vector() || vector.element() != ty {
            return Err(self.unfit(inst.args[0], "vectors of the result's type"));
        }
        if vector.len() <= 4 {
            return self.library_floats("dot", &[a, b], ty);
        }
        let products = self.b.binary(Opcode::LLVMFMul, a, b, "");
        products.set_fast_math(flags);
        let lane = |i: u64| self.b.extract_element(products, self.b.i64(i), "");
        let mut sum = lane(0);
        for i in 1..vector.len() {
            sum = self.b.binary(Opcode::LLVMFAdd, sum, lane(i), "");
            sum.set_fast_math(flags);
        }
        Ok(sum)
    }
}

/// The number of lanes of a vector; 1 of a scalar.
pub(super) fn lanes(ty: Type) -> u64 {
    if ty.is_vector() { ty.len() } else { 1 }
}
