//! Dot products of integers, with or without an accumulator that saturates.

use super::{Res, Translator};
use crate::grammar::Op;
use crate::parse::Inst;
use ir::{DotBytes, Math};
use llvm::{IntPredicate, Opcode, Type, Value};

impl Translator<'_, '_> {
    pub(super) fn dot_product(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        if !ty.is_int() {
            return Err("the result is not an integer".to_owned());
        }
        let (first_signed, second_signed) = match inst.op {
            Op::SDot | Op::SDotAccSat => (true, true),
            Op::SUDot | Op::SUDotAccSat => (true, false),
            _ => (false, false),
        };
        let accumulates = matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let packed = inst.arg(if accumulates { 3 } else { 2 }).is_some();
        let bytes = self.context.i8().vector(4);
        let of_bytes = |id: u32| self.value(id).is_ok_and(|value| value.ty() == bytes);
        if ty == self.context.i32() && (packed || of_bytes(inst.args[0]) && of_bytes(inst.args[1])) {
            return self.dot_product_of_bytes(inst, accumulates, first_signed, second_signed);
        }
        let a = self.components(inst.args[0], packed)?;
        let b = self.components(inst.args[1], packed)?;
        if a.len() != b.len() {
            return Err("the operands have not the same number of components".to_owned());
        }
        // Wide enough for the exact sum of exact products, and the accumulator.
        let component = a[0].ty().int_bits().max(b[0].ty().int_bits());
        let bits = (2 * component + 8).max(ty.int_bits() + 2);
        let wide = if accumulates { self.context.int(bits.next_multiple_of(32)) } else { ty };
        let mut sum = wide.zero();
        for (x, y) in a.into_iter().zip(b) {
            let product =
                self.b.mul(self.resize(x, wide, first_signed), self.resize(y, wide, second_signed), "");
            sum = self.b.add(sum, product, "");
        }
        if !accumulates {
            return Ok(sum);
        }
        let signed = first_signed || second_signed;
        let accumulator = self.value_of(inst.args[2], ty)?;
        // The sum of products wraps to the result's width only where the specification leaves it
        // undefined.
        let sum = self.b.add(sum, self.resize(accumulator, wide, signed), "");
        Ok(self.saturate(sum, ty, signed))
    }

    /// Four bytes by four bytes, as 32-bit integers.
    fn dot_product_of_bytes(
        &mut self,
        inst: &Inst<'_>,
        accumulates: bool,
        first_signed: bool,
        second_signed: bool,
    ) -> Res<Value> {
        let ty = self.context.i32();
        let operand = |id: u32| {
            let value = self.int_value(id)?;
            if value.ty() == self.context.i8().vector(4) {
                return Ok(self.b.cast(Opcode::LLVMBitCast, value, ty, ""));
            }
            if value.ty() == ty {
                Ok(value)
            } else {
                Err(self.unfit(id, "32-bit integers, as packed operands are"))
            }
        };
        let (x, y) = (operand(inst.args[0])?, operand(inst.args[1])?);
        let (x, y, bytes) = match (first_signed, second_signed) {
            (true, true) => (x, y, DotBytes::Signed),
            (true, false) => (y, x, DotBytes::UnsignedAndSigned),
            (false, true) => (x, y, DotBytes::UnsignedAndSigned),
            (false, false) => (x, y, DotBytes::Unsigned),
        };
        let (sum, math) = match accumulates {
            true => (self.value_of(inst.args[2], ty)?, Math::DotSaturated(bytes)),
            false => (ty.zero(), Math::Dot(bytes)),
        };
        Ok(self.b.call(math.declare(&self.out, ty), &[x, y, sum], ""))
    }

    /// The components of a vector, or the four bytes of an integer.
    fn components(&self, id: u32, packed: bool) -> Res<Vec<Value>> {
        let value = self.int_value(id)?;
        let ty = value.ty();
        let vector = if packed {
            if !ty.is_int() || ty.int_bits() != 32 {
                return Err(self.unfit(id, "32-bit integers, as packed operands are"));
            }
            self.b.cast(Opcode::LLVMBitCast, value, self.context.i8().vector(4), "")
        } else if ty.is_vector() {
            value
        } else {
            return Err(self.unfit(id, "a vector"));
        };
        let n = vector.ty().len();
        Ok((0..n).map(|i| self.b.extract_element(vector, self.b.i64(i), "")).collect())
    }

    /// The nearest value of a narrower type.
    fn saturate(&self, value: Value, ty: Type, signed: bool) -> Value {
        let wide = value.ty();
        let bits = ty.int_bits();
        let one = wide.const_int(1);
        let power = |n: u32| self.b.binary(Opcode::LLVMShl, one, wide.const_int(n.into()), "");
        let (low, high) = if signed {
            let top = power(bits - 1);
            (self.b.sub(wide.zero(), top, ""), self.b.sub(top, one, ""))
        } else {
            (wide.zero(), self.b.sub(power(bits), one, ""))
        };
        let (less, greater) = if signed {
            (IntPredicate::LLVMIntSLT, IntPredicate::LLVMIntSGT)
        } else {
            (IntPredicate::LLVMIntULT, IntPredicate::LLVMIntUGT)
        };
        let value = self.b.select(self.b.icmp(less, value, low, ""), low, value, "");
        let value = self.b.select(self.b.icmp(greater, value, high, ""), high, value, "");
        self.resize(value, ty, false)
    }
}
