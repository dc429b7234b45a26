//! Numbers of `bfloat16`: the upper halves of floats, kept as integers of 16 bits. They are moved,
//! converted by way of floats, and multiplied in dot products; nothing else takes them.

use super::arithmetic::lanes;
use super::{Res, Translator};
use crate::grammar::Op;
use crate::parse::Inst;
use ir::Math;
use llvm::{Opcode, Type, Value};

impl Translator<'_, '_> {
    /// Refuses what is not done with numbers of `bfloat16`: for LLVM they are integers.
    pub(super) fn refuse_brain_arithmetic(&self, inst: &Inst<'_>) -> Res<()> {
        if !self.types.has_brain || is_for_brain_floats(inst.op) {
            return Ok(());
        }
        let mut refused = inst.ty != 0 && self.types.holds_brain(inst.ty);
        inst.for_each_id(&mut |id| {
            refused |= self.m.inst(id).is_some_and(|i| i.ty != 0 && self.types.holds_brain(i.ty));
        });
        if refused { Err("does not take numbers of bfloat16".to_owned()) } else { Ok(()) }
    }

    fn int_like(&self, ty: Type, bits: u32) -> Type {
        let int = self.context.int(bits);
        if ty.is_vector() { int.vector(ty.len() as u32) } else { int }
    }

    /// Floats rounded to the nearest, ties to even.
    pub(super) fn rounded_to_brain(&self, value: Value) -> Value {
        let (wide, short) = (self.int_like(value.ty(), 32), self.int_like(value.ty(), 16));
        let rounded = self.b.call(Math::BrainFloat.declare(&self.out, value.ty()), &[value], "");
        let bits = self.b.cast(Opcode::LLVMBitCast, rounded, wide, "");
        let high = self.b.binary(Opcode::LLVMLShr, bits, self.int_splat(wide, 16), "");
        self.b.cast(Opcode::LLVMTrunc, high, short, "")
    }

    /// The floats of the same values.
    pub(super) fn widened_brain(&self, value: Value) -> Value {
        let wide = self.int_like(value.ty(), 32);
        let bits = self.b.cast(Opcode::LLVMZExt, value, wide, "");
        let bits = self.b.binary(Opcode::LLVMShl, bits, self.int_splat(wide, 16), "");
        let float = self.context.float();
        let float = if value.ty().is_vector() { float.vector(value.ty().len() as u32) } else { float };
        self.b.cast(Opcode::LLVMBitCast, bits, float, "")
    }

    /// The sum in floats, rounded once.
    pub(super) fn brain_dot(&mut self, inst: &Inst<'_>) -> Res<Value> {
        self.device.require("BFloat16DotProductKHR")?;
        let ty = self.result_type(inst)?;
        let mut sides = Vec::new();
        for id in &inst.args[..2] {
            let value = self.value(*id)?;
            if !self.types.is_brain(self.type_id(*id)?) || !value.ty().is_vector() || ty.is_vector() {
                return Err(self.unfit(*id, "vectors of bfloat16, or the result is none of it"));
            }
            sides.push(self.widened_brain(value));
        }
        if lanes(sides[0].ty()) != lanes(sides[1].ty()) {
            return Err("the operands have not the same number of components".to_owned());
        }
        let products = self.b.binary(Opcode::LLVMFMul, sides[0], sides[1], "");
        let part = |i: u64| self.b.extract_element(products, self.b.i64(i), "");
        let sum = (1..lanes(products.ty()))
            .fold(part(0), |sum, i| self.b.binary(Opcode::LLVMFAdd, sum, part(i), ""));
        Ok(self.rounded_to_brain(sum))
    }
}

/// Memory, functions, conversions, composites, control flow and dot products.
fn is_for_brain_floats(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Line | NoLine
            | Nop
            | LoopMerge
            | SelectionMerge
            | LifetimeStart
            | LifetimeStop
            | LoopControlINTEL
            | Undef
            | Dot
            | Select
            | ConvertFToU
            | ConvertFToS
            | ConvertSToF
            | ConvertUToF
            | FConvert
            | Bitcast
            | VectorExtractDynamic
            | VectorInsertDynamic
            | VectorShuffle
            | CompositeConstruct
            | CompositeExtract
            | CompositeInsert
            | CopyObject
            | CopyLogical
            | Variable
            | Load
            | Store
            | CopyMemory
            | CopyMemorySized
            | SizeOf
            | AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
            | Phi
            | Branch
            | BranchConditional
            | Switch
            | Return
            | ReturnValue
            | Unreachable
            | FunctionCall
            | FunctionPointerCallINTEL
    )
}
