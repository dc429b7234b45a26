//! DivideVectors: divides vectors of integers of up to 32 bits as floating-point numbers.
//!
//! ```text
//! %q = udiv <16 x i32> %a, %b   →   %x = uitofp <16 x i32> %a to <16 x double>
//!                                   %y = uitofp <16 x i32> %b to <16 x double>
//!                                   %z = fdiv <16 x double> %x, %y
//!                                   %q = fptoui <16 x double> %z to <16 x i32>
//! ```
//!
//! CPUs have no vector instruction for integer division, and LLVM would divide lane by lane. The
//! result is exact: a quotient of n-bit integers that is below the next integer lies at least 2^-n
//! of itself below it, more than the rounding error of a format with more than n bits of
//! significand; floats have 24 and doubles 53. Division by constants stays, since LLVM turns it
//! into a multiplication. Runs after LLVM's simplifications, which know more of integer division.
//! Preserves the control flow.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::{Builder, Opcode, Type, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct DivideVectors;

impl Pass for DivideVectors {
    fn name(&self) -> &'static str {
        "divide-vectors"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let context = cx.module.context();
        let b = Builder::new(context);
        for i in cx.module.functions().into_iter().flat_map(|f| f.instructions()) {
            let (signed, remainder) = match i.opcode() {
                Some(Opcode::LLVMUDiv) => (false, false),
                Some(Opcode::LLVMSDiv) => (true, false),
                Some(Opcode::LLVMURem) => (false, true),
                Some(Opcode::LLVMSRem) => (true, true),
                _ => continue,
            };
            let ty = i.ty();
            if ty.is_vector() && !i.operand(1).is_constant() {
                let float = match ty.element().int_bits() {
                    ..=16 => context.float(),
                    17..=32 => context.double(),
                    _ => continue,
                };
                divide(&b, i, float.vector(ty.len() as u32), signed, remainder);
            }
        }
        Ok(Preserved::control_flow())
    }
}

fn divide(b: &Builder, division: Value, float: Type, signed: bool, remainder: bool) {
    use Opcode::*;
    let (to_float, to_int) = if signed { (LLVMSIToFP, LLVMFPToSI) } else { (LLVMUIToFP, LLVMFPToUI) };
    let (dividend, divisor, ty) = (division.operand(0), division.operand(1), division.ty());
    b.position_before(division);
    let x = b.cast(to_float, dividend, float, "");
    let y = b.cast(to_float, divisor, float, "");
    let mut result = b.cast(to_int, b.binary(LLVMFDiv, x, y, ""), ty, "");
    if remainder {
        result = b.binary(LLVMSub, dividend, b.binary(LLVMMul, result, divisor, ""), "");
    }
    division.replace_all_uses_with(result);
    division.erase();
}
