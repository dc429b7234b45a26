//! DefineDivision: gives integer division by zero, and the overflowing division of the least value
//! by -1, a defined result.
//!
//! ```text
//! %q = sdiv i32 %a, %b   →   %zero = icmp eq i32 %b, 0
//!                            %minus = icmp eq i32 %b, -1
//!                            %least = icmp eq i32 %a, -2147483648
//!                            %over = and i1 %minus, %least
//!                            %undefined = or i1 %zero, %over
//!                            %divisor = select i1 %undefined, i32 1, i32 %b
//!                            %q = sdiv i32 %a, %divisor
//! ```
//!
//! In OpenCL C the result is unspecified, but there is no exception; in LLVM such a division is
//! undefined behaviour, and many CPUs trap. Runs before LLVM's passes could exploit that. A
//! constant that is neither 0 nor -1 stays.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use llvm::{Builder, IntPredicate, Opcode, Type, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct DefineDivision;

impl Pass for DefineDivision {
    fn name(&self) -> &'static str {
        "define-division"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let b = Builder::new(cx.module.context());
        for f in cx.module.functions() {
            for i in f.instructions() {
                match i.opcode() {
                    Some(Opcode::LLVMSDiv | Opcode::LLVMSRem) => define(&b, i, true),
                    Some(Opcode::LLVMUDiv | Opcode::LLVMURem) => define(&b, i, false),
                    _ => {}
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// A constant of an integer type or a vector of it.
fn constant(b: &Builder, ty: Type, value: i64) -> Value {
    let scalar = ty.scalar().const_signed(value);
    if ty.is_vector() { b.splat(scalar, ty.len() as u32, "") } else { scalar }
}

fn define(b: &Builder, division: Value, signed: bool) {
    let (dividend, divisor) = (division.operand(0), division.operand(1));
    if divisor.as_const_signed().is_some_and(|n| n != 0 && !(signed && n == -1)) {
        return;
    }
    let ty = division.ty();
    b.position_before(division);
    let equal =
        |a: Value, value: i64, name: &str| b.icmp(IntPredicate::LLVMIntEQ, a, constant(b, ty, value), name);
    let mut undefined = equal(divisor, 0, "zero");
    if signed {
        let least = i64::MIN >> (64 - ty.scalar().int_bits().min(64));
        let over = b.and(equal(divisor, -1, "minus"), equal(dividend, least, "least"), "over");
        undefined = b.binary(Opcode::LLVMOr, undefined, over, "undefined");
    }
    division.set_operand(1, b.select(undefined, constant(b, ty, 1), divisor, "divisor"));
}
