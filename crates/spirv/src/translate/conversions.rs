//! Conversions between types. Saturating ones, and those with a rounding mode, call library
//! functions.

use super::arithmetic::lanes;
use super::library::Arg;
use super::{Res, Translator};
use crate::grammar::Op;
use crate::grammar::{decoration, rounding};
use crate::parse::Inst;
use crate::types::Ty;
use llvm::{IntPredicate, Opcode, Type, Value};

impl Translator<'_, '_> {
    pub(super) fn conversion(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        match inst.op {
            Op::Bitcast => return self.bitcast(inst, ty),
            Op::ConvertFToBF16INTEL => return self.bfloat_of(inst, ty),
            Op::ConvertBF16ToFINTEL => return self.float_of_bfloat(inst, ty),
            _ => {}
        }
        let value = self.value(inst.args[0])?;
        let source = self.type_id(inst.args[0])?;
        let (of_brain, to_brain) = (self.types.is_brain(source), self.types.is_brain(inst.ty));
        if !of_brain && !to_brain {
            return self.conversion_of(inst, value, ty);
        }
        if lanes(value.ty()) != lanes(ty) || matches!(inst.op, Op::UConvert | Op::SConvert) {
            return Err("no such conversion of bfloat16".to_owned());
        }
        // By way of a float.
        let float = self.context.float();
        let float = if ty.is_vector() { float.vector(ty.len() as u32) } else { float };
        let value = if of_brain { self.widened_brain(value) } else { value };
        if !to_brain {
            return self.conversion_of(inst, value, ty);
        }
        let rounding = self.m.decoration(inst.id, decoration::ROUNDING_MODE).and_then(|r| r.first().copied());
        if rounding.is_some_and(|mode| mode != rounding::NEAREST_EVEN) {
            return Err("bfloat16 is only rounded to the nearest even".to_owned());
        }
        let value = if value.ty() == float { value } else { self.conversion_of(inst, value, float)? };
        Ok(self.rounded_to_brain(value))
    }

    fn conversion_of(&mut self, inst: &Inst<'_>, value: Value, ty: Type) -> Res<Value> {
        let (from, to) = (value.ty().scalar(), ty.scalar());
        let fits = match inst.op {
            Op::ConvertFToU | Op::ConvertFToS => from.is_float() && to.is_int(),
            Op::ConvertSToF | Op::ConvertUToF => from.is_int() && to.is_float(),
            Op::FConvert => from.is_float() && to.is_float(),
            _ => from.is_int() && to.is_int(),
        };
        if !fits || lanes(value.ty()) != lanes(ty) {
            return Err(format!("no conversion from {} to {ty}", value.ty()));
        }
        let rounding = self.m.decoration(inst.id, decoration::ROUNDING_MODE).and_then(|r| r.first().copied());
        let saturates = self.has(inst.id, decoration::SATURATED_CONVERSION)
            || matches!(inst.op, Op::SatConvertSToU | Op::SatConvertUToS);
        // Conversions between integers do not round, and round to nearest even is the default of
        // LLVM's instructions.
        let rounds = match rounding {
            None => false,
            Some(mode) => {
                (from.is_float() || to.is_float()) && !(mode == rounding::NEAREST_EVEN && to.is_float())
            }
        };
        if saturates && to.is_int() || rounds {
            return self.convert_function(
                inst,
                value,
                ty,
                saturates && to.is_int(),
                rounding.filter(|_| rounds),
            );
        }
        Ok(match inst.op {
            Op::ConvertFToU => self.b.cast(Opcode::LLVMFPToUI, value, ty, ""),
            Op::ConvertFToS => self.b.cast(Opcode::LLVMFPToSI, value, ty, ""),
            Op::ConvertSToF => self.b.cast(Opcode::LLVMSIToFP, value, ty, ""),
            Op::ConvertUToF => self.b.cast(Opcode::LLVMUIToFP, value, ty, ""),
            Op::UConvert => self.resize(value, ty, false),
            Op::SConvert => self.resize(value, ty, true),
            _ => match from.float_bits().cmp(&to.float_bits()) {
                std::cmp::Ordering::Less => self.b.cast(Opcode::LLVMFPExt, value, ty, ""),
                std::cmp::Ordering::Equal => value,
                std::cmp::Ordering::Greater => self.b.cast(Opcode::LLVMFPTrunc, value, ty, ""),
            },
        })
    }

    /// `convert_uchar4_sat_rte` and its like.
    fn convert_function(
        &mut self,
        inst: &Inst<'_>,
        value: Value,
        ty: Type,
        saturates: bool,
        rounding: Option<u32>,
    ) -> Res<Value> {
        let to_signed = matches!(inst.op, Op::ConvertFToS | Op::SatConvertUToS | Op::SConvert);
        let from_signed = matches!(inst.op, Op::ConvertSToF | Op::SatConvertSToU | Op::SConvert);
        let scalar = ty.scalar();
        let name = match (scalar.is_int().then(|| scalar.int_bits()), scalar.float_bits()) {
            (Some(8), _) => ["uchar", "char"][usize::from(to_signed)],
            (Some(16), _) => ["ushort", "short"][usize::from(to_signed)],
            (Some(32), _) => ["uint", "int"][usize::from(to_signed)],
            (Some(64), _) => ["ulong", "long"][usize::from(to_signed)],
            (_, Some(16)) => "half",
            (_, Some(32)) => "float",
            (_, Some(64)) => "double",
            _ => return Err(format!("no saturating conversion to {ty}")),
        };
        let mut name = format!("convert_{name}");
        if ty.is_vector() {
            name += &ty.len().to_string();
        }
        if saturates {
            name += "_sat";
        }
        if let Some(mode) = rounding {
            let mode = ["rte", "rtz", "rtp", "rtn"].get(mode as usize);
            name += &format!("_{}", mode.ok_or("the rounding mode is unknown")?);
        }
        self.library(&name, &[Arg::Plain(value, from_signed)], ty)
    }

    fn bitcast(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let value = self.value(inst.args[0])?;
        let from = value.ty();
        let plain = |t: Type| t.scalar().is_int() || t.scalar().is_float();
        if *self.type_of(inst.args[0])? == Ty::Event || *self.types.of(self.m, inst.ty)? == Ty::Event {
            return Err("events cannot be cast".to_owned());
        }
        if from.is_ptr() && ty.is_ptr() {
            if from != ty {
                return Err("the storage class of a pointer is not changed by a bitcast".to_owned());
            }
            return Ok(value);
        }
        if from.is_ptr() && plain(ty) {
            self.same_bits(self.size_type(), ty)?;
            let int = self.b.cast(Opcode::LLVMPtrToInt, value, self.size_type(), "");
            return Ok(self.b.cast(Opcode::LLVMBitCast, int, ty, ""));
        }
        if plain(from) && ty.is_ptr() {
            self.same_bits(from, self.size_type())?;
            let int = self.b.cast(Opcode::LLVMBitCast, value, self.size_type(), "");
            return Ok(self.b.cast(Opcode::LLVMIntToPtr, int, ty, ""));
        }
        if !plain(from) || !plain(ty) {
            return Err(format!("no bitcast from {from} to {ty}"));
        }
        self.same_bits(from, ty)?;
        Ok(self.b.cast(Opcode::LLVMBitCast, value, ty, ""))
    }

    fn same_bits(&self, from: Type, to: Type) -> Res<()> {
        let bits = |t: Type| {
            let scalar = t.scalar();
            let bits = scalar.float_bits().unwrap_or_else(|| scalar.int_bits());
            u64::from(bits) * lanes(t)
        };
        if bits(from) == bits(to) { Ok(()) } else { Err(format!("{from} and {to} are not of one size")) }
    }

    /// Rounds to the nearest 16-bit brain float, ties to even.
    fn bfloat_of(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let value = self.float_value(inst.args[0])?;
        let short = self.context.int(16);
        let short = if ty.is_vector() { short.vector(ty.len() as u32) } else { short };
        if value.ty().scalar().float_bits() != Some(32) || lanes(value.ty()) != lanes(ty) || ty != short {
            return Err("takes 32-bit floats and gives 16-bit integers".to_owned());
        }
        Ok(self.rounded_to_brain(value))
    }

    fn float_of_bfloat(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let value = self.int_value(inst.args[0])?;
        let from = value.ty();
        let fits = from.scalar().int_bits() == 16 && ty.scalar().float_bits() == Some(32);
        if !fits || lanes(from) != lanes(ty) {
            return Err("takes 16-bit integers and gives 32-bit floats".to_owned());
        }
        Ok(self.widened_brain(value))
    }

    /// Whether two values of integers differ, as a boolean.
    pub(super) fn is_nonzero(&self, value: Value) -> Value {
        self.b.icmp(IntPredicate::LLVMIntNE, value, value.ty().zero(), "")
    }
}
