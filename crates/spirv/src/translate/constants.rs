//! Constants. Specialization constants have the values that were given when they are built.

use super::{Res, Translator};
use crate::grammar::Op;
use crate::parse::{self, Inst};
use crate::specialize;
use crate::types::Ty;
use llvm::{Type, Value, const_vector};

impl Translator<'_, '_> {
    pub(super) fn constant(&mut self, inst: &Inst<'_>) -> Res<Value> {
        if inst.op == Op::ConstantFunctionPointerINTEL {
            return self.function_pointer(inst);
        }
        let ty = self.types.sized(self.m, inst.ty)?;
        let given = specialize::given(self.m, self.given, inst.id);
        let kind = self.types.of(self.m, inst.ty)?.clone();
        match inst.op {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                if kind != Ty::Bool {
                    return Err("is not of the type of booleans".to_owned());
                }
                let mut value = matches!(inst.op, Op::ConstantTrue | Op::SpecConstantTrue);
                if let (Op::SpecConstantTrue | Op::SpecConstantFalse, Some(bytes)) = (inst.op, given) {
                    value = bytes.iter().any(|b| *b != 0);
                }
                Ok(ty.const_int(u64::from(value)))
            }
            Op::Constant | Op::SpecConstant => {
                let bits = match kind {
                    Ty::Int(bits) | Ty::Float(bits) => bits,
                    Ty::Brain => 16,
                    _ => return Err("is of a type that is neither of integers nor of floats".to_owned()),
                };
                if inst.args.len() != bits.div_ceil(32) as usize {
                    return Err(format!("has {} words of a constant of {bits} bits", inst.args.len()));
                }
                let mut bytes: Vec<u8> = inst.args.iter().flat_map(|w| w.to_le_bytes()).collect();
                if let (Op::SpecConstant, Some(given)) = (inst.op, given) {
                    let size = bits.div_ceil(8) as usize;
                    if given.len() != size {
                        return Err(format!("was given {} bytes, not {size}", given.len()));
                    }
                    bytes = given.to_vec();
                }
                Ok(self.scalar(ty, bits, &bytes))
            }
            Op::ConstantComposite | Op::SpecConstantComposite => self.constant_composite(inst, ty, &kind),
            Op::ConstantNull => Ok(ty.zero()),
            Op::SpecConstantOp => self.constant_op(inst),
            _ => Err("this constant is not supported".to_owned()),
        }
    }

    /// A scalar from its bytes.
    fn scalar(&self, ty: Type, bits: u32, bytes: &[u8]) -> Value {
        let mut words: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
            .collect();
        words.truncate(bits.div_ceil(64) as usize);
        if let (Some(last), rest @ 1..) = (words.last_mut(), bits % 64) {
            *last &= u64::MAX >> (64 - rest);
        }
        let int = self.context.int(bits).const_words(&words);
        if ty.is_int() { int } else { int.const_bitcast(ty) }
    }

    fn constant_composite(&self, inst: &Inst<'_>, ty: Type, kind: &Ty) -> Res<Value> {
        let parts = inst.args;
        let count = match kind {
            Ty::Vector(_, n) => u64::from(*n),
            Ty::Array(_, n) => *n,
            Ty::Struct(fields) => fields.len() as u64,
            _ => return Err("is not of a composite type".to_owned()),
        };
        if parts.len() as u64 != count {
            return Err(format!("has {} of {count} constituents", parts.len()));
        }
        let fields = match kind {
            Ty::Struct(_) => ty.struct_fields(),
            _ => Vec::new(),
        };
        let mut values = Vec::with_capacity(parts.len());
        for (i, part) in parts.iter().enumerate() {
            let wanted = if ty.is_struct() { fields[i] } else { ty.element() };
            let value = self.value_of(*part, wanted)?;
            if !value.is_constant() {
                return Err(format!("{} is not a constant", self.m.show(*part)));
            }
            values.push(value);
        }
        Ok(match kind {
            Ty::Vector(..) => const_vector(&values),
            Ty::Array(..) => ty.element().const_array(&values),
            _ => ty.const_struct(&values),
        })
    }

    /// An operation on constants: built as the instruction would be, and folded.
    fn constant_op(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let op = u16::try_from(inst.args[0]).ok().and_then(Op::from_number);
        let op = op.filter(|op| is_constant_op(*op)).ok_or("this operation is not one on constants")?;
        // The operands follow the opcode; type and result are those of the whole.
        parse::operands(op, &inst.args[1..], self.m.bound).map_err(|e| format!("{}: {e}", op.name()))?;
        let inner = Inst { op, args: &inst.args[1..], ..*inst };
        let value = self.build_constant(&inner).map_err(|e| format!("{}: {e}", op.name()))?;
        if value.is_constant() { Ok(value) } else { Err(format!("{} cannot be evaluated", op.name())) }
    }

    fn build_constant(&mut self, inst: &Inst<'_>) -> Res<Value> {
        use Op::*;
        match inst.op {
            AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
            | ConvertPtrToU
            | ConvertUToPtr
            | PtrCastToGeneric
            | GenericCastToPtr => self.pointer(inst),
            VectorShuffle | CompositeExtract | CompositeInsert => self.composite(inst),
            ConvertFToU | ConvertFToS | ConvertSToF | ConvertUToF | UConvert | SConvert | FConvert
            | Bitcast => self.conversion(inst),
            FNegate | FAdd | FSub | FMul | FDiv => self.float(inst),
            FRem | FMod => Err("cannot be evaluated".to_owned()),
            LogicalOr | LogicalAnd | LogicalNot | LogicalEqual | LogicalNotEqual | Select => {
                self.relational(inst)
            }
            op if (IEqual..=SLessThanEqual).contains(&op) => self.relational(inst),
            _ => self.integer(inst),
        }
    }
}

fn is_constant_op(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        SConvert
            | FConvert
            | UConvert
            | SNegate
            | Not
            | IAdd
            | ISub
            | IMul
            | UDiv
            | SDiv
            | UMod
            | SRem
            | SMod
            | ShiftRightLogical
            | ShiftRightArithmetic
            | ShiftLeftLogical
            | BitwiseOr
            | BitwiseXor
            | BitwiseAnd
            | VectorShuffle
            | CompositeExtract
            | CompositeInsert
            | LogicalOr
            | LogicalAnd
            | LogicalNot
            | LogicalEqual
            | LogicalNotEqual
            | Select
            | IEqual
            | INotEqual
            | ULessThan
            | SLessThan
            | UGreaterThan
            | SGreaterThan
            | ULessThanEqual
            | SLessThanEqual
            | UGreaterThanEqual
            | SGreaterThanEqual
            | ConvertFToS
            | ConvertSToF
            | ConvertFToU
            | ConvertUToF
            | ConvertPtrToU
            | ConvertUToPtr
            | GenericCastToPtr
            | PtrCastToGeneric
            | Bitcast
            | FNegate
            | FAdd
            | FSub
            | FMul
            | FDiv
            | FRem
            | FMod
            | AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
    )
}
